"""A deposit request of unknown outcome stands only until an entry answers it."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from recon.reconcile.engines import DuckEngine
from recon.settings import CashIn
from tests.builders import AMOUNT, AS_OF, lake_tables
from tests.raw_rows import AT
from tests.reconcile.test_matching import SETTINGS

UNKNOWN = {
    "track_id": "a",
    "gateway_transaction_id": None,
    "amount": None,
    "wage": None,
    "status": None,
    "iban": None,
    "outcome": "unknown",
}
HOUR = timedelta(hours=1)
FREE = {"product": "cash_in", "rate_bps": 0}
LATER = "20261031T203000.000000Z-00000002"


def staged(*deposits: dict[str, Any]) -> list[tuple[Any, ...]]:
    tables = lake_tables({"deposits": deposits})
    with DuckEngine.open(tables, SETTINGS, AS_OF) as engine:
        rows = engine.table("stg_cash_in__deposits").to_pylist()
    names = ("track_id", "gateway_transaction_id", "outcome")
    return sorted((tuple(row[name] for name in names) for row in rows), key=str)


def test_an_entry_answers_its_request_whenever_it_came() -> None:
    entry = {"track_id": "a", "gateway_transaction_id": "7"}
    assert staged(UNKNOWN, entry | {"pull_id": LATER}) == [("a", "7", "")]
    assert staged(UNKNOWN | {"pull_id": LATER}, entry) == [("a", "7", "")]
    assert staged(UNKNOWN, entry | {"track_id": " a "}) == [(" a ", "7", "")]


def test_a_request_without_an_entry_stands() -> None:
    assert staged(UNKNOWN) == [("a", None, "unknown")]
    other = {"track_id": "A", "gateway_transaction_id": "7"}
    assert staged(UNKNOWN, other) == [("A", "7", ""), ("a", None, "unknown")]
    nameless = UNKNOWN | {"track_id": None}
    assert staged(nameless, {"track_id": None, "gateway_transaction_id": "7"}) == [
        (None, "7", ""),
        (None, None, "unknown"),
    ]


def test_an_entry_of_unknown_outcome_answers_nothing() -> None:
    named = UNKNOWN | {"gateway_transaction_id": "7"}
    assert staged(UNKNOWN, named) == [("a", "7", "unknown"), ("a", None, "unknown")]


def test_an_answered_request_is_in_no_count_of_the_wallet() -> None:
    asked = {"requested_amount": AMOUNT}
    entry = {"track_id": "a", "amount": AMOUNT, "status": "INIT"}
    tables = lake_tables({"deposits": [UNKNOWN | asked, entry | asked]})
    with DuckEngine.open(tables, SETTINGS, AS_OF) as engine:
        kinds = engine.table("int_wallet_deposits")["kind"].to_pylist()
        sums = engine.table("check_deposit_split_mismatch").num_rows
    assert (kinds, sums) == (["deposit_queued"], 0)


def test_an_entry_has_what_its_request_asked_for_where_it_says_nothing_of_it() -> None:
    """What a request of unknown outcome asked for stays known once a part answers it.

    So does what another entry of it tells; another request tells nothing of it. An
    entry is of the time of its request, and who paid its fee is told by that.
    """
    since = {"2026-10-11": "bank"}
    settings = replace(SETTINGS, cash_in=CashIn(wage_from_since=since))
    untold = {"requested_at": None, "requested_amount": None, "amount": AMOUNT}
    untold |= {"settled_at": AT + 48 * HOUR}
    part = untold | {"track_id": " a", "status": "INIT", "origin": "list"}
    told = {"track_id": "b", "amount": AMOUNT, "requested_amount": 2 * AMOUNT}
    rest, other = (untold | {"track_id": name} for name in ("b", "c"))
    asked = {"requested_amount": 3 * AMOUNT}
    tables = lake_tables({"deposits": [UNKNOWN | asked, part, told, rest, other]})
    with DuckEngine.open(tables, settings, AS_OF) as engine:
        entries = engine.table("int_deposit_entries").to_pylist()
        (lacking,) = engine.table("check_deposit_split_mismatch").to_pylist()
    names = ("track_id", "requested_at", "wage_from")
    told_of = {tuple(row[name] for name in names) for row in entries}
    assert told_of == {("a", AT, "wallet"), ("b", AT, "wallet"), ("c", None, "bank")}
    found = (lacking["record_id"], lacking["expected"], lacking["actual"])
    assert found == ("a", 3 * AMOUNT, AMOUNT)


def test_entries_with_a_blank_id_are_each_a_deposit_of_its_own() -> None:
    blank = [
        {"track_id": name, "gateway_transaction_id": spaces, "amount": AMOUNT}
        for name, spaces in (("a", ""), ("b", " "), ("c", ""), ("c", None))
    ]
    twice = {"track_id": "d", "amount": AMOUNT}
    named = [twice | {"gateway_transaction_id": each} for each in ("7", " 7")]
    with DuckEngine.open(
        lake_tables({"deposits": [*blank, *named]}), SETTINGS, AS_OF
    ) as engine:
        known = engine.table("int_wallet_deposits")["record_id"].to_pylist()
        names = engine.table("stg_cash_in__deposits")["deposit_id"].to_pylist()
    assert sorted(known) == ["7", "a", "b", "c", "c"]
    assert (len(names), len(set(names))) == (6, 5)


def test_of_one_deposit_under_two_requests_the_settled_row_counts_everywhere() -> None:
    """The other one was requested first; spaces around a name make no other request."""
    settings = replace(SETTINGS, cash_in=CashIn(settled_statuses=("DONE",)))
    one = {"gateway_transaction_id": "7", "amount": AMOUNT}
    queued = one | {"track_id": "a", "status": "INIT"}
    settled = one | {"track_id": "b", "status": "DONE", "requested_at": AT + HOUR}
    named = UNKNOWN | {"track_id": " b ", "gateway_transaction_id": "8"}
    tables = lake_tables({"deposits": [queued, settled, named], "tariff": [FREE]})
    with DuckEngine.open(tables, settings, AS_OF) as engine:
        kinds = engine.table("int_wallet_deposits")["kind"].to_pylist()
        charged = engine.table("int_wages")["related_id"].to_pylist()
    assert (kinds, charged) == (["deposit_settled"], ["b"])
