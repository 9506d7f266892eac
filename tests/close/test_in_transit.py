"""What a pack names as under way when its period ended."""

import csv
import io
import zipfile
from dataclasses import replace
from typing import Any

import pytest

from recon.close import Closing
from recon.settings import CashIn
from tests.close.closed_shop import WALLET, closed, settings_of, trade
from tests.reconcile.lake_history import History, at, unpaid

Row = dict[str, Any]
BILLION = 10**9


def deposit(name: str, day: int, hour: int, **said: Any) -> Row:
    """A deposit request of a billion rials that is still in the queue."""
    return {
        "gateway_transaction_id": name,
        "track_id": f"track-{name}",
        "requested_at": at(day, hour),
        "amount": BILLION,
        "status": "INIT",
        **said,
    }


def in_transit(
    history: History, *deposits: Row, balances: dict[int, int] | None = None
) -> list[tuple[str, ...]]:
    """The entries' names, certainty, effect and landing in the pack of 2 to 6."""
    trade(history, balances)
    history.pull("deposits", {"deposits": deposits}, kind="import")
    history.settings = replace(
        settings_of(history),
        cash_in=CashIn(wallet_iban=WALLET, settled_statuses=("DONE",)),
    )
    return rows_of(closed(history, carry_forward=True))


def rows_of(sealed: Closing) -> list[tuple[str, ...]]:
    with zipfile.ZipFile(sealed.pack) as pack:
        text = pack.read("in_transit.csv").decode("utf-8-sig")
    names = ("record_id", "certainty", "effect", "landed_at")
    return [
        tuple(row[name] for name in names) for row in csv.DictReader(io.StringIO(text))
    ]


def test_a_deposit_that_landed_after_the_end_was_under_way(history: History) -> None:
    """Requested on the evening of the fifth, in the wallet at midnight or later."""
    done = {"status": "DONE"}
    assert in_transit(
        history,
        deposit("midnight", 5, 23, settled_at=at(6), **done),
        deposit("next-day", 5, 0, settled_at=at(6, 9), **done),
        deposit("before", 5, 22, settled_at=at(5, 23), **done),
        deposit("after", 6, 0, settled_at=at(6, 9), **done),
        deposit("timeless", 5, 23, **done),
    ) == [
        ("midnight", "certain", str(BILLION), "2026-10-06T00:00:00Z"),
        ("next-day", "certain", str(BILLION), "2026-10-06T09:00:00Z"),
    ]


def test_what_is_still_uncertain_was_under_way(history: History) -> None:
    assert in_transit(
        history,
        deposit("queued", 5, 23),
        deposit("after", 6, 0),
        deposit("timeless", 5, 0, requested_at=None),
    ) == [
        ("queued", "in_transit", str(BILLION), ""),
        ("timeless", "in_transit", str(BILLION), ""),
    ]


def test_a_deposit_that_landed_at_no_known_time_was_under_way_where_it_shows(
    history: History,
) -> None:
    """The snapshot before the fifth lacks what was asked for an hour before it.

    Of the other one the wallet shows that it came by then.
    """
    shown = {1: 100, 5: 105 + BILLION + 1, 7: 105 + 2 * BILLION + 1}
    found = in_transit(
        history,
        deposit("late", 4, 23, status="DONE"),
        deposit("at-once", 3, 11, amount=BILLION + 1, status="DONE"),
        balances=shown,
    )
    assert found == [("late", "certain", str(BILLION), "")]


def test_a_payment_after_the_end_is_not_under_way(history: History) -> None:
    """It was begun before the end and paid after it: nothing had left anybody."""
    late = unpaid("b", paid=True)
    times = {"created_at": at(5, 23), "paid_at": at(6, 0, 1)}
    payments = [row | times for row in late["payments"]]
    history.pull("checkouts", late | {"payments": payments})
    assert in_transit(history) == []


def settled(day: int, hour: int, amount: int, kind: str = "settlement") -> Row:
    return {"at": at(day, hour), "amount": -amount, "kind": kind, "description": ""}


def credited(day: int, hour: int, amount: int) -> Row:
    booked = {"booked_at": at(day, hour), "amount": amount}
    return {**booked, "description": "", "iban": "IR820540102680020817909002"}


def test_a_settlement_that_the_bank_booked_after_the_end_was_under_way(
    history: History,
) -> None:
    """It had left the wallet on the evening of the fifth, and come a day later."""
    sent = [
        settled(5, 23, 10),
        settled(5, 1, 20),
        settled(6, 0, 30),
        settled(3, 9, 40, "withdrawal"),
        settled(3, 9, 50, "withdrawal"),
        settled(4, 9, 60),
        settled(1, 0, 70),
    ]
    came = [
        credited(2, 0, 7),
        credited(6, 0, 10),
        credited(5, 23, 20),
        credited(6, 9, 30),
        credited(7, 9, 40),
    ]
    history.pull("adjustments", {"adjustments": sent}, kind="import")
    history.pull("bank_statement", {"bank_statement": came}, kind="import")
    found = in_transit(history)
    assert sorted(each[1:] for each in found) == [
        ("certain", "-10", "2026-10-06T00:00:00Z"),
        ("certain", "-40", "2026-10-07T09:00:00Z"),
        ("certain", "-60", ""),
    ]


def test_without_a_bank_statement_no_settlement_is_said_to_be_under_way(
    history: History,
) -> None:
    sent = {"adjustments": [settled(5, 23, 10)]}
    history.pull("adjustments", sent, kind="import")
    assert in_transit(history) == []


@pytest.mark.parametrize(
    ("shown", "closing", "found"),
    [
        # the deposit of the evening landed after the night's snapshot of the sixth
        ((105, 105, 125), 105, [("late", "certain", "20", "")]),
        ((105, 125, 125), 125, []),  # and before it: it counts by its request
        ((105, 105, 105), 125, []),  # and never: a rest, as the roll-forward says
    ],
)
def test_what_landed_after_the_end_is_in_transit_and_not_in_the_balance(
    history: History,
    shown: tuple[int, int, int],
    closing: int,
    found: list[tuple[str, ...]],
) -> None:
    """The period ends at midnight; it was seen settled at noon, with no time."""
    history.clock(at(6, 12))
    late = deposit("late", 5, 20, status="DONE", amount=20)
    history.pull("deposits", {"deposits": [late]}, kind="import")
    trade(history, {1: 100})
    times = (at(5, 1, 30), at(6, 1, 30), at(6, 23))
    snapshots = [
        {"at": time, "iban": WALLET, "balance": each, "origin": "import"}
        for time, each in zip(times, shown, strict=True)
    ]
    history.pull("balances", {"balances": snapshots}, kind="import")
    history.settings = replace(
        settings_of(history),
        cash_in=CashIn(wallet_iban=WALLET, settled_statuses=("DONE",)),
    )
    sealed = closed(history, carry_forward=True)
    assert sealed.balances[0]["closing"] == closing
    assert rows_of(sealed) == found
