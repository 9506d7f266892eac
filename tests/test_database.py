"""The DuckDB of a process: what is made in it is its maker's own."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from recon import database
from recon.database import Bounds, connected, parsed, rowless
from recon.lake.schema import TABLES

BOUNDS: Bounds = {"threads": 1}
KINDS = pa.schema(
    {
        "whole": pa.int64(),
        "small": pa.int32(),
        "text": pa.string(),
        "flag": pa.bool_(),
        "day": pa.date32(),
        "at": pa.timestamp("us", "UTC"),
        "texts": pa.list_(pa.string()),
        "sum": pa.decimal128(38, 0),
        "bytes": pa.binary(),
        'a "name"': pa.int64(),
    }
)


def test_two_users_at_once_have_tables_of_the_same_name() -> None:
    with (
        connected(BOUNDS, kept=True) as one,
        connected(BOUNDS, kept=True) as other,
    ):
        one.execute("create temp table t as select 1 as a")
        other.execute("create temp table t as select 2 as a")
        one.register("r", pa.table({"a": [3]}))
        assert one.execute("select a from t").fetchall() == [(1,)]
        assert other.execute("select a from t").fetchall() == [(2,)]
        with pytest.raises(duckdb.CatalogException):
            other.execute("select a from r")


def test_nothing_is_left_of_a_use_that_has_ended() -> None:
    for _ in range(2):
        with connected(BOUNDS, kept=True) as connection:
            found = connection.execute("select count(*) from duckdb_tables()")
            assert found.fetchall() == [(0,)]
            connection.execute("create temp table t as select 1 as a")
            connection.execute("create temp view v as select a from t")


def test_what_is_kept_is_opened_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with connected(BOUNDS, kept=True):
        pass
    opened: list[int] = []
    connect = duckdb.connect

    def connecting(*given: Any, **more: Any) -> duckdb.DuckDBPyConnection:
        opened.append(1)
        return connect(*given, **more)

    monkeypatch.setattr(duckdb, "connect", connecting)
    with connected(BOUNDS, kept=True):
        assert opened == []
    with connected(BOUNDS, kept=False):
        assert opened == [1]


@pytest.mark.parametrize("kept", [True, False])
def test_each_keeps_to_its_bounds(kept: bool) -> None:
    for limit, told in ((2**30, "1.0 GiB"), (2**31, "2.0 GiB")):
        bounds: Bounds = {"memory_limit": f"{limit}B", "threads": 2}
        with connected(bounds, kept=kept) as connection:
            (found,) = connection.execute(
                "select current_setting('memory_limit'), current_setting('threads'), "
                "current_setting('TimeZone')"
            ).fetchall()
        assert found == (told, 2, "UTC")


def test_a_duckdb_that_broke_is_replaced() -> None:
    with connected(BOUNDS, kept=True):
        pass
    database._kept(os.getpid(), tuple(BOUNDS.items())).close()
    with connected(BOUNDS, kept=True) as connection:
        assert connection.execute("select 1").fetchall() == [(1,)]


def test_what_is_spilled_goes_with_the_process() -> None:
    code = (
        "from recon.database import connected\n"
        "with connected({}, kept=True) as found:\n"
        "    (folder,) = found.execute(\"select current_setting('temp_directory')\")"
        ".fetchone()\n"
        "    print(folder)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    folder = Path(done.stdout.strip())
    assert folder.name == "files"
    assert not folder.parent.exists()


@pytest.mark.parametrize("columns", [KINDS, *(each.schema for each in TABLES.values())])
def test_a_query_without_rows_has_the_columns_it_is_to_have(columns: pa.Schema) -> None:
    with connected(BOUNDS, kept=True) as connection:
        sql = rowless(columns, connection)
        found = connection.sql(sql).to_arrow_table()
        plan = connection.sql(f"explain {sql}").fetchall()
    assert found.num_rows == 0
    assert found.schema.names == columns.names
    assert found.schema.types == columns.types
    assert "empty result" in str(plan).lower().replace("_", " ")


def test_a_clock_is_shown_in_utc() -> None:
    at = datetime(2026, 3, 1, 20, 30, tzinfo=UTC)
    with connected(BOUNDS, kept=True) as connection:
        found = connection.execute("select $at::varchar", {"at": at}).fetchall()
    assert found == [("2026-03-01 20:30:00+00",)]


QUERY = "select count(*) as n from t where a > $least"


def test_a_text_is_parsed_once_and_asks_whoever_runs_it() -> None:
    statements = []
    for rows in (2, 5):
        with connected(BOUNDS, kept=rows == 2) as connection:
            connection.execute(
                f"create temp table t as select range a from range({rows})"
            )
            statements.append(parsed(QUERY, connection))
            for least in (-1, 0):
                found = connection.execute(statements[-1], {"least": least}).fetchall()
                assert found == [(rows - 1 - least,)]
    assert statements[0] is statements[1]


@pytest.mark.parametrize("text", ["", "select 1; select 2"])
def test_what_is_not_one_statement_stays_a_text(text: str) -> None:
    with connected(BOUNDS, kept=True) as connection:
        assert parsed(text, connection) == text


def test_a_bad_text_is_refused_each_time() -> None:
    with connected(BOUNDS, kept=True) as connection:
        for _ in range(2):
            with pytest.raises(duckdb.ParserException):
                parsed("selec 1", connection)


def test_no_more_is_remembered_than_a_run_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, Any] = {}
    monkeypatch.setattr(database, "_PARSED", kept)
    monkeypatch.setattr(database, "_MOST_PARSED", 3)
    with connected(BOUNDS, kept=True) as connection:
        for number in range(5):
            parsed(f"select {number}", connection)
            assert 0 < len(kept) <= 3
