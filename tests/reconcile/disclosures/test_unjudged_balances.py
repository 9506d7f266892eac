"""What moved the wallet before its first balance, or after its last one."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from recon.reconcile.disclosures.unjudged import unjudged
from recon.reconcile.engines import DuckEngine
from recon.settings import CashIn
from tests.builders import AT, WALLET, lake_tables
from tests.reconcile.disclosures.test_unjudged import LATER, SETTINGS, silent, told

Row = dict[str, Any]
HOUR = timedelta(hours=1)
LAST = AT + timedelta(days=6)
BALANCES = [
    {"at": AT + timedelta(days=day), "balance": 7, "available_balance": 7}
    for day in (5, 6)
]


def moved(hours: float, amount: int = 100) -> Row:
    """An adjustment so many hours after the last balance; the first is at -24."""
    at = LAST + timedelta(hours=hours)
    return {"at": at, "amount": amount, "kind": "correction"}


def told_of(*rows: Row, **given: Any) -> list[tuple[Any, ...]]:
    given = {"balances": BALANCES} | given
    return silent(adjustments=list(rows), **given)


def test_what_moved_before_the_first_balance_and_at_its_instant() -> None:
    found = told_of(moved(-100), moved(-24), moved(-100, -7))
    assert found == [
        ("before", "inflows", "2026-10-12", 2, 200),
        ("before", "outflows", "2026-10-12", 1, 7),
    ]


def test_what_moved_after_the_last_balance() -> None:
    found = told_of(moved(1), moved(30), moved(2, -7))
    assert found == [
        ("after", "inflows", "2026-10-16", 2, 200),
        ("after", "outflows", "2026-10-16", 1, 7),
    ]


def test_what_moved_between_two_balances_or_at_the_last_one_is_compared() -> None:
    rows = [moved(-23), moved(0), moved(-2, -200)]
    assert told_of(*rows) == []


@pytest.mark.parametrize(("hours", "count"), [(36, 0), (36.1, 1)])
def test_what_is_young_the_next_balance_may_have(hours: float, count: int) -> None:
    found = told_of(moved(1), as_of=LAST + HOUR + timedelta(hours=hours))
    assert [row[3] for row in found] == [1] * count


@pytest.mark.parametrize("balances", [[], BALANCES[:1]])
def test_where_no_two_balances_are_compared_that_is_told_by_itself(
    balances: list[Row],
) -> None:
    assert told_of(moved(-100), moved(1), balances=balances) == []


def test_every_product_s_money_is_counted() -> None:
    """A payment, a hosted checkout and a token, each of 990,000; a deposit's status."""
    given = {
        "checkouts": [{}],
        "payments": [{"mandate_id": None, "type": "ipg"}],
        "gateway_tokens": [{}],
        "gateway_transactions": [{}],
        "hosted_requests": [{}],
        "hosted_checkouts": [{}],
        "deposits": [{"status": "INIT"}],
    }
    (found,) = told(balances=BALANCES, **given)
    assert found == ("before", "inflows", "2026-10-10", 3, 3 * 990_000)


def test_what_is_not_certain_is_not_counted() -> None:
    given = {"checkouts": [{}], "payments": [{"paid_at": None}]}
    assert not told(balances=BALANCES, **given)


def test_a_payment_without_an_amount_is_one_of_nothing() -> None:
    given = {"checkouts": [{}], "payments": [{"affected_amount": None}]}
    found = told(balances=BALANCES, **given)
    assert found == [("before", "inflows", "2026-10-10", 1, 0)]


def test_what_an_interval_has_for_its_explanation_is_held_against_it() -> None:
    """It is known by its day, on which it came after the first balance."""
    midnight = AT.replace(hour=20, minute=30) - timedelta(days=1)
    row = {"at": midnight, "amount": -100, "kind": "settlement"}
    days = [(0, 107), (1, 7), (2, 7)]
    balances = [{"at": AT + timedelta(days=n), "balance": rials} for n, rials in days]
    assert told(adjustments=[row], balances=balances) == []
    level = [each | {"balance": 7} for each in balances]
    assert told(adjustments=[row], balances=level) == [
        ("before", "outflows", "2026-10-10", 1, 100)
    ]


def test_a_change_of_the_wallet_is_told_by_itself() -> None:
    """What moved between the last balance of the one and the first of the other."""
    wallet = CashIn(wallet_iban=WALLET, wallet_iban_since={"2026-10-17": "IR2"})
    other = [{"at": LAST + n * HOUR, "balance": 9, "iban": "IR2"} for n in (48, 72)]
    given = {"balances": [*BALANCES, *other], "adjustments": [moved(47), moved(73)]}
    changed = replace(SETTINGS, cash_in=wallet)
    with DuckEngine.open(lake_tables(given), changed, LATER) as engine:
        (found,) = unjudged(engine.query)
    assert (found["why"], found["first"], found["count"]) == ("after", "2026-10-19", 1)


def test_each_date_is_its_own() -> None:
    given = {"balances": BALANCES, "adjustments": [moved(-100), moved(1), moved(30)]}
    with DuckEngine.open(lake_tables(given), SETTINGS, LATER) as engine:
        (found,) = unjudged(engine.query, "business_date = date '2026-10-17'")
        early = unjudged(engine.query, "business_date < date '2026-10-13'")
    assert (found["why"], found["first"], found["count"]) == ("after", "2026-10-17", 1)
    assert [each["why"] for each in early] == ["before"]
