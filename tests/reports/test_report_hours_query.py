"""Attempts by the hour, as the charts and notebooks of payments read them."""

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.reports.lake_rows import engine
from tests.reports.test_report_failures_query import NOON, payment

FAILED = {"status": "failed", "error_code": "NO_FUNDS"}
COLUMNS = (
    *("business_date", "business_hour", "product", "payment_method"),
    *("attempts", "failed", "done", "done_amount"),
)


def found(
    *payments: dict[str, Any], **others: list[dict[str, Any]]
) -> list[tuple[Any, ...]]:
    with engine(payments=payments, **others) as models:
        rows = models.table("report_hours").to_pylist()
    return sorted(
        (str(row["business_date"]), *(row[name] for name in COLUMNS[1:]))
        for row in rows
    )


def test_an_hour_counts_attempts_and_sums_what_was_done_in_it() -> None:
    later = NOON + timedelta(hours=1)
    assert found(
        payment(1),
        payment(2, amount=250_000),
        payment(3, **FAILED, amount=7),
        payment(4, **FAILED, amount=7),
        payment(5, status="pending_redirect", amount=7),
        payment(6, created_at=later),
        payment(7, payment_method="card-south"),
    ) == [
        ("2026-03-01", 12, "unified", "card-south", 1, 0, 1, 100_000),
        ("2026-03-01", 12, "unified", "debit-north", 5, 2, 2, 350_000),
        ("2026-03-01", 13, "unified", "debit-north", 1, 0, 1, 100_000),
    ]


def test_the_hour_is_that_of_the_business_clock() -> None:
    """Half past eight in the evening in London is midnight in Tehran."""
    midnight = datetime(2026, 3, 1, 20, 30, tzinfo=UTC)
    before = midnight - timedelta(seconds=1)
    rows = found(payment(1, created_at=midnight), payment(2, created_at=before))
    assert [row[:2] for row in rows] == [("2026-03-01", 23), ("2026-03-02", 0)]


def test_an_hour_without_a_done_payment_or_its_amount_sums_to_zero() -> None:
    later = NOON + timedelta(hours=1)
    rows = found(payment(1, **FAILED), payment(2, amount=None, created_at=later))
    assert [row[-2:] for row in rows] == [(0, 0), (1, 0)]


def test_an_attempt_of_unknown_time_has_no_hour() -> None:
    assert found(payment(1, created_at=None)) == []


def test_what_the_provider_confirms_is_done_without_a_verify_answer() -> None:
    said = {"amount": 50_000, "created_at": NOON}
    assert found(
        gateway_transactions=[
            {"token": "a", "code": 2} | said,
            {"token": "b", "code": 1} | said,
        ],
        hosted_checkouts=[
            {"id": "1", "status": "SUCCEED"} | said,
            {"id": "2", "status": "PENDING_VERIFY"} | said,
        ],
    ) == [
        ("2026-03-01", 12, "gateway", "", 2, 0, 1, 50_000),
        ("2026-03-01", 12, "hosted", "", 2, 0, 1, 50_000),
    ]
