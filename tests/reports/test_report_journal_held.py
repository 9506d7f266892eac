"""What is held in escrow in a period, with what was held before it brought forward."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from recon.reconcile.engines import DuckEngine
from recon.reports import journal
from recon.reports.periods import Period
from recon.settings import Business, Settings
from tests.builders import AS_OF, lake_tables
from tests.reports.stand_in import ResultStandIn

SETTINGS = Settings(business=Business(name="shop"))
Leg = tuple[str, int]


def event(kind: str, day: int, amount: int) -> dict[str, Any]:
    created = datetime(2026, 10, day, 9, tzinfo=UTC)
    return {"type": kind, "created": created, "amount": amount}


def held(period: Period, *events: dict[str, Any]) -> list[Leg]:
    """Return the legs of what is held, by their dates: rials that came, or went."""
    given = lake_tables({"agreements": [{}], "events": events, "adjustments": [{}]})
    with DuckEngine.open(given, SETTINGS, AS_OF) as engine:
        legs = engine.table("report_journal")
    result = ResultStandIn(tables={"report_journal": legs})
    found = journal.held(result, SETTINGS, period)
    assert set(found["account"].to_pylist()) <= {"memo:escrow:held"}
    return [
        (str(row["business_date"]), row["debit"] - row["credit"])
        for row in found.to_pylist()
    ]


PAID = event("buyer_paid_agreement", 10, 900)
REFUNDED = event("payment_refunded_to_buyer", 12, 400)


@pytest.mark.parametrize(
    ("first", "legs"),
    [
        (None, [("2026-10-10", 900), ("2026-10-12", -400)]),
        (10, [("2026-10-10", 900), ("2026-10-12", -400)]),
        (11, [("2026-10-11", 900), ("2026-10-12", -400)]),
        (12, [("2026-10-12", 900), ("2026-10-12", -400)]),
        (13, [("2026-10-13", 500)]),
    ],
)
def test_what_was_held_before_is_brought_forward_on_the_first_date(
    first: int | None, legs: list[Leg]
) -> None:
    period = Period(date(2026, 10, first) if first else None)
    assert held(period, PAID, REFUNDED) == legs


def test_what_went_out_beyond_what_came_in_is_brought_forward_below_zero() -> None:
    period = Period(date(2026, 10, 13))
    assert held(period, event("seller_checked_out", 12, 400)) == [("2026-10-13", -400)]


def test_what_was_held_and_is_gone_is_not_brought_forward() -> None:
    gone = event("payment_refunded_to_buyer", 12, 900)
    assert held(Period(date(2026, 10, 13)), PAID, gone) == []
