"""One run: every check over the lake as it was known at T, kept as a commit."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

import msgspec
import pyarrow as pa

from recon import log
from recon.errors import ExitCode, UsageError
from recon.lake import Commit, Lake
from recon.lake.parts import DERIVED
from recon.reconcile.breaks import (
    OPEN,
    Decisions,
    Row,
    identified,
    read_decisions,
    read_history,
    with_life,
)
from recon.reconcile.engines.choosing import AnyEngine, EngineName
from recon.reconcile.engines.duckdb import DuckEngine
from recon.reconcile.findings import Findings, find
from recon.reconcile.narrowing import find_narrowly
from recon.reconcile.opening import open_engine
from recon.settings import Settings
from recon.times import format_instant

_BLOCKING = ("critical", "error")
_RUN_ID_DIGITS = 12
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


@dataclass(frozen=True)
class Result:
    """A finished run. A context manager: it holds the engine for further questions.

    `breaks` and `rollforward` have exactly the columns of their reports, sorted; they
    are made of `findings`, by a run over everything or, where `is_whole` is false, over
    what an earlier one left outstanding.
    """

    run_id: str
    as_of: datetime
    complete: bool
    sources: dict[str, SourceState]
    breaks: pa.Table
    rollforward: pa.Table
    lake: Lake
    engine: AnyEngine
    findings: Findings
    is_whole: bool

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
            status == OPEN and severity in _BLOCKING
            for severity, status in zip(severities, statuses, strict=True)
        )
        return ExitCode.BREAKS_OPEN if blocking else ExitCode.CLEAN

    def close(self) -> None:
        """Close the engine."""
        self.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def reconcile(
    lake: Lake,
    settings: Settings,
    *,
    as_of: datetime | None = None,
    dry_run: bool = False,
    engine: EngineName = "duckdb",
) -> Result:
    """Run every check over the lake as it was known at T (now), and keep the run.

    The same T over the same lake gives the same result on every engine, and is kept
    once. With `dry_run` nothing is written. Raises UsageError for a T in the future,
    or an engine that cannot be reached.
    """
    with log.timed("reconcile", engine=engine, dry_run=dry_run) as told:
        result = _reconciled(lake, settings, as_of, dry_run, engine)
        breaks = result.breaks.num_rows
        told |= {"run_id": result.run_id, "as_of": format_instant(result.as_of)}
        told |= {"complete": result.complete, "breaks": breaks}
        told["whole"] = result.is_whole
        return result


def _reconciled(
    lake: Lake,
    settings: Settings,
    as_of: datetime | None,
    dry_run: bool,
    engine: EngineName,
) -> Result:
    """Run every check; once more where something was committed meanwhile."""
    at = _instant(lake, as_of)
    while True:
        commits = counted_commits(lake, at)
        decisions = read_decisions(lake, at)
        result, rows = _result(lake, settings, at, commits, decisions, engine)
        if dry_run:
            return result
        try:
            _keep(lake, result, rows)
        except BaseException:
            result.close()
            raise
        if _read_of(counted_commits(lake, at)) == _read_of(commits):
            return result
        result.close()  # something was committed up to T while this ran: once more


def last_result(
    lake: Lake, settings: Settings, *, as_of: datetime | None = None
) -> Result:
    """Return what the last run found (or one at T), with the decisions made since.

    Writes nothing. Without a run, the lake is looked at as it is now.
    """
    runs = [run.as_of for run in lake.commits(kind="run") if run.as_of]
    at = _instant(lake, max(runs) if runs and as_of is None else as_of)
    decisions = read_decisions(lake, lake.now() if as_of is None else at)
    return _result(lake, settings, at, counted_commits(lake, at), decisions)[0]


def counted_commits(lake: Lake, as_of: datetime) -> list[Commit]:
    """Return the commits that a run at T reads.

    None that brings nothing, as a compaction does. Of runs, those that speak of an
    earlier instant, and were there before the first run at T: so a repetition reads
    what the first one read.
    """
    visible = [each for each in lake.commits(as_of) if each.kind not in DERIVED]
    same = [run.sequence for run in lake.commits(kind="run") if run.as_of == as_of]
    return [
        commit
        for commit in visible
        if commit.kind != "run"
        or (
            commit.as_of is not None
            and commit.as_of < as_of
            and commit.sequence < min(same, default=commit.sequence + 1)
        )
    ]


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


def _result(
    lake: Lake,
    settings: Settings,
    at: datetime,
    commits: Sequence[Commit],
    decisions: Decisions,
    name: EngineName = "duckdb",
) -> tuple[Result, list[Row]]:
    engine = open_engine(lake, settings, at, commits, name)
    try:
        findings, is_whole = _found(lake, engine)
        rows = identified(findings.breaks, settings.business.timezone)
        sources = source_states(commits)
        history = read_history(lake, commits, decisions)
        result = Result(
            run_id=_run_id(at, commits, rows),
            as_of=at,
            complete=all(state.complete for state in sources.values()),
            sources=sources,
            breaks=with_life(rows, history, at),
            rollforward=_rollforward(findings.rollforward),
            lake=lake,
            engine=engine,
            findings=findings,
            is_whole=is_whole,
        )
    except BaseException:
        engine.close()
        raise
    return result, rows


def _instant(lake: Lake, as_of: datetime | None) -> datetime:
    now = lake.now()
    if as_of is not None and as_of > now:
        raise UsageError(
            f"--as-of {format_instant(as_of)} is in the future: now is "
            f"{format_instant(now)}"
        )
    return (as_of or now).astimezone(UTC)


def _found(lake: Lake, engine: AnyEngine) -> tuple[Findings, bool]:
    """Return what the checks find, and whether everything was read for it.

    What else is asked of the engine goes on from the same roll-forward.
    """
    if isinstance(engine, DuckEngine):
        findings = find_narrowly(lake, engine)
        if findings is not None:
            engine.add(findings.models())
            return findings, False
    return find(engine), True


def _rollforward(found: pa.Table) -> pa.Table:
    """Return the roll-forward under the names of its report."""
    table = found.drop_columns(["detail"])
    names = [name.removesuffix("_rial") for name in table.column_names]
    return table.rename_columns(names).sort_by(
        [("wallet", "ascending"), ("to_at", "ascending")]
    )


def _run_id(at: datetime, commits: Sequence[Commit], rows: Sequence[Row]) -> str:
    """Return the id of a run: of T, of what it read and of what it found."""
    newest = max((c.id for c in commits if c.kind != "run"), default="")
    found = msgspec.json.encode([[str(row[name]) for name in row] for row in rows])
    text = "|".join([at.isoformat(), newest, hashlib.sha256(found).hexdigest()])
    return hashlib.sha256(text.encode()).hexdigest()[:_RUN_ID_DIGITS]


def _keep(lake: Lake, result: Result, rows: Sequence[Row]) -> None:
    """Commit the run, unless it is there already."""
    kept = {run.certificate.get("run_id") for run in lake.commits(kind="run")}
    if result.run_id in kept:
        return
    name: dict[str, Any] = {"run_id": result.run_id, "as_of": result.as_of}
    with lake.begin("run", "reconcile") as writing:
        writing.rows("runs", [name | {"complete": result.complete}])
        writing.rows("run_breaks", [row | name for row in rows])
        writing.commit(
            complete=result.complete,
            counts={"breaks": len(rows)},
            certificate={"run_id": result.run_id},
            as_of=result.as_of,
        )


def _read_of(commits: Sequence[Commit]) -> list[str]:
    return [commit.id for commit in commits]
