"""One run: every check over the lake as it was known at T, kept as a commit."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from recon import log
from recon.errors import UsageError
from recon.lake import Commit, Lake
from recon.lake.parts import DERIVED
from recon.lake.voids import standing, voided
from recon.reconcile.breaks import read_decisions
from recon.reconcile.engines.choosing import EngineName
from recon.reconcile.result import Result
from recon.reconcile.rules import NOT_RUN, rules_of, shipped_queries
from recon.settings import Settings
from recon.times import format_instant


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
    once; again where another one was by other settings since. With `dry_run` nothing is
    written. Raises UsageError for a T in the future, or an engine that cannot be
    reached.
    """
    with log.timed("reconcile", engine=engine, dry_run=dry_run) as told:
        result = _reconciled(lake, settings, as_of, dry_run, engine)
        breaks = result.breaks.num_rows
        told |= {"run_id": result.run_id, "as_of": format_instant(result.as_of)}
        told |= {"complete": result.complete, "breaks": breaks}
        told["whole"] = result.is_whole
        return result


def present_result(
    lake: Lake, settings: Settings, *, as_of: datetime | None = None
) -> Result:
    """Return what a run at T (now) would find; only what is asked for is computed."""
    at = _instant(lake, as_of)
    commits = counted_commits(lake, at)
    return Result(lake, settings, at, commits, read_decisions(lake, at))


def last_result(
    lake: Lake, settings: Settings, *, as_of: datetime | None = None
) -> Result:
    """Return what the last run found (or one at T), with the decisions made since.

    Writes nothing. What the lake keeps of that run is read, unless the rules are other
    ones now: then it is found again. Without a run, the lake is looked at as it is now.
    """
    runs = [run.as_of for run in _standing_runs(lake) if run.as_of]
    at = _instant(lake, max(runs) if runs and as_of is None else as_of)
    decisions = read_decisions(lake, lake.now() if as_of is None else at)
    commits = counted_commits(lake, at)
    if as_of is None:  # no run that was written off since is history any more
        gone = voided(lake.commits())
        commits = [c for c in commits if c.kind != "run" or c.id not in gone]
    kept = _kept(lake, settings, at)
    return Result(lake, settings, at, commits, decisions, kept=kept)


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
        result = Result(lake, settings, at, commits, decisions, engine=engine)
        try:
            _ = result.breaks, result.rollforward
            if not dry_run:
                _keep(lake, settings, result)
        except BaseException:
            result.close()
            raise
        if _read_of(counted_commits(lake, at)) == _read_of(commits):
            return result
        result.close()  # something was committed up to T while this ran: once more


def _instant(lake: Lake, as_of: datetime | None) -> datetime:
    now = lake.now()
    if as_of is not None and as_of > now:
        raise UsageError(
            f"--as-of {format_instant(as_of)} is in the future: now is "
            f"{format_instant(now)}"
        )
    return (as_of or now).astimezone(UTC)


def _keep(lake: Lake, settings: Settings, result: Result) -> None:
    """Commit the run, unless it is there already, as the last one of its instant."""
    if result.is_last_kept:
        return
    name: dict[str, Any] = {"run_id": result.run_id, "as_of": result.as_of}
    with lake.begin("run", "reconcile") as writing:
        writing.rows("runs", [name | {"complete": result.complete}])
        writing.rows("run_breaks", (row | name for row in result.rows))
        writing.commit(
            complete=result.complete,
            counts={"breaks": len(result.rows)},
            certificate={
                "run_id": result.run_id,
                "rules": _rules(settings),
                NOT_RUN: sorted(settings.checks.disabled),
            },
            as_of=result.as_of,
        )


def _kept(lake: Lake, settings: Settings, at: datetime) -> Commit | None:
    """Return the last run at just this instant that went by the rules of now.

    One before it missed what was committed while it looked.
    """
    runs = [run for run in _standing_runs(lake) if run.as_of == at]
    rules = _rules(settings) if runs else ""
    same = [run for run in runs if run.certificate.get("rules") == rules]
    return same[-1] if same else None


def _standing_runs(lake: Lake) -> list[Commit]:
    """Return the runs whose files can be read, but for those that were written off."""
    return [each for each in standing(lake.commits()) if each.kind == "run"]


def _read_of(commits: Sequence[Commit]) -> list[str]:
    return [commit.id for commit in commits]


def _rules(settings: Settings) -> str:
    return rules_of(settings, shipped_queries())
