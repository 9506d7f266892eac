"""A decision on a break without amounts holds for what it says, but for a waiting."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from recon.reconcile import decisions
from recon.reconcile.break_figures import figures_of, marks
from recon.reconcile.breaks import DECIDED_ON, FIGURES
from recon.reconcile.run import reconcile
from tests.reconcile.lake_history import History, at, only

REDIRECT, RECEIPT = "payment_redirect_stale", "payment_receipt_missing"
PAYMENT: Mapping[str, Any] = {
    "id": "p",
    "checkout_id": "c",
    "type": "card",
    "amount": 5,
    "wage_amount": 0,
    "affected_amount": 5,
    "created_at": at(1, 10),
}
WAITS = PAYMENT | {"status": "pending_redirect"}
DONE = PAYMENT | {"status": "done", "paid_at": at(1, 10), "ref_id": None}


@pytest.fixture
def history(history: History) -> History:
    """The lake of a shop that asks of payments that wait, or lack a receipt."""
    history.settings = replace(history.settings, checks=only(REDIRECT, RECEIPT))
    return history


def pulled(history: History, day: int, payment: Mapping[str, Any]) -> None:
    checkout = {"id": "c", "status": "waiting", "amount": 5, "payment_ids": ["p"]}
    history.clock(at(day, 12))
    history.pull(
        "checkouts",
        {"checkouts": [checkout | {"created_at": at(1, 9)}], "payments": [{**payment}]},
    )


def night(history: History, day: int) -> tuple[str, str]:
    """Run on a day; return where the one break stands, and what it says."""
    history.clock(at(day, 20))
    with reconcile(history.lake, history.settings) as result:
        (row,) = result.breaks.to_pylist()
    return row["status"], row["detail"]


def decide(history: History, *, by_an_earlier_release: bool = False) -> None:
    """Acknowledge the one break; what it says was not kept by earlier releases."""
    with reconcile(history.lake, history.settings, dry_run=True) as result:
        (row,) = result.breaks.to_pylist()
        made = [decisions.decision(row["break_id"], "acknowledge")]
        known = decisions.looked_at(result, made)
    if by_an_earlier_release:
        known[FIGURES] = {row["break_id"]: marks(figures_of(row))[1]}
    assert known.keys() == {DECIDED_ON, FIGURES}
    decisions.record(history.lake, made, by="sara", known=known)


def test_what_goes_on_waiting_stays_acknowledged(history: History) -> None:
    pulled(history, 1, WAITS)
    _, first = night(history, 2)
    decide(history)
    status, second = night(history, 20)
    assert status == "acknowledged"
    assert first != second


def test_another_amount_that_waits_is_open(history: History) -> None:
    pulled(history, 1, WAITS)
    night(history, 2)
    decide(history)
    pulled(history, 3, WAITS | {"amount": 6})
    assert night(history, 3)[0] == "open"


@pytest.mark.parametrize("earlier", [False, True])
def test_what_says_something_else_is_open(history: History, *, earlier: bool) -> None:
    """What a release decided that kept no words is judged as by that release."""
    pulled(history, 1, DONE)
    assert night(history, 2) == ("open", "The done payment has no ref_id.")
    decide(history, by_an_earlier_release=earlier)
    assert night(history, 3)[0] == "acknowledged"
    pulled(history, 4, DONE | {"paid_at": None})
    status, told = night(history, 4)
    assert told == "The done payment has neither ref_id nor paid_at."
    assert status == ("acknowledged" if earlier else "open")


def test_what_turned_and_turned_back_is_open(history: History) -> None:
    pulled(history, 1, DONE)
    night(history, 2)
    decide(history)
    pulled(history, 3, DONE | {"paid_at": None})
    night(history, 3)
    pulled(history, 4, DONE)
    assert night(history, 4) == ("open", "The done payment has no ref_id.")
