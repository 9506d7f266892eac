"""Money that no check judges is told alike by a run by the clearing and a whole one."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recon.reconcile.disclosures.unjudged import unjudged
from recon.reconcile.opening import open_engine
from recon.reconcile.run import counted_commits, reconcile
from tests.reconcile.clearing.cleared_shop import Shop

DAY = timedelta(days=1)
Told = dict[tuple[str, str], dict[str, Any]]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A shop of which much is cleared: payments of before the first balance, too.

    Of one payment of the day before nothing tells whether it was paid.
    """
    made = Shop(tmp_path, monkeypatch, 1)
    first = min(row["at"] for row in made.business.rows["balances"])
    made.bring(paid(made, "early", first - DAY))
    made.bring(unclear(made, "doubtful"))
    made.compact()
    assert made.clear()
    made.pass_time(days=1)
    return made


def paid(shop: Shop, name: str, at: datetime) -> dict[str, list[dict[str, Any]]]:
    """A record of 1,000 rials that was paid at an instant."""
    checkout = {"id": name, "checkout_number": name, "request_id": name, "amount": 1000}
    checkout |= {"status": "paid", "payment_ids": [f"p-{name}"], "created_at": at}
    payment = {"id": f"p-{name}", "checkout_id": name, "amount": 1000, "status": "done"}
    payment |= {"affected_amount": 1000, "wage_amount": 0, "ref_id": f"r-{name}"}
    payment |= {"paid_at": at, "created_at": at, "mandate_id": None, "error_code": None}
    rows = shop.business.rows
    return {
        "checkouts": [rows["checkouts"][0] | checkout],
        "payments": [rows["payments"][0] | payment],
    }


def unclear(shop: Shop, name: str) -> dict[str, list[dict[str, Any]]]:
    """A record of 1,000 rials of which nothing tells whether it was paid."""
    given = paid(shop, name, shop.now - DAY)
    given["checkouts"][0]["status"] = "under_review"
    given["payments"][0] |= {"status": "settled", "affected_amount": None}
    return given


def told(shop: Shop) -> tuple[Told, Told]:
    """Return what a narrow run tells, and a whole one."""
    visible = counted_commits(shop.lake, shop.now)
    with (
        reconcile(shop.lake, shop.settings, dry_run=True) as run,
        open_engine(shop.lake, shop.settings, shop.now, visible) as engine,
    ):
        assert not run.is_whole
        found = [unjudged(ask) for ask in (run.sql, engine.query)]
    narrow, whole = ({(r["why"], r["subject"]): r for r in rows} for rows in found)
    return narrow, whole


def test_what_no_check_judges_is_told_as_by_a_whole_run(shop: Shop) -> None:
    """What is before or after every balance, and what nothing tells the end of."""
    narrow, whole = told(shop)
    assert narrow == whole
    last = max(row["at"] for row in shop.business.rows["balances"])
    known = whole.get(("after", "inflows"), {"count": 0, "amount": 0})
    assert whole["before", "inflows"]["count"] == 1
    assert whole["status", "payments"]["count"] == 1
    shop.bring(unclear(shop, "late-doubtful"))
    shop.bring(paid(shop, "late", last + DAY))
    shop.pass_time(days=4)
    narrow, whole = told(shop)
    assert narrow == whole
    assert whole["before", "inflows"]["amount"] == 1000
    assert whole["after", "inflows"]["count"] > known["count"]
    assert whole["status", "payments"]["count"] == 2
