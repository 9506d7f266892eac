"""Plain rules of escrow: agreements against their events."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from recon.sandbox.history import History

Break = tuple[str, str, str]
Row = dict[str, Any]
_HOUR = 3600
_PAYOUT_AFTER, _DISPUTE_OPEN = 72 * _HOUR, 168 * _HOUR
_CREATED = {"agreement_created"}
_CLOSED = {*_CREATED, "buyer_paid_agreement", "agreement_finalized"}
_IMPLIED = {"draft": _CREATED, "contract": _CREATED, "finalize": _CLOSED}
_TICKETS = {"buyer_submitted_ticket", "seller_submitted_ticket"}
_OUT = ("payment_refunded_to_buyer", "seller_checked_out")
_NOT_IN_A_DRAFT = {
    "buyer_paid_agreement",
    "agreement_finalized",
    "seller_checked_out",
}


def by_code(history: History) -> dict[str, list[Row]]:
    told: dict[str, list[Row]] = defaultdict(list)
    for event in history.world.events:
        told[event["data"]["tracking_code"]].append(event)
    return told


def with_events(history: History) -> Iterator[tuple[Row, list[Row]]]:
    told = by_code(history)
    for code, agreement in history.world.agreements.items():
        yield agreement, told.get(code, [])


def breaks(history: History, as_of: int) -> Iterator[Break]:
    agreements = history.world.agreements
    first = min((each["created"] for each in history.world.events), default=as_of)
    for code in by_code(history):
        if code not in agreements:
            yield "escrow_event_uncorroborated", "escrow", code
    for agreement, events in with_events(history):
        for check in _of_one(agreement, events, as_of, first):
            yield check, "escrow", agreement["tracking_code"]
    traces = Counter(each["trace_id"] for each in agreements.values())
    for trace_id, count in traces.items():
        if count > 1:
            yield "escrow_trace_duplicate", "escrow", trace_id


def _of_one(agreement: Row, events: list[Row], as_of: int, first: int) -> Iterator[str]:
    told = {event["type"] for event in events}
    state = agreement["state"]
    if state == "draft" and told & _NOT_IN_A_DRAFT:
        yield "escrow_event_uncorroborated"
    else:
        yield from _money(agreement, events, as_of)
    if state == "investigation":
        asked = [each["created"] for each in events if each["type"] in _TICKETS]
        if as_of - max(asked, default=0) > _DISPUTE_OPEN:
            yield "escrow_dispute_open"
    created = datetime.fromisoformat(agreement["created_at"]).timestamp()
    if created > first:
        lacks_ticket = state == "investigation" and not told & _TICKETS
        if _IMPLIED.get(state, set()) - told or lacks_ticket:
            yield "escrow_event_missing"
    buyer, seller = agreement["parties"]
    if any(buyer[name] == seller[name] for name in ("mobile", "national_code")):
        yield "escrow_parties_conflict"


def _money(agreement: Row, events: list[Row], as_of: int) -> Iterator[str]:
    sums: Counter[str] = Counter()
    latest: dict[str, int] = {}
    for event in events:
        sums[event["type"]] += int(event["data"].get("amount", 0))
        latest[event["type"]] = event["created"]
    paid = sums["buyer_paid_agreement"]
    out = [sums[name] for name in _OUT]
    if not paid:
        return
    if paid != agreement["amount"]:
        yield "escrow_amount_mismatch"
    if sum(out) > paid:
        yield "escrow_overpaid_out"
    finalized = latest.get("agreement_finalized", as_of)
    if as_of - finalized > _PAYOUT_AFTER and not out[1]:
        yield "escrow_payout_missing"
    cancelled = latest.get("agreement_cancelled", as_of)
    last = max(latest.get(name, 0) for name in _OUT) if out[0] else 0
    is_owed = sum(out) < paid if out[0] else True
    if as_of - max(cancelled, last) > _PAYOUT_AFTER and is_owed:
        yield "escrow_refund_missing"
