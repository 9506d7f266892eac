"""The whole night in one call: pull, reconcile, report, notify, under one lock.

What the receiver of events was delivered is taken into the lake first, so that what it
names is read again, and once more when all is read; last of all, what a whole run
cleared is kept, so that later runs need not read it, and the lake is compacted where
its history has become long.

Called by `recon nightly` and by the demo. Safe to kill and to repeat: each step
commits or leaves nothing, and the next night goes on from what was committed, and at
its end writes the report that a killed one did not come to. Where a closed period says
something else than at its closing, restatements.csv is among the files, as its own
report.
"""

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from recon import log
from recon.errors import Ended, ExitCode, LakeError, ReconError, UsageError
from recon.imports.delivered import UNDELIVERED, take_deliveries, undelivered
from recon.lake import Lake
from recon.lake.compaction import compact
from recon.lake.lock import run_lock
from recon.notify import notify, notify_failure
from recon.pull.runner import Progress, PullReport, pull, refuse_strangers
from recon.pull.unjournaled import REMEDY, of_journal, unjournaled
from recon.reconcile.clearing import clearing
from recon.reconcile.engines.duckdb import DuckEngine
from recon.reconcile.restatements import given_up, restatements
from recon.reconcile.result import Result
from recon.reconcile.run import reconcile
from recon.reports import earlier, unwritten
from recon.reports.restatements import NAME, by_period, place_or_remove, sentences
from recon.reports.summary import summary
from recon.reports.writing import write
from recon.settings import Settings
from recon.times import format_instant

_NEW = "{place} was empty before: this night knows of no earlier one, nor of imports"
_OLDER = (
    "Earlier reports rest on what the lake does not hold: was an older copy of it put "
    "back? Ask `recon doctor`."
)
_RUN_LOST = (
    "The lake does not hold the run of the last report, so that its breaks may be told "
    "as new once more: were files of it lost? Ask `recon doctor`."
)
_SET_BACK = (
    "The lake's newest commit is in the future by the machine's clock: was that set "
    "back? Ask `recon doctor`."
)
_UNJOURNALED = (
    "The journal lacks deposits that the lake has of it: was it lost, or an older copy "
    "put back? Send nothing again before you asked `recon doctor`."
)
_UNDELIVERED = (
    "The journal that events were taken from is gone, and with it what it received "
    "since: was it lost, or an older copy put back? Ask `recon doctor`."
)
_ENDINGS: dict[int, str] = {
    signal.SIGTERM: "the system ended it (SIGTERM), by a time-out or for a shutdown",
    signal.SIGHUP: "the terminal it ran in was closed (SIGHUP)",
}
"""What ends a process from outside, and how it is told."""


@dataclass(frozen=True)
class Night:
    """What a night ended with: its pull, its breaks, summary.json, the files.

    `summary` and `files` speak of T, `exit_code` also of the pull: it is 3 where a
    source failed just now, whatever T knew. `notices` are lines for people: that,
    reports of what the lake does not hold, a journal that lost deposits or events, a
    clock that was set back, a lake that is new, what was restated, announcements that
    failed, which fail no night, and a missing report of an earlier one. `alarms` are
    those of them that silence does not silence: losses and sources that failed just
    now, of which the report of T tells nothing, which are announced, too, and
    announcements that failed, which nobody else tells of.
    """

    pull: PullReport
    breaks: pa.Table
    summary: dict[str, Any]
    files: dict[str, Path]
    exit_code: ExitCode
    notices: list[str]
    alarms: list[str] = field(default_factory=list)


def run(
    settings: Settings,
    lake: Lake,
    *,
    as_of: datetime | None = None,
    full: bool = False,
    progress: Progress | None = None,
) -> Night:
    """Run a night; with `as_of` it pulls as ever and reports what was known then.

    Raises LockHeld if another run is at work, UsageError as `refuse` says. A source
    that fails makes the night incomplete, never stops it. Whatever stops it is
    announced at `notify.urls`.
    """
    with announced(settings) as placed:
        return _run(settings, lake, placed, as_of=as_of, full=full, progress=progress)


@dataclass
class Placed:
    """The folder of a night's report, once it is there."""

    folder: Path | None = None


@contextmanager
def announced(settings: Settings) -> Iterator[Placed]:
    """Announce at `notify.urls` whatever error ends the night, and let it go on.

    So it does where the system ends the process (SIGTERM: a time-out, a shutdown;
    SIGHUP: a terminal that was closed), which is then ended as ever. What is said of
    the report is what was placed by then.
    """
    placed = Placed()
    with _told_to_end(lambda error: _announce(settings, error, placed)):
        try:
            yield placed
        except Exception as error:
            _announce(settings, error, placed)
            raise


@contextmanager
def _told_to_end(announce: Callable[[Exception], None]) -> Iterator[None]:
    """Call this before a signal ends the process, unless somebody else hears of it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours = [each for each in _ENDINGS if signal.getsignal(each) is signal.SIG_DFL]

    def let_go() -> None:
        for each in ours:
            signal.signal(each, signal.SIG_DFL)

    def end(number: int, _: object) -> None:
        let_go()  # another one waits for nothing
        announce(Ended(_ENDINGS[number]))
        os.kill(os.getpid(), number)

    for each in ours:
        signal.signal(each, end)
    try:
        yield
    finally:
        let_go()


def _announce(settings: Settings, error: Exception, placed: Placed) -> None:
    for told in notify_failure(settings, error, placed.folder):
        log.note("notify.failed", logging.WARNING, reason=told)


def _run(
    settings: Settings,
    lake: Lake,
    placed: Placed,
    *,
    as_of: datetime | None,
    full: bool,
    progress: Progress | None,
) -> Night:
    with (
        log.run(),
        log.timed("night", full=full) as told,
        _begun(settings, lake, as_of),
    ):
        is_new = not lake.commits()
        owed = unwritten.owed(settings, lake)
        gone = undelivered(settings, lake)
        log.note("deliveries.taken", count=take_deliveries(settings, lake))
        pulled = pull(settings, lake, full=full, progress=progress)
        # Else what began while lists were read would lack its events for a night.
        log.note("deliveries.taken", count=take_deliveries(settings, lake))
        unwritten.promise(settings, lake, owed, is_news=as_of is None)
        with reconcile(lake, settings, as_of=as_of) as result:
            first_news = owed.news_before(result.as_of)
            since = earlier.told_until(settings, lake, first_news)
            lost = earlier.without_run(settings, lake, result.as_of)

            def keep_replaced() -> None:
                if not is_new:
                    earlier.keep(settings, lake, result.as_of)

            with log.timed("reports"):
                first = unwritten.journal_from(settings, result.as_of)
                found = restatements(result)
                restated = by_period(found)
                files = write(
                    result,
                    settings,
                    journal_from=first,
                    restated=restated,
                    before=keep_replaced,
                )
            folder = placed.folder = files["summary.json"].parent
            alarms = _alarms(settings, lake, lost, gone, is_new=is_new)
            notices = [*alarms.values(), *_restated(found, files, given_up(result))]
            code = result.exit_code() if pulled.complete else ExitCode.INCOMPLETE
            failed = _failed_now(pulled, result) if as_of else []
            notices += failed
            notices += [] if as_of else _stuck(pulled, result)
            notices += [_NEW.format(place=lake.place)] if is_new else []
            figures = summary(result, first, restated)
            unheard = notify(
                settings,
                figures,
                folder,
                alarms=[*alarms],
                failed=[*_unread(pulled)] if as_of else [],
                news=result.news(since),
            )
            notices += unheard
            owed = unwritten.announced(settings, lake, owed, result.as_of)
            notices += _cleared(lake, result)
        notices += _compacted(settings, lake)
        notices += unwritten.make_good(settings, lake, owed)
        told |= {"exit_code": int(code), "notices": len(notices)}
        loud = [*alarms.values(), *failed, *unheard]
        return Night(pulled, result.breaks, figures, files, code, notices, loud)


@contextmanager
def _begun(settings: Settings, lake: Lake, as_of: datetime | None) -> Iterator[None]:
    """Hold the lake's run lock, but for a night that is refused: that makes nothing."""
    refuse(settings, lake, as_of)
    with run_lock(lake):
        yield


def refuse(settings: Settings, lake: Lake, as_of: datetime | None = None) -> None:
    """Raise UsageError where a night would be refused before anything is asked.

    That is an `as_of` in the future, a lake that holds nothing though there are reports
    of earlier nights, and one that holds records of another provider or business.
    """
    if as_of is not None and as_of > lake.now():
        raise UsageError("--as-of: that instant is in the future")
    earlier.refuse_lost(settings, lake)
    refuse_strangers(settings, lake)


def _alarms(
    settings: Settings, lake: Lake, lost: str | None, gone: str | None, *, is_new: bool
) -> dict[str, str]:
    """Return what was lost, as it is told here, by how it is announced elsewhere.

    What leaves the machine names no record and no place. `lost` tells of a lost run,
    `gone` of a lost journal of events. Deposits are what earlier nights took from the
    journal, and it lacks now. A new lake is told as such.
    """
    strange = None if is_new else earlier.unknown(settings, lake)
    run = None if is_new or strange else lost
    lacking = unjournaled(settings, of_journal(lake))
    found = {
        _OLDER: strange and f"{strange}; {earlier.REMEDY}",
        _RUN_LOST: run and f"{run}; {earlier.LOST_RUN}",
        _SET_BACK: _of_clock(settings, lake),
        _UNJOURNALED: lacking and f"{lacking}; {REMEDY}",
        _UNDELIVERED: gone and f"{gone}; {UNDELIVERED}",
    }
    return {announced: told for announced, told in found.items() if told}


def _of_clock(settings: Settings, lake: Lake) -> str | None:
    """Say so where the lake's present lies in the future of this machine's clock."""
    newest = lake.commits()[-1].committed_at
    if not lake.is_ahead(newest, settings.checks.clock_skew):
        return None
    return (
        f"the newest commit is of {format_instant(newest)}, which is in the future by "
        "this machine's clock: until then nights are dated by it, ages are too high, "
        "and every list is read whole; set the clock, and see recon doctor"
    )


def _cleared(lake: Lake, result: Result) -> list[str]:
    """Keep what a whole run cleared, where that saves later ones time."""
    engine, findings = result.engine, result.findings
    if not (result.is_whole and result.complete and isinstance(engine, DuckEngine)):
        return []
    try:
        if clearing.is_due(lake):
            with log.timed("clearing") as told:
                told["kept"] = clearing.clear(lake, engine, findings) is not None
    except ReconError as error:
        return [f"nothing was cleared, and the next run reads everything: {error}"]
    return []


def _compacted(settings: Settings, lake: Lake) -> list[str]:
    """Compact the lake where that is due; the night has its report either way."""
    try:
        with log.timed("compaction") as told:
            commit = compact(lake, settings.engine)
            told["tables"] = len(commit.counts) if commit else 0
    except LakeError as error:
        return [f"the lake was not compacted, and reads as before: {error}"]
    return []


def _restated(
    found: pa.Table, files: dict[str, Path], given_up: Sequence[str]
) -> list[str]:
    """Put restatements.csv among a night's files where there is one; say so.

    And where it has nothing of a period, as its figures were written off.
    """
    path = place_or_remove(found, files["summary.json"].parent)
    if path is not None:
        files[NAME] = path
    return sentences(found, given_up)


def _stuck(pulled: PullReport, result: Result) -> list[str]:
    """Say what would make a source whole that failed once and is read no more.

    It is never taken for whole by itself: records of it may be missing.
    """
    skipped = {
        each.source: each.error for each in pulled.sources if each.status == "skipped"
    }
    return [
        f"{name} stays incomplete (exit code 3), since no pull reads it any more "
        f"({skipped[name]}): put that back until it was read whole once"
        for name, state in result.sources.items()
        if not state.complete and name in skipped
    ]


def _failed_now(pulled: PullReport, result: Result) -> list[str]:
    """Tell the pull that failed just now from the report of T, which it left alone."""
    if pulled.complete:
        return []
    failed = [
        f"this pull is incomplete (exit code 3): {name}: {error}"
        for name, error in _unread(pulled).items()
    ]
    whole = "complete" if result.complete else "incomplete"
    report = f"the report of {format_instant(result.as_of)} is {whole}"
    own = f"exit code {int(result.exit_code())} by itself"
    return [*failed, f"{report} ({own}): it holds what was known then"]


def _unread(pulled: PullReport) -> dict[str, str | None]:
    """Return the sources that failed just now, and why."""
    return {
        each.source: each.error
        for each in pulled.sources
        if each.status == "incomplete"
    }
