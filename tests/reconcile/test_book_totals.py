"""What the breaks of the books come to is what the books and the provider differ by.

Orders, checkouts and tokens share few numbers, and a checkout's request may be the
number of another order; in the end each rial of the difference is told once.
"""

from random import Random
from typing import Any

import pytest

from recon.reconcile.checks import run_checks, shipped_checks
from recon.reconcile.engines import DuckEngine
from tests.builders import AS_OF, lake_tables
from tests.reconcile.test_matching import SETTINGS

Row = dict[str, Any]
NAMES = [str(number) for number in range(17, 29)]
BOOK_CHECKS = tuple(
    each for each in shipped_checks() if each.name.startswith(("book_", "provider_"))
)


def world(chance: Random) -> dict[str, list[Row]]:
    """Orders that mostly have a checkout each, and tokens that pay some besides."""
    amounts = {name: chance.choice([100, 200, 300]) * 1_000 for name in NAMES}
    checkouts = [
        {"checkout_number": name, "request_id": str(int(name) - 1)}
        | {"amount": amounts[name] + chance.choice([0, 0, 0, 50_000])}
        | {"status": chance.choice(["paid", "paid", "paid", "not_paid"])}
        for name in NAMES
        if chance.random() < 0.85
    ]
    booked = [name for name in NAMES if chance.random() < 0.85]
    tokens = [
        {"factor_number": name, "amount": chance.choice([50, 100, 400]) * 1_000}
        for name in chance.sample(booked, 3)
    ]
    orders = [
        {"reference": name, "amount": amounts[name]}
        | {"status": chance.choice(["paid", "paid", "paid", "unpaid"])}
        for name in booked
    ]
    payments = [
        {"checkout_id": f"checkout-{n}", "amount": row["amount"]}
        | {"status": "done" if row["status"] == "paid" else "failed"}
        for n, row in enumerate(checkouts, 1)
    ]
    return {
        "books": orders,
        "checkouts": checkouts,
        "payments": payments,
        "gateway_tokens": tokens,
        "gateway_transactions": [
            {"factor_number": row["factor_number"], "amount": row["amount"]}
            for row in tokens
        ],
    }


def told(breaks: list[Row], excesses: dict[str, int], given: dict[str, Any]) -> int:
    """Sum what came in beyond the books' paid orders, as breaks and report tell it."""
    status = {row["reference"]: row for row in given["books"]}
    waits = {
        row["record_id"] for row in breaks if row["check"] == "book_status_mismatch"
    }
    total = sum(excesses.values())
    for row in breaks:
        match row["check"]:
            case "provider_missing_in_books":
                total += row["actual"]
            case "book_missing_at_provider":
                total -= row["expected"]
            case "book_amount_mismatch" if row["record_id"] not in waits:
                if status[row["record_id"]]["status"] == "paid":
                    total += row["expected"] - row["actual"]
            case "book_status_mismatch":
                order = status[row["record_id"]]
                if order["status"] == "paid":
                    total -= order["amount"]
                else:
                    total += received(row["related_id"], given)
                    total -= excesses.get(order["reference"], 0)
    return total


def received(records: str, given: dict[str, Any]) -> int:
    """Sum the amounts of records, named as the builders do."""
    tables = {"checkout": "checkouts", "token": "gateway_tokens"}
    named = (record.split("-") for record in records.split(" "))
    return sum(given[tables[kind]][int(number) - 1]["amount"] for kind, number in named)


@pytest.mark.parametrize("seed", range(12))
def test_the_breaks_come_to_the_difference_of_books_and_provider(seed: int) -> None:
    given = world(Random(seed))
    with DuckEngine.open(lake_tables(given), SETTINGS, AS_OF) as engine:
        breaks = run_checks(engine, BOOK_CHECKS, SETTINGS).to_pylist()
        doubled = engine.table("report_duplicate_payments").to_pylist()
    excesses = {row["reference"]: row["excess"] for row in doubled}
    booked = sum(row["amount"] for row in given["books"] if row["status"] == "paid")
    paid = [row for row in given["checkouts"] if row["status"] == "paid"]
    came_in = sum(row["amount"] for row in paid + given["gateway_tokens"])
    assert told(breaks, excesses, given) == came_in - booked
