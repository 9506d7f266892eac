"""Which orders and records a number links, in plain Python: for tests alone."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from tests.checks.plain_records import Record
from tests.raw_rows import Row


@dataclass(frozen=True)
class Order:
    reference: str
    product: str | None
    amount: int | None
    status: str | None
    at: datetime | None
    seen_at: datetime
    is_repeated: bool

    @property
    def name(self) -> str:
        return f"{self.product}:{self.reference}" if self.product else self.reference

    @property
    def key(self) -> str:
        return f"{self.product or ''}:{self.reference}"

    @property
    def is_paid(self) -> bool:
        return self.status in ("paid", "refunded")


@dataclass(frozen=True)
class Link:
    """An order and a record that has its number; or that is rather another order's."""

    order: Order
    record: Record
    is_anothers: bool = False

    @property
    def is_request(self) -> bool:
        return self.record.numbers[0] != self.order.reference

    @property
    def agrees(self) -> bool:
        same = self.order.amount == self.record.amount
        return same and self.order.is_paid == self.record.is_paid

    def rank(self) -> tuple[Any, ...]:
        """Return what of several is looked at: paid, of the amount, the newest."""
        at = self.record.at
        return (
            not self.record.is_paid,
            not is_of_amount(self.order, self.record),
            -at.timestamp() if at else 0,
            self.record.product,
            self.record.record_id,
        )


def orders_of(rows: Sequence[Row]) -> list[Order]:
    """Return each key's first line in the newest file that has it."""
    newest: dict[Any, str] = {}
    lines = defaultdict(list)
    for row in rows:
        key = row["reference"], row["product"]
        newest[key] = max(newest.get(key, ""), row["pull_id"])
    for row in rows:
        key = row["reference"], row["product"]
        if row["pull_id"] == newest[key]:
            lines[key].append(row)
    named = {reference for reference, product in lines if product}
    return [
        Order(
            *(reference, product, own[0]["amount"], own[0]["status"]),
            *(own[0]["occurred_at"], own[0]["seen_at"]),
            len(own) > 1 or (product is None and reference in named),
        )
        for (reference, product), own in lines.items()
    ]


def is_of_amount(order: Order, record: Record) -> bool:
    return order.amount is not None and order.amount == record.amount


def linked(orders: Sequence[Order], found: Sequence[Record]) -> Iterator[Link]:
    """Yield what a number links: in the product that an order names first.

    Records of other products stand for an order whose product lacks the number, unless
    an order of their own has them; each for one order, of its amount if there is one.
    """
    pairs = [
        (order, record)
        for order in orders
        for record in found
        if order.reference in record.numbers
    ]
    own = [(o, r) for o, r in pairs if o.product in (None, r.product)]
    settled = {order for order, _ in own}
    for order, record in own:
        yield Link(order, record)
    taken = {record for _, record in own}
    for record in found:
        if record in taken:
            continue
        rest = [o for o, r in pairs if r == record and o not in settled]
        rest.sort(key=lambda each: (not is_of_amount(each, record), each.key))
        for turn, order in enumerate(rest):
            yield Link(order, record, is_anothers=turn > 0)


def led(links: Sequence[Link]) -> Iterator[Link]:
    """Yield those that count where an order or a record has links by both numbers.

    The kind of number leads that agrees with more of them, else the record's first.
    """
    of_order, of_record = defaultdict(set), defaultdict(set)
    for each in links:
        of_order[each.order].add(each.is_request)
        of_record[each.record].add(each.is_request)
    votes = [
        1 if each.is_request else -1
        for each in links
        if len(of_order[each.order] | of_record[each.record]) > 1 and each.agrees
    ]
    leader = sum(votes) > 0
    for each in links:
        if each.is_request == leader or leader not in of_record[each.record]:
            yield each
        elif leader not in of_order[each.order]:
            yield replace(each, is_anothers=True)
