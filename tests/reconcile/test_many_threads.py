"""What Python computes of long sorted rows is the same, however many threads read.

Some thousands of rows each: of fewer, DuckDB gives them in one piece.
"""

from datetime import timedelta
from typing import Any

import pyarrow as pa
import pytest

from recon.reconcile.computed import COMPUTED
from recon.reconcile.engines import DuckEngine, duckdb
from recon.settings import Business, CashIn, Checks, Engine, Settings
from tests.bench import bank
from tests.builders import AS_OF, WALLET, lake_tables

COUNT = 6_000
EMPTY = {"int_settlement_matches", "int_wallet_explanations"}
BEGIN = AS_OF - timedelta(days=30)


def shop() -> dict[str, list[dict[str, Any]]]:
    """Return a shop of many payments, orders, snapshots, and deposits paid alike.

    Each fourth payment bears twice the wage, orders are numbered as the payments are
    but for their letters, and in each tenth interval of the wallet 3 rials are
    unexplained.
    """
    times = [BEGIN + timedelta(minutes=7 * place) for place in range(COUNT)]
    payments, checkouts, books, balances = [], [], [], []
    held = 0
    for place, at in enumerate(times):
        amount = 1_000_000 + 1_000 * (place % 97)
        wage = amount // 100 * (2 if place % 4 == 0 else 1)
        made = {"created_at": at, "updated_at": at}
        payments.append(
            {
                "id": f"p{place}",
                "checkout_id": f"c{place}",
                "amount": amount,
                "wage_amount": wage,
                "affected_amount": amount - wage,
                "ref_id": f"r{place}",
                "paid_at": at,
                "payment_method": ("debit-a", "card-b")[place % 2],
                **made,
            }
        )
        number = {"checkout_number": f"n{place}", "request_id": f"q{place}"}
        checkouts.append({"id": f"c{place}", "amount": amount, **number, **made})
        books.append({"reference": f"INV-{place}", "amount": amount, "occurred_at": at})
        held += amount - wage + (3 if place % 10 == 0 else 0)
        balances.append({"at": at + timedelta(minutes=3), "balance": held})
    given = {"payments": payments, "checkouts": checkouts, "books": books}
    return {**given, "balances": balances, **bank.rows(COUNT, bank.Kind("equal"))}


def computed(threads: int) -> dict[str, pa.Table]:
    settings = Settings(
        business=Business(name="shop"),
        cash_in=CashIn(wallet_iban=WALLET),
        checks=Checks(provider_names=("paywell",)),
        engine=Engine(threads=threads),
    )
    with DuckEngine.open(lake_tables(shop()), settings, AS_OF) as engine:
        return {name: engine.table(name) for name in COMPUTED}


def test_many_threads_compute_what_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdb, "LIGHT_LAKE", -1)
    alone, together = computed(1), computed(4)
    for name, rows in alone.items():
        order = [(column, "ascending") for column in rows.column_names]
        assert together[name].sort_by(order).equals(rows.sort_by(order)), name
        assert rows.num_rows or name in EMPTY, name
