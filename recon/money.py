"""Money is an integer count of rials: reading it strictly and writing it for people."""

import re

from persiantools import digits

RIALS_PER_TOMAN = 10
MAX_AMOUNT_DIGITS = 18
SEPARATORS = ",\u066c\u060c_\u00a0\u202f "
"""Each of these may part the thousands of an amount."""

_WITHOUT_SEPARATORS = str.maketrans("", "", SEPARATORS)
_MAYBE_THOUSANDS = re.compile(r"0*[1-9]\d{0,2}\.000", re.ASCII)
_WHOLE = re.compile(rf"\d+|\d{{1,3}}(?:[{SEPARATORS}]\d{{3}})+", re.ASCII)


def parse_amount(text: str, *, signed: bool = False) -> int:
    """Read an amount as people and exports write it; the result is in its own unit.

    Takes ASCII, Persian and Arabic digits, thousands separators, and a fraction
    that is zero ("1,000.00"). Raises ValueError, saying what is allowed, on anything
    else: a minus where `signed` is false, a fraction, an exponent, over 18 digits, and
    what may be two amounts: "12,50" may have a fraction, and "1.000,00" and "1.000" be
    a thousand.
    """
    plain = digits.ar_to_fa(text.strip())
    plain = digits.fa_to_en(plain).replace("\u2212", "-").replace("\u066b", ".")
    negative = plain.startswith("-")
    if _MAYBE_THOUSANDS.fullmatch(plain.removeprefix("-").strip()):
        raise ValueError(
            f"{text!r} may be thousands or have a fraction: write it without the point"
        )
    whole, point, fraction = plain.removeprefix("-").partition(".")
    whole = whole.strip()
    if negative and not signed:
        raise ValueError(f"{text!r}: a minus is not allowed here")
    if point and (not fraction or fraction.strip("0")):
        raise ValueError(f"{text!r}: a fraction of a unit is not allowed")
    if not _WHOLE.fullmatch(whole):
        raise ValueError(f"{text!r} is not a whole number of digits")
    whole = whole.translate(_WITHOUT_SEPARATORS)
    if len(whole.lstrip("0")) > MAX_AMOUNT_DIGITS:
        raise ValueError(f"{text!r} has more than {MAX_AMOUNT_DIGITS} digits")
    return -int(whole) if negative else int(whole)


def to_rials(amount: int, currency: str) -> int:
    """Convert an amount of `rial` or `toman` to rials; ValueError on another unit."""
    match currency.strip().lower():
        case "rial" | "":
            return amount
        case "toman":
            return amount * RIALS_PER_TOMAN
        case other:
            raise ValueError(f"{other!r} is not a currency: rial or toman")


def format_rials(amount: int) -> str:
    """Write rials with thousands separators: -1234567 → '-1,234,567'."""
    return f"{amount:,}"
