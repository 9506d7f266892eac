"""Rows and tables as the lake stores them, with where each row came from."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from recon.lake.schema import TABLES
from recon.lake.writing import record_hash
from recon.reconcile.given import RAW_SCHEMAS

Row = dict[str, Any]

AT = datetime(2026, 10, 10, 9, 0, tzinfo=UTC)
"""When the records happened: a Saturday, 12:30 in Tehran."""

SEEN_AT = datetime(2026, 10, 31, 20, 0, tzinfo=UTC)
PULL = "20261031T200000.000000Z-00000001"


def raw_table(table: str, rows: list[Row]) -> pa.Table:
    """Return rows as the table that the engine reads, numbered where they are not."""
    for position, row in enumerate(rows, 1):
        if "position" in row and row["position"] is None:
            row["position"] = position
    return pa.Table.from_pylist(rows, RAW_SCHEMAS[table])


def raw_row(table: str, changed: Mapping[str, Any], /, **usual: Any) -> Row:
    """Return a row of the usual values, with some changed and all others null.

    KeyError names a column that the table does not have.
    """
    schema = RAW_SCHEMAS[table]
    unknown = sorted((set(changed) | set(usual)) - set(schema.names))
    if unknown:
        raise KeyError(f"{table} has no column {unknown[0]!r}")
    row = dict.fromkeys(schema.names) | usual | dict(changed)
    if table in TABLES:
        row = _provenance(table, row, changed)
    return row


def _provenance(table: str, row: Row, changed: Mapping[str, Any]) -> Row:
    own = [row[name] for name in TABLES[table].columns.names]
    usual = {
        "pull_id": PULL,
        "seen_at": SEEN_AT,
        "record_hash": record_hash(own),
        "page_no": 1,
        "position": None,  # its place among the rows of the case
    }
    return row | usual | {key: changed[key] for key in usual if key in changed}
