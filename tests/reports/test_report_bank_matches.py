"""Which debit of the bank is which deposit, and what is left on either side."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from recon.reconcile.engines import DuckEngine
from recon.reports import bank_matches
from recon.reports.periods import Period
from recon.sandbox import history
from recon.sandbox.exports import PROVIDER_NAME
from recon.settings import Business, CashIn, Checks, Settings
from tests.builders import AS_OF, BANK, WALLET, lake_tables
from tests.checks.history_tables import tables_of

SETTINGS = Settings(
    business=Business(name="shop"), checks=Checks(provider_names=("paywell",))
)
BILLION = 10**9
OLD = "IR090000000000000000000001"
Row = dict[str, Any]


def at(day: int, hour: int = 9) -> datetime:
    """An instant of October 2026, in the afternoon of Tehran."""
    return datetime(2026, 10, day, hour, tzinfo=UTC)


def request(name: str, when: datetime, *amounts: int) -> list[Row]:
    """The entries of a deposit request."""
    return [
        {
            "track_id": name,
            "gateway_transaction_id": f"{name}{number}",
            "requested_at": when,
            "amount": amount,
        }
        for number, amount in enumerate(amounts, 1)
    ]


def debit(when: datetime, amount: int, **said: Any) -> Row:
    return {"booked_at": when, "amount": -amount, **said}


def found(
    deposits: list[Row], statement: list[Row], as_of: datetime = AS_OF
) -> list[tuple[Any, ...]]:
    """Status, request, entries, rials and the day of October of each row."""
    tables = lake_tables({"deposits": deposits, "bank_statement": statement})
    with DuckEngine.open(tables, SETTINGS, as_of) as engine:
        rows = bank_matches.table(engine, SETTINGS, Period()).to_pylist()  # type: ignore[arg-type]
    assert {row["iban"] for row in rows} <= {BANK}
    return [
        (
            *(row[name] for name in ("status", "track_id", "record_ids", "amount")),
            row["business_date"].day,
        )
        for row in rows
    ]


def test_one_debit_of_all_entries_names_each() -> None:
    """1,200,000,000 rials, split at the limit of a transfer, paid in one sum."""
    asked = request("a", at(10), BILLION, 200_000_000)
    paid = [debit(at(11), 1_200_000_000)]
    assert found(asked, paid) == [("matched", "a", "a1 a2", 1_200_000_000, 11)]


def test_a_debit_for_each_entry_is_a_row_for_each() -> None:
    asked = request("a", at(10), BILLION, 200_000_000)
    paid = [debit(at(10, 12), 200_000_000), debit(at(11), BILLION)]
    assert found(asked, paid) == [
        ("matched", "a", "a2", 200_000_000, 10),
        ("matched", "a", "a1", BILLION, 11),
    ]


def test_what_was_paid_of_a_request_is_matched_beside_the_debit_of_its_sum() -> None:
    """The debit of the sum is another request's; no paid entry is unexplained."""
    asked = request("a", at(10), 700, 300, 200) + request("b", at(10), 1_200)
    paid = [debit(at(10, 10), rials) for rials in (700, 200, 1_200)]
    assert sorted(found(asked, paid)) == [
        ("matched", "a", "a1", 700, 10),
        ("matched", "a", "a3", 200, 10),
        ("matched", "b", "b1", 1_200, 10),
        ("missing", "a", "a2", 300, 10),
    ]


def test_each_debit_of_a_split_request_names_its_entry() -> None:
    """Both were asked for the same sum, and one was paid at once."""
    asked = request("a", at(10), 700, 500) + request("b", at(10), 700, 500)
    paid = [debit(at(10, 10), rials) for rials in (1_200, 700, 500)]
    rows = sorted(found(asked, paid), key=lambda row: row[3])
    (name,) = {row[1] for row in rows[:2]}
    (other,) = {"a", "b"} - {name}
    assert rows == [
        ("matched", name, f"{name}2", 500, 10),
        ("matched", name, f"{name}1", 700, 10),
        ("matched", other, f"{other}1 {other}2", 1_200, 10),
    ]


def test_what_is_left_on_either_side_is_told() -> None:
    """A deposit that the bank never paid, and one that the provider never listed."""
    asked = request("a", at(10), BILLION)
    paid = [debit(at(10, 12), 7), debit(at(12), 8, description="rent")]
    assert found(asked, paid) == [
        ("unexplained", None, None, 7, 10),
        ("missing", "a", "a1", BILLION, 10),
    ]


def test_two_equal_debits_of_one_instant_are_two() -> None:
    twice = [debit(at(10, 12), 7)] * 2
    assert found([], twice) == [("unexplained", None, None, 7, 10)] * 2
    rows = found(request("a", at(10), 7), twice)
    assert [row[0] for row in rows] == ["matched", "unexplained"]


def test_a_debit_of_a_wallets_own_statement_is_no_banks() -> None:
    """Of the old wallet as of the new one, as the check has it."""
    wallets: list[Row] = [
        {"at": at(day), "iban": iban, "balance": 9}
        for day, iban in ((1, OLD), (2, OLD), (20, WALLET))
    ]
    lines = enumerate((OLD, WALLET, BANK), start=1)
    statement = [debit(at(10), rials, iban=iban) for rials, iban in lines]
    given = {"balances": wallets, "bank_statement": statement}
    cash_in = CashIn(wallet_iban=OLD, wallet_iban_since={"2026-10-15": WALLET})
    chosen = replace(SETTINGS, cash_in=cash_in)
    with DuckEngine.open(lake_tables(given), chosen, AS_OF) as engine:
        rows = engine.table("report_bank_matches").to_pylist()
        found = engine.table("check_bank_debit_unexplained").to_pylist()
    assert [(row["iban"], row["amount"]) for row in rows] == [(BANK, 3)]
    assert [row["actual"] for row in found] == [3]


@pytest.mark.parametrize(("day", "is_told"), [(10, True), (11, False)])
def test_a_debit_whose_deposit_may_not_have_been_read_is_not_told(
    day: int, is_told: bool
) -> None:
    """The list of deposits was read whole on the tenth, and not since."""
    commits: list[Row] = [
        {"sequence": 1, "source": "deposits", "started_at": at(10, 12)},
        {"sequence": 2, "source": "deposits", "complete": False},
    ]
    given = {"commits": commits, "bank_statement": [debit(at(day), 7)]}
    with DuckEngine.open(lake_tables(given), SETTINGS, AS_OF) as engine:
        rows = engine.table("report_bank_matches").num_rows
        found = engine.table("check_bank_debit_unexplained").num_rows
    assert rows == found == is_told


def test_a_debit_that_may_yet_come_is_awaited() -> None:
    """The bank has three days; the statement ends with the day of the request."""
    asked = request("a", at(10), BILLION)
    other = [debit(at(10, 1), 8, description="rent")]
    end = at(13)
    assert found(asked, other, end) == [("awaited", "a", "a1", BILLION, 10)]
    late = end + timedelta(seconds=1)
    assert found(asked, other, late) == [("missing", "a", "a1", BILLION, 10)]


def test_days_that_no_statement_covers_have_no_row() -> None:
    asked = request("a", at(10), BILLION) + request("b", at(14), BILLION)
    other = [debit(at(11), 8, description="rent"), debit(at(13), 8, description="")]
    assert found(asked, other) == []
    assert found(asked, []) == []


def test_a_deposit_without_what_a_debit_is_found_by_has_no_row() -> None:
    (whole,) = request("a", at(10), BILLION)
    bare: list[Row] = [
        whole | {"track_id": f"without {name}", name: None}
        for name in ("track_id", "iban", "requested_at")
    ]
    timeless = debit(at(10), 8, booked_at=None)
    assert found(bare, [debit(at(10), 8, description="rent")]) == []
    tables = lake_tables({"bank_statement": [timeless]})
    with DuckEngine.open(tables, SETTINGS, AS_OF) as engine:
        (row,) = engine.table("report_bank_matches").to_pylist()
    assert (row["status"], row["business_date"]) == ("unexplained", None)


def test_an_unknown_amount_stays_empty() -> None:
    (asked,) = request("a", at(10), BILLION)
    other = [debit(at(10), 8, description="rent")]
    (row,) = found([asked | {"amount": None}], other)
    assert row == ("missing", "a", "a1", None, 10)


def test_a_period_is_that_of_the_debit_else_of_the_request() -> None:
    """Of Tehran: 20:30 of the tenth is midnight there."""
    asked = request("a", at(10), BILLION) + request("b", at(10, 21), 5)
    paid = [debit(at(10, 20), 1, description="rent"), debit(at(12), BILLION)]
    tables = lake_tables({"deposits": asked, "bank_statement": paid})
    with DuckEngine.open(tables, SETTINGS, AS_OF) as engine:
        shown = {
            day: bank_matches.table(
                engine,  # type: ignore[arg-type]
                SETTINGS,
                Period(date(2026, 10, day), date(2026, 10, day)),
            )["track_id"].to_pylist()
            for day in (10, 11, 12)
        }
    assert shown == {10: [], 11: ["b"], 12: ["a"]}


@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_left_is_what_the_checks_find(seed: int) -> None:
    made = history.generate(seed, days=30, daily=8, faults=("all",))
    settings = Settings(
        business=Business(name="shop"),
        cash_in=CashIn(
            wallet_iban=made.world.wallet_iban, settled_statuses=("SETTLED",)
        ),
        checks=Checks(provider_names=(PROVIDER_NAME,)),
    )
    tables = tables_of(made, pulled_at=made.ends_at + timedelta(hours=1))
    with DuckEngine.open(tables, settings, made.ends_at + timedelta(days=3)) as engine:
        rows = engine.table("report_bank_matches").to_pylist()
        missing = engine.table("check_bank_debit_missing").to_pylist()
        unexplained = engine.table("check_bank_debit_unexplained").to_pylist()
        debits = engine.table("int_bank_debits").num_rows
    of = {
        status: [row for row in rows if row["status"] == status]
        for status in ("matched", "missing", "unexplained")
    }
    assert {row["track_id"] for row in of["missing"]} == {
        row["record_id"] for row in missing
    }
    assert sorted(row["amount"] for row in of["unexplained"]) == sorted(
        row["actual"] for row in unexplained
    )
    assert missing
    assert unexplained
    assert 0 < len(of["matched"]) + len(of["unexplained"]) <= debits
