"""The agreements with money held, as charts and notebooks read them."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from recon.reconcile.engines import DuckEngine
from recon.settings import Business, Settings
from tests.builders import lake_tables

SETTINGS = Settings(business=Business(name="shop"))
AS_OF = datetime(2026, 11, 20, tzinfo=UTC)
Row = dict[str, Any]


def event(kind: str, amount: int | None) -> Row:
    return {"type": kind, "amount": amount}


@pytest.mark.parametrize(
    ("events", "held"),
    [
        ([event("seller_checked_out", 900)], -900),
        ([event("payment_refunded_to_buyer", 400)], -400),
        ([event("buyer_paid_agreement", 900), event("seller_checked_out", 900)], 0),
        ([event("buyer_paid_agreement", None)], 0),
        ([event("seller_checked_out", None)], None),
        ([event("agreement_created", None)], None),
        ([], None),
    ],
)
def test_the_trades_are_all_that_the_journal_holds_something_of(
    events: list[Row], held: int | None
) -> None:
    """The event of a payment may never have come, and that of its payout did."""
    given = lake_tables({"agreements": [{}], "events": events})
    with DuckEngine.open(given, SETTINGS, AS_OF) as engine:
        trades = engine.table("report_escrow").to_pylist()
        legs = engine.table("report_journal").to_pylist()
    in_journal = sum(
        leg["debit"] - leg["credit"]
        for leg in legs
        if leg["account"] == "memo:escrow:held"
    )
    assert [trade["held"] for trade in trades] == ([] if held is None else [held])
    assert in_journal == (held or 0)


def trade(agreement: Row, *events: Row) -> Row:
    given = lake_tables({"agreements": [agreement], "events": events})
    with DuckEngine.open(given, SETTINGS, AS_OF) as engine:
        (found,) = engine.table("report_escrow").to_pylist()
    return dict(found)


def test_money_is_held_since_the_business_date_of_its_payment() -> None:
    """It was paid half an hour after midnight in Tehran, long after its agreement."""
    at = datetime(2026, 11, 10, 21, 0, tzinfo=UTC)
    paid = event("buyer_paid_agreement", 900) | {"created": at}
    found = trade({}, paid, event("seller_checked_out", 899) | {"created": at})
    assert (found["paid_at"], found["paid_date"]) == (at, date(2026, 11, 11))
    assert (found["paid"], found["paid_out"], found["held"]) == (900, 899, 1)
    assert found["held_days"] == 9


@pytest.mark.parametrize("out", ["seller_checked_out", "payment_refunded_to_buyer"])
def test_what_went_out_again_is_held_for_no_days(out: str) -> None:
    found = trade({}, event("buyer_paid_agreement", 900), event(out, 900))
    assert (found["held"], found["held_days"]) == (0, None)
    assert {found["paid_out"], found["refunded"]} == {0, 900}


def test_a_dispute_before_any_payment_is_a_trade_that_holds_nothing() -> None:
    found = trade({"state": "investigation"})
    assert (found["is_disputed"], found["held"]) == (True, 0)
    assert (found["paid_date"], found["held_days"]) == (None, None)


def test_a_payment_of_unknown_amount_holds_nothing_for_no_days() -> None:
    found = trade({}, event("buyer_paid_agreement", None))
    assert (found["paid"], found["held"], found["held_days"]) == (0, 0, None)
    assert found["paid_date"] is not None
