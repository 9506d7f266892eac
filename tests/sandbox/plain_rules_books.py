"""Plain rules of the business's books against the records of every product."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from recon.sandbox.history import History
from tests.sandbox import plain_rules_escrow

Break = tuple[str, str, str]
Row = dict[str, Any]


class _Side:
    """The records of one product under one number."""

    def __init__(self) -> None:
        self.amounts: list[int] = []
        self.records: list[str] = []
        self.paid: list[bool] = []


def breaks(history: History) -> Iterator[Break]:
    sides = _sides(history)
    orders: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in history.books:
        orders[row["product"], row["reference"]].append(row)
    for key, rows in orders.items():
        for check in _compared(rows, sides.get(key)):
            yield check, "books", key[1]
    for key in set(sides) - set(orders):
        for record, paid in zip(sides[key].records, sides[key].paid, strict=True):
            if paid:
                yield "provider_missing_in_books", "books", record


def _sides(history: History) -> dict[tuple[str, str], _Side]:
    sides: dict[tuple[str, str], _Side] = defaultdict(_Side)
    for product, number, record, amount, paid in _sent(history):
        side = sides[product, number or record]
        side.amounts.append(amount)
        side.records.append(record)
        side.paid.append(paid)
    return sides


def _sent(history: History) -> Iterator[tuple[str, str | None, str, int, bool]]:
    for each in history.world.checkouts.values():
        paid = each["status"] == "paid"
        yield "unified", each["checkout_number"], each["id"], each["amount"], paid
    transactions = history.world.gateway_transactions
    for each in history.gateway_tokens:
        paid = transactions[each["token"]]["code"] == 2
        number = each["factor_number"]
        yield "gateway", number, each["token"], each["amount"], paid
    hosted = history.world.hosted_checkouts
    for each in history.hosted_checkouts:
        record = each["checkout_id"]
        paid = hosted[record]["status"] == "SUCCEED"
        yield "hosted", each["checkout_number"], record, each["amount"], paid
    for each, events in plain_rules_escrow.with_events(history):
        told = {event["type"] for event in events}
        paid = "buyer_paid_agreement" in told and each["state"] != "draft"
        code = each["tracking_code"]
        yield "escrow", each["trace_id"], code, each["amount"], paid


def _compared(rows: list[Row], side: _Side | None) -> Iterator[str]:
    order = rows[0]
    if len(rows) > 1:
        yield "book_duplicate"
    elif side is None:
        if order["status"] == "paid":
            yield "book_missing_at_provider"
    elif sum(side.paid) < 2:
        if order["amount"] not in side.amounts:
            yield "book_amount_mismatch"
        if (order["status"] != "unpaid") != any(side.paid):
            yield "book_status_mismatch"
