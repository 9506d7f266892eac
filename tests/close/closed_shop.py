"""A shop whose first five days of October 2026 can be closed on the seventh."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from recon.close import Closing, close
from recon.settings import Business, CashIn, Reports, Settings
from recon.times import zone
from tests.reconcile.lake_history import History, at, only, unpaid

PERIOD = "2026-10-01..2026-10-05"
WALLET = "IR1"
ASKED = ("checkout_paid_without_payment", "record_restated", "wallet_rollforward")
"""The checks that closings here are asked: every further one costs time only."""


def settings_of(history: History, **changed: Any) -> Settings:
    """Settings of a business that lives in UTC; reports go beside the lake."""
    given: dict[str, Any] = {
        "business": Business(name="shop", timezone=zone("UTC")),
        "cash_in": CashIn(wallet_iban=WALLET),
        "checks": only(*ASKED),
        "reports": Reports(path=str(history.lake.root.parent / "reports")),
    }
    return Settings(**given | changed)


def trade(history: History, balances: Mapping[int, int] | None = None) -> None:
    """A done payment of 5 on the first, and a snapshot at the given midnights."""
    history.settings = settings_of(history)
    history.clock(at(6))
    history.pull("checkouts", unpaid("a", paid=True))
    given = {1: 100, 6: 105} if balances is None else balances
    snapshots = [
        {"at": at(day), "iban": WALLET, "balance": each, "origin": "import"}
        for day, each in given.items()
    ]
    history.pull("balances", {"balances": snapshots}, kind="import")
    history.clock(at(7))


def restate(history: History, amount: int) -> None:
    """A later pull says another amount of the payment."""
    rows = unpaid("a", paid=True)
    for table in ("checkouts", "payments"):
        rows[table][0]["amount"] = amount  # type: ignore[index]
    rows["payments"][0]["affected_amount"] = amount  # type: ignore[index]
    history.pull("checkouts", rows)


def copied(folder: Path, place: Path, patch: pytest.MonkeyPatch) -> History:
    """A copy of the lake and the reports of a shop that was made before."""
    shutil.copytree(folder, place, dirs_exist_ok=True)
    history = History(place / "lake", patch)
    history.settings = settings_of(history)
    return history


def closed(history: History, **said: Any) -> Closing:
    """Close the period."""
    return close(history.settings, history.lake, PERIOD, **{"by": "sara"} | said)
