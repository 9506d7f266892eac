"""Orders that were paid more than once, held against a reckoning without SQL."""

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from tests.reports.test_report_duplicate_payments import (
    Row,
    World,
    checkout,
    order,
    told,
)

REFERENCES = st.sampled_from(["A", "B", "C", " A", None])
AMOUNTS = st.sampled_from([400, 600, 1_000])


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Orders without a product, and records of three products, some of them paid."""
    pick = st.tuples(REFERENCES, AMOUNTS, st.integers(0, 2))
    orders = draw(st.lists(st.tuples(REFERENCES, AMOUNTS), max_size=3))
    unified = draw(st.lists(pick, max_size=4))
    gateway = draw(st.lists(pick, max_size=3))
    hosted = draw(st.lists(pick, max_size=3))
    return {
        "books": [order(reference, amount) for reference, amount in orders],  # type: ignore[arg-type]
        "checkouts": [
            checkout(number, amount=amount, request_id=None, status="paid")
            for number, amount, _ in unified
        ],
        "payments": [
            {"id": f"p{n}-{k}", "checkout_id": f"checkout-{n}", "amount": amount}
            for n, (_, amount, times) in enumerate(unified, 1)
            for k in range(times)
        ],
        "gateway_tokens": [
            {
                "factor_number": number,
                "amount": amount,
                **({} if paid else {"real_amount": None, "wage": None}),
                **({} if paid else {"verified_at": None}),
            }
            for number, amount, paid in gateway
        ],
        "gateway_transactions": [
            {"factor_number": number, "code": 2 if paid else 3}
            for number, _, paid in gateway
        ],
        "hosted_checkouts": [
            {
                "checkout_number": number,
                "amount": amount,
                "status": "SUCCEED" if paid else "FAILED",
            }
            for number, amount, paid in hosted
        ],
        "hosted_requests": [
            {"checkout_number": number, "amount": amount}
            for number, amount, _ in hosted
        ],
    }


def expected(world: World) -> list[tuple[Any, ...]]:
    """Say the same without SQL: what came in by number, and what it should be."""
    charged = Counter(row["checkout_id"] for row in world["payments"])
    came: list[tuple[str, str, int, int]] = []
    for n, row in enumerate(world["checkouts"], 1):
        number = row["checkout_number"] or f"no number {n}"
        came.append(("unified", number, row["amount"], charged[f"checkout-{n}"]))
    paid = {"gateway": "gateway_tokens", "hosted": "hosted_checkouts"}
    for product, table in paid.items():
        for row in world[table]:
            number = row.get("factor_number") or row.get("checkout_number")
            is_paid = "verified_at" not in row and row.get("status") != "FAILED"
            came.append((product, number or "", row["amount"], int(is_paid)))
    lines = Counter((row["reference"] or "").strip() for row in world["books"])
    prices = {(row["reference"] or "").strip(): row["amount"] for row in world["books"]}
    orders: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for product, number, amount, count in came:
        if count and number and number.strip():
            scope = "" if number.strip() in prices else product
            found = orders.setdefault((number.strip(), scope), [])
            found.append((amount, count))
    return sorted(
        (number, price, received, received - price, count)
        for (number, scope), each in orders.items()
        if lines[number] < 2
        for price in [prices.get(number, max(amount for amount, _ in each))]
        for received in [sum(amount * count for amount, count in each)]
        for count in [sum(count for _, count in each)]
        if count > 1 and received > price and not number.startswith("no number")
    )


NUMBERS = ("reference", "checkout_number", "factor_number")


def apart(world: World, name: int, checkouts: int) -> World:
    """A world with references of its own, whose checkouts come after so many others."""

    def renamed(row: Row) -> Row:
        row = {k: v and f"{v}{name}" if k in NUMBERS else v for k, v in row.items()}
        if "checkout_id" in row:
            own = int(row["checkout_id"].removeprefix("checkout-"))
            row["id"] = f"{row['id']}-{name}"
            row["checkout_id"] = f"checkout-{own + checkouts}"
        return row

    return {table: [renamed(row) for row in rows] for table, rows in world.items()}


def together(several: list[World]) -> World:
    """One lake of several worlds, none of which has an order of another."""
    lake: World = {}
    for name, world in enumerate(several):
        for table, found in apart(world, name, len(lake.get("checkouts", []))).items():
            lake[table] = [*lake.get(table, []), *found]
    return lake


@examples(max_examples=8)
@given(st.lists(worlds(), min_size=4, max_size=8))
def test_as_said_without_sql(several: list[World]) -> None:
    """Of some worlds at a time, which are thirty and more in all."""
    found = sorted(each[:-1] for each in told(together(several)))
    assert found == sorted(
        row
        for name, world in enumerate(several)
        for row in expected(apart(world, name, 0))
    )
