"""Reports of earlier nights, held against the lake: what it lacks of what they tell.

An older copy of a lake that was put back reads as whole, and an empty place as a lake
that nobody began; only what lies outside of it can tell. So can the reports of another
lake that were written to the same place.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from recon.durability import write_durably
from recon.errors import UsageError
from recon.lake import Lake
from recon.settings import Settings
from recon.times import business_date, format_instant
from recon.wording import counted, listed, reason_of

REMEDY = (
    "if an older copy of the lake was put back: import, decide and close again what "
    "was done since; if two lakes share reports.path: give each one its own. Each "
    "night says so until what is named here is moved out of reports.path"
)
"""What to do about reports that the lake knows nothing of."""

LOST_RUN = (
    "recon doctor --restore FOLDER, with a copy of the lake, tells what else is lost"
)
"""What to do where the newest report's run is lost."""

EMPTY_PLACE = (
    "is it the right place, and mounted? To begin anew, move those reports away"
)
"""What to ask and do where the lake is somewhere else."""

_MOST = 1_100
"""So many summaries are looked at, the newest days' first: three years of nights."""

_DIGITS = 12
_UNREADABLE = (OSError, ValueError, TypeError, KeyError, RecursionError)


@dataclass(frozen=True, order=True)
class _Report:
    """What a summary.json says of the lake that it was made of."""

    as_of: str
    path: Path
    newest_commit: str  # empty in reports of earlier releases, and of an empty lake
    sweeps: tuple[tuple[str, str], ...]  # by source, when it was last read whole
    is_whole: bool  # of no period: it tells every break
    kept_run: str  # the run's id where the lake kept it, as of every night


def unknown(settings: Settings, lake: Lake) -> str | None:
    """Say so where reports rest on a pull or another commit that the lake lacks.

    Every report of a lake names the newest commit that it read, whoever wrote it and
    as of whatever time; one of an earlier release only when each source was last read
    whole. None where there is no such report among those that can be read.
    """
    known = _known(lake)
    found = [
        (report, lacking)
        for report in sorted(_reports(settings.reports_path), reverse=True)
        if (lacking := _lacking(report, known))
    ]
    if not found:
        return None
    (newest, lacking), *others = found
    told = f"{newest.path} (of {newest.as_of}) rests on {lacking}, which this lake "
    told += "does not hold"
    if not others:
        return told
    paths = listed([str(report.path) for report, _ in others])
    return f"{told}; nor what {counted(len(others), 'further report')} had: {paths}"


def without_run(
    settings: Settings, lake: Lake, before: datetime | None = None
) -> str | None:
    """Say so where the newest report (before an instant) is of a run that was lost.

    A run is the last that a night commits: without its record the lake reads as whole,
    and what it found first is new once more. Older reports are not looked at, so that
    one night tells of it.
    """
    until = before and format_instant(before)
    reports = _reports(settings.reports_path)
    newest = max(
        (each for each in reports if not until or each.as_of < until), default=None
    )
    runs = {run.certificate.get("run_id") for run in lake.commits(kind="run")}
    if newest is None or not newest.kept_run or newest.kept_run in runs:
        return None
    return (
        f"{newest.path} (of {newest.as_of}) is of the run {newest.kept_run}, which "
        "this lake does not hold: what that found first is told as new once more"
    )


def told_until(settings: Settings, lake: Lake, as_of: datetime) -> str:
    """Return the instant of the newest report of this lake before `as_of`.

    What was first seen after it was told to nobody: a run may have been kept whose
    report found no room. Reports of a period leave breaks out, and are passed over.
    Empty, which is before all instants, where nothing was reported yet.
    """
    known, before = _known(lake), format_instant(as_of)
    told = (
        each.as_of
        for each in _reports(settings.reports_path)
        if each.is_whole and each.as_of < before and not _lacking(each, known)
    )
    return max(told, default="")


def keep(
    settings: Settings, lake: Lake, as_of: datetime, *, of_period: bool = False
) -> bool:
    """Keep aside what the report of this instant would replace of such reports.

    A folder has the reports of one date: without this, the next night of the date that
    an older lake was put back on would take the only sign of it away. A report of a
    period, or as of an earlier time, would take that away of what was told, so a whole
    one that it replaces is kept, too; returns whether it does. Raises UsageError where
    it cannot be written.
    """
    day = business_date(as_of, settings.business.timezone).isoformat()
    path = settings.reports_path / day / "summary.json"
    if not lake.commits():  # it was begun anew
        return False
    try:
        found = _read(path)
    except _UNREADABLE:
        return False
    tells_less = of_period or format_instant(as_of) < found.as_of
    narrows = found.is_whole and tells_less
    if not (narrows or _lacking(found, _known(lake))):
        return False
    try:
        content = path.read_bytes()
        name = f"summary-{hashlib.sha256(content).hexdigest()[:_DIGITS]}.json"
        write_durably(path.with_name(name), content)
    except OSError as error:
        told = f"reports.path: {path.parent} cannot be written: {reason_of(error)}"
        raise UsageError(told) from None
    return narrows


def lost(settings: Settings, lake: Lake) -> str | None:
    """Tell a lake that is somewhere else from one that nobody began yet.

    A run over its empty place would know of no import, balance or decision. Reports of
    today alone are those of a lake that was begun anew; those of runs that this lake
    holds are its own, of nights before any product or file was there.
    """
    if any(commit.kind != "run" for commit in lake.commits()):
        return None
    reports = settings.reports_path
    runs = {run.certificate.get("run_id") for run in lake.commits(kind="run")}
    own = {each.path for each in _reports(reports) if each.kept_run in runs}
    others = {path.parent.name for path in {*reports.glob("[!.]*/summary.json")} - own}
    today = business_date(lake.now(), settings.business.timezone).isoformat()
    if not any(day < today for day in others):
        return None
    return (
        f"lake.path: {lake.place} holds nothing, but {reports} has reports up to "
        f"{max(others)}"
    )


def refuse_lost(settings: Settings, lake: Lake) -> None:
    """Raise UsageError where the lake is `lost`."""
    if told := lost(settings, lake):
        raise UsageError(f"{told}: {EMPTY_PLACE}")


def _known(lake: Lake) -> set[tuple[str, str]]:
    """Return what reports may name: pulls by source and time, commits by their id."""
    pulls, commits = lake.commits(kind="pull"), lake.commits()
    swept = {(each.source, format_instant(each.committed_at)) for each in pulls}
    return swept | {("", each.id) for each in commits}


def _lacking(report: _Report, known: set[tuple[str, str]]) -> str | None:
    """Name a pull or a commit that a report rests on and that is not known."""
    for name, at in report.sweeps:
        if (name, at) not in known:
            return f"a pull of {name} of {at}"
    newest = report.newest_commit
    return f"the commit {newest}" if newest and ("", newest) not in known else None


def _reports(folder: Path) -> Iterator[_Report]:
    """Yield what each report says, of the newest days; drafts are hidden."""
    shown = sorted(folder.glob("[!.]*/summary*.json"), reverse=True)
    for path in shown[:_MOST]:
        with suppress(*_UNREADABLE):
            yield _read(path)


def _read(path: Path) -> _Report:
    said = json.loads(path.read_bytes())
    return _Report(
        as_of=str(said["as_of"]),
        path=path,
        newest_commit=str(said.get("newest_commit") or ""),
        sweeps=tuple(_sweeps(dict(said["sources"]))),
        is_whole=not any(dict(said.get("period") or {}).values()),
        kept_run=str(said["run_id"]) if said.get("run_kept") is True else "",
    )


def _sweeps(sources: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, said in sorted(sources.items()):
        at = said.get("last_whole_sweep") if isinstance(said, dict) else None
        if at:
            yield name, str(at)
