"""Compaction: the newest version of each record in one file, so that nights stay short.

A night adds files, and each reading would group all versions of all nights to find
the newest. A compaction copies what it finds into two files a table (see `parts`),
as one commit like any other: all of it is visible or nothing, every file has its
hash, and nothing is removed. Readings as of its time or later take the two files and
those of later commits; readings as of an earlier time are as they were. A commit that
comes while it works is not covered, and is read as a later one.

Each compaction writes the newest versions anew, but goes on from the superseded ones
of the compaction before it, so that its cost follows the records, not their history.
"""

from collections.abc import Sequence
from datetime import datetime

import duckdb
import pyarrow as pa

from recon.errors import LakeError
from recon.lake.commits import Commit
from recon.lake.lake import Lake
from recon.lake.parts import COMPACTION, Parts
from recon.lake.schema import COMPACTED, TABLES, Table
from recon.lake.selection import (
    connected,
    newest_file_first,
    newest_first,
    prepare,
    several,
    single,
)
from recon.lake.writing import Writing
from recon.settings import Engine

FEWEST_ROWS = 100_000
"""Fewer later versions take less than a tenth of a second to group."""

LARGEST_SHARE = 10
"""One in so many: the later versions that a reading may have for each compacted one.

With it a version is copied ten times at most in the life of a lake that only grows.
"""

MOST_FILES = 100
"""So many later files of a table are opened for each reading, however small."""

_ROWS_AT_ONCE = 122_880  # a row group as DuckDB reads it, in one thread


def compact(
    lake: Lake,
    bounds: Engine,
    tables: Sequence[str] | None = None,
    *,
    as_of: datetime | None = None,
) -> Commit | None:
    """Put together the tables that are due, or those named; None if there is none.

    `bounds` are those of memory and threads; with `as_of` only what was known then is
    covered, and what came since is read as later. Raises CorruptLake where a file is
    damaged, LakeError where there is no room or the lake cannot be written; the lake
    then reads as before.
    """
    commits = lake.commits(as_of)
    found = {name: lake.parts(name, commits) for name in tables or COMPACTED}
    chosen = {
        name: parts
        for name, parts in found.items()
        if parts.later and (tables is not None or is_due(parts))
    }
    if not chosen:
        return None
    with lake.begin(COMPACTION, "records") as writing:
        counts = {
            name: _put_together(lake, writing, TABLES[name], parts, bounds)
            for name, parts in chosen.items()
        }
        upon = {name: parts.made_by for name, parts in chosen.items() if parts.made_by}
        certificate = {"covers": commits[-1].sequence, "upon": upon}
        return writing.commit(counts=counts, certificate=certificate)


def is_due(parts: Parts) -> bool:
    """Tell whether a table's later files cost more than they should."""
    rows = sum(file.rows for file in parts.later)
    known = sum(file.rows for file in parts.compacted)
    many = rows >= FEWEST_ROWS and rows * LARGEST_SHARE >= known
    return many or len(parts.later) >= MOST_FILES


def _put_together(
    lake: Lake, writing: Writing, table: Table, parts: Parts, bounds: Engine
) -> int:
    """Write a table's two files; returns how many rows are the newest."""
    compacted, later = lake.fetch(parts.compacted), lake.fetch(parts.later)
    columns = table.schema.names
    place = newest_file_first if table.is_replaced_whole else newest_first
    try:
        with connected(bounds.memory_limit, bounds.threads) as connection:
            prepare(connection, table, compacted, later, lake.key)
            connection.execute(
                f"create temp table ranked as select *, {place(table)} as place "
                f"from ({several(table, columns)})"
            )
            own = ", ".join(f'"{name}"' for name in columns)
            of_ranked = f"select {own} from ranked where place"
            newest = f"{single(table, columns)} union all {of_ranked} = 1"
            kept = _copy(connection, newest, writing, "compacted", table)
            aside = _copy(connection, f"{of_ranked} > 1", writing, "superseded", table)
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        line = str(error).partition("\n")[0]
        raise LakeError(f"{table.name} cannot be compacted: {line}") from None
    given = sum(file.rows for file in parts.compacted + parts.later)
    if kept + aside != given:
        raise LakeError(
            f"{table.name} cannot be compacted: {kept} and {aside} rows came of {given}"
        )
    return kept


def _copy(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    writing: Writing,
    folder: str,
    table: Table,
) -> int:
    """Write the rows of a query to a file; returns how many."""
    count = 0
    for batch in connection.sql(query).to_arrow_reader(_ROWS_AT_ONCE):
        writing.copies(folder, table.name, pa.Table.from_batches([batch]))
        count += batch.num_rows
    return count
