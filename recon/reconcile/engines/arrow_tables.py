"""Arrow tables on their way into an engine and out of it."""

import pyarrow as pa

from recon.errors import UsageError

WIDE_INTEGER = pa.decimal128(38, 0)
"""How a sum of integers leaves an engine: wider than 64 bits."""


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
