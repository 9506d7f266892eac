"""A report as CSV: what a spreadsheet opens without harm and a program reads back."""

from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from recon.reports.tables import TEXT
from recon.reports.texts import instants, joined

BYTE_ORDER_MARK = "\ufeff"
_ROWS_AT_ONCE = 50_000
_FORMULA = r"^[=+@\t\r\x00＝＋－＠-]"
"""A spreadsheet drops a NUL and runs what follows. The four before the last are the
full-width forms, which some spreadsheets take for the same."""

_NEEDS_QUOTES = '[",;\t\r\n]'
"""Semicolons and tabs, too: some spreadsheets part cells by all three at once."""

_SPECIAL = f"{_FORMULA}|{_NEEDS_QUOTES}"


def render(table: pa.Table) -> bytes:
    """Write a table as CSV, whole; `chunks` gives it in parts."""
    return b"".join(chunks(table))


def chunks(table: pa.Table) -> Iterator[bytes]:
    """Write a table as CSV, its header first."""
    yield header(table.column_names)
    yield from lines(table)


def header(names: Iterable[str]) -> bytes:
    """Write the first row, after a byte-order mark."""
    return (BYTE_ORDER_MARK + ",".join(names) + "\n").encode()


def lines(table: pa.Table) -> Iterator[bytes]:
    """Write a table's rows: UTF-8, `,`, LF.

    Amounts are plain integers, instants `YYYY-MM-DDTHH:MM:SSZ`, dates ISO, an empty
    cell is null. A text that a spreadsheet would run as a formula gets an apostrophe
    in front. Written column by column, some rows at a time: a million take a second
    or two, and little memory.
    """
    for batch in table.to_batches(max_chunksize=_ROWS_AT_ONCE):
        if batch.num_rows:
            cells = [_cells(column) for column in batch.columns]
            rows = pc.binary_join_element_wise(
                *cells, ",", null_handling="replace", null_replacement=""
            )
            yield joined(pc.binary_join_element_wise(rows, "\n", ""))


def _cells(column: pa.Array) -> pa.Array:
    """Write a column's values as they stand in the file."""
    if column.type == TEXT:
        runs = pc.run_end_encode(column)  # neighbours often say the same
        special = pc.any(pc.match_substring_regex(runs.values, _SPECIAL)).as_py()
        return _quoted(_neutralised(column)) if special else column
    if pa.types.is_timestamp(column.type):
        return instants(column)
    return column.cast(TEXT)


def _neutralised(column: pa.Array) -> pa.Array:
    """Put an apostrophe before texts that begin as a spreadsheet's formula does."""
    marked = pc.binary_join_element_wise("'", column, "")
    return pc.if_else(pc.match_substring_regex(column, _FORMULA), marked, column)


def _quoted(column: pa.Array) -> pa.Array:
    doubled = pc.replace_substring(column, '"', '""')
    wrapped = pc.binary_join_element_wise('"', doubled, '"', "")
    return pc.if_else(pc.match_substring_regex(column, _NEEDS_QUOTES), wrapped, column)
