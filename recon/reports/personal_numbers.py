"""How people's numbers are written: mobiles, cards, national codes, accounts.

In ASCII, Persian and Arabic digits, with what people put between them, and with the
marks of direction that texts are pasted with. What looks alike and is none of them
(UUIDs, instants, amounts with separators) is found with them, to be kept.
"""

import re
from collections.abc import Iterator

from recon.times import plain_digits

_MARKS = "[\u00ad\u0640\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]"
_SPACES = "[\u00a0\u2000-\u200a\u202f\u205f\u3000]"
_DASHES = "[\u2010-\u2015\u2212]"
_ALL_SIGNS = "".join(map(chr, range(2**16)))
_USUAL_SIGNS = str.maketrans(
    {
        sign: usual
        for signs, usual in ((_MARKS, "\u200c"), (_SPACES, " "), (_DASHES, "-"))
        for sign in re.findall(signs, _ALL_SIGNS)
    }
)
"""Signs that look alike, or like nothing, as one, sign for sign: of the marks, which
texts are pasted with, a half-space."""

_MARK = "\u200c*"
_BETWEEN = rf"{_MARK}(?:[ .()\-]{_MARK}){{0,2}}"
"""What may stand between the digits of a mobile or a card."""

_GAP = rf"{_MARK}(?:[ \-]{_MARK}){{0,2}}"
_ALONE = (r"(?<![\dA-Za-z_])", r"(?![\dA-Za-z_])")
"""Persian letters may touch a number: بهشماره۰۹۱۲. Others make it a part of an id."""

_ACCOUNT = rf"{_ALONE[0]}IR(?:{_GAP}\d){{24}}{_ALONE[1]}"
_CODE = rf"""
    (?:
        \d(?:{_MARK}\d){{9}}
      | \d(?:{_MARK}\d){{2}}{_MARK}-{_MARK}\d(?:{_MARK}\d){{5}}{_MARK}-{_MARK}\d
      | \d(?:{_MARK}\d){{2}}{_MARK}[ ]{_MARK}\d(?:{_MARK}\d){{5}}{_MARK}[ ]{_MARK}\d
    ) {_ALONE[1]}
"""

FOUND = re.compile(
    rf"""
      (?P<keep>
          \b[0-9a-f]{{8}}-[0-9a-f]{{4}}-[0-9a-f]{{4}}-[0-9a-f]{{4}}-[0-9a-f]{{12}}\b
        | \b\d{{4}}-\d\d-\d\dT\d\d:\d\d[\d:.]*Z?
        | (?<![\d,])[-+]?\d{{1,3}}(?:,\d{{3}})+(?![\d,])
      )
    | (?P<iban> {_ACCOUNT} )
    | (?P<email> [\w.+-]{{1,64}}@[\w-]+(?:\.[\w-]+)+ )
    | {_ALONE[0]} (?=[+\d]) (?:
        (?P<card>
          [1-9۱-۹١-٩](?:{_MARK}\d){{3}}
          (?:{_BETWEEN}\d(?:{_MARK}\d){{3}}){{3}}{_ALONE[1]}
        )
      | (?P<mobile>
          (?:
              (?:\+|[0۰٠]{{2}})? [9۹٩]{_MARK}[8۸٨] {_BETWEEN} (?:[0۰٠] {_BETWEEN})?
            | [0۰٠]{_MARK}
          )
          [9۹٩] (?:{_MARK}\d){{2}} (?:{_BETWEEN}\d){{7}} {_ALONE[1]}
        )
      | (?P<code> {_CODE} (?P<unit>\s*(?:rial|toman|ریال|تومان))? )
      )
    """,
    re.VERBOSE | re.IGNORECASE,
)

_GAPS = f"(?:[ .()\\-]|{_MARKS}|{_SPACES}|{_DASHES}){{0,4}}"
LONG = f"[0-9۰-۹٠-٩](?:{_GAPS}[0-9۰-۹٠-٩]){{9}}"
"""All texts in which FOUND finds more than an address have it."""

SUSPICIOUS = f"@|{LONG}"
UUID = "^(?:[a-z]+:)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
"""By itself, or after what it is of: FOUND keeps it, and no group of it has ten digits.

So most ids need not be searched, of which every twelfth looks suspicious by chance."""

_IBAN = re.compile(_ACCOUNT, re.IGNORECASE)
_TEN_DIGITS = re.compile(rf"{_ALONE[0]}{_CODE}", re.VERBOSE)


def accounts_in(text: str) -> Iterator[str]:
    """Yield the IBANs that a text has, without what parts them."""
    return (iban(found) for found in _IBAN.findall(usual(text)))


def numbers_in(text: str) -> Iterator[str]:
    """Yield the numbers of ten digits that a text has, however they are grouped."""
    return (digits(found[0]) for found in _TEN_DIGITS.finditer(usual(text)))


def usual(text: str) -> str:
    """Return a text, sign for sign, whose spaces, dashes and marks are usual ones."""
    return text if text.isascii() else text.translate(_USUAL_SIGNS)


def digits(text: str) -> str:
    """Return the digits of a text, as ASCII."""
    return "".join(sign for sign in plain_digits(text) if sign.isdigit())


def iban(text: str) -> str:
    """Return an IBAN without what parts it, in capitals and ASCII digits."""
    return "".join(sign for sign in plain_digits(text) if sign.isalnum()).upper()
