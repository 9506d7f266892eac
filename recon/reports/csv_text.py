"""A report as CSV: what a spreadsheet opens without harm and a program reads back."""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from recon.reports.tables import TEXT

BYTE_ORDER_MARK = "\ufeff"
_ROWS_AT_ONCE = 50_000
_FORMULA_STARTS = (*"=+-@\t\r", *"＝＋－＠")
"""The last four are the full-width forms, which some spreadsheets take for the same."""

_FORMULA = "^[=+@\t\r＝＋－＠-]"
_NEEDS_QUOTES = '[",\r\n]'
_INSTANT = "%Y-%m-%dT%H:%M:%SZ"


def render(table: pa.Table) -> bytes:
    """Write a table as CSV, whole; `chunks` gives it in parts."""
    return b"".join(chunks(table))


def chunks(table: pa.Table) -> Iterator[bytes]:
    """Write a table as CSV: UTF-8 with a byte-order mark, `,`, one header row, LF.

    Amounts are plain integers, instants `YYYY-MM-DDTHH:MM:SSZ`, dates ISO, an empty
    cell is null. A text that a spreadsheet would run as a formula gets an apostrophe
    in front. Written column by column, some rows at a time: a million take a second
    or two, and little memory.
    """
    yield (BYTE_ORDER_MARK + ",".join(table.column_names) + "\n").encode()
    for batch in table.to_batches(max_chunksize=_ROWS_AT_ONCE):
        if batch.num_rows:
            cells = [_cells(column) for column in batch.columns]
            lines = pc.binary_join_element_wise(
                *cells, ",", null_handling="replace", null_replacement=""
            )
            yield ("\n".join(lines.to_pylist()) + "\n").encode()


def neutralised(text: str) -> str:
    """Put an apostrophe before a text that begins as a spreadsheet's formula does."""
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def _cells(column: pa.Array) -> pa.Array:
    """Write a column's values as they stand in the file."""
    if column.type == TEXT:
        return _quoted(_neutralised(column))
    if pa.types.is_timestamp(column.type):
        seconds = column.cast(pa.timestamp("s", "UTC"), safe=False)
        return pc.strftime(seconds, _INSTANT)
    return column.cast(TEXT)


def _neutralised(column: pa.Array) -> pa.Array:
    marked = pc.binary_join_element_wise("'", column, "")
    return pc.if_else(pc.match_substring_regex(column, _FORMULA), marked, column)


def _quoted(column: pa.Array) -> pa.Array:
    doubled = pc.replace_substring(column, '"', '""')
    wrapped = pc.binary_join_element_wise('"', doubled, '"', "")
    return pc.if_else(pc.match_substring_regex(column, _NEEDS_QUOTES), wrapped, column)
