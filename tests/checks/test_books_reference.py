"""The checks of the books in SQL against a slow reading of the same rules.

Orders and records of few numbers are drawn from few values and times, which lie on and
beside every limit, so that they collide, nearly miss and lack what a rule reads.
"""

import random
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from recon.reconcile.checks import run_checks, shipped_checks
from recon.reconcile.engines import DuckEngine
from recon.settings import Business, Checks, Escrow, Gateway, Hosted, Settings, Unified
from tests import builders
from tests.checks.plain_books import Books
from tests.raw_rows import Row, raw_table

CHECKS = tuple(
    each for each in shipped_checks() if each.name.startswith(("book_", "provider_"))
)
AS_OF = datetime(2026, 10, 31, 0, 30, tzinfo=UTC)
SECOND, HOUR, DAY = timedelta(seconds=1), timedelta(hours=1), timedelta(days=1)
LIMITS = (-35 * DAY, -2 * DAY, DAY, timedelta())
READ = (-9 * DAY, -49 * HOUR, -2 * DAY, -47 * HOUR, -28 * HOUR, -5 * HOUR)
TIMES = (
    None,
    *(AS_OF + each + sign * SECOND for each in LIMITS for sign in (-1, 0, 1)),
    *(AS_OF + each + sign * SECOND for each in READ for sign in (0, 1)),
    # midnights in Tehran, by which a date alone is stored
    *(datetime(2026, 10, day, 20, 30, tzinfo=UTC) for day in (26, 28, 29, 30)),
    datetime(2026, 10, 30, 20, 29, 59, tzinfo=UTC),
)
AMOUNTS = (1000, 1000, 1000, 2000, 500, None)
NUMBERS = tuple(map(str, range(101, 181)))
IMPORTED = tuple(AS_OF + each for each in (-40 * DAY, *READ, -HOUR))
SECTIONS: dict[str, Any] = {
    "unified": Unified(),
    "gateway": Gateway(),
    "hosted": Hosted(),
    "escrow": Escrow(),
}


class World:
    """Some orders and records of each number, and how far the provider was read."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.rows: dict[str, list[Row]] = defaultdict(list)
        self.sections = {
            name: section
            for name, section in SECTIONS.items()
            if self.chance.random() < 0.8
        }
        self.tolerance = self.one_of(0, 0, 499, 500)
        self.ordered_at = self.chance.sample(TIMES, self.one_of(2, 9))
        self.imported_at = sorted(self.chance.sample(IMPORTED, self.one_of(1, 3)))
        for number in NUMBERS:
            for _ in range(self.one_of(0, 0, 1, 1, 1, 2)):
                self.add_order(number)
            for _ in range(self.one_of(0, 1, 1, 1, 2, 3)):
                add = self.one_of(self.add_checkout, self.add_card, self.add_hosted)
                self.one_of(add, add, add, self.add_trade)(number)
        for source in ("checkouts", "gateway_transactions", "hosted_checkouts"):
            self.add_pulls(source)

    def one_of(self, *values: Any) -> Any:
        return self.chance.choice(values)

    def add(self, table: str, **columns: Any) -> None:
        rows = self.rows[table]
        rows.append(builders.BUILDERS[table](len(rows) + 1, **columns))

    def add_order(self, number: str) -> None:
        """Import an order once, or again with another status; or twice in one file."""
        product = self.one_of(None, None, "unified", "gateway", "hosted", "escrow")
        first = self.chance.randrange(len(self.imported_at))
        for turn in {first, self.chance.randrange(first, len(self.imported_at))}:
            for _ in range(self.one_of(*[1] * 30, 2)):
                self.add(
                    "books",
                    reference=number,
                    product=product,
                    amount=self.one_of(*AMOUNTS),
                    status=self.one_of("paid", "paid", "unpaid", "refunded", None),
                    occurred_at=self.one_of(*self.ordered_at),
                    seen_at=self.imported_at[turn],
                    pull_id=f"2026101{turn}T000000.000000Z-00000001",
                )

    def add_checkout(self, number: str) -> None:
        made = self.one_of(*TIMES)
        self.add(
            "checkouts",
            checkout_number=self.one_of(number, number, number, None),
            request_id=self.one_of(None, number, number, *NUMBERS),
            amount=self.one_of(*AMOUNTS),
            status=self.one_of("paid", "not_paid"),
            created_at=made,
            updated_at=self.one_of(made, made, *TIMES),
            payment_ids=[],
        )

    def add_card(self, number: str) -> None:
        at, told = self.one_of(*TIMES), self.one_of("sent", "answered", "both", "both")
        count = len(self.rows["gateway_tokens"] + self.rows["gateway_transactions"])
        if told != "answered":
            verified_at = self.one_of(None, None, at, *TIMES)
            self.add(
                "gateway_tokens",
                token=f"token-{count}",
                factor_number=number,
                amount=self.one_of(*AMOUNTS),
                sent_at=at,
                seen_at=AS_OF + self.one_of(*READ),
                real_amount=None,
                wage=None,
                verified_at=verified_at,
            )
        if told != "sent":
            self.add(
                "gateway_transactions",
                token=f"token-{count}",
                trans_id=f"{count}",
                factor_number=number,
                code=self.one_of(1, 2, 2, 4),
                created_at=at,
                payment_date=self.one_of(None, at),
            )

    def add_hosted(self, number: str) -> None:
        at, told = self.one_of(*TIMES), self.one_of("sent", "answered", "both", "both")
        count = len(self.rows["hosted_requests"] + self.rows["hosted_checkouts"])
        if told != "answered":
            self.add(
                "hosted_requests",
                checkout_id=f"hosted-{count}",
                checkout_number=number,
                amount=self.one_of(*AMOUNTS),
                sent_at=at,
                seen_at=AS_OF + self.one_of(*READ),
            )
        if told != "sent":
            self.add(
                "hosted_checkouts",
                id=f"hosted-{count}",
                checkout_number=number,
                status=self.one_of("SUCCEED", "SUCCEED", "FAILED"),
                created_at=at,
                seen_at=AS_OF + self.one_of(*READ),
            )

    def add_trade(self, number: str) -> None:
        at, count = self.one_of(*TIMES), len(self.rows["agreements"]) + 1
        self.add(
            "agreements",
            trace_id=number,
            amount=self.one_of(*AMOUNTS),
            state=self.one_of("contract", "contract", "finalize"),
            created_at=at,
        )
        for told in ("buyer_paid_agreement", "payment_refunded_to_buyer"):
            if self.one_of(True, False):
                self.add(
                    "events",
                    type=told,
                    tracking_code=f"agreement-{count}",
                    amount=1000,
                    created=at or AS_OF,
                    seen_at=AS_OF + self.one_of(*READ),
                )

    def add_pulls(self, source: str) -> None:
        for at in sorted(self.chance.sample(READ, self.one_of(0, 1, 2, 3))):
            count = len(self.rows["commits"]) + 1
            self.add(
                "commits",
                source=source,
                pull_id=f"20261020T000000.{count:06}Z-00000001",
                started_at=AS_OF + at,
                complete=self.one_of(True, True, False),
            )


@pytest.mark.parametrize("seed", range(8))
def test_breaks_of_the_books_are_those_of_a_slow_reading(seed: int) -> None:
    world = World(seed)
    tables = {name: raw_table(name, rows) for name, rows in world.rows.items()}
    settings = Settings(
        business=Business(name="shop"),
        checks=Checks(tolerance=world.tolerance),
        **world.sections,
    )
    with DuckEngine.open(tables, settings, AS_OF) as engine:
        rows = run_checks(engine, CHECKS, settings).to_pylist()
    names = ("check", "record_id", "related_id", "expected", "actual")
    found = Counter(tuple(row[name] for name in names) for row in rows)
    books = Books(world.rows, AS_OF, [*world.sections], world.tolerance)
    assert found == books.breaks()
