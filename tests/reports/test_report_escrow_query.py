"""The agreements with money held, as charts and notebooks read them."""

from datetime import UTC, datetime
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
