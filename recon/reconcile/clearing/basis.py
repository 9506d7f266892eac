"""What a clearing rests on: as long as it is the same, what was cleared stays so."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from recon.lake import Commit, Lake
from recon.lake.voids import voided
from recon.reconcile.engines.duckdb import DuckEngine
from recon.reconcile.findings import Findings
from recon.reconcile.rules import rules_of

LARGE = ("checkouts", "payments", "books")
"""The tables whose rows are cleared; all others are read whole by every run."""


class Basis(msgspec.Struct, frozen=True, kw_only=True):
    """What was so when records were cleared.

    `rules` is a hash of the queries, the settings and the tariff; `compactions` and
    `sweep` say which compacted files and which whole list of checkouts were read,
    `voids` which commits did not count; `snapshots` is a hash of the wallet's snapshots
    up to the last one; `differing` and `unexplained` are the ends of the intervals that
    were so.
    """

    rules: str
    compactions: dict[str, int]
    sweep: str
    voids: list[str]
    snapshots: str
    last_snapshot_at: datetime | None
    differing: list[datetime]
    unexplained: list[datetime]
    first_order_at: datetime | None
    last_order_at: datetime | None
    order_count: int

    @classmethod
    def of(cls, lake: Lake, whole: DuckEngine, findings: Findings) -> "Basis":
        """Return what a whole run rests on, by its engine and what it found."""
        commits = lake.commits(whole.as_of)
        snapshots = _snapshots(whole)
        last = max((row["snapshot_at"] for row in snapshots), default=None)
        return cls(
            rules=_rules(whole),
            compactions=_compactions(lake, commits),
            sweep=_sweep(commits),
            voids=sorted(voided(commits)),
            snapshots=_hash(snapshots),
            last_snapshot_at=last,
            differing=sorted(_beyond(whole, findings, "difference_rial")),
            unexplained=sorted(_beyond(whole, findings, "unexplained_rial")),
            **_books(whole),
        )

    def stands(self, lake: Lake, whole: DuckEngine) -> bool:
        """Tell, before anything large is read, whether all that is known is as it was.

        A snapshot that was there may not change, nor another come before the last.
        """
        commits = lake.commits(whole.as_of)
        last = self.last_snapshot_at
        snapshots = [
            row
            for row in _snapshots(whole)
            if last is None or row["snapshot_at"] <= last
        ]
        return (
            self.compactions == _compactions(lake, commits)
            and self.sweep == _sweep(commits)
            and self.voids == sorted(voided(commits))
            and self.rules == _rules(whole)
            and self.snapshots == _hash(snapshots)
        )

    def holds(self, narrow: DuckEngine, findings: Findings) -> bool:
        """Tell whether what the outstanding rows alone give needs no other row.

        It does where an interval differs, or is not explained, that was not so, and
        where the books no longer reach as far, or have their first order.
        """
        last = self.last_snapshot_at
        for name, before in (
            ("difference_rial", self.differing),
            ("unexplained_rial", self.unexplained),
        ):
            beyond = _beyond(narrow, findings, name)
            if any(last and at <= last for at in beyond - set(before)):
                return False
        now = _books(narrow)
        first, last = self.first_order_at, self.last_order_at
        if first is None or last is None or now["first_order_at"] is None:
            return all(getattr(self, name) == value for name, value in now.items())
        return bool(now["first_order_at"] <= first and now["last_order_at"] >= last)


def _rules(engine: DuckEngine) -> str:
    tariff = engine.table("stg_business__tariff").to_pylist()
    models = engine.catalogue.models.items()
    return _hash(
        [
            rules_of(engine.settings, ((name, each.sql) for name, each in models)),
            sorted(msgspec.json.encode(row).decode() for row in tariff),
        ]
    )


def _compactions(lake: Lake, commits: Sequence[Commit]) -> dict[str, int]:
    return {name: lake.parts(name, commits).made_by for name in LARGE}


def _sweep(commits: Sequence[Commit]) -> str:
    """Return the id of the newest whole sweep of the checkouts."""
    return max(
        (
            commit.id
            for commit in commits
            if (commit.kind, commit.source) == ("pull", "checkouts")
            and commit.complete
            and commit.whole
        ),
        default="",
    )


def _snapshots(engine: DuckEngine) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = engine.query(
        "select wallet, snapshot_at, balance_rial from int_wallet_snapshots "
        "order by wallet, snapshot_at"
    ).to_pylist()
    return rows


def _beyond(engine: DuckEngine, findings: Findings, name: str) -> set[datetime]:
    """Return the ends of the intervals where a figure is beyond the tolerance."""
    tolerance = engine.settings.checks.tolerance
    flow = findings.rollforward.select(["to_at", name]).to_pylist()
    return {row["to_at"] for row in flow if abs(row[name]) > tolerance}


def _books(engine: DuckEngine) -> dict[str, Any]:
    (row,) = engine.query(
        "select first_at as first_order_at, last_at as last_order_at, order_count "
        "from int_book_ends"
    ).to_pylist()
    found: dict[str, Any] = row
    return found


def _hash(said: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(said)).hexdigest()
