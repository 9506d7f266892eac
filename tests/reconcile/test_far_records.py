"""Records far from every order in time are set aside, and all comes to the same.

Where the books end long before the records do, the many that no order has are not
looked at one by one. So the rules are run twice, with nothing set aside the other time.
"""

import random
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from recon.reconcile.checks import run_checks, shipped_checks
from recon.reconcile.engines import DuckEngine
from recon.reconcile.models import Catalogue, shipped_catalogue
from tests.builders import AMOUNT, AS_OF, lake_tables
from tests.raw_rows import AT
from tests.reconcile.test_matching import (
    SETTINGS,
    matches,
    numbered,
    order,
    unnumbered,
)

Row = dict[str, Any]
DAY = timedelta(days=1)
FAR = AT + 5 * DAY
TOLD = (
    *("report_uncovered", "report_duplicate_payments", "report_unjudged"),
    *("report_matches", "int_book_figures"),
)
OUTSTANDING = "int_outstanding_checkouts"
SPELLINGS = (
    *("{}", "{}", "{}-1", "{}-2", "{}-12", "{}/1-2", "{}-1-1", "", None),
    *(" {}", "{}-1 ", "'{}-2", "'{}", "{}\u200c", "{}\u200c-1"),
)
PERSIAN = str.maketrans("0123456789", "۰۱۲۳۴۵۶۷۸۹")
DAYS = (-30, -3, -2, -1, 0, 1, 2, 3, 10, 22, None)
ORDER_DAYS = (0, 0, 1, 23, None)
"""From the first order; the last of them is ahead, and is no end of the books."""


def with_nothing_aside() -> Catalogue:
    """Return the rules as if every record were near an order."""
    models = shipped_catalogue().models
    pairs = models["int_book_pairs"]
    sql = pairs.sql.replace("and records.is_apart", "and 1 = 0")
    assert sql != pairs.sql
    return Catalogue({**models, pairs.name: replace(pairs, sql=sql)})


EVERY_ONE = with_nothing_aside()


def found(tables: Row, catalogue: Catalogue | None = None) -> dict[str, list[str]]:
    """Return the rows of every check and of what is told, sorted."""
    with DuckEngine.open(tables, SETTINGS, AS_OF, catalogue=catalogue) as engine:
        told = {name: engine.table(name) for name in TOLD}
        told["breaks"] = run_checks(engine, shipped_checks(), SETTINGS)
        outstanding = engine.table(OUTSTANDING)["checkout_id"].to_pylist()
    return {
        OUTSTANDING: [f"'{each}'" for each in outstanding],
        **{name: sorted(map(str, rows.to_pylist())) for name, rows in told.items()},
    }


def compacted(rows: dict[str, list[Row]]) -> dict[str, Any]:
    """Return the tables of a lake in which all of them lie compacted."""
    tables = lake_tables(rows)
    for name in ("checkouts", "payments", "books"):
        whole = tables.pop(name)
        parts = {"compacted": whole, "superseded": whole[:0], "later": whole[:0]}
        tables |= {f"{name}_{part}": each for part, each in parts.items()}
    return tables


def is_even(row: Row) -> bool:
    """Tell whether no order may spell a number of a record otherwise."""
    numbers = (row["checkout_number"] or "", row["request_id"] or "")
    return all(re.fullmatch(r"[0-9/-]*", number, re.ASCII) for number in numbers)


def opened(orders: list[Row], *checkouts: Row) -> list[str]:
    """Return the numbers of the records that are looked at one by one."""
    tables = lake_tables({"books": orders, "checkouts": checkouts})
    with DuckEngine.open(tables, SETTINGS, AS_OF) as engine:
        rows = engine.table("int_book_open_records").to_pylist()
    return sorted(row["reference"] for row in rows)


class World:
    """Some hundred orders and records; those of one number and its parts meet often."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.rows: dict[str, list[Row]] = defaultdict(list)
        for base in range(100, 300):
            for _ in range(self.chance.randint(0, 2)):
                self.rows["books"].append(self.order(base))
            for _ in range(self.chance.randint(1, 3)):
                self.add_checkout(base)
            if self.chance.random() < 0.3:
                self.rows["hosted_checkouts"].append(self.hosted(base))

    def number(self, base: int) -> str | None:
        spelling = self.chance.choice(SPELLINGS)
        said = str(base)
        if self.chance.random() < 0.1:
            said = said.translate(PERSIAN)
        return spelling and spelling.format(said)

    def at(self, days: Sequence[int | None]) -> datetime | None:
        chosen = self.chance.choice(days)
        return None if chosen is None else AT + chosen * DAY

    def amount(self, base: int) -> int:
        return base * 1000 * self.chance.choice([1, 1, 2, 3])

    def order(self, base: int) -> Row:
        return {
            "reference": self.number(base),
            "amount": self.amount(base),
            "status": self.chance.choice(["paid", "paid", "unpaid", "refunded"]),
            "product": self.chance.choice([None, None, "unified", "hosted"]),
            "occurred_at": self.at(ORDER_DAYS),
        }

    def hosted(self, base: int) -> Row:
        return {
            "checkout_number": self.number(base),
            "amount": self.amount(base),
            "created_at": self.at(DAYS),
        }

    def add_checkout(self, base: int) -> None:
        amount, at = self.amount(base), self.at(DAYS)
        row = unnumbered(
            checkout_number=self.number(base),
            request_id=self.number(base),
            amount=amount,
            status=self.chance.choice(["paid", "paid", "not_paid"]),
            created_at=at,
            updated_at=at,
        )
        self.rows["checkouts"].append(row)
        number = len(self.rows["checkouts"])
        self.rows["payments"] += [
            {"id": f"p-{number}-{n}", "checkout_id": f"checkout-{number}"}
            | {"amount": amount}
            for n in range(self.chance.choice([0, 1, 1, 2]))
        ]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_is_set_aside_comes_to_the_same(seed: int) -> None:
    """As much stays outstanding, but for what has its order, or can have none."""
    rows = World(seed).rows
    tables = compacted(rows)
    told, every = found(tables), found(tables, EVERY_ONE)
    cleared = set(every.pop(OUTSTANDING)) - set(told.pop(OUTSTANDING))
    assert told == every
    matched = [row for row in told["report_matches"] if "'certain'" in row]
    unmatched = {name for name in cleared if not any(name in row for row in matched)}
    named = {f"'checkout-{n}'": row for n, row in enumerate(rows["checkouts"], 1)}
    assert all(named[name]["status"] == "not_paid" for name in unmatched)
    assert all(is_even(named[name]) for name in unmatched)
    assert all(told[name] for name in ("breaks", *TOLD) if name != "report_unjudged")


def test_records_long_after_the_books_are_not_looked_at_one_by_one() -> None:
    """Of two with a number that an order lacks the later one is beyond its days."""
    late = numbered("8", AMOUNT, created_at=AT + 2 * DAY + timedelta(seconds=1))
    assert opened([order("1")], late) == []
    assert opened([order("1")], late | {"created_at": AT + 2 * DAY}) == ["8"]


@pytest.mark.parametrize("at", [None, AS_OF + timedelta(seconds=1)])
def test_one_without_a_time_or_of_tomorrow_is_looked_at(at: datetime | None) -> None:
    """An order of a day ahead is no end of the books, and may be near it."""
    record = numbered("8", AMOUNT, created_at=at, updated_at=at)
    assert opened([order("1")], record) == ["8"]


def test_one_that_is_not_paid_needs_no_order() -> None:
    record = numbered("8", AMOUNT, created_at=AT, status="not_paid")
    assert opened([order("1")], record) == []


@pytest.mark.parametrize(
    ("reference", "number", "is_akin"),
    [
        ("8-2", "8", True),
        ("8", "8-2", True),
        ("8", "8-2222", False),
        ("8-2", "9", False),
    ],
)
def test_one_by_whose_number_it_may_be_a_part_is_looked_at(
    reference: str, number: str, is_akin: bool
) -> None:
    record = numbered(number, AMOUNT // 2, created_at=FAR)
    other = numbered("77", AMOUNT // 2, created_at=FAR, request_id=number)
    assert opened([order(reference)], record) == [number] * is_akin
    assert opened([order(reference)], other) == ["77"] * is_akin


@pytest.mark.parametrize("at", [AT, FAR])
def test_parts_are_found_whenever_they_were_paid(at: datetime) -> None:
    """Of an order by several records, and of a record for several orders."""
    parts = [("8-1", 100), ("8-2", 200)]
    records = [numbered(name, rials, created_at=FAR) for name, rials in parts]
    records[0]["created_at"] = at
    assert {row[1:4] for row in matches([order("8", 300)], records)} == {
        ("checkout-1", "split", "likely"),
        ("checkout-2", "split", "likely"),
    }
    whole = [numbered("8", 300, created_at=at)]
    assert {
        (row[0], row[2])
        for row in matches([order(name, rials) for name, rials in parts], whole)
    } == {("8-1", "bundle"), ("8-2", "bundle")}


def test_an_order_without_a_number_has_no_parts_by_number() -> None:
    records = [numbered(f"{n}", rials) for n, rials in enumerate([100, 200])]
    records = [row | {"created_at": AT + 2 * DAY} for row in records]
    assert matches([order("", 300)], records) == set()


@pytest.mark.parametrize("number", [" 8", "8 ", "۸", "'8"])
def test_one_that_the_books_may_spell_otherwise_is_looked_at(number: str) -> None:
    record = numbered(number, AMOUNT, created_at=FAR)
    assert opened([order("8")], record) == [number.strip()]


def test_of_a_number_that_two_records_have_both_are_looked_at() -> None:
    twins = [numbered("8", AMOUNT, created_at=FAR + n * DAY) for n in range(2)]
    assert opened([order("1")], *twins) == ["8", "8"]
    assert opened([order("8-2")], *twins) == ["8", "8"], "each once"


@pytest.mark.parametrize("at", [AT, FAR])
@pytest.mark.parametrize("reference", ["8", "1"])
def test_one_without_an_id_is_looked_at(reference: str, at: datetime) -> None:
    """Also one that has an order, or is far from all of them."""
    record = numbered("8", AMOUNT, created_at=at, id=None)
    assert opened([order(reference)], record) == ["8"]
