"""Builders of the rows that the lake itself makes: commits, runs, decisions."""

from datetime import timedelta
from typing import Any

from tests.raw_rows import AT, PULL, SEEN_AT, Row, raw_row


def run_break(number: int = 1, **changed: Any) -> Row:
    """A break that an earlier run found."""
    return raw_row(
        "run_breaks",
        changed,
        run_id="run-1",
        as_of=SEEN_AT,
        break_id=f"{number:016x}",
        check="payment_wallet_identity",
        severity="critical",
        product="unified",
        record_id=f"payment-{number}",
        occurred_at=AT,
        business_date=AT.date(),
        expected=990_000,
        actual=1_000_000,
        difference=10_000,
        detail="The wallet changed by another amount.",
    )


def run(number: int = 1, **changed: Any) -> Row:
    """An earlier run."""
    return raw_row(
        "runs", changed, run_id=f"run-{number}", as_of=SEEN_AT, complete=True
    )


def decision(number: int = 1, **changed: Any) -> Row:
    """A person has seen a break."""
    return raw_row(
        "decisions",
        changed,
        break_id=f"{number:016x}",
        decided_at=SEEN_AT,
        action="acknowledge",
        by="sara",
        reason="asked the provider",
    )


def commit(number: int = 1, **changed: Any) -> Row:
    """A complete whole pull of a list; the first one brought the records."""
    return raw_row(
        "commits",
        changed,
        pull_id=PULL if number == 1 else f"{PULL[:-1]}{number}",
        sequence=number,
        kind="pull",
        source="checkouts",
        started_at=SEEN_AT,
        committed_at=SEEN_AT + timedelta(minutes=1),
        complete=True,
        whole=True,
    )


def seen_id(number: int = 1, **changed: Any) -> Row:
    """An id that the newest whole sweep of a list met."""
    return raw_row(
        "seen_ids",
        changed,
        source_table="checkouts",
        id=f"checkout-{number}",
        pull_id=PULL,
    )


def closed_account(number: int = 1, **changed: Any) -> Row:
    """An account that the provider's list lost on the day of most records."""
    return raw_row(
        "closed_accounts",
        changed,
        iban="IR820540102680020817909002",
        closed_by=AT + timedelta(hours=number),
    )
