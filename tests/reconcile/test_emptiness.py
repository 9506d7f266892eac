"""What is not planned has no rows: by its form, and as the engine itself finds."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import pyarrow as pa
import pytest

from recon.reconcile.checks import run_checks, shipped_checks
from recon.reconcile.computed import COMPUTED
from recon.reconcile.engine import RawTable
from recon.reconcile.engines import DuckEngine, emptiness
from recon.reconcile.models import Catalogue, shipped_catalogue
from recon.settings import CashIn, Checks, Gateway, Hosted, Settings, Unified
from tests import builders
from tests.reconcile.own_rows import has_own_rows
from tests.reconcile.test_models import folder
from tests.reconcile.wallet_world import at, balances, deposit, settings

OF_THEIR_OWN = {
    *("int_bank_ends", "int_book_ends", "int_book_exports"),
    *("int_read_until", "int_wallet_ibans", "int_wallet_terms"),
    "report_coverage",  # of a kind without any file it says so
}
CUSTOMERS = "customer"
OTHER_SETTINGS = replace(
    settings(),
    unified=Unified(fee_bearer=CUSTOMERS, fee_bearer_since={"2026-10-02": "business"}),
    gateway=Gateway(fee_bearer=CUSTOMERS),
    hosted=Hosted(fee_bearer=CUSTOMERS),
    cash_in=CashIn(
        wallet_iban="IR1",
        wallet_iban_since={"2026-10-03": "IR2", "2026-10-05": "IR1"},
        settled_statuses=("DONE", "INIT"),
        wage_from="wallet",
        balance_of="bank_account",
    ),
    checks=Checks(provider_names=("Paywell",), tolerance=5),
)


@pytest.fixture(autouse=True)
def memory(monkeypatch: pytest.MonkeyPatch) -> Mapping[Catalogue, Any]:
    """What engines remember: nothing, as in a process that has just begun."""
    nothing: WeakKeyDictionary[Catalogue, Any] = WeakKeyDictionary()
    monkeypatch.setattr(emptiness, "_COLUMNS", nothing)
    return nothing


def opened(
    tables: Mapping[str, RawTable],
    chosen: Settings | None = None,
    catalogue: Catalogue | None = None,
) -> DuckEngine:
    return DuckEngine.open(tables, chosen or settings(), at(31), catalogue=catalogue)


def in_order(table: pa.Table) -> pa.Table:
    plain = [each.name for each in table.schema if not pa.types.is_list(each.type)]
    return table.sort_by([(name, "ascending") for name in plain])


def planned(
    engine: DuckEngine, monkeypatch: pytest.MonkeyPatch, *asked: str
) -> list[str]:
    """Return the models that an engine ran of those that these read."""
    places: list[str] = []
    run, fetch = engine._run, engine._fetch
    models = engine.catalogue.models
    of_place = {model.place: name for name, model in models.items()}

    def running(sql: str, place: str) -> None:
        places.append(place)
        run(sql, place)

    def fetching(sql: str, place: str, parameters: Any = None) -> pa.Table:
        places.append(place)
        return fetch(sql, place, parameters)

    with monkeypatch.context() as patch:
        patch.setattr(engine, "_run", running)
        patch.setattr(engine, "_fetch", fetching)
        for name in asked:
            engine.table(name)
    return sorted({of_place[place] for place in places if place in of_place})


def test_by_its_form_no_other_model_has_rows_where_it_reads_none() -> None:
    models = shipped_catalogue().models

    def is_empty(name: str) -> bool:  # but not what every engine is given
        return name in models or name in COMPUTED or name.startswith("raw_")

    own = {name for name, model in models.items() if has_own_rows(model.sql, is_empty)}
    assert own == OF_THEIR_OWN


@pytest.mark.parametrize(
    ("sql", "own"),
    [
        ("select a from x", False),
        ("select a from given", True),
        ("select 1 as a", True),
        ("select count(*) as n from x", True),
        ("select count(*) as n from x group by a", False),
        ("select count(*) over () as n from x", False),
        ("select sum(a) filter (where b) over () as n from x", False),
        ("select max(a) + 1 as n from x", True),
        ("select (select count(*) from x) as n from x", False),
        ("select a from x left join given on true", False),
        ("select a from given left join x on true", True),
        ("select a from given inner join x on true", False),
        ("select a from given semi join x using (a)", False),
        ("select a from given anti join x using (a)", True),
        ("select a from x right join given on true", True),
        ("select a from x full join given on true", True),
        ("select a from x, given", False),
        ("select a from x union all select a from given", True),
        ("select a from x union all select a from x", False),
        ("with s as (select * from x) select * from s", False),
        ("with s as (select count(*) as n from x) select * from s", True),
        ("select * from (select 1 as a) as s", True),
        ("select unnest(range(3)) as a from x", False),
        ("select * from (values (1)) as v (a)", True),
    ],
)
def test_the_form_is_read_right(sql: str, own: bool) -> None:
    assert has_own_rows(sql, lambda name: name == "x") is own


@pytest.mark.parametrize("chosen", [OTHER_SETTINGS, replace(settings(), cash_in=None)])
def test_no_setting_makes_rows_of_an_empty_lake(
    chosen: Settings, memory: Mapping[Catalogue, Any]
) -> None:
    with opened({}, chosen) as engine:
        for name in shipped_catalogue().models:
            engine.table(name)
    known = memory[shipped_catalogue()]
    assert known.keys().isdisjoint(OF_THEIR_OWN)
    assert len(known) > 0.6 * len(shipped_catalogue().models)


@pytest.mark.parametrize(
    "given",
    [
        {"balances": balances(0, 5), "deposits": [deposit("d", at(1, 9), 5)]},
        {"books": [{}], "agreements": [{}], "bank_statement": [{}]},
    ],
)
def test_an_answer_is_that_of_an_engine_which_plans_all(
    given: dict[str, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = builders.lake_tables(given)
    names = sorted(shipped_catalogue().models)
    with opened({}) as engine:  # from now on it is known what has no rows
        for name in names:
            engine.table(name)
    with opened(tables) as engine:
        few = planned(engine, monkeypatch, *names)
        brief = {name: in_order(engine.table(name)) for name in names}
    monkeypatch.setattr(emptiness.Emptiness, "comes_of_nothing", lambda *_: False)
    with opened(tables) as engine:
        whole = {name: in_order(engine.table(name)) for name in names}
    assert brief == whole
    assert any(table.num_rows for table in whole.values())
    assert 0 < len(few) < 0.8 * len(names)


def catalogue(root: Path) -> Catalogue:
    return Catalogue.of(
        folder(
            root,
            staging__stg_paid="select id from raw_payments",
            staging__stg_met="select tracking_code as id from raw_agreements",
            intermediate__int_odd="select id from stg_paid where id = 'odd'",
            intermediate__int_all=(
                "select id from stg_met union all select id from int_odd"
            ),
            intermediate__int_sum="select count(*) as n from int_odd",
            checks__one="select * from int_odd",
            checks__two="select id from int_all cross join int_sum",
            checks__three="select n as id from int_sum",
        )
    )


def test_what_comes_of_empty_tables_is_planned_once_a_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = catalogue(tmp_path)
    asked = ("check_one", "check_two", "check_three")
    with opened({}, catalogue=shop) as engine:
        first = planned(engine, monkeypatch, *asked)
    with opened({}, catalogue=shop) as engine:
        second = planned(engine, monkeypatch, *asked)
        assert engine.table("check_two").column_names == ["id"]
    assert first == sorted(shop.models)
    assert second == ["check_three", "int_sum"]  # a count is a row, of nothing too


def test_what_reads_only_what_turned_out_empty_is_not_planned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = catalogue(tmp_path)
    with opened({}, catalogue=shop) as engine:
        planned(engine, monkeypatch, "check_one")
    tables = builders.lake_tables({"payments": [{"id": "plain"}]})
    with opened(tables, catalogue=shop) as engine:
        assert planned(engine, monkeypatch, "check_one") == ["int_odd", "stg_paid"]
    tables = builders.lake_tables({"payments": [{"id": "odd"}]})
    with opened(tables, catalogue=shop) as engine:
        assert engine.table("check_one")["id"].to_pylist() == ["odd"]
        assert engine.table("check_two")["id"].to_pylist() == ["odd"]


def test_a_table_that_is_put_in_a_models_place_counts(tmp_path: Path) -> None:
    shop = catalogue(tmp_path)
    asked = ("check_one", "check_two", "int_all")
    for _ in range(2):
        with opened({}, catalogue=shop) as engine:
            assert not any(engine.table(name).num_rows for name in asked)
            engine.add({"int_odd": pa.table({"id": ["added"]})})
            assert [engine.table(name).num_rows for name in asked] == [1, 1, 1]


def test_a_part_of_a_compacted_table_may_have_rows(tmp_path: Path) -> None:
    shop = catalogue(tmp_path)
    (row,) = builders.lake_tables({"payments": [{"id": "odd"}]}).values()
    for part in ("compacted", "later"):
        other = "later" if part == "compacted" else "compacted"
        parts: dict[str, RawTable] = {f"payments_{other}": row.slice(1)}
        parts |= {f"payments_{part}": row, "payments_superseded": row.slice(1)}
        with opened({}, catalogue=shop) as engine:
            engine.table("check_one")
        with opened(parts, catalogue=shop) as engine:
            assert engine.table("check_one")["id"].to_pylist() == ["odd"]


def checked(
    engine: DuckEngine, monkeypatch: pytest.MonkeyPatch
) -> tuple[pa.Table, set[str]]:
    """Return what all checks find, and those that were asked."""
    asked, table = set(), engine.table

    def asking(name: str) -> pa.Table:
        asked.add(name)
        return table(name)

    with monkeypatch.context() as patch:
        patch.setattr(engine, "table", asking)
        found = run_checks(engine, shipped_checks(), settings())
    return found, {name for name in asked if name.startswith("check_")}


def test_a_check_that_has_none_is_never_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, list[Any]] = {
        "balances": balances(0, 5),
        "deposits": [deposit("d", at(1, 9), 7)],
    }
    tables = builders.lake_tables(given)
    with opened(tables) as engine:
        found, asked = checked(engine, monkeypatch)
    monkeypatch.setattr(emptiness, "_COLUMNS", WeakKeyDictionary())
    monkeypatch.setattr(DuckEngine, "has_none", lambda *_: False)
    with opened(tables) as engine:
        whole, every = checked(engine, monkeypatch)
    assert found == whole
    assert found.num_rows > 0
    assert "check_wallet_rollforward" in asked
    assert len(asked) < 0.5 * len(every)
    assert len(every) == len(shipped_checks())
