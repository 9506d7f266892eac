"""Questions of people: each costs what it reads, and finds what it names."""

import re
from pathlib import Path

import pytest

from recon.errors import UsageError
from recon.lake.voids import VOID, certificate
from recon.reconcile import result
from recon.reconcile.console import CURRENT, answer, ask
from recon.reconcile.run import present_result, reconcile
from tests.reconcile.lake_history import History, at, unpaid


@pytest.fixture
def shop(history: History) -> History:
    history.pull("checkouts", unpaid("a", "b"))
    return history


def test_a_question_about_tables_runs_no_check(
    shop: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ran(*_: object, **__: object) -> None:
        raise AssertionError("the checks were run")

    monkeypatch.setattr(result, "find", ran)
    for table, rows in (("checkouts", 2), ("rollforward", 0)):
        found = ask(f"select count(*) as n from {table}", shop.lake, shop.settings)
        assert found.to_pylist() == [{"n": rows}]
    with pytest.raises(AssertionError, match="were run"):
        ask("select * from breaks", shop.lake, shop.settings)


def test_results_are_those_of_the_last_run_and_tables_those_of_now(
    shop: History,
) -> None:
    reconcile(shop.lake, shop.settings).close()
    shop.clock(at(2))
    shop.pull("checkouts", unpaid("c"))
    query = (
        "select (select count(*) from checkouts) as seen, "
        "(select count(*) from breaks) as found, "
        "(select max(age_days) from breaks) as age"
    )
    for as_of, seen, found, age in (
        (None, 3, 2, 0),
        (at(2), 3, 3, 1),
        (at(1), 2, 2, 0),
    ):
        (row,) = ask(query, shop.lake, shop.settings, as_of=as_of).to_pylist()
        assert row == {"seen": seen, "found": found, "age": age}


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("select count(*) as n from checkouts as c, breaks as b", 4),
        ('select count(*) as n from "Checkouts", payments', 0),
        ("select count(*) as n from (describe accounts)", 7),
        ("select count(*) as n from (summarize accounts)", 7),
        ("with checkouts as (select 1) select count(*) as n from checkouts", 1),
        ("select n from (from breaks select count(*) as n)", 2),
    ],
)
def test_tables_are_found_however_a_query_names_them(
    shop: History, query: str, rows: int
) -> None:
    (found,) = ask(query, shop.lake, shop.settings).to_pylist()
    assert found["n"] == rows


def test_every_short_name_can_be_read_before_anything_else_is(shop: History) -> None:
    for name in CURRENT:
        with present_result(shop.lake, shop.settings) as looked_at:
            assert answer(f"select * from {name}", looked_at).num_columns > 1


def test_an_unknown_table_is_one_clear_line(shop: History) -> None:
    with pytest.raises(UsageError, match=r"the query:1: .*Table with name nope"):
        ask("select * from payments, nope", shop.lake, shop.settings)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("select * from paymnts", 'exist! Did you mean "payments"? (`show tables` '),
        ("select * from Checkout", 'Did you mean "checkouts"? (`show tables` '),
        ("select id from raw_payment", 'Did you mean "raw_payments"? (`show tables` '),
        ("describe paymnts", 'Did you mean "payments"? (`show tables` lists '),
        ("select 1 from zzzzzz", "exist! (`show tables` lists what there is)"),
        ("select amount from payments", 'Candidate bindings: "amount_rial", '),
        ("select amount from payments", " (`describe payments` lists the columns)"),
        ("select p.amount from payments as p", '"amount" (`describe payments` lists '),
        (
            "select amount from payments as p, checkouts as c",
            "(`describe <table>` lists the columns)",
        ),
        ("select p.status from payments", 'Candidate tables: "payments"'),
        ("select strlem(status) from payments", 'Did you mean "strlen"?'),
    ],
)
def test_a_name_that_is_none_is_told_with_the_one_that_may_be_meant(
    query: str, told: str, shop: History
) -> None:
    for each in (ask, lambda text, lake, settings: of_run(text, shop)):
        with pytest.raises(UsageError) as refused:
            each(query, shop.lake, shop.settings)
        assert told in str(refused.value)
        assert str(refused.value).startswith("the query:")
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "query",
    [
        "select check, count(*) from breaks group by check",
        "select * from breaks where Check = 'wallet_rollforward'",
        "select record_id\nfrom breaks\norder by check",
    ],
)
def test_a_column_named_as_a_word_of_sql_is_told_how_to_be_asked_for(
    query: str, shop: History
) -> None:
    for each in (ask, lambda text, lake, settings: of_run(text, shop)):
        with pytest.raises(UsageError, match=r"(?i)Parser Error: .*check") as told:
            each(query, shop.lake, shop.settings)
        assert str(told.value).endswith('as a column it is "check", in double quotes)')
    quoted = re.sub("check", '"check"', query, flags=re.IGNORECASE)
    ask(quoted, shop.lake, shop.settings)


def test_only_a_name_that_is_none_is_advised_on(shop: History) -> None:
    for query in ("selec 1", "select cast(status as int) from checkouts"):
        with pytest.raises(UsageError, match=r"(Parser|Conversion) Error") as refused:
            ask(query, shop.lake, shop.settings)
        assert "`" not in str(refused.value)


def test_what_was_imported_is_listed_as_of_any_time(shop: History) -> None:
    entry = {"name": "a.csv", "sha256": "ab", "timezone": "UTC", "repeated_rows": 0}
    said = {"files": [entry | {"rows": 2, "skipped_rows": 3}, entry | {"rows": 1}]}
    taken = shop.pull("books", {}, kind="import", certificate=said)
    shop.clock(at(3))
    shop.pull("books", {}, kind=VOID, certificate=certificate([taken.id]))
    shop.pull("events", {}, kind="import", certificate={"deliveries": {}})
    query = "select kind, rows, skipped_rows, voided_at from Imports"
    first = {"kind": "books", "rows": 2, "skipped_rows": 3, "voided_at": at(3)}
    rows = [first, first | {"rows": 1, "skipped_rows": 0}]
    assert ask(query, shop.lake, shop.settings).to_pylist() == rows
    before = ask(query, shop.lake, shop.settings, as_of=at(2)).to_pylist()
    assert before == [row | {"voided_at": None} for row in rows]


@pytest.mark.parametrize(
    "query",
    [
        "copy (select 1) to '{file}'",
        "COPY (pivot checkouts on status using count(*)) to '{file}'",
        "/* a */ -- b\n copy (select 1) to '{file}'",
        "explain analyze copy (select 1) to '{file}'",
        "explain (analyze) copy (select 1) to '{file}'",
        "with a as (select 1 as n) insert into payments select * from a",
        "attach '{file}'",
        "export database '{file}'",
        "create table other as select 1",
        "create table other as pivot checkouts on status using count(*)",
        "set threads = 1",
        "install httpfs",
        "call pragma_version()",
        "select 1; copy (select 1) to '{file}'",
        "select 1; select 2",
    ],
)
def test_what_is_no_question_writes_nothing(
    query: str, shop: History, tmp_path: Path
) -> None:
    file = tmp_path / "written"
    for each in (ask, lambda text, lake, settings: of_run(text, shop)):
        with pytest.raises(UsageError, match=r"^the query: (only questions|ask one)"):
            each(query.format(file=file), shop.lake, shop.settings)
    assert not file.exists()


def of_run(query: str, shop: History) -> object:
    with present_result(shop.lake, shop.settings) as looked_at:
        return answer(query, looked_at)


@pytest.mark.parametrize(
    "query",
    [
        "-- how many\nselect count(*) from checkouts",
        "(select 1)",
        "/* a; b */ from checkouts;",
        "values (1)",
        "with a as (select 1) select * from a",
        "pivot checkouts on status using count(*)",
        "select * from (pivot checkouts on status using count(*))",
        "explain select 1",
        "describe checkouts",
        "summarize checkouts",
        "show tables",
    ],
)
def test_every_kind_of_question_is_answered(query: str, shop: History) -> None:
    assert ask(query, shop.lake, shop.settings).num_rows > 0


def test_the_names_of_all_tables_are_shown(shop: History) -> None:
    names = ask("SHOW TABLES;", shop.lake, shop.settings)["name"].to_pylist()
    assert {"payments", "breaks", "rollforward", "imports"} < set(names)
