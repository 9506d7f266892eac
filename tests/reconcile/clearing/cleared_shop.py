"""A shop whose history is compacted and cleared, and the nights after it."""

import shutil
from copy import copy, deepcopy
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from recon.lake import Commit, Lake, commits, lake, writing
from recon.lake.compaction import compact
from recon.lake.schema import COMPACTED, TABLES
from recon.reconcile.clearing import clearing
from recon.reconcile.clearing.narrowing import find_narrowly
from recon.reconcile.engines import duckdb
from recon.reconcile.findings import Findings, find
from recon.reconcile.opening import open_engine
from recon.reconcile.run import counted_commits, reconcile
from recon.sandbox import history
from recon.sandbox.exports import PROVIDER_NAME
from recon.settings import Business as Named
from recon.settings import CashIn, Checks, Engine, Reports, Settings
from tests.checks.history_tables import tables_of
from tests.reconcile.clearing.later_nights import IMPORTED, Business, Rows
from tests.reconcile.lake_history import COUNTS, MovingClock


class Shop:
    """A lake with a history, compacted, and cleared by a whole run."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, seed: int) -> None:
        for module in (commits, lake, writing):
            patch.setattr(module, "datetime", MovingClock)
        patch.setattr(clearing, "LARGEST_SHARE", 0)
        patch.setattr(duckdb, "LIGHT_LAKE", 0)  # as a lake that is cleared is read
        made = history.generate(seed, days=24, daily=14, faults=("all",))
        self.now = MovingClock.present = made.ends_at + timedelta(hours=1)
        self.settings = Settings(
            business=Named(name="shop"),
            cash_in=CashIn(
                wallet_iban=made.world.wallet_iban, settled_statuses=("SETTLED",)
            ),
            checks=Checks(provider_names=(PROVIDER_NAME,)),
            engine=Engine(threads=1),
            reports=Reports(excel=False, html=False),
            folder=folder,
        )
        self.lake = Lake(folder / "lake")
        tables = tables_of(made, pulled_at=self.now)
        self.business = Business(
            {name: rows.to_pylist() for name, rows in tables.items() if name in TABLES},
            seed,
        )
        self.bring(self.business.rows, whole=True)

    def copied(self, folder: Path) -> "Shop":
        """Return the same shop in a copy of its lake."""
        made = copy(self)
        shutil.copytree(self.lake.root, folder / "lake")
        made.lake = Lake(folder / "lake")
        made.settings = replace(self.settings, folder=folder)
        made.business = deepcopy(self.business)
        made.pass_time()
        return made

    def bring(self, rows: Rows, *, whole: bool = False) -> None:
        """Commit rows as pulls and imports of their sources."""
        for name, brought in rows.items():
            kind = "import" if name in IMPORTED else "pull"
            source = "checkouts" if name == "payments" else name
            with self.lake.begin(kind, source) as made:
                made.rows(name, brought)
                if whole and name in ("checkouts", "mandates", "agreements"):
                    (key,) = TABLES[name].key
                    made.seen(name, [row[key] for row in self.business.rows[name]])
                made.commit(counts=COUNTS, whole=whole)

    def compact(self) -> None:
        """Put together all that is there."""
        assert compact(self.lake, self.settings.engine, COMPACTED)

    def clear(self) -> Commit | None:
        """Keep what a whole run over what is compacted leaves outstanding."""
        with reconcile(self.lake, self.settings, as_of=self.now, dry_run=True) as run:
            assert run.is_whole
            return clearing.clear(self.lake, run.engine, run.findings)

    def pass_time(self, **how: float) -> None:
        """Let so much time go by, as `timedelta` names it."""
        self.now += timedelta(**how)
        MovingClock.present = self.now

    def narrowly(self, as_of: datetime | None = None) -> Findings | None:
        """Return what a run by the clearing finds, if there can be one."""
        at = as_of or self.now
        visible = counted_commits(self.lake, at)
        with open_engine(self.lake, self.settings, at, visible) as engine:
            return find_narrowly(self.lake, engine)

    def wholly(self) -> Findings:
        """Return what a run over everything finds."""
        visible = counted_commits(self.lake, self.now)
        with open_engine(self.lake, self.settings, self.now, visible) as engine:
            return find(engine, carrying=True)
