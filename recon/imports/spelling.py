"""Signs that nobody sees around a cell's text, and how it is spelt without them."""

import re

UNSEEN = (
    "\ufeff"  # byte-order mark
    "\u200b\u200c\u200d\u2060"  # of no width
    "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
TO_ASCII = str.maketrans("۰۱۲۳۴۵۶۷۸۹٠١٢٣٤٥٦٧٨٩", "01234567890123456789")
"""Persian and Arabic digits, as 0 to 9."""

_FORMULA_OF_TEXT = re.compile(r'="([^"]*)"')


def unmarked(text: str) -> str:
    """Return a text without spaces, marks of direction or of byte order around it."""
    bare = text.strip()
    if bare.isascii():
        return bare
    while (shorter := bare.strip(UNSEEN).strip()) != bare:
        bare = shorter
    return bare


def without_text_mark(text: str) -> str:
    """Return an identifier without marks around it, such as Excel's of a text.

    These are an apostrophe before its digits, and a formula of nothing else: ="123".
    """
    bare = unmarked(text)
    if formula := _FORMULA_OF_TEXT.fullmatch(bare):
        bare = unmarked(formula[1])
    digits_alone = bare[1:]
    if bare.startswith("'") and digits_alone.isdecimal():
        return digits_alone
    return bare or text


def in_ascii(text: str) -> str:
    """Return a text with the Persian and Arabic digits of it as 0 to 9."""
    return text if text.isascii() else text.translate(TO_ASCII)


def whole_number(text: str) -> str | None:
    """Return a whole number's digits as ASCII, "123.0" as 123; None if it is none."""
    number, point, fraction = in_ascii(text).partition(".")
    if not (number.isascii() and number.isdigit()) or fraction.strip("0"):
        return None
    return number if fraction or not point else None
