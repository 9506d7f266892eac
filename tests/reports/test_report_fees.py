from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from recon.reports import fees
from recon.reports.periods import Period
from recon.settings import Business, Checks, Gateway, Settings
from tests.reports.lake_rows import SETTINGS, engine
from tests.reports.test_report_flows_query import NOON, deposit, payment

TARIFF = {
    "product": "unified",
    "payment_method": "*",
    "rate_bps": 100,
    "fixed": 0,
    "valid_from": NOON - timedelta(days=90),
}


def found(
    settings: Settings = SETTINGS, period: Period | None = None, **tables: Any
) -> list[tuple[Any, ...]]:
    with engine(settings, **tables) as models:
        table = fees.table(models, settings, period or Period())  # type: ignore[arg-type]
    return [tuple(row.values()) for row in table.to_pylist()]


def test_fees_are_summed_by_month_and_held_against_the_tariff() -> None:
    april = datetime(2026, 4, 1, tzinfo=UTC)
    assert found(
        tariff=[TARIFF],
        payments=[
            payment(1),
            payment(2, wage_amount=1_200),
            payment(3, paid_at=april),
            payment(4, status="failed"),
        ],
    ) == [
        ("unified", "debit-north", "2026-03", 2, 200_000, 2_200, 2_000, 200, 110),
        ("unified", "debit-north", "2026-04", 1, 100_000, 1_000, 1_000, 0, 100),
    ]


def test_a_month_that_the_tariff_does_not_wholly_cover_has_no_expected_wage() -> None:
    late = TARIFF | {"valid_from": NOON + timedelta(days=1)}
    rows = found(
        tariff=[late],
        payments=[payment(1), payment(2, paid_at=NOON + timedelta(days=2))],
    )
    assert rows == [
        ("unified", "debit-north", "2026-03", 2, 200_000, 2_000, None, None, 100)
    ]


def test_months_are_those_of_the_business_calendar() -> None:
    jalali = Settings(business=Business(name="shop", calendar="jalali"))
    nowruz = datetime(2026, 3, 20, 20, 30, tzinfo=UTC)  # midnight in Tehran
    before = nowruz - timedelta(seconds=1)
    rows = found(
        jalali, payments=[payment(1, paid_at=before), payment(2, paid_at=nowruz)]
    )
    assert [row[2] for row in rows] == ["1404-12", "1405-01"]


def test_a_period_counts_only_its_days() -> None:
    day = NOON.date()
    rows = found(
        period=Period(day, day),
        payments=[payment(1), payment(2, paid_at=NOON + timedelta(days=1))],
    )
    assert [row[3] for row in rows] == [1]


def test_a_deposit_under_two_requests_counts_once() -> None:
    rows = found(deposits=[deposit(1), deposit(1, track_id="again")])
    assert rows == [("cash_in", "", "2026-03", 1, 1_000_000, 500, None, None, 5)]


def test_a_day_that_the_tariff_does_not_wholly_cover_has_no_expected_wage() -> None:
    from_noon = TARIFF | {"valid_from": NOON}
    before = NOON - timedelta(seconds=1)
    rows = found(
        tariff=[from_noon],
        payments=[
            payment(1, wage_amount=1_000, paid_at=before),
            payment(2, wage_amount=1_000, paid_at=NOON),
        ],
    )
    assert rows == [
        ("unified", "debit-north", "2026-03", 2, 200_000, 2_000, None, None, 100)
    ]


def test_deposits_without_an_id_of_their_own_are_as_many_as_there_are() -> None:
    nameless = [deposit(n, gateway_transaction_id=None) for n in (1, 2)]
    rows = found(deposits=nameless)
    assert rows == [("cash_in", "", "2026-03", 2, 2_000_000, 1_000, None, None, 5)]


def test_fees_and_flows_take_the_gross_of_the_same_records() -> None:
    """Of two requests the earlier; what was not looked up is what came and its fee."""
    tables: dict[str, Any] = {
        "deposits": [
            deposit(1, track_id="b", amount=7_000, wage=7),
            deposit(1, track_id="a", requested_at=NOON + timedelta(hours=1)),
        ],
        "gateway_tokens": [
            {"token": "g", "amount": 50_000, "sent_at": NOON}
            | {"real_amount": 50_000, "wage": 500, "verified_at": NOON}
        ],
    }
    with engine(SETTINGS, **tables) as models:
        gross = "select product, amount, wage from {} order by product"
        flows = models.query(gross.format("report_flows")).to_pylist()
        assert models.query(gross.format("report_fees")).to_pylist() == flows
    assert [row["amount"] for row in flows] == [7_000, 50_500]


def test_a_rate_is_rounded_half_up_and_empty_where_nothing_was_paid() -> None:
    def rate(amount: int, wage: int) -> int | None:
        rows = found(payments=[payment(1, amount=amount, wage_amount=wage)])
        value: int | None = rows[0][-1]
        return value

    assert rate(20_000, 1) == 1  # half a basis point
    assert rate(20_001, 1) == 0
    assert rate(0, 0) is None
    assert rate(10**15, 10**13) == 100
    assert rate(1, 10**15) is None  # more than a figure of the lake may have


def test_an_unknown_wage_counts_as_none() -> None:
    rows = found(payments=[payment(1, wage_amount=None)])
    assert rows == [("unified", "debit-north", "2026-03", 1, 100_000, 0, None, None, 0)]


def test_an_unknown_amount_counts_as_none() -> None:
    rows = found(payments=[payment(1, amount=None, wage_amount=None)])
    assert rows == [("unified", "debit-north", "2026-03", 1, 0, 0, None, None, None)]


def test_of_two_amounts_within_the_tolerance_the_wage_is_of_the_nearer_one() -> None:
    """One percent of what was sold is 1,000 rials, of that with the wage 1,010."""
    gateway = Gateway(fee_bearer="customer")
    settings = replace(SETTINGS, gateway=gateway, checks=Checks(tolerance=20))
    tariff = TARIFF | {"product": "gateway"}
    sold = {"token": "g", "sent_at": NOON, "verified_at": NOON}
    rows = [
        found(
            settings,
            tariff=[tariff],
            gateway_tokens=[sold | {"real_amount": 101_000 - wage, "wage": wage}],
        )
        for wage in (1_000, 1_009, 1_010)
    ]
    assert [row[5:8] for (row,) in rows] == [
        (1_000, 1_000, 0),
        (1_009, 1_010, -1),
        (1_010, 1_010, 0),
    ]


@pytest.mark.parametrize(
    ("bearer", "kept", "gross"),
    [
        ("business", {"real_amount": 49_500, "wage": 500}, 50_000),
        ("business", {"real_amount": 49_500}, 49_500),
        ("business", {"wage": 500}, 50_000),
        ("customer", {"wage": 500}, 50_500),
        ("customer", {"verified_at": NOON}, 50_000),
    ],
)
def test_without_its_amount_a_card_payment_is_what_came_and_its_fee_or_what_was_sent(
    bearer: str, kept: dict[str, Any], gross: int
) -> None:
    settings = replace(SETTINGS, gateway=Gateway(fee_bearer=bearer))
    sent = {"token": "g", "amount": 50_000, "sent_at": NOON}
    (row,) = found(settings, gateway_tokens=[sent | kept])
    assert row[4] == gross
