"""The newest version of each record, found without sorting the world.

Most keys have one version among the files that may hold the newest, so only the keys
that may have several are put in order; all others are taken as they lie.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from recon import database
from recon.lake.encryption import Key, data_set
from recon.lake.schema import Table

if TYPE_CHECKING:
    import duckdb

STANDING = "standing"
"""The view of all versions that may be the newest."""

REPEATED = "repeated"
"""The keys that may have several of them: at least each that has."""

_ANSWERS = {"gateway_tokens": "real_amount"}
"""The column of an answer, where a file has rows of what was sent beside its row."""


@contextmanager
def connected(
    memory_limit: int = 0, threads: int = 0
) -> Iterator["duckdb.DuckDBPyConnection"]:
    """Open DuckDB within these bounds; without any it is one that the process keeps."""
    bounds: dict[str, str | int] = {}
    if memory_limit:
        bounds["memory_limit"] = f"{memory_limit}B"
    if threads:
        bounds["threads"] = threads
    with database.connected(bounds, kept=not bounds) as connection:
        yield connection


def prepare(
    connection: "duckdb.DuckDBPyConnection",
    table: Table,
    compacted: Sequence[Path],
    later: Sequence[Path],
    key: Key | None,
) -> None:
    """Make `standing` and `repeated` of a table's files.

    `compacted` files have no key twice but what stands together; `later` ones have
    any. Raises duckdb.Error, or pa.ArrowException, where a file cannot be read.
    """
    _open(connection, table, "compacted", compacted, key)
    _open(connection, table, "later", later, key)
    keys = _listed(table.key)
    connection.execute(
        f"create temp view {STANDING} as "
        "select * from compacted union all select * from later"
    )
    # Sixty-four bits of each key tell most keys apart, and take a fraction of it.
    twice = f"select hash({keys}) from later group by all having count(*) > 1"
    found = f"select distinct {keys} from later where hash({keys}) in ({twice})"
    if compacted:
        again = f"select {keys} from compacted semi join later on"
        found += f" union {again} {same(table, 'compacted', 'later')}"
    connection.execute(f"create temp table {REPEATED} as {found}")


def single(table: Table, columns: Sequence[str]) -> str:
    """Return the query for the rows whose keys have no other version."""
    return (
        f"select {_listed(columns)} from {STANDING} "
        f"anti join {REPEATED} on {same(table, STANDING, REPEATED)}"
    )


def several(table: Table, columns: Sequence[str]) -> str:
    """Return the query for the rows of all other keys; it may be qualified."""
    return (
        f"select {_listed(columns)} from {STANDING} "
        f"semi join {REPEATED} on {same(table, STANDING, REPEATED)}"
    )


def newest_first(table: Table) -> str:
    """Return the number of a row among those of its key: 1 is the newest.

    Of a file's rows that of an answer is, as the table's staging has it, too.
    """
    answer = _ANSWERS.get(table.name)
    places = ["pull_id desc", "page_no desc", "position desc"]
    if answer:
        places.insert(2, f"{answer} is null")
    return (
        f"row_number() over (partition by {_listed(table.key)} "
        f"order by {', '.join(places)})"
    )


def newest_file_first(table: Table) -> str:
    """Return the number of a row's file among those of its key: 1 is the newest."""
    return (
        f"dense_rank() over (partition by {_listed(table.key)} "
        "order by pull_id desc, page_no desc)"
    )


def same(table: Table, one: str, other: str) -> str:
    """Return the condition that rows of two sources have one key; nulls are alike."""
    return " and ".join(
        f'{one}."{name}" is not distinct from {other}."{name}"' for name in table.key
    )


def _open(
    connection: "duckdb.DuckDBPyConnection",
    table: Table,
    name: str,
    paths: Sequence[Path],
    key: Key | None,
) -> None:
    """Make a view of files; a column that they lack is null."""
    schema = table.schema
    sources = [database.rowless(schema, connection)]
    if paths and key:
        connection.register(f"held_{name}", data_set(paths, schema, key))
        sources.append(f"select * from held_{name}")
    elif paths:
        files = ", ".join("'" + str(path).replace("'", "''") + "'" for path in paths)
        sources.append(f"select * from read_parquet([{files}], union_by_name = true)")
    sql = " union all by name ".join(sources)
    connection.execute(
        f"create temp view {name} as select {_listed(schema.names)} from ({sql})"
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
