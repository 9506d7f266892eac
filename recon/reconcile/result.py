"""What a run says: of its sources, what it found, and the lake that it looked at."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from functools import cached_property, partial
from typing import Any, Self

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from recon.errors import ExitCode
from recon.lake import Commit, Lake
from recon.lake.voids import standing
from recon.pull.asked import addressless, asked
from recon.reconcile.breaks import (
    OPEN,
    Decisions,
    History,
    Row,
    identified,
    read_history,
    run_rows,
    with_life,
    with_unseen,
)
from recon.reconcile.checks import weighed
from recon.reconcile.clearing.narrowing import find_narrowly
from recon.reconcile.engines.choosing import AnyEngine, EngineName
from recon.reconcile.engines.duckdb import DuckEngine
from recon.reconcile.findings import Findings, find
from recon.reconcile.opening import open_engine
from recon.reconcile.rules import left_out
from recon.setting_values import BLOCKING
from recon.settings import Settings

_RUN_ID_DIGITS = 12
_ROLLFORWARD = "int_wallet_rollforward"
_COUNTS = ("records", "pages", "new", "changed", "vanished")


@dataclass(frozen=True)
class SourceState:
    """How a source was last read: counts of its newest pull, and whether it is whole.

    `partial` is a pull that read only what is new; `read_at` is when it was committed,
    `last_whole_sweep` when the last complete sweep of all of it was; `certificate` is
    the proof that the pull saw the whole list, or what it lacks.
    """

    records: int
    pages: int
    new: int
    changed: int
    vanished: int
    complete: bool
    partial: bool
    read_at: datetime
    last_whole_sweep: datetime | None
    error: str | None
    certificate: Mapping[str, Any] = field(default_factory=dict)


class Result:
    """What a run finds in a lake as it was known at T; a context manager.

    Everything is computed when it is first asked for, and then kept: of a run that the
    lake has already, `breaks` are read, and nothing else is touched. It holds the
    engine for further questions.
    """

    def __init__(
        self,
        lake: Lake,
        settings: Settings,
        as_of: datetime,
        commits: Sequence[Commit],
        decisions: Decisions,
        *,
        engine: EngineName = "duckdb",
        kept: Commit | None = None,
    ) -> None:
        """Look at what these commits brought; `kept` is a run that found it before."""
        self.lake = lake
        self.as_of = as_of
        self.sources = source_states(commits)
        self.complete = all(state.complete for state in self.sources.values())
        self.settings = settings
        self._commits = commits
        self._decisions = decisions
        self._engine_name: EngineName = engine
        self._kept = kept
        self._opened: list[AnyEngine] = []

    @property
    def zone(self) -> tzinfo:
        """The business's zone, of which dates are."""
        return self.settings.business.timezone

    @cached_property
    def engine(self) -> AnyEngine:
        """The engine over the lake. Raises CorruptLake where the lake is damaged."""
        engine = open_engine(
            self.lake, self.settings, self.as_of, self._commits, self._engine_name
        )
        self._opened.append(engine)
        return engine

    @cached_property
    def never_read(self) -> Sequence[str]:
        """The sources that the settings name, and that were not pulled to this day.

        One that was first pulled after T changes no report of T. Those of a section
        whose address is missing, or got lost, are among them.
        """
        pulled = {commit.source for commit in self.lake.commits(kind="pull")}
        named = [*asked(self.settings), *addressless(self.settings)]
        return [name for name in named if name not in pulled]

    @property
    def not_run(self) -> Sequence[str]:
        """The checks that the settings leave out: of them nothing is known."""
        return sorted({*self.settings.checks.disabled})

    @cached_property
    def findings(self) -> Findings:
        """What the checks find, and the wallet's roll-forward."""
        return self._narrow or find(self.engine)

    @property
    def is_whole(self) -> bool:
        """Whether all was read for it, not only what was left outstanding."""
        return self._narrow is None

    @cached_property
    def rows(self) -> Sequence[Row]:
        """The breaks without their life, as a run keeps them.

        Those of balances that are not compared any more stay as the last run had them,
        but for their severity, which is a setting.
        """
        if self._kept:
            return list(run_rows(self.lake, self._kept))
        zone = self.zone
        found = identified(self.findings.breaks, zone)
        not_run = self.settings.checks.disabled
        rows = with_unseen(
            found,
            self._history,
            not_run,
            partial(self._named, "int_other_snapshots"),
            partial(self._named, "int_wallet_returns"),
        )
        is_added = len(rows) > len(found)
        return weighed(rows, self.settings) if is_added else rows

    @cached_property
    def breaks(self) -> pa.Table:
        """The breaks, sorted; exactly the columns of their report."""
        zone = self.zone
        not_run = self.settings.checks.disabled
        return with_life(self.rows, self._history, self.as_of, zone, not_run)

    def news(self, since: str) -> Mapping[str, int]:
        """Count by check the critical breaks that are open and were not so at `since`.

        That is an instant as reports have it, or empty, which is before all of them.
        What was not open is new, came back, or had been decided on with other figures.
        """
        critical = self.breaks.filter(pc.field("severity") == "critical")
        rows = critical.filter(pc.field("status") == OPEN).select(["break_id", "check"])
        ids, checks = rows.to_pydict().values()
        history = self._history
        last = {check: history.last_run(check, since) for check in set(checks)}
        return Counter(
            check
            for identity, check in zip(ids, checks, strict=True)
            if not history.was_open(identity, check, last[check])
        )

    @cached_property
    def rollforward(self) -> pa.Table:
        """The wallet's roll-forward, sorted; exactly the columns of its report."""
        narrow = self._narrow
        found = narrow.rollforward if narrow else self.engine.table(_ROLLFORWARD)
        table = found.drop_columns(["detail", "is_coincidence"])
        names = [name.removesuffix("_rial") for name in table.column_names]
        return table.rename_columns(names).sort_by(
            [("wallet", "ascending"), ("to_at", "ascending")]
        )

    @cached_property
    def run_id(self) -> str:
        """The id of the run: of T, of what it read and of what it found."""
        if self._kept:
            return str(self._kept.certificate["run_id"])
        newest = max((c.id for c in self._commits if c.kind != "run"), default="")
        text = f"{self.as_of.isoformat()}|{newest}|{_digest(self.rows)}"
        return hashlib.sha256(text.encode()).hexdigest()[:_RUN_ID_DIGITS]

    @property
    def is_kept(self) -> bool:
        """Whether the lake keeps this run, as it does of every night.

        Also where that was written off since: what is said as of T stays as it was. One
        that left out a check which this run asked is another, though it found the same.
        """
        return any(map(self._is_kept_as, self.lake.commits(kind="run")))

    @property
    def is_last_kept(self) -> bool:
        """Whether it can be read, and no run after it found something else at T.

        By that later ones would go: such settings may have been tried.
        """
        runs = [
            each
            for each in standing(self.lake.commits())
            if each.kind == "run" and each.as_of == self.as_of
        ]
        return any(map(self._is_kept_as, runs)) and self._found_as(runs[-1])

    def _is_kept_as(self, run: Commit) -> bool:
        """Tell whether a run of the lake found the same, and asked as much."""
        disabled = {*self.settings.checks.disabled}
        return self._found_as(run) and left_out(run) <= disabled

    def _found_as(self, run: Commit) -> bool:
        """Tell whether a run of the lake found the same."""
        return bool(run.certificate.get("run_id") == self.run_id)

    @property
    def newest_commit(self) -> str:
        """The id of the newest commit that it read; empty where there was none.

        A lake that lacks it is not the one that was read, or is an older state of it.
        """
        return self._commits[-1].id if self._commits else ""

    def table(self, model: str) -> pa.Table:
        """Return the rows of any model; UsageError if there is none of that name."""
        return self.engine.table(model)

    def sql(self, query: str, **parameters: Any) -> pa.Table:
        """Answer a query over models; `$name` in it takes the parameter `name`."""
        return self.engine.query(query, **parameters)

    def stream(self, query: str, order: Sequence[str] = ()) -> Iterator[pa.Table]:
        """Yield a query's rows in parts, sorted; no other query before their end."""
        return self.engine.stream(query, order)

    def exit_code(self) -> ExitCode:
        """Return 3 where data is incomplete, 1 where breaks block, else 0."""
        if not self.complete:
            return ExitCode.INCOMPLETE
        severities = self.breaks["severity"].to_pylist()
        statuses = self.breaks["status"].to_pylist()
        blocking = any(
            status == OPEN and severity in BLOCKING
            for severity, status in zip(severities, statuses, strict=True)
        )
        return ExitCode.BREAKS_OPEN if blocking else ExitCode.CLEAN

    def close(self) -> None:
        """Close the engine, if it was opened."""
        while self._opened:
            self._opened.pop().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def _history(self) -> History:
        not_run = self.settings.checks.disabled
        return read_history(self.lake, self._commits, self._decisions, not_run)

    def _named(self, model: str) -> set[str]:
        """Return the snapshots of a model, as breaks name them."""
        return set(self.engine.table(model)["snapshot_id"].to_pylist())

    @cached_property
    def _narrow(self) -> Findings | None:
        """What a run over what was left outstanding finds; None where all is read.

        What else is asked of the engine goes on from the same roll-forward.
        """
        if not isinstance(self.engine, DuckEngine):
            return None
        findings = find_narrowly(self.lake, self.engine)
        if findings is not None:
            self.engine.add(findings.models())
        return findings


def _digest(rows: Sequence[Row]) -> str:
    """Return the SHA-256 of the rows as one JSON array, of which none is held whole."""
    digest = hashlib.sha256(b"[")
    for number, row in enumerate(rows):
        values = msgspec.json.encode([str(value) for value in row.values()])
        digest.update(b"," + values if number else values)
    digest.update(b"]")
    return digest.hexdigest()


def source_states(commits: Sequence[Commit]) -> dict[str, SourceState]:
    """Return how each source was last pulled, by name."""
    newest: dict[str, Commit] = {}
    swept: dict[str, datetime] = {}
    for commit in commits:
        if commit.kind == "pull":
            newest[commit.source] = commit
            if commit.complete and commit.whole:
                swept[commit.source] = commit.committed_at
    return {
        source: SourceState(
            **{name: commit.counts.get(name, 0) for name in _COUNTS},
            complete=commit.complete,
            partial=commit.complete and not commit.whole,
            read_at=commit.committed_at,
            last_whole_sweep=swept.get(source),
            error=commit.error,
            certificate=commit.certificate,
        )
        for source, commit in sorted(newest.items())
    }
