"""The tables of a lake as a run has them: which are whole, put together, or empty."""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from recon.reconcile.engine import RawTable
from recon.reconcile.given import PARTS

_NOT_STANDING = ("compacted", "superseded")


def composition(table: str, tables: Mapping[str, RawTable]) -> Sequence[str] | None:
    """Return the tables of which one is put together; None of one that stands alone.

    Without a compaction nothing is compacted or superseded: such a part is none.
    """
    whole, _, part = table.rpartition("_")
    if table in tables:
        return None
    if f"{table}_later" in tables:
        return [f"{table}_{part}" for part in PARTS[:3]]
    if f"{whole}_later" in tables:  # only what stands is no part itself
        return [f"{whole}_compacted", f"{whole}_later"]
    if part in PARTS:
        return [] if part in _NOT_STANDING else [whole]
    return None


def is_empty(table: str, tables: Mapping[str, RawTable]) -> bool:
    """Tell whether a table has no row, as of one that the lake never had."""
    parts = composition(table, tables)
    if parts is not None:
        return all(is_empty(part, tables) for part in parts)
    source = tables.get(table, ())
    if isinstance(source, pa.Table):
        return int(source.num_rows) == 0
    return isinstance(source, Sequence) and not source
