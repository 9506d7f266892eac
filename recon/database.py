"""DuckDB in memory: without a network or extensions, spilling to a folder of its own.

To open and close one takes longer than most searches in the lake, and many a question
of a small shop. So a process keeps one for each set of bounds; what is made in it is
its maker's own, under a connection that ends with it. One that is not kept gives back
all its memory when it is closed.
"""

import atexit
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from recon.scratch import Scratch

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

Bounds: TypeAlias = Mapping[str, str | int]
"""Settings of DuckDB, as `memory_limit` and `threads`."""

_QUOTE = '"'
_ROWLESS: "dict[pa.Schema, str]" = {}
_PARSED: "dict[str, duckdb.Statement | str]" = {}
_MOST_PARSED = 1024  # some 20 MB


@contextmanager
def connected(bounds: Bounds, *, kept: bool) -> "Iterator[duckdb.DuckDBPyConnection]":
    """Open a connection whose tables are its own, its clock in UTC.

    What one that is not kept spills goes with it.
    """
    if kept:
        with _begun(tuple(sorted(bounds.items()))) as connection:
            yield connection
        return
    with Scratch() as scratch, _opened(scratch, bounds) as connection:
        yield _at_utc(connection)


def rowless(columns: "pa.Schema", connection: "duckdb.DuckDBPyConnection") -> str:
    """Return a query that has these columns and no row, which the planner can tell.

    A registered table would do, too, but takes three times as long. Of the types
    DuckDB itself knows the names, and is asked for them once.
    """
    if columns not in _ROWLESS:
        connection.register("rowless", columns.empty_table())
        _ROWLESS[columns] = without_rows("rowless", connection)
        connection.unregister("rowless")
    return _ROWLESS[columns]


def without_rows(source: str, connection: "duckdb.DuckDBPyConnection") -> str:
    """Return a query that has the columns of what follows `from`, and no row.

    Raises what DuckDB does.
    """
    described = connection.execute(f"describe select * from {source}").fetchall()
    nulls = [
        f'cast(null as {kind}) as "{name.replace(_QUOTE, 2 * _QUOTE)}"'
        for name, kind, *_ in described
    ]
    return f"select {', '.join(nulls)} where false"


def parsed(
    sql: str, connection: "duckdb.DuckDBPyConnection"
) -> "duckdb.Statement | str":
    """Return a statement as DuckDB parsed it, once in a process.

    To parse it is some 30 % of what a query over a small shop costs. A text that is
    not one statement is returned as it is. Raises what DuckDB does.
    """
    known = _PARSED.get(sql)
    if known is not None:
        return known
    statements = connection.extract_statements(sql)
    if len(_PARSED) >= _MOST_PARSED:
        _PARSED.clear()
    _PARSED[sql] = found = statements[0] if len(statements) == 1 else sql
    return found


def _begun(bounds: tuple[tuple[str, str | int], ...]) -> "duckdb.DuckDBPyConnection":
    """Return a connection to the DuckDB that is kept, or to a new one if it broke."""
    import duckdb  # noqa: PLC0415 - a pull into a new lake has no use for it

    try:
        return _at_utc(_kept(os.getpid(), bounds).cursor())
    except duckdb.Error:
        _kept.cache_clear()
        return _at_utc(_kept(os.getpid(), bounds).cursor())


@cache
def _kept(
    _process: int, bounds: tuple[tuple[str, str | int], ...]
) -> "duckdb.DuckDBPyConnection":
    """Return the DuckDB of a process, until it ends; a child needs one of its own."""
    scratch = Scratch()
    connection = _opened(scratch, dict(bounds))
    atexit.register(scratch.close)
    atexit.register(connection.close)  # comes first: it is registered last
    return connection


def _opened(scratch: Scratch, bounds: Bounds) -> "duckdb.DuckDBPyConnection":
    import duckdb  # noqa: PLC0415 - a pull into a new lake has no use for it

    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "temp_directory": str(scratch.path),
        **bounds,
    }
    return duckdb.connect(":memory:", config=config)


def _at_utc(connection: "duckdb.DuckDBPyConnection") -> "duckdb.DuckDBPyConnection":
    connection.execute("set TimeZone = 'UTC'")
    return connection
