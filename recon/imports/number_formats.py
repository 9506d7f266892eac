"""What a sheet shows of a number: its format may make another one of it.

Zeros before an order's number, letters around it, a minus before what is no negative
amount: who fills the sheet sees them, and the number has nothing of them.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache

from recon.imports.formats.rows import Cell, ShownNumber
from recon.imports.units import is_rial, of_cell

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|[_*].|\[\$(?P<symbol>[^\]-]*)[^\]]*\]'
    r"|\[[^\]]*\]|(?P<general>General)|(?P<sign>.)",
    re.DOTALL | re.IGNORECASE,
)
_PLACES = "0#?"
_WITHIN = ".,"  # a number's point and its separators
_NEGATIVE = re.compile(r"^\D*[-\u2212(]\s*\d|\d\s*[-\u2212]\s*$")
_PERCENT = "%"
_NOT_RENDERED = frozenset("eE/")  # powers and fractions: of no identifier or amount


class _Literal(str):
    """What a format shows beside a number's digits."""

    __slots__ = ()


def as_shown(cell: Cell) -> Cell:
    """Return a cell as its sheet shows it: of a number, its digits and what is around.

    Of what has no format, or none that shows anything else, it is the cell.
    """
    if not isinstance(cell, ShownNumber):
        return cell
    return _rendered(str(cell), cell.shown) or str(cell)


def refuse_shown_identifier(cell: Cell) -> None:
    """Raise ValueError where a sheet shows an identifier otherwise than it holds it."""
    if isinstance(cell, ShownNumber) and (shown := as_shown(cell)) != cell:
        raise ValueError(
            f"is shown as {shown} and holds {cell}: make the column a text there and "
            "fill it as it is shown"
        )


def refuse_shown_amount(cell: Cell) -> None:
    """Raise ValueError where a sheet shows an amount as another than it holds."""
    if not isinstance(cell, ShownNumber):
        return
    section = _section(cell.shown, str(cell))
    literals = [each for each in section if isinstance(each, _Literal)]
    shown = str(as_shown(cell))
    is_other = (
        _PERCENT in section
        or any(sign.isdigit() for each in literals for sign in each)
        or (Decimal(cell) > 0 and _NEGATIVE.search(shown))
    )
    if is_other:
        raise ValueError(
            f"is shown as {shown} and holds {cell}: give it a number format that shows "
            "what it holds"
        )


@lru_cache(maxsize=4096)
def _rendered(digits: str, shown: str) -> str:
    """Return what a format shows of a number; "" where it is not known."""
    section = _section(shown, digits)
    if _PERCENT in section:
        digits = f"{(Decimal(digits) * 100).normalize():f}"
    whole, _, fraction = digits.lstrip("-").partition(".")
    signs = {each for each in section if not isinstance(each, _Literal)}
    if _NOT_RENDERED & signs or fraction or not whole.isdigit():
        return ""
    is_unsigned = digits.startswith("-") and len(_sections(shown)) == 1
    text = "".join(reversed(list(_from_the_right(section, whole)))).strip()
    return f"-{text}" if is_unsigned and text else text


def _from_the_right(section: tuple[str, ...], whole: str) -> Iterator[str]:
    """Yield what a section shows, last sign first; its first place has what is left."""
    point = section.index(".") if "." in section else len(section)
    first = next((at for at, each in enumerate(section) if _is_place(each)), -1)
    left = whole.lstrip("0")
    for at in reversed(range(len(section))):
        sign = section[at]
        if isinstance(sign, _Literal) or sign == _PERCENT:
            yield sign
        elif at == point and not any(map(_is_place, section[:point])):
            yield left  # nothing before the point holds its place
        elif _is_place(sign) and at < point:
            yield (left if at == first else left[-1:]) or ("0" * (sign == "0"))
            left = left[:-1]


def _is_place(sign: str) -> bool:
    return sign in _PLACES and not isinstance(sign, _Literal)


def _section(shown: str, digits: str) -> tuple[str, ...]:
    """Return the part of a format that a number is shown by."""
    sections = _sections(shown)
    if digits.startswith("-"):
        return sections[min(1, len(sections) - 1)]
    is_zero = Decimal(digits) == 0
    return sections[2 if is_zero and len(sections) > 2 else 0]  # noqa: PLR2004


@lru_cache(maxsize=256)
def _sections(shown: str) -> tuple[tuple[str, ...], ...]:
    """Return a format's parts: places of digits, and literals but words of money."""
    found: list[list[str]] = [[]]
    for token in _TOKEN.finditer(shown):
        if token["general"]:
            found[-1].append("0")
        elif token["sign"] is None:
            said = token["quoted"] or token["escaped"] or token["symbol"] or ""
            found[-1].extend([] if _says_nothing(said) else [_Literal(said)])
        elif token["sign"] == ";":
            found.append([])
        elif token["sign"] in f"{_PLACES}{_WITHIN}{_PERCENT}eE/":
            found[-1].append(token["sign"])
        elif not token["sign"].isspace():
            found[-1].append("0" if token["sign"] == "@" else _Literal(token["sign"]))
    return tuple(map(tuple, found))


def _says_nothing(said: str) -> bool:
    """Tell whether a literal is a space or a word of money, and so of no number."""
    return bool(not said or said.isspace() or is_rial(said) or of_cell(said))
