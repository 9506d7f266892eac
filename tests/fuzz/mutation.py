"""Making bad input of good: bytes changed, cut away, put in, blown up, nested.

Everything is drawn from one seeded `Random`, so an input is known by its seed.
"""

import json
from random import Random
from typing import Any

MARKS = (
    b"\x00",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xc3\x28",
    b"\xed\xa0\x80",
    "\u202e".encode(),
    "\u200f".encode(),
    "\u2028".encode(),
    "۱۲۳".encode(),
    b"\r",
    b"\n\n",
    b'"',
    b"'",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b";",
    b"=",
    b":",
    b"-",
    b"null",
    b"true",
    b"NaN",
    b"-0",
    b"1e999",
    b"1.5",
    b"9" * 30,
    b"9" * 400,
    b"9" * 5000,
    b"-9223372036854775809",
    b"[" * 3000,
    b'{"a":' * 3000,
    b"<a>" * 200,
    b"=1+1",
    b"../../etc/passwd",
    b"%00",
    b"%s%n",
    b"A" * 70_000,
)
"""What parsers trip over: marks, encodings, numbers, nesting, lengths."""

STRANGE: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1.5,
    1e308,
    2**63,
    -(2**63) - 1,
    10**30,
    "",
    " ",
    "\x00",
    "\u202eabc",
    "۱۲۳",
    "1.0",
    "1e5",
    "-5",
    "9" * 25,
    "x" * 5000,
    "2026-13-45",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59Z",
    [],
    {},
    [[]],
    [None],
    {"": {}},
)
"""Values of every type, where another one was."""

WORDS = (
    *("2026-10", "1405-07", "2026-10-01..2026-10-31", "..", "2026-10-01", "1405/8/1"),
    *("1760000000", "۱۴۰۵-۰۷", "0000-00", "9999-12", "10000-01", "5m", "7d", "-1s"),
    *("9" * 40, "1" * 5000, "٠", "²", "½", "Ⅷ", "\x00", "\u202e", "\ud800", "é", "ی"),
    *("T", "Z", "+14:00", "-99:99", "24:00", " ", "\n", "\t", "'", '"', "[", "{", "]"),
    *("true", "null", "inf", "nan", "1e999", "0x10", "1_000", "s3://b/p", "..", "/"),
    *("https://a.example", "http://localhost:1", "http://[", "http://a:99999999"),
    *("--", "-", "--json", "%", "\\", "$HOME", "a" * 3000, ",", "=", ":", "2GiB"),
)
"""Pieces of what people and scripts write."""


def damaged(content: bytes, chance: Random) -> bytes:
    """Return bytes with one to five things done to them."""
    made = bytearray(content)
    for _ in range(chance.randint(1, 5)):
        _damage(made, chance)
    return bytes(made)


def _damage(made: bytearray, chance: Random) -> None:
    at = chance.randint(0, len(made))
    length = chance.choice((1, 1, 2, 4, 16, 256))
    match chance.randint(0, 7):
        case 0 if made:
            made[at % len(made)] ^= 1 << chance.randint(0, 7)
        case 1:
            del made[at : at + length]
        case 2:
            del made[at:]
        case 3:
            made[at:at] = chance.randbytes(length)
        case 4:
            made[at:at] = chance.choice(MARKS)
        case 5:
            made[at : at + length] = chance.choice(MARKS)
        case 6:
            start = chance.randint(0, len(made))
            made[at:at] = made[start : start + length * 4]
        case _:
            made[at : at + length] = bytes(length)


def altered(value: Any, chance: Random) -> Any:
    """Return a JSON value with one thing in it replaced, left out or put in."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        name = chance.choice(list(value))
        changed = dict(value)
        match chance.randint(0, 5):
            case 0:
                del changed[name]
            case 1:
                changed[chance.choice(("x", "", "\x00", name.upper()))] = 1
            case _:
                changed[name] = altered(value[name], chance)
        return changed
    if isinstance(value, list) and value and chance.random() < 0.9:
        place = chance.randrange(len(value))
        changed_list = list(value)
        match chance.randint(0, 4):
            case 0:
                del changed_list[place]
            case 1:
                changed_list.insert(place, changed_list[place])
            case _:
                changed_list[place] = altered(value[place], chance)
        return changed_list
    return chance.choice(STRANGE)


def altered_json(body: bytes, chance: Random) -> bytes:
    """Return a JSON body that is still JSON, of another shape."""
    value = json.loads(body)
    for _ in range(chance.randint(1, 3)):
        value = altered(value, chance)
    return json.dumps(value, ensure_ascii=chance.random() < 0.5).encode(
        errors="surrogatepass"
    )


def bad_body(body: bytes, chance: Random) -> bytes:
    """Return a JSON body that is damaged as bytes or as a value."""
    if chance.random() < 0.5:
        return altered_json(body, chance)
    return damaged(body, chance)


def words(chance: Random, most: int = 4) -> str:
    """Return a text of pieces, or of arbitrary characters."""
    if chance.random() < 0.2:
        return "".join(
            chr(chance.choice((chance.randrange(128), chance.randrange(0x110000))))
            for _ in range(chance.randint(0, 12))
        )
    return "".join(chance.choice(WORDS) for _ in range(chance.randint(1, most)))


def bad_text(text: str, chance: Random) -> str:
    """Return a text that was changed in places."""
    made = list(text)
    for _ in range(chance.randint(1, 3)):
        at = chance.randint(0, len(made))
        match chance.randint(0, 3):
            case 0:
                del made[at : at + chance.randint(1, 3)]
            case 1:
                made[at : at + 1] = words(chance, 1)
            case _:
                made[at:at] = words(chance, 1)
    return "".join(made)
