"""Valid raw records of every table of the lake, with one thing changed.

Each builder returns a row as the lake stores it: the contract's names, rials and UTC
instants. Keyword arguments replace what it would have; a column that no row of the
table has is an error. The records agree with each other: the first payment belongs to
the first checkout and the first mandate, and together they break no rule.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

from tests.own_builders import (
    closed_account,
    commit,
    decision,
    run,
    run_break,
    seen_id,
)
from tests.raw_rows import AT, Row, raw_row, raw_table

AS_OF = datetime(2026, 10, 31, 21, 0, tzinfo=UTC)
WALLET = "IR062960000000100324200001"
BANK = "IR820540102680020817909002"
AMOUNT = 1_000_000
"""Rials that most records are of."""

WAGE = 10_000


def checkout(number: int = 1, **changed: Any) -> Row:
    """A paid checkout of one million rials, with one payment."""
    return raw_row(
        "checkouts",
        changed,
        id=f"checkout-{number}",
        request_id=f"request-{number}",
        checkout_number=str(1000 + number),
        amount=AMOUNT,
        status="paid",
        description="an order",
        created_at=AT,
        updated_at=AT + timedelta(seconds=4),
        customer_id="customer-1",
        customer_mobile="09120000001",
        payment_ids=[f"payment-{number}"],
    )


def payment(number: int = 1, **changed: Any) -> Row:
    """A done debit payment of its checkout; the fee is the business's."""
    return raw_row(
        "payments",
        changed,
        id=f"payment-{number}",
        checkout_id=f"checkout-{number}",
        payment_method="debit-bank-a",
        amount=AMOUNT,
        wage_amount=WAGE,
        affected_amount=AMOUNT - WAGE,
        ref_id=f"receipt-{number}",
        tracking_code=str(900_000 + number),
        status="done",
        created_at=AT,
        updated_at=AT + timedelta(seconds=4),
        paid_at=AT + timedelta(seconds=3),
        type="debit",
        mandate_id="mandate-1",
    )


def mandate(number: int = 1, **changed: Any) -> Row:
    """An active mandate: thirty withdrawals a month of five million rials each."""
    return raw_row(
        "mandates",
        changed,
        id=f"mandate-{number}",
        payment_method="debit-bank-a",
        count=30,
        limit=5_000_000,
        expires_at=AT + timedelta(days=365),
        customer_id="customer-1",
        status="active",
        created_at=AT - timedelta(days=30),
        updated_at=AT - timedelta(days=30),
    )


def payment_method(number: int = 1, **changed: Any) -> Row:
    """A healthy debit method."""
    return raw_row(
        "payment_methods",
        changed,
        slug="debit-bank-a" if number == 1 else f"debit-bank-{number}",
        type="debit",
        name="Bank A",
        is_healthy=True,
        limit=100_000_000,
        modes=["once"],
    )


def agreement(number: int = 1, **changed: Any) -> Row:
    """An agreement that both parties approved, over one million rials."""
    return raw_row(
        "agreements",
        changed,
        tracking_code=f"agreement-{number}",
        trace_id=f"trace-{number}",
        description="a trade",
        amount=AMOUNT,
        state="contract",
        creator="buyer",
        created_at=AT,
        buyer_state="accepted",
        buyer_national_code="0012345679",
        buyer_mobile="09120000001",
        seller_state="accepted",
        seller_national_code="0087654321",
        seller_mobile="09120000002",
        items="[]",
    )


def customer(number: int = 1, **changed: Any) -> Row:
    """A customer of the escrow service."""
    return raw_row(
        "customers",
        changed,
        uid=str(number),
        first_name="Sara",
        last_name="Ahmadi",
        national_code="0012345679",
        mobile=f"0912000000{number}",
    )


def webhook(number: int = 1, **changed: Any) -> Row:
    """An active webhook for payments."""
    return raw_row(
        "webhooks",
        changed,
        id=str(number),
        url="https://shop.example/events",
        is_active=True,
        events=["buyer_paid_agreement"],
    )


def event(number: int = 1, **changed: Any) -> Row:
    """The creation of the first agreement; events follow each other by a minute."""
    row = raw_row(
        "events",
        changed,
        created=AT + timedelta(minutes=number - 1),
        type="agreement_created",
        tracking_code="agreement-1",
        origin="delivery",
    )
    if row["data"] is None and "data" not in changed:
        row["data"] = f'{{"tracking_code":"{row["tracking_code"]}","n":{number}}}'
    return row


def account(number: int = 1, **changed: Any) -> Row:
    """The bank account that deposits come from."""
    return raw_row(
        "accounts",
        changed,
        iban=BANK if number == 1 else f"IR{number:024d}",
        account_number="102680020817909002",
        bank_name="Bank A",
    )


def balance(number: int = 1, **changed: Any) -> Row:
    """A snapshot of the wallet, one a day."""
    return raw_row(
        "balances",
        changed,
        at=AT + timedelta(days=number - 1),
        iban=WALLET,
        balance=50_000_000,
        available_balance=50_000_000,
        origin="provider",
    )


def deposit(number: int = 1, **changed: Any) -> Row:
    """A settled deposit entry of one hundred million rials."""
    return raw_row(
        "deposits",
        changed,
        track_id=f"track-{number}",
        gateway_transaction_id=str(7000 + number),
        amount=100_000_000,
        amount_toman=10_000_000,
        wage=5_000,
        wage_toman=500,
        status="DONE",
        iban=BANK,
        receipt_url=f"https://bank.example/receipts/{number}",
        requested_at=AT,
        settled_at=AT + timedelta(hours=2),
        requested_amount=100_000_000,
        outcome="",
        origin="journal",
    )


def gateway_token(number: int = 1, **changed: Any) -> Row:
    """A token that was sent and verified; the fee is the business's."""
    return raw_row(
        "gateway_tokens",
        changed,
        token=f"token-{number}",
        amount=AMOUNT,
        factor_number=f"factor-{number}",
        sent_at=AT,
        real_amount=AMOUNT - WAGE,
        wage=WAGE,
        verified_at=AT + timedelta(minutes=5),
    )


def gateway_transaction(number: int = 1, **changed: Any) -> Row:
    """The confirmed transaction of that token."""
    return raw_row(
        "gateway_transactions",
        changed,
        token=f"token-{number}",
        amount=AMOUNT,
        trans_id=str(5000 + number),
        refnumber=f"ref-{number}",
        tracking_code=str(600_000 + number),
        factor_number=f"factor-{number}",
        card_number="603799******1234",
        created_at=AT,
        payment_date=AT + timedelta(minutes=4),
        code=2,
        message="confirmed",
    )


def hosted_request(number: int = 1, **changed: Any) -> Row:
    """A hosted checkout as it was sent."""
    return raw_row(
        "hosted_requests",
        changed,
        checkout_id=f"hosted-{number}",
        amount=AMOUNT,
        checkout_number=str(3000 + number),
        sent_at=AT,
    )


def hosted_checkout(number: int = 1, **changed: Any) -> Row:
    """That hosted checkout, paid and verified."""
    return raw_row(
        "hosted_checkouts",
        changed,
        id=f"hosted-{number}",
        amount=AMOUNT,
        wage=WAGE,
        status="SUCCEED",
        checkout_number=str(3000 + number),
        description="an order",
        created_at=AT,
    )


def book(number: int = 1, **changed: Any) -> Row:
    """The paid order of the checkout of that number."""
    return raw_row(
        "books",
        changed,
        reference=str(1000 + number),
        amount=AMOUNT,
        status="paid",
        occurred_at=AT,
    )


def adjustment(number: int = 1, **changed: Any) -> Row:
    """A settlement that left the wallet."""
    return raw_row(
        "adjustments",
        changed,
        at=AT + timedelta(days=number - 1),
        amount=-20_000_000,
        kind="settlement",
        description="weekly",
    )


def bank_entry(number: int = 1, **changed: Any) -> Row:
    """The debit of the first deposit on the bank account."""
    return raw_row(
        "bank_statement",
        changed,
        booked_at=AT + timedelta(hours=number),
        amount=-100_000_000,
        description="transfer to Paywell",
        iban=BANK,
    )


def bank_balance(number: int = 1, **changed: Any) -> Row:
    """What is left after the bank's debit of the same number, of a billion."""
    return raw_row(
        "bank_balances",
        changed,
        iban=BANK,
        statement=1,
        booked_at=AT + timedelta(hours=number),
        amount=-100_000_000,
        balance=1_000_000_000 - number * 100_000_000,
    )


def tariff(number: int = 1, **changed: Any) -> Row:
    """One percent for every method of the unified service, since the year began."""
    return raw_row(
        "tariff",
        changed,
        product="unified",
        payment_method="*",
        rate_bps=100,
        fixed=0,
        valid_from=datetime(2026, number, 1, tzinfo=UTC),
    )


BUILDERS = {
    "checkouts": checkout,
    "payments": payment,
    "mandates": mandate,
    "payment_methods": payment_method,
    "agreements": agreement,
    "customers": customer,
    "webhooks": webhook,
    "events": event,
    "accounts": account,
    "balances": balance,
    "deposits": deposit,
    "gateway_tokens": gateway_token,
    "gateway_transactions": gateway_transaction,
    "hosted_requests": hosted_request,
    "hosted_checkouts": hosted_checkout,
    "books": book,
    "adjustments": adjustment,
    "bank_statement": bank_entry,
    "bank_balances": bank_balance,
    "tariff": tariff,
    "run_breaks": run_break,
    "runs": run,
    "decisions": decision,
    "commits": commit,
    "seen_ids": seen_id,
    "closed_accounts": closed_account,
}
"""The builder of each raw table; the n-th row of a case is built with number n."""


def lake_tables(
    given: Mapping[str, Sequence[Mapping[str, Any]]],
) -> dict[str, pa.Table]:
    """Build Arrow tables for the engine from what each row changes.

    A checkout that does not say which payments it lists, lists those given for it.
    """
    built = {
        table: [
            BUILDERS[table](number, **changes) for number, changes in enumerate(rows, 1)
        ]
        for table, rows in given.items()
    }
    payments = _payments_by_checkout(built.get("payments", []))
    for row, changes in zip(
        built.get("checkouts", []), given.get("checkouts", []), strict=True
    ):
        if "payment_ids" not in changes:
            row["payment_ids"] = [*payments.get(row["id"], ())]
    return {table: raw_table(table, rows) for table, rows in built.items()}


def _payments_by_checkout(payments: Sequence[Row]) -> dict[Any, dict[Any, None]]:
    """Return the ids of payments, each once and in their order, by their checkout."""
    found: dict[Any, dict[Any, None]] = defaultdict(dict)
    for row in payments:
        found[row["checkout_id"]][row["id"]] = None
    return found
