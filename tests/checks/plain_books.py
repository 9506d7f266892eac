"""The checks of the books in slow, plain Python: a second reading, for tests alone.

It is written from the catalogue's words and from what the checks' headers say, not from
the queries. Numbers are those that both sides have: which are one that is spelled
otherwise is asked in `tests/reconcile/test_spelling_links.py`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from tests.checks.plain_links import Link, Order, led, linked, orders_of
from tests.checks.plain_records import Record, records
from tests.raw_rows import Row

TEHRAN = ZoneInfo("Asia/Tehran")
DAY = timedelta(days=1)
TWO_DAYS = timedelta(hours=48)
EXCUSED = timedelta(days=35)
NEVER = datetime(1970, 1, 1, tzinfo=UTC)
SOURCES = {
    "checkouts": "unified",
    "agreements": "escrow",
    "gateway_transactions": "gateway",
    "hosted_checkouts": "hosted",
}
SENT = {"gateway": "gateway_tokens", "hosted": "hosted_requests"}
Found = tuple[str, str, str | None, int | None, int | None]
"""A break: check, record_id, related_id, expected and actual."""


@dataclass(frozen=True)
class Reading:
    """Until when a product was read; until when whole, where its last pull failed."""

    known_at: datetime | None = None
    whole_until: datetime | None = None
    read_at: datetime | None = None


@dataclass(frozen=True)
class Books:
    """The books beside the records of the provider, at T."""

    rows: Mapping[str, Sequence[Row]]
    as_of: datetime
    asked: Sequence[str]
    """The products that the settings have."""
    tolerance: int = 0

    def breaks(self) -> Counter[Found]:
        """Return the breaks of all five checks."""
        orders, found = orders_of(self.rows["books"]), [*records(self.rows)]
        links = [*led([*linked(orders, found)])]
        of_orders = [
            *self._missing(orders, links),
            *(
                row
                for order in orders
                for row in self._compared(
                    order, [each for each in links if each.order == order]
                )
            ),
        ]
        names = Counter((check, order.reference) for check, order, *_ in of_orders)
        unknown = [*self._unknown(found, links)]
        ids = Counter(record.record_id for record in unknown)
        return Counter(
            [
                *(
                    (
                        check,
                        order.name
                        if names[check, order.reference] > 1
                        else order.reference,
                        *said,
                    )
                    for check, order, *said in of_orders
                ),
                *(
                    (
                        "provider_missing_in_books",
                        f"{record.product}:{record.record_id}"
                        if ids[record.record_id] > 1
                        else record.record_id,
                        next(filter(None, record.numbers), None),
                        None,
                        record.amount,
                    )
                    for record in unknown
                ),
            ]
        )

    def _recent(self, at: datetime | None, age: timedelta = TWO_DAYS) -> bool:
        """Tell whether that was so short ago that a next file may tell of it."""
        return at is not None and self.as_of - age < at <= self.as_of + DAY

    def _missing(self, orders: Sequence[Order], links: Sequence[Link]) -> Iterator[Any]:
        own = {each.order for each in links if not each.is_anothers}
        for order in orders:
            if order.is_repeated:
                yield "book_duplicate", order, order.product, None, None
            elif order.status == "paid" and order not in own and self._is_due(order):
                others = [each.record for each in links if each.order == order]
                named = min(
                    others,
                    key=lambda each: (each.product, each.record_id),
                    default=None,
                )
                record_id = named and named.record_id
                yield "book_missing_at_provider", order, record_id, order.amount, None

    def _is_due(self, order: Order) -> bool:
        """Tell whether its product was read since, or should have been by now."""
        readings = self.readings()
        if order.product:
            reading = readings.get(order.product, Reading())
        else:
            reading = Reading(
                min(
                    (each.known_at for each in readings.values() if each.known_at),
                    default=None,
                ),
                min(
                    (
                        each.whole_until
                        for product, each in readings.items()
                        if each.whole_until and product in self.asked
                    ),
                    default=None,
                ),
            )
        whole_until = reading.whole_until
        if order.product and order.product not in self.asked:
            whole_until = None
        latest = order.at and end_of(order.at)
        if (
            latest
            and reading.known_at
            and latest > reading.known_at
            and self._recent(order.at)
        ):
            return False
        return (
            whole_until is None
            or min(latest or order.seen_at, order.seen_at) <= whole_until
        )

    def readings(self) -> Mapping[str, Reading]:
        """Return how far each product was read, of those that were asked for."""
        found = {}
        for source, product in SOURCES.items():
            pulls = [row for row in self.rows["commits"] if row["source"] == source]
            known_at = max(
                (row["started_at"] for row in pulls if row["complete"]), default=None
            )
            if pulls:
                is_behind = not pulls[-1]["complete"]
                found[product] = Reading(
                    known_at, (known_at or NEVER) if is_behind else None, known_at
                )
        for product, table in SENT.items():
            if sent := [
                min(row["sent_at"] or row["seen_at"], row["seen_at"])
                for row in self.rows[table]
            ]:
                before = found.get(product, Reading())
                known_at = min(max(sent), before.known_at or max(sent))
                found[product] = replace(before, known_at=known_at)
        return found

    def _unknown(
        self, found: Sequence[Record], links: Sequence[Link]
    ) -> Iterator[Record]:
        """Yield paid records of no order on a date that the books cover."""
        known = {each.record for each in links}
        lines = [
            row
            for row in orders_of(self.rows["books"])
            if row.at is not None and row.at <= self.as_of + DAY
        ]
        if not lines:
            return
        first, last = (pick(row.at for row in lines) for pick in (min, max))
        exported_at = max(row.seen_at for row in lines if row.at >= last - TWO_DAYS)
        for record in found:
            is_ahead = record.at is not None and record.at > self.as_of + DAY
            is_covered = record.at is None or date_of(first) <= date_of(
                record.at
            ) <= date_of(last)
            is_later = record.at is not None and record.at > exported_at
            has_changed = (
                record.changed_at is not None and record.changed_at > exported_at
            )
            if (
                record.is_paid
                and record not in known
                and (is_covered or is_ahead)
                and not (is_later and self._recent(record.at, EXCUSED))
                and not (has_changed and self._recent(record.changed_at))
            ):
                yield record

    def _compared(self, order: Order, links: Sequence[Link]) -> Iterator[Any]:
        """Yield where an order differs from its record, or from all that paid it."""
        own = [each for each in links if not each.is_anothers]
        if order.is_repeated or not own:
            return
        paid = [each for each in own if each.record.is_paid]
        if len(paid) < 2:
            record = min(own, key=Link.rank).record
            if self._differs(order.amount, record.amount):
                yield (
                    "book_amount_mismatch",
                    order,
                    record.record_id,
                    record.amount,
                    order.amount,
                )
            if (
                order.is_paid != record.is_paid
                and record.is_known
                and not self._is_behind(order, record, sure=True)
            ):
                yield "book_status_mismatch", order, record.record_id, None, None
        elif not has_duplicates(paid):
            ids = " ".join(sorted(each.record.record_id for each in paid))
            kept = [each for each in paid if not each.record.is_refunded]
            amounts = [each.record.amount for each in kept or paid]
            total = None if None in amounts else sum(amounts)
            is_less = None not in (total, order.amount) and total < order.amount
            if is_less and self._differs(order.amount, total):
                yield "book_amount_mismatch", order, ids, total, order.amount
            if not order.is_paid and not all(
                self._is_behind(order, each.record) for each in paid
            ):
                yield "book_status_mismatch", order, ids, None, None

    def _differs(self, one: int | None, other: int | None) -> bool:
        """Tell whether two amounts differ; one that is unknown proves nothing."""
        return None in (one, other) or abs(one - other) > self.tolerance

    def _is_behind(self, order: Order, record: Record, *, sure: bool = False) -> bool:
        """Tell whether the books, or what was read, may be of before the change."""
        if record.is_paid:
            changed_at = record.changed_at
            return (
                changed_at is not None
                and changed_at > order.seen_at
                and self._recent(changed_at)
            )
        reading = self.readings().get(record.product, Reading())
        if reading.read_at is None:
            return False
        if order.at and order.at > reading.read_at and order.at > self.as_of - TWO_DAYS:
            return True
        return (
            sure
            and reading.whole_until is not None
            and reading.read_at > self.as_of - TWO_DAYS
            and order.is_paid
            and not any(
                row["status"] in ("paid", "refunded")
                and row["seen_at"] <= reading.read_at
                and (row["reference"], row["product"])
                == (order.reference, order.product)
                for row in self.rows["books"]
            )
        )


def has_duplicates(links: Iterable[Link]) -> bool:
    """Tell whether a check of duplicates speaks of them: of cards none does."""
    kinds = Counter(
        (each.record.product, each.is_request)
        for each in links
        if each.record.product != "gateway"
    )
    return any(count > 1 for count in kinds.values())


def date_of(at: datetime) -> date:
    return at.astimezone(TEHRAN).date()


def end_of(at: datetime) -> datetime:
    """Return the last second of a day that is given by its date alone."""
    is_day = date_of(at - timedelta(seconds=1)) < date_of(at)
    return at + timedelta(seconds=86399) if is_day else at
