"""A business that lays its fees on the customer from a day on, worked by hand.

Before 10 October, a date of Tehran, 1,000,000 sold are 990,000 in the wallet. From
then on the customer pays the wage of 10,000 beside them: 1,000,000 reach the wallet.
"""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from recon.settings import Gateway, Hosted, Settings, Unified
from tests import builders
from tests.reconcile.test_money_stories import sums, told
from tests.reconcile.wallet_world import Row, at, balances, settings

SOLD, WAGE = 1_000_000, 10_000
CHANGE = {"1405-07-18": "customer"}  # 10 October 2026, a Jalali date as people type it
BEGINS = at(9, 20, 30)
SECOND = timedelta(seconds=1)
PRODUCTS = ("unified", "gateway", "hosted")
CHECKS = (
    "gateway_amount_mismatch",
    "hosted_amount_mismatch",
    "payment_wallet_identity",
)


def switched(first: str = "business", **since: str) -> Settings:
    """Return the settings of a shop whose bearer was this one at first."""
    days = since or CHANGE
    return replace(
        settings(),
        unified=Unified(fee_bearer=first, fee_bearer_since=days),
        gateway=Gateway(fee_bearer=first, fee_bearer_since=days),
        hosted=Hosted(fee_bearer=first, fee_bearer_since=days),
    )


def sale(number: int, when: datetime, charged: int) -> dict[str, Row]:
    """A million sold by each product, for which so much was charged with the wage."""
    received = charged - WAGE
    return {
        "checkouts": builders.checkout(number),
        "payments": builders.payment(
            number,
            type="card",
            mandate_id=None,
            affected_amount=received,
            created_at=when,
            paid_at=when,
        ),
        "gateway_tokens": builders.gateway_token(
            number, sent_at=when, real_amount=received, verified_at=when
        ),
        "gateway_transactions": builders.gateway_transaction(number, amount=charged),
        "hosted_requests": builders.hosted_request(number, sent_at=when),
        "hosted_checkouts": builders.hosted_checkout(
            number, amount=charged, created_at=when
        ),
    }


def shop(before: int = SOLD, after: int = SOLD + WAGE) -> dict[str, list[Row]]:
    """One sale a second before the day begins, one as it begins."""
    early, late = sale(1, BEGINS - SECOND, before), sale(2, BEGINS, after)
    first, second = 3 * (before - WAGE), 3 * (after - WAGE)
    rows = {table: [early[table], late[table]] for table in early}
    closings = balances(0, first + second, start=9)
    return rows | {"balances": closings}


def test_each_side_of_the_change_is_held_against_its_own_bearer() -> None:
    breaks, wallet, journal = told(shop(), switched())
    assert breaks == []
    assert [row["unexplained_rial"] for row in wallet] == [0]
    assert sums(journal) == {
        "assets:wallet": 5_970_000,
        **{f"assets:clearing:{each}": -2_000_000 for each in PRODUCTS},
        **{f"expenses:fees:{each}": 10_000 for each in PRODUCTS},
    }


@pytest.mark.parametrize(
    ("chosen", "record"),
    [
        (switched(**{"2027-01-01": "customer"}), "2"),
        (switched("customer"), "1"),
        (switched(**{"2026-10-09": "customer"}), "1"),
    ],
)
def test_without_the_day_one_side_breaks_by_the_wage(
    chosen: Settings, record: str
) -> None:
    breaks, _, _ = told(shop(), chosen)
    sign = 1 if record == "2" else -1
    assert [(check, found[-1], off) for check, found, off in breaks] == [
        (check, record, sign * WAGE) for check in CHECKS
    ]


def test_a_change_back_is_a_day_of_its_own() -> None:
    days = {"2026-01-01": "customer", "2026-10-10": "business"}
    breaks, _, _ = told(shop(SOLD + WAGE, SOLD), switched(**days))
    assert breaks == []
