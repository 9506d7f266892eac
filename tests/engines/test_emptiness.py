"""Models without rows where what they read has none: proven, and never more."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from recon.assets import queries_folder
from recon.reconcile.engine import RawTable
from recon.reconcile.engines import DuckEngine
from recon.reconcile.engines.emptiness import Emptiness, Proofs
from recon.reconcile.models import Catalogue, Model
from recon.sandbox import history
from recon.settings import Business, Checks, Settings
from tests import builders
from tests.checks.history_tables import tables_of
from tests.reconcile.test_duck_engine import SETTINGS, T
from tests.reconcile.test_models import folder

BOOKS: dict[str, RawTable] = {"books": pa.table({"reference": ["1"], "amount": [7]})}
NIGHTS = 3
DAY = timedelta(days=1)


@pytest.fixture
def run_statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that an engine ran, but for its settings."""
    found: list[str] = []
    run = DuckEngine._run

    def noted(self: DuckEngine, sql: str, place: str) -> None:
        found.append(sql)
        run(self, sql, place)

    monkeypatch.setattr(DuckEngine, "_run", noted)
    return found


def over(catalogue: Catalogue, tables: Mapping[str, RawTable]) -> DuckEngine:
    return DuckEngine.open(tables, SETTINGS, T, catalogue=catalogue)


def asked(
    catalogue: Catalogue, tables: Mapping[str, RawTable], name: str
) -> list[dict[str, Any]]:
    """A model's rows in a new engine."""
    with over(catalogue, tables) as engine:
        rows: list[dict[str, Any]] = engine.table(name).to_pylist()
    return rows


def shape(made: history.History, without: set[str]) -> dict[str, RawTable]:
    pulled_at = made.ends_at + timedelta(hours=1)
    return {
        name: rows
        for name, rows in tables_of(made, pulled_at=pulled_at).items()
        if not any(name.startswith(each) for each in without)
    }


@pytest.mark.parametrize(
    "without",
    [
        {"agreements", "events", "gateway", "hosted", "bank", "mandates", "tariff"},
        {"checkouts", "payments", "books", "gateway_transactions", "balances"},
    ],
)
def test_every_model_has_the_rows_of_a_process_that_proves_nothing(
    without: set[str],
) -> None:
    made = history.generate(7, days=4, daily=4, faults=("all",))
    tables = shape(made, without)
    catalogue = Catalogue.of(queries_folder())
    names = [name for name in catalogue.models if name.startswith(("check_", "rep"))]
    for _ in range(NIGHTS - 1):
        with over(catalogue, tables) as engine:
            for name in names:
                engine.table(name)
    with (
        over(catalogue, tables) as later,
        over(Catalogue.of(queries_folder()), tables) as first,
    ):
        for name in names:
            found, wanted = later.table(name), first.table(name)
            assert found.schema == wanted.schema, name
            assert sorted(map(repr, found.to_pylist())) == sorted(
                map(repr, wanted.to_pylist())
            ), name


def test_a_later_engine_plans_no_model_of_empty_tables(
    run_statements: list[str],
) -> None:
    catalogue = Catalogue.of(queries_folder())
    counts = []
    for _ in range(NIGHTS):
        with over(catalogue, {}) as engine:
            for model in catalogue.checks():
                assert engine.table(model.name).num_rows == 0
        counts.append(len(run_statements))
        run_statements.clear()
    assert counts[-1] < counts[0] / 3


@pytest.mark.parametrize(
    "sql",
    [
        "select count(*) as n from raw_payments",
        "select as_of from stg_settings left join raw_payments on true",
        "select reference from raw_books union all select id from raw_payments",
        "select reference from raw_books where not exists (select 1 from raw_payments)",
        "select coalesce(max(amount), 0) as n from raw_payments having true",
        "select unnest([1, 2]) as n from (select count(*) from raw_payments)",
        (
            "with a as materialized (select reference from raw_books), "
            "b as (select id from raw_payments) "
            "select reference from a left join b on a.reference = b.id"
        ),
    ],
)
def test_what_has_rows_beside_empty_tables_keeps_them(sql: str, tmp_path: Path) -> None:
    catalogue = Catalogue.of(folder(tmp_path, checks__one=sql, reports__two=sql))
    for _ in range(NIGHTS):
        assert len(asked(catalogue, BOOKS, "check_one")) > 0
        with over(catalogue, BOOKS) as engine:
            assert engine.query("select * from report_two").num_rows > 0
            assert engine.query(sql).num_rows > 0


@pytest.mark.parametrize(
    "sql",
    [
        (
            "select reference from raw_books where amount > 100 "
            "union all select id from raw_payments"
        ),
        (
            "select raw_books.reference from raw_books left join raw_payments on true "
            "where raw_books.amount > 100"
        ),
        (
            "select reference from raw_books where occurred_at is not null "
            "or reference in (select id from raw_payments) or amount > 100"
        ),
        (
            "with dear as (select max(amount) as n from raw_books) "
            "select n from dear left join raw_payments on true where n > 100"
        ),
    ],
)
@pytest.mark.parametrize("stored", [False, True])
def test_what_is_empty_for_the_rows_of_one_night_is_not_so_for_another(
    sql: str, tmp_path: Path, *, stored: bool
) -> None:
    """No row has 100 rials or more at first: a fact of the rows, not of the tables."""
    models = {"checks__one": sql.replace("raw_books", "stg_kept") if stored else sql}
    if stored:
        kept = "-- kept: it is short.\nselect * from raw_books"
        models |= {"staging__stg_kept": kept}
    catalogue = Catalogue.of(folder(tmp_path, **models))
    for _ in range(NIGHTS):
        assert asked(catalogue, BOOKS, "check_one") == []
    dear: dict[str, RawTable] = {
        "books": pa.table({"reference": ["1"], "amount": [700]})
    }
    assert len(asked(catalogue, dear, "check_one")) == 1


@pytest.mark.parametrize("read_by", ["check_one", "check_two"])
def test_rows_that_come_for_a_table_are_found(read_by: str, tmp_path: Path) -> None:
    """What is known to be empty is so of one engine alone."""
    catalogue = Catalogue.of(
        folder(
            tmp_path,
            staging__stg_a="select id from raw_payments",
            checks__one="select id from stg_a",
            checks__two="select id from stg_a where id is not null",
        )
    )
    for _ in range(NIGHTS):
        assert asked(catalogue, {}, read_by) == []
    rows = pa.table({"id": ["p"]})
    assert asked(catalogue, {"payments": rows}, read_by) == [{"id": "p"}]
    with over(catalogue, {}) as engine:
        engine.add({"raw_payments": rows})
        assert engine.table(read_by).to_pylist() == [{"id": "p"}]
    with over(catalogue, {}) as engine:
        assert engine.table("stg_a").num_rows == 0
        engine.add({"stg_a": rows})
        assert engine.table(read_by).to_pylist() == [{"id": "p"}]
        engine.add({"stg_a": rows.slice(0, 0)})
        assert engine.query("select count(*) as n from stg_a")["n"].to_pylist() == [0]


def test_a_proof_is_of_one_catalogue(tmp_path: Path) -> None:
    """Two folders may have other models of one name."""
    names = {"one": "select id from raw_payments", "two": "select 1 as n"}
    for place, sql in names.items():
        (tmp_path / place).mkdir()
        catalogue = Catalogue.of(folder(tmp_path / place, checks__a=sql))
        for _ in range(NIGHTS):
            found = asked(catalogue, {}, "check_a")
        assert found == ([] if place == "one" else [{"n": 1}])


def test_a_query_with_a_parameter_is_asked_each_time() -> None:
    sql = "select 1 as n where $wanted union all select 2 from raw_payments"
    for wanted in [False] * NIGHTS + [True]:
        with over(Catalogue.of(queries_folder()), {}) as engine:
            assert engine.query(sql, wanted=wanted).num_rows == int(wanted)


@pytest.mark.parametrize("second", ["", "; select nextval('numbers')"])
def test_of_several_statements_none_is_run_for_a_proof(
    second: str, tmp_path: Path
) -> None:
    sql = f"select id from raw_payments{second}"
    asked = Model(name=sql, path=tmp_path, sql=sql, reads=frozenset({"raw_payments"}))
    emptiness = Emptiness(Proofs(), {})
    emptiness.names.add("raw_payments")
    with duckdb.connect() as connection:
        connection.execute("create sequence numbers")
        connection.execute("create table raw_payments as select '' as id where false")
        for _ in range(NIGHTS):
            emptiness.learn(asked, asked.reads, connection)
        assert connection.execute("select nextval('numbers')").fetchall() == [(1,)]
    assert (emptiness.of(asked) is None) is bool(second)


JALALI = Settings(business=Business(name="shop", calendar="jalali"))
TOLERANT = Settings(business=Business(name="shop"), checks=Checks(tolerance=7))


@pytest.mark.parametrize(
    ("table", "where", "settings", "as_of"),
    [
        ("stg_settings", "tolerance_rial > 5", TOLERANT, T),
        ("stg_settings", "as_of > timestamptz '2026-11-01 12:00Z'", SETTINGS, T + DAY),
        ("stg_dates", "month = '1405-01'", JALALI, T),
    ],
)
def test_what_is_empty_by_the_settings_is_not_so_by_others(
    table: str, where: str, settings: Settings, as_of: datetime, tmp_path: Path
) -> None:
    sql = f"select 1 as n from {table} left join raw_payments on true where {where}"
    catalogue = Catalogue.of(
        folder(tmp_path, intermediate__int_a=sql, checks__one="select * from int_a")
    )
    for _ in range(NIGHTS):
        assert asked(catalogue, {}, "int_a") == asked(catalogue, {}, "check_one") == []
    for name in ("int_a", "check_one"):
        with DuckEngine.open({}, settings, as_of, catalogue=catalogue) as engine:
            assert engine.table(name).num_rows > 0
        with over(catalogue, {}) as engine:
            assert engine.table(name).num_rows == 0


def test_settings_that_come_in_place_of_others_are_read(tmp_path: Path) -> None:
    sql = (
        "select 1 as n from stg_settings left join raw_books on true "
        "where timezone = 'x'"
    )
    catalogue = Catalogue.of(folder(tmp_path, checks__one=sql))
    for _ in range(NIGHTS):
        assert asked(catalogue, {}, "check_one") == []
    with over(catalogue, {}) as engine:
        engine.add({"stg_settings": pa.table({"timezone": ["x"]})})
        assert engine.table("check_one").to_pylist() == [{"n": 1}]


def test_a_model_of_settings_and_empty_tables_is_planned_at_one_t_or_at_each(
    run_statements: list[str], tmp_path: Path
) -> None:
    """What names T is planned anew at another one; what does not is not."""
    sql = "select 1 as n from stg_settings left join raw_books on true where "
    catalogue = Catalogue.of(
        folder(
            tmp_path,
            staging__stg_a=f"-- kept: always.\n{sql}tolerance_rial > 5",
            staging__stg_b=f"-- kept: always.\n{sql}as_of < '2020-01-01 00:00Z'",
        )
    )
    for night in range(NIGHTS + 1):
        run_statements.clear()
        at = T + night * DAY
        with DuckEngine.open({}, SETTINGS, at, catalogue=catalogue) as engine:
            for name in ("stg_a", "stg_b"):
                assert engine.table(name).num_rows == 0
    planned = [sql for sql in run_statements if "temp table" in sql]
    assert len(planned) == 1
    assert "stg_b" in planned[0]


def test_an_empty_stream_gives_no_row() -> None:
    catalogue = Catalogue.of(queries_folder())
    for _ in range(NIGHTS):
        with over(
            catalogue, {"payments": pa.Table.from_pylist([builders.payment(1)])}
        ) as e:
            assert (
                sum(part.num_rows for part in e.stream("select * from int_wages")) == 0
            )
