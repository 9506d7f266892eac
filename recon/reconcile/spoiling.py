"""What a spreadsheet makes of an identifier that looks like a number to it.

`1234567890123456` becomes `1.23457E+15` or `1234567890123450`, `0012…` loses its zeros,
and `1234567890123e45` is a number with an exponent. Nothing of that can be undone by
itself, but it can be seen whether one text may have become the other.
"""

import re
from decimal import Decimal, DecimalException

_NUMBER = re.compile(r"\d+(?:[.,]\d+)?(?:[eE]\+?\d{1,3})?", re.ASCII)
_KEPT_DIGITS = 15  # of a number; a spreadsheet makes zeros of the others
_LARGEST = Decimal("1e308")  # what is beyond stays a text


def may_have_become(text: str, cell: str) -> bool:
    """Tell whether a spreadsheet that took `text` for a number may show `cell`."""
    try:
        before, after = _number(text), _number(cell)
    except DecimalException:
        return False
    if before is None or after is None or before > _LARGEST:
        return False
    if before == after:
        return True
    if len(after.normalize().as_tuple().digits) > _KEPT_DIGITS:
        return False
    shown = min(len(after.as_tuple().digits), _KEPT_DIGITS)
    last_digit = Decimal(1).scaleb(after.adjusted() - shown + 1)
    is_shorter = shown < len(before.as_tuple().digits)
    return is_shorter and abs(before - after) < last_digit


def _number(text: str) -> Decimal | None:
    if not _NUMBER.fullmatch(text):
        return None
    return Decimal(text.replace(",", "."))
