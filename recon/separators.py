"""How numbers of any question are written: years plainly, all others by thousands.

A question says of no number what it is. So integers are taken for years where all of
a column can be: of the calendars that are used here, and of a business's life. Counts
or amounts that look so lose a separator and nothing else. What is no integer is no
rial: it is rounded, and shown with decimals even where they are zeros.
"""

import math
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

_YEARS = ((1300, 1499), (1900, 2199))  # Jalali and Gregorian, both ends included
_DECIMALS = 2
_DIGITS = 4  # of a number below one, such as a share
_LARGEST = 10**15  # beyond it a float has no decimals to show


def are_years(column: Iterable[Any]) -> bool:
    """Tell whether all values of a column can be years; empty cells do not count."""
    found = [value for value in column if value is not None]
    return bool(found) and all(map(_is_year, found))


def written(number: float | Decimal, *, is_year: bool = False) -> str:
    """Write a number for people: 12,345 and 2,870,694.67 and 0.9876, a year as 2026.

    An integer or a decimal is written whole, a float rounded.
    """
    if isinstance(number, int):
        return str(number) if is_year else f"{number:,}"
    if isinstance(number, Decimal):
        return f"{number:,f}"
    if not math.isfinite(number) or abs(number) >= _LARGEST:
        return f"{number:.6g}"
    if 0 < abs(number) < 1:
        return f"{number:#.{_DIGITS}g}"
    return f"{number:,.{_DECIMALS}f}"


def _is_year(value: Any) -> bool:
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    return any(first <= value <= last for first, last in _YEARS)


_ARE_YEARS = " || ".join(f"{first} <= n && n <= {last}" for first, last in _YEARS)
SCRIPT = f"""function (cell, type, row, meta) {{
    if (cell === "<NA>") {{ return ""; }}
    if (type !== "display") {{ return cell; }}
    if (typeof cell === "bigint") {{ return cell.toLocaleString("en"); }}
    if (!Number.isFinite(cell)) {{ return cell; }}
    const columns = meta.settings.reconColumns ??= {{}};
    const column = columns[meta.col] ??= (() => {{
        const all = meta.settings.oInstance.api().column(meta.col).data().toArray();
        const numbers = all.filter(n => typeof n === "bigint" || Number.isFinite(n));
        return {{
            isWhole: numbers.every(n => typeof n === "bigint" || Number.isInteger(n)),
            areYears: numbers.every(n => Number.isInteger(n) && ({_ARE_YEARS})),
        }};
    }})();
    if (column.areYears) {{ return String(cell); }}
    if (column.isWhole || Math.abs(cell) >= {_LARGEST}) {{
        const text = cell.toLocaleString("en");
        return Number.isSafeInteger(cell) ? text : "about " + text;
    }}
    if (0 < Math.abs(cell) && Math.abs(cell) < 1) {{
        return cell.toPrecision({_DIGITS});
    }}
    return cell.toLocaleString("en", {{
        minimumFractionDigits: {_DECIMALS}, maximumFractionDigits: {_DECIMALS}
    }});
}}"""
"""The same for a notebook's tables; whole numbers of a column of floats are integers.

A float that JavaScript cannot hold exactly is said to be about what is shown. An empty
cell of numbers comes as a text (no other has a `<` that is not escaped), and a column
in which one stayed would be sorted as texts are.
"""
