"""How the value of one setting is read; each reader says what it takes.

A reader gets what TOML or the environment gave (an environment value is text) and
returns the typed value, or raises ValueError with what is allowed.
"""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from recon import assets, times
from recon.hosts import is_host
from recon.wording import meant

Reader = Callable[[Any], Any]

IMPORT_KINDS = (
    "books",
    "balances",
    "deposits",
    "adjustments",
    "bank_statement",
    "tariff",
    "gateway_tokens",
    "hosted_checkouts",
    "events",
)
BEARERS = ("business", "customer")
WAGE_PAYERS = ("wallet", "bank")
SEVERITIES = ("info", "warning", "error", "critical")
BLOCKING = ("error", "critical")
"""Open breaks of these end a run with 1, and no period is closed beside them."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")  # which a reader of addresses drops unasked
_IBAN_GAPS = str.maketrans("", "", " \t\u00a0\u202f-")
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
_FOR_EVER = timedelta(days=365_000)
"""A longer duration is taken as this: no record is so old, and the year 1000 exists."""


class Secret:
    """A text that never shows itself; `reveal()` is for the wire only."""

    __slots__ = ("_text",)

    def __init__(self, secret_text: str) -> None:
        self._text = secret_text

    def reveal(self) -> str:
        """Return the secret itself."""
        return self._text

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return "***" if self._text else "(unset)"

    def __reduce__(self) -> Any:
        raise TypeError("a secret is not written anywhere")


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("a text")  # noqa: TRY004 - one kind of error for a setting
    return _whole_text(value.strip())


def _whole_text(value: str) -> str:
    """Refuse halves of characters, which bytes of another encoding become."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError("a text in UTF-8") from None
    return value


def name(value: Any) -> str:
    found = text(value)
    plain = re.fullmatch(r"[^\s/\\?#%]+", found) and found.isprintable()
    if not plain or found in {".", ".."}:
        raise ValueError(
            "a name without spaces, half-spaces, / \\ ? # or %, as in the provider's "
            "paths"
        )
    return found


def path(value: Any) -> str:
    found = text(value)
    if not found or "\0" in found:
        raise ValueError("a path")
    return found


def place(value: Any) -> str:
    """Read a folder or an address of S3; what begins as one of neither is refused."""
    found = path(value)
    if _SCHEME.match(found) and not re.match(r"s3://[^/]", found):
        raise ValueError(
            'a folder or "s3://bucket/prefix"; a folder of that name begins with ./'
        )
    return found


def url(value: Any) -> str:
    found = text(value).rstrip("/")
    if not found:
        return found
    try:
        parts = urlsplit(found)
        _ = parts.port
    except ValueError:
        parts = urlsplit("")
    local = parts.scheme == "http" and parts.hostname in LOOPBACK
    if not parts.hostname or not (parts.scheme == "https" or local):
        raise ValueError("an https address (plain http only to this machine)")
    if parts.username or parts.password:
        raise ValueError("an address without a user name or password in it")
    if "?" in found or "#" in found:  # what stands there may be a secret, too
        raise ValueError("an address without ? or # in it")
    if _CONTROL.search(found):
        raise ValueError("an address without tabs and the like in it")
    if not is_host(parts.hostname):
        raise ValueError(f"the address of a host: {parts.hostname!r} is no name of one")
    return found


def list_path(value: Any) -> str:
    """Read where a list is at its product's address; its pages are asked by query."""
    found = text(value)
    if "://" in found or "?" in found or "#" in found:
        raise ValueError("a path at base_url, without ? or # in it")
    return found


def iban(value: Any) -> str:
    return times.plain_digits(text(value)).translate(_IBAN_GAPS).upper()


def secret(value: Any) -> Secret:
    if not isinstance(value, str):
        raise ValueError("a text")  # noqa: TRY004
    found = value.strip()
    if not (found.isascii() and found.isprintable()):  # it must fit into a header
        raise ValueError("a text of printable ASCII signs")
    return Secret(found)


def secrets(value: Any) -> tuple[Secret, ...]:
    return tuple(Secret(item) for item in texts(value))


def texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = _listed(value) if value.startswith("[") else value.split(",")
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError("a list of texts")
    return tuple(_whole_text(item.strip()) for item in value if item.strip())


def _listed(text: str) -> Any:
    with suppress(ValueError):
        return json.loads(text)
    return None


def flag(value: Any) -> bool:
    known = {
        "true": True,
        "1": True,
        "yes": True,
        "false": False,
        "0": False,
        "no": False,
    }
    found = known.get(str(value).lower()) if isinstance(value, (bool, str)) else None
    if found is None:
        raise ValueError("true or false")
    return found


def one_of(*allowed: str) -> Reader:
    def read(value: Any) -> str:
        if value not in allowed:
            raise ValueError(" or ".join(f'"{item}"' for item in allowed))
        return str(value)

    return read


def whole(least: int, most: int) -> Reader:
    def read(value: Any) -> int:
        number = value
        if isinstance(value, str) and re.fullmatch(r"[0-9]{1,19}", value.strip()):
            number = int(value)
        if type(number) is not int or not least <= number <= most:
            raise ValueError(f"a whole number from {least} to {most}")
        return number

    return read


def size(value: Any) -> int:
    found = re.fullmatch(r"([0-9]{1,15})\s*([KMGT]i?B|B)?", str(value).strip())
    if isinstance(value, bool) or found is None or not int(found[1]):
        raise ValueError('a size in bytes, or like "512MB" or "2GiB", above 0')
    unit = found[2] or "B"
    power = "BKMGT".index(unit[0])
    base = 1024 if "i" in unit else 1000
    return int(found[1]) * int(base**power)


def rate(value: Any) -> float | None:
    if value in ("", "none", None):
        return None
    try:
        number = 0.0 if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = 0.0
    if not 0 < number < float("inf"):
        raise ValueError("requests per second, above 0")
    return number


def duration(value: Any) -> timedelta:
    try:
        if isinstance(value, (str, int)):
            return min(times.parse_duration(value), _FOR_EVER)
    except (ValueError, OverflowError):
        pass
    raise ValueError('a duration: a number with s, m, h or d, like "5m"')


def positive_duration(value: Any) -> timedelta:
    found = duration(value)
    if not found:
        raise ValueError("a duration above 0")
    return found


def zone(value: Any) -> ZoneInfo:
    return times.zone(text(value))


def checks(value: Any) -> tuple[str, ...]:
    found = texts(value)
    for check in found:
        _known_check(check)
    return found


def severities(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise ValueError('a table of <check> = "severity"')  # noqa: TRY004
    return {
        _known_check(name): _severity_of(name, level) for name, level in value.items()
    }


def _severity_of(check: str, level: Any) -> str:
    try:
        return severity(level)
    except ValueError as error:
        raise ValueError(f"{error} for {check}") from None


def one_of_since(*allowed: str) -> Reader:
    what = "a table of <day> = " + " or ".join(f'"{item}"' for item in allowed)
    one = one_of(*allowed)

    def read(value: Any) -> dict[str, str]:
        return {text(day): one(each) for day, each in _table(value, what).items()}

    return read


def ibans(value: Any) -> dict[str, str]:
    what = 'a table of <day> = "the IBAN from then on"'
    found = {text(day): iban(each) for day, each in _table(value, what).items()}
    if not all(found.values()):
        raise ValueError(what)
    return found


def column_names(value: Any) -> dict[str, dict[str, str]]:
    return _by_kind(value, "columns", "name in the file")


def column_values(value: Any) -> dict[str, dict[str, str]]:
    return _by_kind(value, "values", "value of each row")


def column_words(value: Any) -> dict[str, dict[str, dict[str, str]]]:
    found = _tables(value, "words", "<kind>.<column>", "table of words")
    for kind, columns in found.items():
        for column, words in columns.items():
            if not isinstance(words, dict):
                place = f"{kind}.{column}"
                raise ValueError(f'a table of <word> = "what it means" for {place}')  # noqa: TRY004
    return {
        kind: {
            column: {said: text(ours) for said, ours in words.items()}
            for column, words in columns.items()
        }
        for kind, columns in found.items()
    }


def skipped_words(value: Any) -> dict[str, dict[str, tuple[str, ...]]]:
    found = _tables(value, "skip", "<kind>", "words")
    for kind, headers in found.items():
        for header, words in headers.items():
            if not _are_texts(words):
                place = f"{kind}.{header}"
                raise ValueError(f'a list of words for {place}, as ["cod", "cash"]')
    return {
        kind: {header: tuple(words) for header, words in headers.items()}
        for kind, headers in found.items()
    }


def layouts(value: Any) -> dict[str, dict[str, Any]]:
    """Return what each layout says in place of the tables beside it."""
    found = _table(value, "a table [imports.layouts.<name>.<section>.<kind>]")
    return {name: _layout(name, sections) for name, sections in found.items()}


def _layout(name: str, sections: Any) -> dict[str, Any]:
    readers: dict[str, Reader] = {
        "columns": column_names,
        "words": column_words,
        "skip": skipped_words,
        "values": column_values,
    }
    if not isinstance(sections, dict) or sections.keys() - readers:
        raise ValueError(f"tables {', '.join(readers)} in layout {name!r}")
    try:
        return {section: readers[section](each) for section, each in sections.items()}
    except ValueError as error:
        raise ValueError(f"{error} (in layout {name!r})") from None


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _by_kind(value: Any, section: str, what: str) -> dict[str, dict[str, str]]:
    return {
        kind: {column: text(each) for column, each in columns.items()}
        for kind, columns in _tables(value, section, "<kind>", what).items()
    }


def _tables(value: Any, section: str, place: str, what: str) -> dict[str, Any]:
    found = _table(value, f"a table [imports.{section}.{place}]")
    for kind, columns in found.items():
        if kind not in IMPORT_KINDS:
            raise ValueError(f"a table of {', '.join(IMPORT_KINDS)}, not {kind!r}")
        if not isinstance(columns, dict):
            raise ValueError(f'a table of <column> = "{what}" for {kind}')  # noqa: TRY004
    return found


def _table(value: Any, what: str) -> dict[str, Any]:
    """Return a table, which the environment has as JSON; else say what it must be."""
    found: Any = value
    if isinstance(value, str):
        with suppress(ValueError):
            found = json.loads(value)
    if not isinstance(found, dict):
        raise ValueError(what)  # noqa: TRY004 - one kind of error for a setting
    return dict(found)


def severity(value: Any) -> str:
    return str(one_of(*SEVERITIES)(value))


def _known_check(check: str) -> str:
    known = assets.check_names()
    if check not in known:
        told = f"names of checks: there is no check {check!r}{meant(check, known)}"
        raise ValueError(told)
    return check
