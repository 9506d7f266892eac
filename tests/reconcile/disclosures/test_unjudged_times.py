"""What moved the wallet nobody knows when, and what took money from it by itself."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from recon.reconcile.disclosures.unjudged import unjudged
from recon.reconcile.engines import DuckEngine
from recon.settings import Business, CashIn, Settings
from tests.builders import AMOUNT, AS_OF, AT, WAGE, lake_tables
from tests.reconcile.disclosures.test_unjudged import asked, silent, told

Row = dict[str, Any]
DAY = timedelta(days=1)
FAR = datetime(2099, 1, 1, tzinfo=UTC)
LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC)
CARD = {"type": "card", "mandate_id": None}
SETTLED = Settings(
    business=Business(name="shop"), cash_in=CashIn(settled_statuses=("DONE",))
)


def balances(*rials: int) -> list[Row]:
    """Balances at noon of the day before, of the day after, and so on."""
    return [
        {"at": AT + (2 * n - 1) * DAY, "balance": each, "available_balance": each}
        for n, each in enumerate(rials)
    ]


EMPTY = balances(0, 0, 0)
NET = AMOUNT - WAGE


def hosted(**changed: Any) -> dict[str, list[Row]]:
    return {"hosted_requests": [{}], "hosted_checkouts": [changed]}


def gateway(**changed: Any) -> dict[str, list[Row]]:
    return {"gateway_tokens": [changed], "gateway_transactions": [{}]}


def unified(**changed: Any) -> dict[str, list[Row]]:
    rials = changed.get("amount", AMOUNT)
    return {"checkouts": [{"amount": rials}], "payments": [CARD | changed]}


@pytest.mark.parametrize(
    ("product", "given"),
    [
        ("hosted", hosted(created_at=None)),
        ("hosted", hosted(created_at=FAR)),
        ("gateway", gateway(verified_at=None)),
        ("gateway", gateway(verified_at=LONG_AGO)),
        ("unified", unified(paid_at=FAR)),
        ("unified", unified(paid_at=LONG_AGO)),
    ],
)
def test_money_without_a_time_or_with_one_that_cannot_be(
    product: str, given: dict[str, list[Row]]
) -> None:
    """990,000 rials are said to have come, and no balance ever had them."""
    found = silent(balances=EMPTY, **given)
    assert found == [("untimed", "inflows", product, 1, NET)]


def test_a_settled_deposit_without_any_time() -> None:
    tables = {"deposits": [{"requested_at": None, "settled_at": None}]}
    tables |= {"balances": EMPTY}
    with DuckEngine.open(lake_tables(tables), SETTLED, AS_OF) as engine:
        (found,) = unjudged(engine.query)
    assert (found["why"], found["name"], found["amount"]) == (
        "untimed",
        "cash_in",
        99_995_000,
    )


@pytest.mark.parametrize(
    "given",
    [
        hosted(created_at=None),
        gateway(verified_at=None),
    ],
)
def test_money_without_a_time_that_a_balance_has_is_held_against_it(
    given: dict[str, list[Row]],
) -> None:
    assert silent(balances=balances(0, NET), **given) == []


def test_of_two_of_which_a_balance_has_one_both_are_told() -> None:
    """Either may be the one that never came."""
    given = {
        "hosted_requests": [{}, {}],
        "hosted_checkouts": [{"created_at": None}, {"created_at": None}],
    }
    found = silent(balances=balances(0, NET), **given)
    assert found == [("untimed", "inflows", "hosted", 2, 2 * NET)]


def test_a_time_of_the_next_day_is_that_of_a_clock() -> None:
    given = {"balances": EMPTY} | hosted(created_at=AS_OF + DAY)
    assert silent(as_of=AS_OF, **given) == []
    assert told(as_of=AS_OF - timedelta(seconds=1), **given)


def test_what_began_and_was_paid_before_the_first_balance_is_of_then() -> None:
    early = AT - 2 * DAY
    given = unified(paid_at=early, created_at=early - DAY)
    (found,) = silent(balances=EMPTY, **given)
    assert found[:2] == ("before", "inflows")


def test_without_two_balances_nothing_could_be_held_against_them() -> None:
    assert silent(balances=EMPTY[:1], **hosted(created_at=None)) == []


@pytest.mark.parametrize(
    ("product", "given"),
    [
        ("unified", unified(amount=-5, wage_amount=0, affected_amount=-5)),
        ("unified", unified(amount=5, wage_amount=10, affected_amount=-5)),
        (
            "hosted",
            {
                "hosted_requests": [{"amount": 5}],
                "hosted_checkouts": [{"amount": 5, "wage": 10}],
            },
        ),
    ],
)
def test_a_payment_that_takes_money(product: str, given: dict[str, list[Row]]) -> None:
    """The wallet has 5 rials less, and every figure agrees."""
    found = silent(balances=balances(5, 0), **given)
    assert found == [("taken", "outflows", product, 1, 5)]


def test_an_adjustment_may_take_money() -> None:
    rows = [{"at": AT, "amount": -5}]
    assert silent(balances=balances(5, 0), adjustments=rows) == []


@pytest.mark.parametrize(
    "given",
    [
        {"deposits": [{"status": "INIT", "amount": -5, "amount_toman": -5}]},
        unified(
            status="failed",
            error_code="WITHDRAWAL_TIMEOUT",
            amount=5,
            wage_amount=10,
            affected_amount=0,
        ),
        unified(paid_at=None, amount=5, wage_amount=10, affected_amount=-5),
    ],
)
def test_what_would_take_money_explains_no_loss(given: dict[str, list[Row]]) -> None:
    _, fired = asked(balances=balances(5, 0), **given)
    assert "wallet_rollforward" in fired
