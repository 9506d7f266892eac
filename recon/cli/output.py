"""What commands print: JSON for programs, tables for people, plain lines in logs."""

import json
import sys
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any

from recon.cli.values import as_text, of_json
from recon.cli.voice import say
from recon.cli.wrapping import width_of, wrapped
from recon.separators import written
from recon.wording import escaped, printable

__all__ = ["hanging", "print_json", "print_lines", "print_table", "say"]

_NUMBERS = (int, float, Decimal)


def print_json(value: Any) -> None:
    """Print a value as JSON: instants as in reports, Persian as it is."""
    print(escaped(json.dumps(of_json(value), ensure_ascii=False, indent=2)))


def print_lines(text: str, *, is_prose: bool = True) -> None:
    """Print text for people that may hold words of anybody's.

    A terminal breaks long lines within words; those of prose are broken between them.
    """
    lines = printable(text)
    print(wrapped(lines, sys.stdout) if is_prose else lines)


def hanging(text: str, indent: int) -> str:
    """Return text that begins after so many columns; on a terminal it keeps them.

    A line too long for a terminal goes on below where it began.
    """
    if not sys.stdout.isatty() or indent >= width_of(sys.stdout) // 2:
        return text
    margin = " " * indent
    lines = "\n".join(f"{margin}{line}" for line in text.split("\n"))
    return wrapped(lines, sys.stdout).removeprefix(margin)


def print_table(
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
    *,
    years: Collection[str] = (),
) -> None:
    """Print rows as a table: drawn on a terminal, aligned plain text elsewhere.

    Integers of the columns `years` have no thousands separators.
    """
    cells = [
        [_cell(row.get(name), is_year=name in years) for name in columns]
        for row in rows
    ]
    if not sys.stdout.isatty():
        _print_plain(cells, columns)
        return
    _print_drawn(cells, columns, _numeric(rows, columns))


def _print_drawn(
    cells: list[list[str]], columns: Sequence[str], is_right: list[bool]
) -> None:
    """Draw a table; where it is wider than the terminal, its rows take more lines."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from recon.cli.columns import stacked, widths

    names = [name.replace("_", " ") for name in columns]
    wide = widths([names, *cells])
    console = Console()
    if sum(wide) + 3 * len(wide) + 1 > console.width:
        rule = "-" if console.options.ascii_only else "─"
        print("\n".join(stacked(names, cells, wide, is_right, console.width, rule)))
        return
    table = Table(header_style="bold")
    for name, right in zip(names, is_right, strict=True):
        table.add_column(name, justify="right" if right else "left")
    for cell_row in cells:
        table.add_row(*(Text(cell) for cell in cell_row))
    console.print(table)


def _print_plain(cells: list[list[str]], columns: Sequence[str]) -> None:
    from recon.cli.columns import padded, widths

    lines = [list(columns), *cells]
    wide = widths(lines)
    for line in lines:
        print("  ".join(map(padded, line, wide)).rstrip())


def _numeric(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> list[bool]:
    filled = [
        [row[name] for row in rows if row.get(name) is not None] for name in columns
    ]
    return [
        bool(found) and all(isinstance(value, _NUMBERS) for value in found)
        for found in filled
    ]


def _is_number(value: Any) -> bool:
    return isinstance(value, _NUMBERS) and not isinstance(value, bool)


def _cell(value: Any, *, is_year: bool) -> str:
    if value is None:
        return ""
    if _is_number(value):
        return written(value, is_year=is_year)
    return printable(" ".join(as_text(value).split()))
