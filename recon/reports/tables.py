"""One report as a table: its fixed columns and types, and its order of rows."""

import pyarrow as pa

from recon.errors import ReconError

TEXT = pa.string()
RIALS = pa.int64()
COUNT = pa.int64()
DATE = pa.date32()
INSTANT = pa.timestamp("us", "UTC")

AMOUNTS = frozenset(
    {
        *("expected", "actual", "difference", "explained", "unexplained"),
        *("opening", "payments", "gateway", "hosted", "deposits", "adjustments"),
        *("expected_closing", "closing", "amount", "wage", "affected"),
        *("amount_failed", "expected_wage", "book_amount", "record_amount"),
        *("debit", "credit", "order_amount", "received", "excess"),
    }
)
"""The columns of all reports that hold rials; other whole numbers are counts."""


def shaped(table: pa.Table, columns: pa.Schema, *, sort: bool = True) -> pa.Table:
    """Give a table a report's columns, in their order and types, and sort its rows.

    Rows are sorted by all columns from the left, empty cells last, so that equal
    data always make the same file. Raises ReconError naming a column that is missing
    and pyarrow's error where a value does not fit (an amount beyond 64 bits).
    """
    missing = [name for name in columns.names if name not in table.column_names]
    if missing:
        raise ReconError(f"a report's query returns no {', '.join(missing)}")
    found = table.select(columns.names).cast(columns)
    return in_order(found) if sort else found


def in_order(table: pa.Table) -> pa.Table:
    """Return a table's rows sorted by all columns from the left, empty cells last.

    An engine gives them as they come, which of a large lake is another way each time.
    """
    return table.sort_by([(name, "ascending") for name in table.column_names])


def text_columns(table: pa.Table) -> list[str]:
    """Return the names of the columns that hold text, never amounts or times."""
    return [field.name for field in table.schema if field.type == TEXT]
