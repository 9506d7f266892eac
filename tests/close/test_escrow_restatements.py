"""What a closed period says now of money in escrow that it did not at its closing."""

from typing import Any

import pytest

from recon.close import restatements
from recon.lake import Commit
from recon.lake.voids import VOID, certificate
from recon.reconcile.escrow_figures import escrow_figures
from recon.reconcile.run import present_result
from tests.close.closed_shop import PERIOD, closed, trade
from tests.reconcile.lake_history import History, at


def told(history: History) -> list[dict[str, Any]]:
    history.clock(at(9))
    with present_result(history.lake, history.settings) as result:
        return list(restatements(result).to_pylist())


def took_back(history: History, events: Commit) -> None:
    history.pull("webhooks", {}, kind=VOID, certificate=certificate([events.id]))


def in_escrow(history: History) -> Commit:
    """Trade, and an agreement of 9: paid on the second, refunded after the period."""
    trade(history)
    agreement = {"tracking_code": "t", "state": "cancelled", "amount": 9}
    history.pull("agreements", {"agreements": [agreement]})
    event = {"tracking_code": "t", "amount": 9, "data": "{}", "origin": "import"}
    events = [
        event | {"type": "buyer_paid_agreement", "created": at(2)},
        event | {"type": "payment_refunded_to_buyer", "created": at(6, 1)},
    ]
    return history.pull("webhooks", {"events": events}, kind="import")


def test_money_in_escrow_that_is_another_one_is_told_by_date(history: History) -> None:
    """The journal of a closed period lost all of it, and no period said so."""
    events = in_escrow(history)
    closed(history)
    assert told(history) == []
    took_back(history, events)
    rows = told(history)
    assert [(row["product"], row["measure"]) for row in rows] == [
        ("escrow", "moves"),
        ("escrow", "received"),
    ]
    assert [(row["closed"], row["now"]) for row in rows] == [(1, 0), (9, 0)]
    assert {row["business_date"].isoformat() for row in rows} == {"2026-10-02"}
    assert {row["period"] for row in rows} == {PERIOD}


def test_a_closing_of_an_earlier_release_says_nothing_of_escrow(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = in_escrow(history)
    kept = ("figures.json", "balances.csv", "books.csv")
    monkeypatch.setattr("recon.close.closing._FROZEN", kept)
    closed(history)
    took_back(history, events)
    assert told(history) == []


def test_an_event_of_a_closed_date_that_came_late_is_told(history: History) -> None:
    in_escrow(history)
    closed(history)
    late = {"tracking_code": "t", "amount": 4, "data": '{"n": 2}', "origin": "import"}
    late |= {"type": "payment_refunded_to_buyer", "created": at(5, 23)}
    history.pull("webhooks", {"events": [late]}, kind="import")
    rows = told(history)
    assert [(row["measure"], row["closed"], row["now"]) for row in rows] == [
        ("moves", 0, 1),
        ("released", 0, 4),
    ]
    assert {row["business_date"].isoformat() for row in rows} == {"2026-10-05"}


def test_forged_events_of_more_than_64_bits_end_no_closing(history: History) -> None:
    """Anybody can send one; what a date sums to beyond is told as the most there is."""
    in_escrow(history)
    forged = {"tracking_code": "t", "type": "buyer_paid_agreement", "origin": "import"}
    history.pull(
        "webhooks",
        {
            "events": [
                forged | {"created": at(2, n), "amount": 2**62, "data": f'{{"n": {n}}}'}
                for n in (1, 2)
            ]
        },
        kind="import",
    )
    closed(history)
    assert told(history) == []
    with present_result(history.lake, history.settings) as result:
        (row, *_) = escrow_figures(result).to_pylist()
    assert (row["moves"], row["received"], row["released"]) == (3, 2**63 - 1, 0)
