"""Arrow tables on their way into an engine and out of it."""

from datetime import date

import pyarrow as pa
import pyarrow.compute as pc

from recon.errors import UsageError

WIDE_INTEGER = pa.decimal128(38, 0)
"""How a sum of integers leaves an engine: wider than 64 bits."""

_EPOCH = date(1970, 1, 1).toordinal()
_DAYS = range(date.min.toordinal() - _EPOCH, date.max.toordinal() - _EPOCH + 1)
_A_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}


def conformed(table: pa.Table, schema: pa.Schema, name: str) -> pa.Table:
    """Give an Arrow table the schema's columns; absent ones are null."""
    extra = sorted(set(table.column_names) - set(schema.names))
    if extra:
        raise UsageError(f"the table {name} has no column {extra[0]!r}")
    columns = [
        table[field.name].cast(field.type)
        if field.name in table.column_names
        else pa.nulls(table.num_rows, field.type)
        for field in schema
    ]
    return pa.table(columns, names=schema.names)


def narrowed(table: pa.Table, place: str) -> pa.Table:
    """Turn wide integers into 64-bit ones, never rounding."""
    for index, field in enumerate(table.schema):
        if field.type == WIDE_INTEGER:
            try:
                column = table.column(index).cast(pa.int64())
            except pa.ArrowInvalid:
                raise UsageError(
                    f"{place}: the column {field.name} is beyond 64 bits"
                ) from None
            table = table.set_column(index, field.name, column)
    return table


def refuse_far_dates(table: pa.Table, place: str) -> None:
    """Refuse dates and instants that no calendar here has: `infinity`, the year 10000.

    UsageError names the column.
    """
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_date(column.type) or pa.types.is_timestamp(column.type):
            a_day = _A_DAY[column.type.unit] if hasattr(column.type, "unit") else 1
            ends = pc.min_max(column)
            found = [ends[end].value for end in ("min", "max") if ends[end].is_valid]
            if any(value // a_day not in _DAYS for value in found):
                raise UsageError(
                    f"{place}: the column {name} has a date beyond the years 1 to 9999"
                )
