"""What the orders of the books may stand for, in plain Python: for tests alone."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from tests.raw_rows import Row

VERIFY_WINDOW = timedelta(minutes=20)


@dataclass(frozen=True)
class Record:
    """A record of the provider; `numbers` are its own, and its request_id second.

    `is_known` where its status was ever asked for, or verified.
    """

    product: str
    record_id: str
    numbers: tuple[str | None, ...]
    amount: int | None
    at: datetime | None
    changed_at: datetime | None
    is_paid: bool
    is_refunded: bool = False
    is_known: bool = True


def records(rows: Mapping[str, Sequence[Row]]) -> Iterator[Record]:
    """Yield the records of every product."""
    for row in rows["checkouts"]:
        made, changed = row["created_at"], row["updated_at"]
        yield Record(
            "unified",
            row["id"],
            (row["checkout_number"], row["request_id"]),
            row["amount"],
            made or changed,
            changed or made,
            row["status"] == "paid",
        )
    yield from _cards(rows)
    yield from _hosted(rows)
    yield from _agreements(rows)


def _cards(rows: Mapping[str, Sequence[Row]]) -> Iterator[Record]:
    sent = {row["token"]: row for row in rows["gateway_tokens"]}
    answers = {row["token"]: row for row in rows["gateway_transactions"]}
    for token in sent | answers:
        kept, told = sent.get(token, {}), answers.get(token, {})
        at = told.get("payment_date") or told.get("created_at") or kept.get("sent_at")
        verified_at = kept.get("verified_at")
        yield Record(
            "gateway",
            token,
            (told.get("factor_number") or kept.get("factor_number"),),
            kept.get("amount"),
            at,
            max((each for each in (at, verified_at) if each), default=None),
            verified_at is not None or told.get("code") == 2,
            is_known=bool(told) or verified_at is not None,
        )


def _hosted(rows: Mapping[str, Sequence[Row]]) -> Iterator[Record]:
    sent = {row["checkout_id"]: row for row in rows["hosted_requests"]}
    answers = {row["id"]: row for row in rows["hosted_checkouts"]}
    for checkout_id in sent | answers:
        kept, told = sent.get(checkout_id, {}), answers.get(checkout_id, {})
        at = told.get("created_at") or kept.get("sent_at")
        is_paid = told.get("status") == "SUCCEED"
        changed_at = at
        if is_paid:
            by = told["seen_at"]
            changed_at = by if at is None else max(at, min(by, at + VERIFY_WINDOW))
        yield Record(
            "hosted",
            checkout_id,
            (told.get("checkout_number") or kept.get("checkout_number"),),
            kept.get("amount"),
            at,
            changed_at,
            is_paid,
            is_known=bool(told),
        )


def _agreements(rows: Mapping[str, Sequence[Row]]) -> Iterator[Record]:
    told = defaultdict(dict)
    for row in rows["events"]:
        at = min(row["created"], row["seen_at"])
        told[row["tracking_code"]].setdefault(row["type"], at)
    for row in rows["agreements"]:
        events = told[row["tracking_code"]]
        paid_at = events.get("buyer_paid_agreement")
        is_refunded = "payment_refunded_to_buyer" in events
        yield Record(
            "escrow",
            row["tracking_code"],
            (row["trace_id"],),
            row["amount"],
            row["created_at"],
            paid_at or row["created_at"],
            paid_at is not None or is_refunded or row["state"] == "finalize",
            is_refunded=is_refunded,
        )
