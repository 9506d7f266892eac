"""Redaction: no secret of the business in what is kept or told of an answer.

A provider may repeat a credential, its own or that of another of its products. Every
body is searched for all secrets at once, before it is stored, whatever their number:
at each eighth place (each fourth, where a secret is short) four bytes are looked up in
a table of what secrets have in their middle, and only where these are met is the secret
itself compared.
"""

import base64
import dataclasses
import json
import re
from collections.abc import Iterator
from functools import cache
from html.entities import html5
from typing import Self
from urllib.parse import quote, quote_plus

import numpy as np
import numpy.typing as npt

from recon.setting_values import Secret
from recon.settings import Settings

_SHORTEST = 8  # characters; masking less would garble ordinary text
_MASK = b"***"
_TOKENS_MOST = 64
"""So many tokens are masked, the newest: a provider may give one a request."""

_WORD = np.dtype("<u4")
_STEP, _SHORT_STEP = 8, 4  # bytes from one word that is looked up to the next
_MORE = _WORD.itemsize - 1  # so many bytes beyond a step hold one of those words whole
_TABLE_BITS = 18
_FACTOR = np.uint32(2_654_435_761)  # spreads words over the table (Knuth's)
_SHIFT = np.uint32(32 - _TABLE_BITS)

_MIXED_MOST = 4 * 2**10
"""Bytes up to which every body is searched for secrets of which any signs are escaped.
Longer ones are lists: there it is done where one stands in them once JSON is read."""

Words = npt.NDArray[np.uint32]

_ESCAPES = re.compile(rb"\\u00|%|&(?:#|[A-Za-z]+;)")
_NUMBERED = re.compile(rb"\\u00[2-7]")
_OF_JSON = re.compile(rb'\\(?:u00([2-7][0-9A-Fa-f])|(["/\\]))')
_SLASHED = re.compile(r'[/"\\]')  # before these alone a backslash is an escape
_MARKUP = "\"&'+/<=>`"  # what an encoder may escape, to be safe within HTML
_NAMED = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_QUOTED = _NAMED | {'"': "&quot;"}
_IN_PAGES = [
    str.maketrans(signs)
    for signs in (
        _NAMED,
        _QUOTED,
        *(_QUOTED | {"'": each} for each in ("&#x27;", "&#39;", "&#039;")),
        _NAMED | {'"': "&#34;", "'": "&#39;", "+": "&#43;"},  # Go
        _QUOTED | {"'": "&#x27;", "`": "&#x60;", "=": "&#x3D;"},  # Handlebars
        _QUOTED | {"'": "&#39;", "/": "&#x2F;", "`": "&#x60;", "=": "&#x3D;"},
    )
]
"""What templates of web pages write for some signs: the page of an error may show the
request that failed, with its headers."""


class Redaction:
    """The secrets that are masked wherever they stand.

    Each is found as it is, and as JSON, an address (each within another of its kind,
    too), a web page, hex, UTF-16 or base64 (an `Authorization` of `Basic`, say) has it.
    """

    def __init__(self) -> None:
        self._secrets: list[str] = []
        self._tokens: list[str] = []
        self._patterns: dict[str, re.Pattern[bytes]] = {}
        self._begin(_STEP)

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return one that masks every secret of the settings."""
        found = cls()
        for _, secret in named_secrets(settings):
            found.hide(secret.reveal())
        return found

    def hide(self, secret: str) -> None:
        """Mask a secret from now on."""
        if len(secret) >= _SHORTEST and secret not in self._secrets:
            self._secrets.append(secret)
            self._add(secret)

    def hide_token(self, token: str) -> None:
        """Mask a token from now on; of very many the oldest are let go."""
        if len(token) < _SHORTEST or token in self._tokens:
            return
        self._tokens.append(token)
        if len(self._tokens) <= _TOKENS_MOST:
            self._add(token)
            return
        for _ in range(_TOKENS_MOST // 2):
            self._patterns.pop(self._tokens.pop(0), None)
        self._begin(self._step)

    def masked(self, body: bytes, *, thoroughly: bool = False) -> bytes:
        """Return a body in which no secret stands.

        A long one is searched for the odder escapes only where it is asked for, or
        where reading it as JSON would show a secret: that takes far longer.
        """
        if self._stands_in(body):
            for spelled in sorted(self._spelled, key=len, reverse=True):
                body = body.replace(spelled, _MASK)
        thoroughly |= len(body) <= _MIXED_MOST or self._stands_in(_read(body))
        if thoroughly and self._may_be_escaped(body):
            for secret in sorted(
                {*self._secrets, *self._tokens}, key=len, reverse=True
            ):
                body = self._mixed(secret).sub(_MASK, body)
        return body

    def text(self, said: str) -> str:
        """Return a text in which no secret stands."""
        found = said.encode(errors="surrogatepass")
        kept = self.masked(found)
        return said if kept == found else kept.decode(errors="surrogatepass")

    def texts(self, said: dict[str, str]) -> dict[str, str]:
        """Return short texts by name, in which no secret stands."""
        together = "\n".join(said.values())
        if self.text(together) == together:
            return said
        return {name: self.text(each) for name, each in said.items()}

    def _begin(self, step: int) -> None:
        self._step = step
        self._spelled: set[bytes] = set()
        self._table = np.zeros(2**_TABLE_BITS, dtype=np.bool_)
        self._words: dict[int, list[tuple[int, bytes]]] = {}
        for each in (*self._secrets, *self._tokens):
            self._add(each)

    def _add(self, secret: str) -> None:
        spellings = {*_spellings(secret)}
        if min(map(len, spellings)) < self._step + _MORE:
            self._begin(_SHORT_STEP)
            return
        for spelled in spellings - self._spelled:
            self._spelled.add(spelled)
            start = (len(spelled) - self._step - _MORE) // 2
            for place in range(start, start + self._step):
                word = int.from_bytes(spelled[place : place + 4], "little")
                self._words.setdefault(word, []).append((place, spelled))
                self._table[(word * int(_FACTOR)) % 2**32 >> int(_SHIFT)] = True

    def _may_be_escaped(self, body: bytes) -> bool:
        """Tell whether a body may have a secret of which any signs are escaped."""
        if _ESCAPES.search(body):
            return True
        secrets = (*self._secrets, *self._tokens)
        return b"\\" in body and any(_SLASHED.search(each) for each in secrets)

    def _stands_in(self, body: bytes) -> bool:
        """Tell whether a body has any spelling of a secret."""
        words = np.frombuffer(body, dtype=_WORD, count=len(body) // 4)
        words = words[:: self._step // 4]
        (met,) = self._table.take(_places(words)).nonzero()
        for word, place in zip(words[met].tolist(), met.tolist(), strict=True):
            for before, spelled in self._words.get(word, ()):
                start = place * self._step - before
                if start >= 0 and body.startswith(spelled, start):
                    return True
        return False

    def _mixed(self, secret: str) -> re.Pattern[bytes]:
        """Return what finds a secret of which any signs are escaped."""
        if secret not in self._patterns:
            self._patterns[secret] = re.compile(b"".join(map(_any_spelling, secret)))
        return self._patterns[secret]

    def __repr__(self) -> str:
        return f"Redaction({len(self._secrets) + len(self._tokens)} secrets)"


def _read(body: bytes) -> bytes:
    """Return a body with the signs that JSON escapes; empty where none has a number.

    Encoders differ in which signs they write by number; all that is written otherwise
    is found as it stands.
    """
    if b"\\" not in body or not _NUMBERED.search(body):
        return b""
    return _OF_JSON.sub(
        lambda found: found[2] or bytes.fromhex(found[1].decode()), body
    )


def _places(words: Words) -> Words:
    """Return where words stand in the table."""
    return (words * _FACTOR) >> _SHIFT


def _spellings(secret: str) -> Iterator[bytes]:
    """Yield a secret as encoders write it."""
    whole = secret.encode()
    for text in (secret, *_as_base64(whole)):
        quoted = json.dumps(text)[1:-1]
        yield text.encode()
        for once in (quoted, quoted.replace("/", "\\/")):
            twice = json.dumps(once)[1:-1]
            yield from (once.encode(), twice.encode())
            yield twice.replace("/", "\\/").encode()
        for form in ("\\u%04x", "\\u%04X"):
            safe = (form % ord(sign) if sign in _MARKUP else sign for sign in quoted)
            yield "".join(safe).encode()
        yield from (text.translate(signs).encode() for signs in _IN_PAGES)
        for address in (quote(text, safe=""), quote(text), quote_plus(text)):
            small = re.sub("%..", lambda found: found[0].lower(), address)
            for once in (address, small):
                yield from (once.encode(), once.replace("%", "%25").encode())
    for form in ("\\u%04x", "\\u%04X", "%%%02x", "%%%02X", "%02x", "%02X"):
        yield "".join(form % sign for sign in whole).encode()
    for order in ("utf-16-le", "utf-16-be"):
        yield secret.encode(order).strip(b"\0")  # one finds the other, as a rule


def _as_base64(secret: bytes) -> Iterator[str]:
    """Yield what base64 of any text that holds a secret has in it.

    A sign stands for six bits: those at the ends also depend on what is beside.
    """
    for before in range(3):
        last = (before + len(secret)) * 8 // 6
        first = -(-before * 8 // 6)
        padded = bytes(before) + secret + bytes(3)
        for alphabet in (base64.b64encode, base64.urlsafe_b64encode):
            yield alphabet(padded).decode()[first:last]


def _any_spelling(sign: str) -> bytes:
    """Return a pattern of a sign, as it is or escaped."""
    code = ord(sign)
    forms = [sign, f"\\{sign}" if sign in '/"\\' else sign]
    forms += [f"\\u{code:04x}", f"\\u{code:04X}", f"%{code:02x}", f"%{code:02X}"]
    forms += [f"&{name}" for name in _names_of(sign)]
    either = b"|".join(re.escape(form.encode()) for form in dict.fromkeys(forms))
    numbered = rf"&#(?:0*{code}|[xX]0*(?i:{code:x}));?".encode()
    return b"(?:" + either + b"|" + numbered + b")"


@cache
def _names_of(sign: str) -> list[str]:
    """Return the names that HTML has for a sign; most letters have none."""
    return [name for name, meant in html5.items() if meant == sign and name[-1] == ";"]


def named_secrets(section: object, within: str = "") -> Iterator[tuple[str, Secret]]:
    """Yield each secret of settings, of their sections and of lists, by its name."""
    for each in dataclasses.fields(section):  # type: ignore[arg-type]
        value = getattr(section, each.name)
        held = value if isinstance(value, tuple) else (value,)
        for one in held:
            if isinstance(one, Secret):
                yield within + each.name, one
            elif dataclasses.is_dataclass(one):
                yield from named_secrets(one, f"{each.name}.")
