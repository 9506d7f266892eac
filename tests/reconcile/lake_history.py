"""A lake whose clock a test moves: pulls, runs and decisions at chosen instants."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

import pytest

from recon.lake import Commit, Lake, Page, commits, lake, writing
from recon.reconcile.checks import shipped_checks
from recon.settings import Business, Checks, Settings

SETTINGS = Settings(business=Business(name="shop"))
COUNTS = {"records": 1, "pages": 1, "new": 1, "changed": 0, "vanished": 0}
Rows = Mapping[str, Sequence[Mapping[str, Any]]]


def at(day: int, hour: int = 0, minute: int = 0, second: int = 0) -> datetime:
    """An instant of October 2026."""
    return datetime(2026, 10, day, hour, minute, second, tzinfo=UTC)


def only(*checks: str) -> Checks:
    """Settings under which these checks alone are run: what a case is about."""
    others = {check.name for check in shipped_checks()} - {*checks}
    return Checks(disabled=tuple(sorted(others)))


class MovingClock:
    """Stands for `datetime` in the lake: its `now` is what a test says it is."""

    present = at(1)
    strptime = datetime.strptime

    @classmethod
    def now(cls, zone: tzinfo) -> datetime:
        return cls.present.astimezone(zone)


class History:
    """A lake with a clock: what happens, happens at the instant it is set to."""

    def __init__(self, path: Path, patch: pytest.MonkeyPatch) -> None:
        for module in (commits, lake, writing):
            patch.setattr(module, "datetime", MovingClock)
        self.lake = Lake(path)
        self.settings = SETTINGS

    def clock(self, instant: datetime) -> None:
        MovingClock.present = instant

    def pull(
        self, source: str, rows: Rows, *, page: Page | None = None, **said: Any
    ) -> Commit:
        """Commit a partial pull; its rows come from the page where there is one."""
        with self.lake.begin(said.pop("kind", "pull"), source) as made:
            page_no = made.page(page) if page else None
            for table, records in rows.items():
                made.rows(
                    table,
                    [
                        {**row, "page_no": page_no, "position": n}
                        for n, row in enumerate(records)
                    ],
                )
            return made.commit(**{"counts": COUNTS, "whole": False} | said)

    def decide(self, break_id: str, action: str, decided_at: datetime) -> Commit:
        """Commit what someone decided about a break."""
        row = {"break_id": break_id, "action": action, "decided_at": decided_at}
        return self.pull("breaks", {"decisions": [row]}, kind="decision")


def unpaid(*names: str, paid: bool = False) -> Rows:
    """Paid checkouts without a payment: one break each, unless they have one."""
    checkouts = [
        {
            "id": name,
            "status": "paid",
            "amount": 5,
            "payment_ids": [f"payment-{name}"] * paid,
            "created_at": at(1, 22),
        }
        for name in names
    ]
    payments = [
        {
            "id": f"payment-{name}",
            "checkout_id": name,
            "status": "done",
            "type": "card",
            "amount": 5,
            "wage_amount": 0,
            "affected_amount": 5,
            "ref_id": f"receipt-{name}",
            "paid_at": at(1, 22),
            "created_at": at(1, 22),
        }
        for name in names
        if paid
    ]
    return {"checkouts": checkouts, "payments": payments}
