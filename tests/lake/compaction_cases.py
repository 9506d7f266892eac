"""What a lake says of a table, read in every way there is, and the plain oracle."""

from collections import Counter
from datetime import datetime
from typing import Any

import pyarrow as pa

from recon.lake import Commit, Lake
from recon.lake.compaction import compact
from recon.lake.parts import COMPACTION, Parts
from recon.lake.schema import COMPACTED, TABLES
from recon.settings import Engine

Row = dict[str, Any]
BOUNDS = Engine()


def compacted(lake: Lake, *tables: str, as_of: datetime | None = None) -> Commit:
    made = compact(lake, BOUNDS, tables or COMPACTED, as_of=as_of)
    assert made is not None
    return made


def parts(lake: Lake, table: str = "mandates", as_of: datetime | None = None) -> Parts:
    return lake.parts(table, lake.commits(as_of))


def rows(lake: Lake, files: tuple[Any, ...]) -> list[Row]:
    return [row for file in files for row in lake.read(lake.file(file)).to_pylist()]


def counted(found: list[Row]) -> Counter[str]:
    return Counter(repr(sorted(row.items(), key=str)) for row in found)


def newest(table: str, versions: list[Row]) -> list[Row]:
    """Return what stands of some versions, found one by one; nulls are the oldest."""
    best: dict[tuple[Any, ...], list[Row]] = {}
    whole = TABLES[table].is_replaced_whole
    for row in versions:
        key = tuple(row[name] for name in TABLES[table].key)
        held = best.setdefault(key, [row])
        if held[0] is row:
            continue
        if _place(row, whole=whole) > _place(held[0], whole=whole):
            best[key] = [row]
        elif whole and _place(row, whole=whole) == _place(held[0], whole=whole):
            held.append(row)
    return [row for held in best.values() for row in held]


def _place(row: Row, *, whole: bool) -> tuple[Any, ...]:
    names = ("page_no",) if whole else ("page_no", "position")
    numbers = [-1 if row[name] is None else row[name] for name in names]
    return row["pull_id"], *numbers


def assert_reads_as_before(
    lake: Lake, table: str, as_of: datetime | None = None
) -> None:
    """Hold each reading as of an instant against the commits without compactions."""
    versions = lake.versions(table, as_of).to_pylist()
    found = parts(lake, table, as_of)
    kept, aside = rows(lake, found.compacted), rows(lake, found.superseded)
    later = rows(lake, found.later)
    assert counted(kept + aside + later) == counted(versions)
    standing = newest(table, versions)
    assert counted(newest(table, kept + later)) == counted(standing)
    assert counted(newest(table, kept)) == counted(kept)
    if not TABLES[table].is_replaced_whole:
        current = lake.current(table, as_of=as_of).to_pylist()
        assert counted(current) == counted(standing)


def without_compactions(lake: Lake, as_of: datetime | None = None) -> list[Commit]:
    return [each for each in lake.commits(as_of) if each.kind != COMPACTION]


def names(table: pa.Table, column: str = "id") -> list[str]:
    found: list[str] = table[column].to_pylist()
    return sorted(found)
