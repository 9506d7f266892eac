"""Lakes on disk with an invented history in several pulls, and a run's reports of them.

What the sandbox's history has in its end is split over two whole pulls and a partial
one: records that changed between them, some that vanished, and books that were
imported twice.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recon.lake import Lake, commits, lake, writing
from recon.lake.schema import TABLES
from recon.reconcile.book_figures import book_figures
from recon.reconcile.engines.choosing import EngineName
from recon.reconcile.escrow_figures import escrow_figures
from recon.reconcile.run import reconcile
from recon.reports import csv_text
from recon.reports.writing import write
from recon.sandbox import history
from recon.sandbox.exports import PROVIDER_NAME
from recon.settings import Business, CashIn, Checks, Reports, Settings, Spark
from tests.checks.history_tables import LISTS, tables_of
from tests.lake.compaction_cases import compacted
from tests.reconcile.lake_history import COUNTS, MovingClock

Row = dict[str, Any]
Rows = dict[str, list[Row]]

SOURCES = {
    "checkouts": "checkouts",
    "payments": "checkouts",
    "mandates": "mandates",
    "agreements": "agreements",
    "accounts": "accounts",
    "gateway_transactions": "gateway_transactions",
    "hosted_checkouts": "hosted_checkouts",
}
"""The source that brings each table; every other table is imported."""


class HistoryLake:
    """A lake with the history of a seed, and the settings that it is judged by."""

    def __init__(
        self,
        path: Path,
        patch: pytest.MonkeyPatch,
        seed: int,
        *,
        until: date = history.LAST_DAY,
        days: int = 20,
        daily: int = 12,
    ) -> None:
        for module in (commits, lake, writing):
            patch.setattr(module, "datetime", MovingClock)
        made = history.generate(
            seed, until=until, days=days, daily=daily, faults=("all",)
        )
        self.ends_at = made.ends_at
        self.settings = Settings(
            business=Business(name="shop"),
            cash_in=CashIn(
                wallet_iban=made.world.wallet_iban, settled_statuses=("SETTLED",)
            ),
            checks=Checks(provider_names=(PROVIDER_NAME,)),
            reports=Reports(excel=False, html=False),
            folder=path,
        )
        self.lake = Lake(path / "lake")
        pulled_at = made.ends_at + timedelta(hours=1)
        tables = {
            name: table.to_pylist()
            for name, table in tables_of(made, pulled_at=pulled_at).items()
            if name in TABLES
        }
        self._fill(tables)

    @property
    def as_of(self) -> datetime:
        """Two days and a half after the history's end: what is late, is late."""
        return self.ends_at + timedelta(hours=60)

    def report(self, folder: Path, engine: EngineName, remote: str = "") -> Path:
        """Run an engine over the lake, write every report, and return their folder.

        Beside them is what a closing keeps of the books and of escrow.
        """
        settings = replace(
            self.settings,
            reports=replace(self.settings.reports, path=str(folder)),
            spark=Spark(remote=remote),
        )
        MovingClock.present = self.as_of
        with reconcile(
            self.lake, settings, as_of=self.as_of, dry_run=True, engine=engine
        ) as result:
            written = write(result, settings)
            books = csv_text.render(book_figures(result))
            escrow = csv_text.render(escrow_figures(result))
        placed = written["breaks.csv"].parent
        (placed / "books.csv").write_bytes(books)
        (placed / "escrow.csv").write_bytes(escrow)
        return placed

    def _fill(self, tables: Mapping[str, list[Row]]) -> None:
        brought = {name: tables[name] for name in SOURCES}
        owned = {name: rows for name, rows in tables.items() if name not in SOURCES}
        MovingClock.present = self.ends_at - timedelta(days=2)
        self._pull({name: _earlier(name, rows) for name, rows in brought.items()})
        self._import({name: rows[: len(rows) // 2] for name, rows in owned.items()})
        MovingClock.present = self.ends_at + timedelta(hours=1)
        self._pull(brought)
        self._import(owned)
        MovingClock.present = self.ends_at + timedelta(hours=20)
        self._pull({name: _later(name, rows) for name, rows in brought.items()})

    def _pull(self, tables: Rows) -> None:
        for source in sorted(set(SOURCES.values())):
            with self.lake.begin("pull", source) as made:
                for table, rows in tables.items():
                    if SOURCES[table] == source:
                        made.rows(table, map(_bare, rows))
                if source in LISTS:
                    (key,) = TABLES[source].key
                    made.seen(source, [row[key] for row in tables[source][:-1]])
                made.commit(counts=COUNTS)

    def _import(self, tables: Rows) -> None:
        with self.lake.begin("import", "files") as made:
            for table, rows in tables.items():
                made.rows(table, map(_bare, rows))
            made.commit()


def compact_twice(made: HistoryLake) -> None:
    """Compact what the first pull and import brought, then what the second did.

    So the last pull comes later, and one compaction goes on from another.
    """
    first, second = (made.lake.commits()[number] for number in (7, 11))
    MovingClock.present = made.as_of
    for commit in (first, second):
        compacted(made.lake, as_of=commit.committed_at)


def _bare(row: Row) -> Row:
    """Return a row without what the lake itself says of where it came from."""
    own = {"pull_id", "seen_at", "record_hash"}
    return {name: value for name, value in row.items() if name not in own}


def _earlier(table: str, rows: list[Row]) -> list[Row]:
    """Return records as they were before: fewer, some of another amount or status."""
    return list(_changed(rows[: len(rows) * 2 // 3], table, 5, "pending"))


def _later(table: str, rows: list[Row]) -> list[Row]:
    """Return the few records that came to stand differently since, in a sweep."""
    return list(_changed(rows[len(rows) // 50 :], table, 40, "done"))


def _changed(rows: list[Row], table: str, step: int, status: str) -> Iterator[Row]:
    for number, row in enumerate(rows):
        if number % step or table == "accounts":
            yield row
            continue
        other = dict(row)
        if "amount" in row and row["amount"] is not None:
            other["amount"] = row["amount"] + 10 * (number % 3)
        if "status" in row:
            other["status"] = status
        yield other


def different(one: Path, other: Path) -> list[str]:
    """Return the names of files that two folders do not both have alike."""
    held = [
        {path.name: path.read_bytes() for path in each.iterdir()}
        for each in (one, other)
    ]
    names = sorted(set(held[0]) | set(held[1]))
    return [name for name in names if held[0].get(name) != held[1].get(name)]
