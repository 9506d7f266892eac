"""A report as CSV: what a spreadsheet opens without harm and a program reads back."""

from collections.abc import Callable, Iterable
from datetime import date
from typing import Any

import pyarrow as pa

from recon.reports.tables import TEXT
from recon.times import format_instant

BYTE_ORDER_MARK = "\ufeff"
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_QUOTED = frozenset(',"\r\n')


def render(table: pa.Table) -> bytes:
    """Write a table as CSV: UTF-8 with a byte-order mark, `,`, one header row, LF.

    Amounts are plain integers, instants `YYYY-MM-DDTHH:MM:SSZ`, dates ISO, an empty
    cell is null. A text that a spreadsheet would run as a formula gets an apostrophe
    in front.
    """
    columns = [_cells(column) for column in table.columns]
    lines = [_line(table.column_names)]
    lines += map(_line, zip(*columns, strict=True))
    return (BYTE_ORDER_MARK + "".join(lines)).encode()


def neutralised(text: str) -> str:
    """Put an apostrophe before a text that begins as a spreadsheet's formula does."""
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def _cells(column: pa.ChunkedArray) -> list[str]:
    write = _writer(column.type)
    return ["" if value is None else write(value) for value in column.to_pylist()]


def _writer(kind: pa.DataType) -> Callable[[Any], str]:
    if kind == TEXT:
        return neutralised
    if pa.types.is_timestamp(kind):
        return format_instant
    if pa.types.is_date(kind):
        return date.isoformat
    return str


def _line(cells: Iterable[str]) -> str:
    return ",".join(map(_quoted, cells)) + "\n"


def _quoted(cell: str) -> str:
    if _QUOTED.isdisjoint(cell):
        return cell
    return '"' + cell.replace('"', '""') + '"'
