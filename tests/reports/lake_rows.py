"""Rows of lake tables as a pull brought them, and the models over them."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from recon.lake.schema import TABLES
from recon.reconcile.engines import DuckEngine
from recon.settings import Business, CashIn, Settings
from tests.reports.stand_in import AS_OF, WALLET

SETTINGS = Settings(
    business=Business(name="shop"),
    cash_in=CashIn(wallet_iban=WALLET, settled_statuses=("SETTLED",)),
)


def lake_rows(table: str, *given: dict[str, Any]) -> pa.Table:
    """Rows of a lake's table, each at its own place of one page of one pull."""
    found = [
        {
            "pull_id": "p1",
            "seen_at": AS_OF,
            "record_hash": f"{table}-{place}",
            "page_no": 1,
            "position": place,
        }
        | row
        for place, row in enumerate(given, start=1)
    ]
    return pa.Table.from_pylist(found, schema=TABLES[table].schema)


def engine(settings: Settings = SETTINGS, **tables: Sequence[Any]) -> DuckEngine:
    """Open the models over these rows; payments get the checkouts that list them."""
    given = {name: lake_rows(name, *rows) for name, rows in tables.items()}
    if "payments" in tables and "checkouts" not in tables:
        checkouts = [
            {"id": row["checkout_id"], "payment_ids": [row["id"]]}
            for row in tables["payments"]
        ]
        given["checkouts"] = lake_rows("checkouts", *checkouts)
    return DuckEngine.open(given, settings, AS_OF)
