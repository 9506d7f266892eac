from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from recon.reports import flows
from recon.reports.tables import shaped
from tests.reports.lake_rows import engine
from tests.reports.stand_in import WALLET

NOON = datetime(2026, 3, 1, 8, 30, tzinfo=UTC)
BEFORE = NOON - timedelta(days=400)
AFTER = NOON + timedelta(days=400)


def payment(number: int, **changed: Any) -> dict[str, Any]:
    return {
        "id": f"payment-{number}",
        "checkout_id": f"checkout-{number}",
        "payment_method": "debit-north",
        "amount": 100_000,
        "wage_amount": 1_000,
        "affected_amount": 99_000,
        "status": "done",
        "created_at": NOON,
        "updated_at": NOON,
        "paid_at": NOON,
    } | changed


def deposit(number: int, **changed: Any) -> dict[str, Any]:
    return {
        "track_id": f"track-{number}",
        "gateway_transaction_id": str(number),
        "amount": 1_000_000,
        "wage": 500,
        "status": "SETTLED",
        "requested_at": NOON,
        "settled_at": NOON,
    } | changed


def found(**tables: Any) -> list[tuple[Any, ...]]:
    """Run the query; rows as (date, product, method, count, amount, wage, affected)."""
    with engine(**tables) as models:
        table = shaped(models.table("report_flows"), flows.COLUMNS)
    return [
        (row["business_date"] and str(row["business_date"]), *list(row.values())[1:])
        for row in table.to_pylist()
    ]


def test_done_payments_are_summed_by_date_and_method() -> None:
    assert found(
        payments=[
            payment(1),
            payment(2, amount=200_000, wage_amount=None, affected_amount=200_000),
            payment(3, payment_method="card-south"),
            payment(4, paid_at=NOON + timedelta(days=1)),
            payment(5, status="pending_redirect", paid_at=None),
            payment(6, paid_at=None),
        ]
    ) == [
        ("2026-03-01", "unified", "card-south", 1, 100_000, 1_000, 99_000),
        ("2026-03-01", "unified", "debit-north", 2, 300_000, 1_000, 299_000),
        ("2026-03-02", "unified", "debit-north", 1, 100_000, 1_000, 99_000),
    ]


def test_the_date_is_the_business_date_of_the_movement() -> None:
    late = datetime(2026, 3, 1, 20, 30, tzinfo=UTC)  # midnight in Tehran
    assert [row[0] for row in found(payments=[payment(1, paid_at=late)])] == [
        "2026-03-02"
    ]


def test_a_gateway_transaction_counts_with_its_verify_result_only() -> None:
    token = {"amount": 50_000, "sent_at": NOON}
    verified = {"real_amount": 49_500, "wage": 500, "verified_at": NOON}
    assert found(
        gateway_tokens=[
            {"token": "looked-up", **token, **verified},
            {"token": "not-looked-up", **token, **verified},
            {"token": "not-verified", **token},
        ],
        gateway_transactions=[
            {"token": "looked-up", "amount": 50_000, "code": 2},
            {"token": "not-verified", "amount": 50_000, "code": 1},
        ],
    ) == [("2026-03-01", "gateway", "", 2, 100_000, 1_000, 99_000)]


def test_a_succeeded_hosted_checkout_counts_less_its_wage() -> None:
    checkout = {"amount": 20_000, "wage": 200, "created_at": NOON}
    assert found(
        hosted_checkouts=[
            {"id": "1", "status": "SUCCEED", **checkout},
            {"id": "2", "status": "PENDING_VERIFY", **checkout},
        ]
    ) == [("2026-03-01", "hosted", "", 1, 20_000, 200, 19_800)]


def test_what_succeeded_counts_though_it_is_refused_since() -> None:
    checkout = {"amount": 20_000, "wage": 200, "created_at": NOON}
    refused = {"error": "no such checkout", "pull_id": "p2", "page_no": None}
    assert found(
        hosted_checkouts=[
            {"id": "1", "status": "SUCCEED", **checkout},
            {"id": "2", "status": "PENDING_VERIFY", **checkout},
            {"id": "1", **refused},
            {"id": "2", **refused},
        ]
    ) == [("2026-03-01", "hosted", "", 1, 20_000, 200, 19_800)]


def test_a_settled_deposit_counts_once_under_however_many_requests() -> None:
    assert found(
        deposits=[
            deposit(1),
            deposit(1, track_id="again", amount=1_000_001),
            deposit(2, status="INIT", settled_at=None),
            deposit(3, page_no=None, position=None),
            deposit(4, page_no=None, position=None),
        ]
    ) == [("2026-03-01", "cash_in", "", 3, 3_000_001, 1_500, 2_998_501)]


def test_an_adjustment_stands_under_its_kind_with_its_sign() -> None:
    assert found(
        adjustments=[
            {"at": NOON, "amount": -700, "kind": "settlement"},
            {"at": NOON, "amount": 200, "kind": "settlement"},
            {"at": NOON, "amount": 5, "kind": None},
        ]
    ) == [
        ("2026-03-01", "wallet", "", 1, 5, 0, 5),
        ("2026-03-01", "wallet", "settlement", 2, -500, 0, -500),
    ]


def test_a_movement_of_unknown_amounts_is_counted_and_sums_to_zero() -> None:
    unknown = dict.fromkeys(("amount", "wage_amount", "affected_amount"))
    assert found(payments=[payment(1, **unknown)]) == [
        ("2026-03-01", "unified", "debit-north", 1, 0, 0, 0)
    ]


def test_an_empty_lake_has_no_flows() -> None:
    assert found() == []


amounts = st.integers(0, 10**12)
instants = st.integers(-300, 300).map(lambda hours: NOON + timedelta(hours=hours))
moved = st.fixed_dictionaries(
    {
        "amount": amounts,
        "wage": st.none() | amounts,
        "at": instants,
        "certain": st.booleans(),
    }
)


@settings(max_examples=25)
@given(*[st.lists(moved, max_size=4) for _ in range(5)])
def test_flows_sum_to_the_movements_of_the_rollforward(
    payments: Any, tokens: Any, checkouts: Any, deposits: Any, adjustments: Any
) -> None:
    tables = {
        "balances": [
            {"at": at, "iban": WALLET, "balance": 0, "available_balance": 0}
            for at in (BEFORE, NOON, AFTER)
        ],
        "payments": [
            payment(
                number,
                amount=item["amount"],
                wage_amount=item["wage"],
                affected_amount=item["amount"] - (item["wage"] or 0),
                paid_at=item["at"],
                status="done" if item["certain"] else "odd",
            )
            for number, item in enumerate(payments)
        ],
        "gateway_tokens": [
            {
                "token": str(number),
                "amount": item["amount"],
                "sent_at": item["at"],
                "real_amount": item["amount"] if item["certain"] else None,
                "wage": item["wage"] if item["certain"] else None,
                "verified_at": item["at"] if item["certain"] else None,
            }
            for number, item in enumerate(tokens)
        ],
        "hosted_checkouts": [
            {
                "id": str(number),
                "amount": item["amount"],
                "wage": item["wage"],
                "status": "SUCCEED" if item["certain"] else "INIT",
                "created_at": item["at"],
            }
            for number, item in enumerate(checkouts)
        ],
        "deposits": [
            deposit(
                number,
                amount=item["amount"],
                wage=item["wage"],
                settled_at=item["at"],
                status="SETTLED" if item["certain"] else "INIT",
            )
            for number, item in enumerate(deposits)
        ],
        "adjustments": [
            {"at": item["at"], "amount": -item["amount"], "kind": "withdrawal"}
            for item in adjustments
        ],
    }
    with engine(**tables) as models:
        affected = dict.fromkeys(
            ("unified", "gateway", "hosted", "cash_in", "wallet"), 0
        )
        for row in models.table("report_flows").to_pylist():
            affected[row["product"]] += row["affected"]
        intervals = models.table("int_wallet_certain_sums").to_pylist()
    columns = ("payments", "gateway", "hosted", "deposits", "adjustments")
    assert list(affected.values()) == [
        sum(row[f"{name}_rial"] for row in intervals) for name in columns
    ]
    assert len(intervals) == 2
