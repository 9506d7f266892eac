"""Checkouts beside their payments: the queries against a plain reading of random ones.

Few ids, so that lists name what is not there, twice, or under no id at all; payments
that no list has; statuses, amounts and ids that lack.
"""

import random
from collections import defaultdict

import pytest

from recon.reconcile.engines.duckdb import DuckEngine
from recon.settings import Business, Settings
from tests.raw_rows import AT, Row, raw_row, raw_table

SHOPS = 300


def drawn(chance: random.Random) -> tuple[list[Row], list[Row]]:
    """Return the checkouts and payments of many small shops; no id is taken twice."""
    checkouts, payments = [], []
    for shop in range(SHOPS):
        ids = [f"checkout-{shop}-{n}" for n in range(chance.choice([1, 1, 2]))]
        own = [f"payment-{shop}-{n}" for n in range(chance.choice([0, 1, 1, 2, 3]))]
        strays = [None, "", f"a payment {shop}", f"payment-{shop}-9"]
        named = [*own, *chance.sample(strays, 1)] if chance.random() < 0.2 else own
        lists = [chance.choices(named or [""], k=chance.choice([0, 1, 1, 2, 3]))]
        lists.append([each for each in own if chance.random() < 0.9])
        checkouts += [
            {
                "id": each if chance.random() < 0.98 else None,
                "amount": chance.choice([1, 1, 1, 2, None]),
                "status": chance.choice(["paid", "paid", "not_paid", None]),
                "payment_ids": chance.choice([*lists, lists[1], None]),
            }
            for each in ids
        ]
        payments += [
            {
                "id": each,
                "checkout_id": chance.choice([*ids, *ids, *ids, None, "unknown"]),
                "amount": chance.choice([1, 1, 1, 2, None]),
                "status": chance.choice(["done", "done", "failed", None]),
            }
            for each in {*own, *(each for each in named if each)}
        ]
    checkouts.append(
        {"id": "checkout", "amount": 1, "status": "paid", "payment_ids": []}
    )
    payments.append(
        {"id": None, "checkout_id": "checkout", "amount": 1, "status": "done"}
    )
    return checkouts, payments


def read_plainly(checkouts: list[Row], payments: list[Row]) -> set[tuple[object, ...]]:
    """Return what does not agree: id, status, done payments, and those not listed."""
    named: dict[str, list[Row]] = defaultdict(list)
    for row in payments:
        if row["id"] is not None and row["checkout_id"] is not None:
            named[row["checkout_id"]].append(row)
    found = set()
    for row in checkouts:
        own = named.pop(row["id"], [])
        listed = [each for each in own if each["id"] in (row["payment_ids"] or [])]
        done = [each for each in listed if each["status"] == "done"]
        agrees = not done
        if row["status"] == "paid":
            amounts = [each["amount"] for each in done]
            agrees = amounts == [row["amount"]] and row["amount"] is not None
        others = tuple(sorted(each["id"] for each in own if each not in listed))
        if row["id"] is not None and (not agrees or others):
            done_ids = " ".join(sorted(each["id"] for each in done)) or None
            found.add((row["id"], row["status"], done_ids, others))
    for checkout_id, rows in named.items():
        found.add((checkout_id, None, None, tuple(sorted(row["id"] for row in rows))))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_what_does_not_agree_is_found_and_nothing_else(seed: int) -> None:
    checkouts, payments = drawn(random.Random(seed))
    tables = {
        "checkouts": raw_table(
            "checkouts",
            [raw_row("checkouts", row, created_at=AT) for row in checkouts],
        ),
        "payments": raw_table(
            "payments", [raw_row("payments", row, created_at=AT) for row in payments]
        ),
    }
    with DuckEngine.open(
        tables, Settings(business=Business(name="shop")), AT
    ) as engine:
        rows = engine.query(
            "select checkout_id, status, done_payment_ids, unlisted_payment_ids "
            "from stg_unified__uneven_checkouts where checkout_id is not null"
        ).to_pylist()
    found = {
        (
            row["checkout_id"],
            row["status"],
            row["done_payment_ids"],
            tuple(row["unlisted_payment_ids"] or ()),
        )
        for row in rows
    }
    assert found == read_plainly(checkouts, payments)
    assert len(rows) == len(found)
