"""The report of a run that a night kept and then did not come to write.

A break that is gone is told by one report: that of the run that no longer found it. So
a night leaves a sign before its run, hidden in `reports.path`, and takes it away at its
end. Where the next one finds the sign, and a run behind it, it writes the report that
is missing, last of all: what ended the one night may end the other, too.
"""

import contextlib
import json
import secrets
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from recon.errors import ReconError, UsageError
from recon.lake import Lake
from recon.lake.commits import make_folders, sync_folder, write_durably
from recon.reconcile.breaks import GONE
from recon.reconcile.restatements import restatements
from recon.reconcile.result import Result
from recon.reconcile.run import reconcile
from recon.reports.earlier import keep
from recon.reports.periods import Period
from recon.reports.rendering import Rendering
from recon.reports.restatements import by_period, place_or_remove
from recon.reports.writing import write
from recon.settings import Settings
from recon.times import business_date, format_instant
from recon.wording import counted, reason_of

_SIGN = ".night-under-way"
_BREAKS = "breaks.csv"


def journal_from(settings: Settings, as_of: datetime) -> date | None:
    """Return with what business date a night's long reports begin; None: at once."""
    days = settings.reports.journal_days
    night = business_date(as_of, settings.business.timezone)
    return night - timedelta(days=days - 1) if days else None


def promise(settings: Settings, lake: Lake, owed: Sequence[datetime]) -> None:
    """Leave the sign that a run may follow whose report is still to be written.

    `owed` are the runs of which that is known. Where the sign cannot be left, the
    report cannot be written, either, which says so.
    """
    path, newest = _sign(settings), lake.commits()[-1:]
    said = {
        "lake": lake.place,
        "after": newest[0].id if newest else "",
        "owed": [each.isoformat() for each in owed],
    }
    draft = path.with_name(f"{_SIGN}.{secrets.token_hex(4)}")
    with contextlib.suppress(OSError):
        make_folders(path.parent)
        try:
            write_durably(draft, json.dumps(said).encode())
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
        sync_folder(path.parent)


def kept(settings: Settings) -> None:
    """Take the sign away: the night has come to its end."""
    path = _sign(settings)
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)
        sync_folder(path.parent)


def owed(settings: Settings, lake: Lake) -> list[datetime]:
    """Return the instants of runs of nights that did not come to their end.

    Of most of them there is a report. None where every night came to its end, and
    where the sign is that of another lake.
    """
    try:
        said = json.loads(_sign(settings).read_bytes())
        place, after = said["lake"], said["after"]
        known = [datetime.fromisoformat(each) for each in said["owed"]]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return []
    numbers = {"": 0} | {each.id: each.sequence for each in lake.commits()}
    if place != lake.place or after not in numbers:
        return []
    runs = lake.commits(kind="run")
    later = [run.as_of for run in runs if run.as_of and run.sequence > numbers[after]]
    return sorted({*known, *later[:1]})


def make_good(settings: Settings, lake: Lake, missing: Sequence[datetime]) -> list[str]:
    """Write the reports of such runs that have none; returns a line for each."""
    return [line for each in missing for line in _made_good(settings, lake, each)]


def _made_good(settings: Settings, lake: Lake, missing: datetime) -> list[str]:
    """Write a report into the folder of its own date.

    Where a later one is there, what it told of breaks that are gone is kept aside
    instead: breaks-<run_id>.csv.
    """
    day = business_date(missing, settings.business.timezone)
    folder = settings.reports_path / day.isoformat()
    there, wanted = _as_of(folder), format_instant(missing)
    if there == wanted:
        return []
    told = f"the run of {wanted} had no report, as its night did not come to its end"
    try:
        with reconcile(lake, settings, as_of=missing, dry_run=True) as result:
            if there and there > wanted:
                return _gone_aside(settings, result, folder, told)
            keep(settings, lake, missing)
            found = restatements(result)
            first = journal_from(settings, missing)
            write(result, settings, journal_from=first, restated=by_period(found))
            place_or_remove(found, folder)
    except ReconError as error:
        do = f"recon report --as-of {wanted}"
        return [f"{told}, and it cannot be written now ({error}): try {do}"]
    return [f"{told}: it has one now, in {folder}"]


def _gone_aside(
    settings: Settings, result: Result, folder: Path, told: str
) -> list[str]:
    """Keep the breaks of a run aside where some are gone: no other report has these."""
    gone = result.breaks["status"].to_pylist().count(GONE)
    if not gone:
        return []
    path = folder / f"breaks-{result.run_id}.csv"
    content = b""
    with contextlib.closing(Rendering(result, settings, Period()).parts()) as parts:
        for name, part in parts:
            if name == _BREAKS:
                content += part
            elif content:
                break
    try:
        make_folders(folder)
        write_durably(path, content)
        sync_folder(folder)
    except OSError as error:
        reason = reason_of(error)
        raise UsageError(f"reports.path: {path} cannot be written: {reason}") from None
    what = f"what it found gone ({counted(gone, 'break')})"
    return [f"{told}: {what} is in no other, and stands in {path}"]


def _sign(settings: Settings) -> Path:
    return settings.reports_path / _SIGN


def _as_of(folder: Path) -> str | None:
    """Return of what instant the report in a folder is; None where there is none."""
    try:
        said: Any = json.loads((folder / "summary.json").read_bytes())
        return str(said["as_of"])
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
