from datetime import UTC, datetime
from typing import Any

import pytest

from recon.reports import failures
from recon.reports.tables import shaped
from tests.reports.lake_rows import engine

NOON = datetime(2026, 3, 1, 8, 30, tzinfo=UTC)


def payment(number: int, **changed: Any) -> dict[str, Any]:
    return {
        "id": f"payment-{number}",
        "checkout_id": f"checkout-{number}",
        "payment_method": "debit-north",
        "amount": 100_000,
        "status": "done",
        "created_at": NOON,
    } | changed


def found(**tables: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Run the query; rows as (date, product, method, code, attempts, failed, rials)."""
    with engine(**tables) as models:
        table = shaped(models.table("report_failures"), failures.COLUMNS)
    return [
        (row["business_date"] and str(row["business_date"]), *list(row.values())[1:])
        for row in table.to_pylist()
    ]


def test_a_code_has_a_row_and_attempts_are_those_of_its_date_and_method() -> None:
    timeout = {"status": "failed", "error_code": "WITHDRAWAL_TIMEOUT"}
    assert found(
        payments=[
            payment(1),
            payment(2, **timeout),
            payment(3, **timeout, amount=250_000),
            payment(4, status="failed", error_code="NO_FUNDS"),
            payment(5, status="pending_redirect"),
            payment(6, payment_method="card-south"),
        ]
    ) == [
        ("2026-03-01", "unified", "card-south", "", 1, 0, 0),
        ("2026-03-01", "unified", "debit-north", "NO_FUNDS", 5, 1, 100_000),
        ("2026-03-01", "unified", "debit-north", "WITHDRAWAL_TIMEOUT", 5, 2, 350_000),
    ]


def test_a_failed_payment_without_a_code_is_told_by_its_status() -> None:
    assert found(payments=[payment(1, status="failed")]) == [
        ("2026-03-01", "unified", "debit-north", "failed", 1, 1, 100_000)
    ]


def test_an_error_without_a_code_is_a_failure_of_unknown_code() -> None:
    waiting = {"status": "pending_redirect"}
    assert found(
        payments=[
            payment(1, **waiting, error_message="no answer"),
            payment(2, **waiting, error_code="", error_message=""),
            payment(3, **waiting),
            payment(4, status="failed", error_code=""),
        ]
    ) == [
        ("2026-03-01", "unified", "debit-north", "failed", 4, 1, 100_000),
        ("2026-03-01", "unified", "debit-north", "unknown", 4, 2, 200_000),
    ]


def test_a_done_payment_with_an_error_and_an_unknown_status_are_no_failures() -> None:
    assert found(
        payments=[
            payment(1, error_code="LATE_ANSWER"),
            payment(2, status="on_its_way"),
            payment(3, status=None),
        ]
    ) == [("2026-03-01", "unified", "debit-north", "", 3, 0, 0)]


def test_the_date_is_the_business_date_of_the_attempt() -> None:
    midnight = datetime(2026, 3, 1, 20, 30, tzinfo=UTC)  # in Tehran
    before = datetime(2026, 3, 1, 20, 29, 59, tzinfo=UTC)
    dates = [
        row[0]
        for row in found(
            payments=[
                payment(1, created_at=midnight),
                payment(2, created_at=before),
                payment(3, created_at=None, payment_method=None, amount=None),
            ]
        )
    ]
    assert dates == ["2026-03-01", "2026-03-02", None]


def test_gateway_failures_are_told_by_their_code_or_their_refusal() -> None:
    def sent(token: str, **changed: Any) -> dict[str, Any]:
        return {"token": token, "amount": 50_000, "sent_at": NOON} | changed

    def answer(token: str, **changed: Any) -> dict[str, Any]:
        return {"token": token, "amount": 50_500, "created_at": NOON} | changed

    assert found(
        gateway_tokens=[
            sent("a"),
            sent("b"),
            sent("c", verified_at=NOON),
            sent("d"),
            sent("only-sent"),
        ],
        gateway_transactions=[
            answer("a", code=3),
            answer("b", code=4),
            answer("c", code=3),
            answer("d", amount=None, created_at=None, error="transaction failed"),
            answer("d", amount=None, created_at=None, error="token invalid"),
            answer("only-answered", code=1),
        ],
    ) == [
        ("2026-03-01", "gateway", "", "3", 6, 1, 50_500),
        ("2026-03-01", "gateway", "", "4", 6, 1, 50_500),
        ("2026-03-01", "gateway", "", "transaction failed", 6, 1, 50_000),
    ]


@pytest.mark.parametrize(
    ("kept", "failed"),
    [({"real_amount": 49_500}, 0), ({"wage": 500}, 0), ({}, 1)],
)
def test_a_verify_result_without_its_time_is_no_failure(
    kept: dict[str, Any], failed: int
) -> None:
    """fees.csv counts it as done, and a payment cannot be both."""
    sent = {"token": "a", "amount": 50_000, "sent_at": NOON, **kept}
    answer = {"token": "a", "amount": 50_000, "created_at": NOON, "code": 3}
    given = {"gateway_tokens": [sent], "gateway_transactions": [answer]}
    assert [row[5] for row in found(**given)] == [failed]
    with engine(**given) as models:
        counted = models.table("report_fees").num_rows
        (hour,) = models.table("report_hours").to_pylist()
    assert (counted, hour["done"], hour["failed"]) == (1 - failed, 1 - failed, failed)


def test_hosted_failures_are_told_by_their_status() -> None:
    assert found(
        hosted_requests=[
            {"checkout_id": "1", "amount": 10_000, "sent_at": NOON},
            {"checkout_id": "2", "amount": 20_000, "sent_at": NOON},
            {"checkout_id": "3", "amount": 30_000, "sent_at": NOON},
        ],
        hosted_checkouts=[
            {"id": "1", "amount": 10_100, "status": "FAILED", "created_at": NOON},
            {"id": "3", "error": "not found"},
        ],
    ) == [
        ("2026-03-01", "hosted", "", "FAILED", 3, 1, 10_100),
        ("2026-03-01", "hosted", "", "not found", 3, 1, 30_000),
    ]


def test_a_card_payment_of_wrong_data_and_a_status_in_capitals_are_failures() -> None:
    assert found(
        payments=[payment(1, status="FAILED")],
        gateway_tokens=[{"token": "a", "amount": 50_000, "sent_at": NOON}],
        gateway_transactions=[{"token": "a", "code": 0, "created_at": NOON}],
    ) == [
        ("2026-03-01", "gateway", "", "0", 1, 1, 50_000),
        ("2026-03-01", "unified", "debit-north", "FAILED", 1, 1, 100_000),
    ]


def test_an_empty_lake_has_no_failures() -> None:
    assert found() == []
