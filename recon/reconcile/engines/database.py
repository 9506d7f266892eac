"""The DuckDB that an engine works in: of a light lake one that the process keeps.

To open and close one takes longer than many a question of a small shop. What an engine
makes in one that is kept is its own, under a connection that ends with it. A large lake
gets a DuckDB for itself, which gives back all memory when it is closed.
"""

import atexit
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import duckdb
import pyarrow as pa

from recon.scratch import Scratch
from recon.settings import Engine

_QUOTE = '"'
_ROWLESS: dict[pa.Schema, str] = {}
_LEAST_SHARE, _MOST_SHARE = 70, 85  # of the limit, in a hundred
_BESIDE = 640 * 2**20  # bytes that Python, Arrow and reading files take of a large one


@contextmanager
def connected(bounds: Engine, *, light: bool) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a connection whose tables are its own; what it spills goes with it."""
    threads = bounds.threads or int(light)  # several would only wait for one another
    share = share_of(bounds.memory_limit)
    if light:
        with _begun(share, threads) as connection:
            yield connection
        return
    with Scratch() as scratch, _opened(scratch, share, threads) as connection:
        yield _at_utc(connection)


def share_of(limit: int) -> int:
    """Return how many of so many bytes the tables and joins may take."""
    least, most = (limit * share // 100 for share in (_LEAST_SHARE, _MOST_SHARE))
    return max(least, min(most, limit - _BESIDE))


def rowless(columns: pa.Schema, connection: duckdb.DuckDBPyConnection) -> str:
    """Return a query that has these columns and no row, which the planner can tell.

    A registered table would do, too, but takes three times as long. Of the types
    DuckDB itself knows the names, and is asked for them once.
    """
    if columns not in _ROWLESS:
        connection.register("rowless", columns.empty_table())
        described = connection.execute("describe select * from rowless").fetchall()
        connection.unregister("rowless")
        nulls = [
            f'cast(null as {kind}) as "{name.replace(_QUOTE, 2 * _QUOTE)}"'
            for name, kind, *_ in described
        ]
        _ROWLESS[columns] = f"select {', '.join(nulls)} where false"
    return _ROWLESS[columns]


def _begun(share: int, threads: int) -> duckdb.DuckDBPyConnection:
    """Return a connection to the DuckDB that is kept, or to a new one if it broke."""
    try:
        return _at_utc(_kept(os.getpid(), share, threads).cursor())
    except duckdb.Error:
        _kept.cache_clear()
        return _at_utc(_kept(os.getpid(), share, threads).cursor())


@cache
def _kept(_process: int, share: int, threads: int) -> duckdb.DuckDBPyConnection:
    """Return the DuckDB of a process, until it ends; a child needs one of its own."""
    scratch = Scratch()
    connection = _opened(scratch, share, threads)
    atexit.register(scratch.close)
    atexit.register(connection.close)  # comes first: it is registered last
    return connection


def _opened(scratch: Scratch, share: int, threads: int) -> duckdb.DuckDBPyConnection:
    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "memory_limit": f"{share}B",
        "temp_directory": str(scratch.path),
        "preserve_insertion_order": "false",
    }
    if threads:
        config["threads"] = threads
    return duckdb.connect(":memory:", config=config)


def _at_utc(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    connection.execute("set TimeZone = 'UTC'")
    connection.execute("set parquet_metadata_cache = true")  # many models read a file
    return connection
