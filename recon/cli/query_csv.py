"""The answer of a query as CSV, for programs; called by `recon sql --csv`."""

from typing import BinaryIO

import pyarrow as pa
from pyarrow import csv

from recon.cli.values import as_text
from recon.reports.tables import TEXT
from recon.reports.texts import instants


def write(table: pa.Table, file: BinaryIO) -> None:
    """Write a table with numbers as they are, all else as JSON and tables have it."""
    columns = [_held(column) for column in table.columns]
    csv.write_csv(pa.table(columns, names=table.column_names), file)


def _held(column: pa.ChunkedArray) -> pa.Array:
    kind = column.type
    if pa.types.is_timestamp(kind) and kind.tz:
        return instants(column)
    is_held = pa.types.is_primitive(kind) and not pa.types.is_temporal(kind)
    if is_held or kind == TEXT or pa.types.is_decimal(kind):
        return column
    values = column.to_pylist()
    return pa.array([None if each is None else as_text(each) for each in values], TEXT)
