"""Wider matching on random books, against a slow reading of the same rules."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from recon.reconcile.engines import DuckEngine
from tests.builders import AS_OF, lake_tables
from tests.raw_rows import AT
from tests.reconcile.test_matching import SETTINGS, order, unnumbered

HOURS = st.integers(0, 60)
AMOUNTS = st.integers(1, 9).map(lambda n: n * 100)
NUMBERS = st.sampled_from([None, "a", "a-1", "a-2", "a-3", "b", "b-1", "b-2"])


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Orders of distinct references and paid records, few amounts, few days.

    Often an order has parts on the other side, or a record has, some of them right.
    """
    names = draw(st.lists(NUMBERS.filter(bool) | st.uuids().map(str), unique=True))
    orders = [
        order(str(name), draw(AMOUNTS), occurred_at=AT + timedelta(hours=draw(HOURS)))
        for name in names[:8]
    ]
    checkouts = [
        unnumbered(
            checkout_number=draw(NUMBERS),
            amount=draw(AMOUNTS),
            created_at=AT + timedelta(hours=draw(HOURS)),
        )
        for _ in range(draw(st.integers(0, 8)))
    ]
    parts = draw(st.lists(AMOUNTS, min_size=2, max_size=4))
    whole = sum(parts) + draw(st.sampled_from([0, 0, 0, 1]))
    if draw(st.booleans()):
        orders.append(order("w", whole, occurred_at=AT))
        checkouts += [
            unnumbered(checkout_number=f"w-{n}", amount=part, created_at=AT)
            for n, part in enumerate(parts)
        ]
    else:
        checkouts.append(unnumbered(checkout_number="w", amount=whole, created_at=AT))
        orders += [
            order(f"w-{n}", part, occurred_at=AT) for n, part in enumerate(parts)
        ]
    return orders, checkouts


World = tuple[list[dict[str, Any]], list[dict[str, Any]]]
Rows = list[dict[str, Any]]


@settings(max_examples=25)
@given(worlds())
def test_random_books_are_matched_once_exactly_and_as_a_slow_reading_pairs_them(
    world: World,
) -> None:
    tables = lake_tables({"books": world[0], "checkouts": world[1]})
    with DuckEngine.open(tables, SETTINGS, AS_OF) as engine:
        wide = engine.table("int_book_wide_matches").to_pylist()
        linked = engine.table("int_book_matches").to_pylist()
    assert not {row["record_id"] for row in wide} & {r["record_id"] for r in linked}
    assert not {row["reference"] for row in wide} & {r["reference"] for r in linked}
    assert_proposals_are_exact_and_likely_ones_alone(world, wide)
    assert slow_pairs(world) == {
        (row["reference"], row["record_id"]): row["confidence"]
        for row in wide
        if row["method"] == "amount_time"
    }


def assert_proposals_are_exact_and_likely_ones_alone(world: World, wide: Rows) -> None:
    amounts = {"order " + row["reference"]: row["amount"] for row in world[0]}
    amounts |= {f"record checkout-{n}": row["amount"] for n, row in numbers(world)}
    proposals = defaultdict(list)
    for row in wide:
        proposals[row["proposal"]].append(row)
    claims: Counter[str] = Counter()
    for rows in proposals.values():
        orders = {"order " + row["reference"] for row in rows}
        records = {"record " + row["record_id"] for row in rows}
        claims.update(orders | records)
        total = sum(row["book_amount_rial"] for row in rows)
        assert total == sum(amounts[name] for name in orders)
        assert total == sum(amounts[name] for name in records)
    for row in wide:
        if row["confidence"] == "likely":
            assert claims["order " + row["reference"]] == 1
            assert claims["record " + row["record_id"]] == 1


def numbers(world: World) -> Iterator[tuple[int, dict[str, Any]]]:
    yield from enumerate(world[1], 1)


def slow_pairs(world: World) -> dict[tuple[str, str], str]:
    """Return every pair of amount and time, and how sure it is, by plain loops."""
    taken = {row["checkout_number"] for row in world[1]}
    references = {row["reference"] for row in world[0]}
    pairs = {
        (row["reference"], f"checkout-{n}")
        for row in world[0]
        for n, record in numbers(world)
        if row["reference"] not in taken
        and record["checkout_number"] not in references
        and row["amount"] == record["amount"]
        and abs(row["occurred_at"] - record["created_at"]) <= timedelta(hours=24)
    }
    orders = Counter(pair[0] for pair in pairs)
    records = Counter(pair[1] for pair in pairs)
    return {
        pair: "likely" if orders[pair[0]] == records[pair[1]] == 1 else "ambiguous"
        for pair in pairs
    }
