"""The report of a run that a night kept and then did not come to write.

A break that is gone is told by one report: that of the run that no longer found it. So
a night leaves a sign before its run, hidden in `reports.path` (in the lake's folder
where that cannot be written, nor then the report), and takes it away when it has
written and announced what that found. Where the next one finds the sign, and a
run behind it, it announces what was not, and writes the report that is missing, last of
all: what ended the one night may end the other, too.
"""

import contextlib
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import msgspec

from recon.durability import make_folders, sync_folder, write_durably
from recon.errors import ReconError, UsageError
from recon.lake import Lake
from recon.lake.private_files import write_private
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
_MOST_TRIES = 3

_Instant = Annotated[datetime, msgspec.Meta(tz=True)]


class Owed(msgspec.Struct, frozen=True):
    """What earlier nights did not come to, by the instants of their runs."""

    reports: tuple[_Instant, ...] = ()
    """Those whose report is still to be written."""
    untold: _Instant | None = None
    """The first of those that were announced to nobody."""
    tries: int = 0
    """How many nights ended while they wrote these reports."""

    def news_before(self, as_of: datetime) -> datetime:
        """Return the first of the runs that a night as of then announces."""
        return min(as_of, self.untold or as_of)


class _Sign(msgspec.Struct, frozen=True):
    """What a night leaves; `after` is the commit before its run, if one may follow.

    What that found first is news, but where the night is as of an earlier time.
    """

    lake: str
    after: str | None
    is_news: bool
    owed: Owed


def journal_from(settings: Settings, as_of: datetime) -> date | None:
    """Return with what business date a night's long reports begin; None: at once."""
    days = settings.reports.journal_days
    night = business_date(as_of, settings.business.timezone)
    return night - timedelta(days=days - 1) if days else None


def promise(settings: Settings, lake: Lake, known: Owed, *, is_news: bool) -> None:
    """Leave the sign that a run may follow whose report is still to be written."""
    newest = lake.commits()[-1:]
    after = newest[0].id if newest else ""
    _leave(settings, lake, _Sign(lake.place, after, is_news, known))


def announced(settings: Settings, lake: Lake, known: Owed, as_of: datetime) -> Owed:
    """Take the sign away: the night has its report, and told it; returns the rest.

    A report as of an earlier time tells nothing of what was found after it.
    """
    is_later = known.untold is not None and known.untold > as_of
    rest = msgspec.structs.replace(known, untold=known.untold if is_later else None)
    _leave(settings, lake, _Sign(lake.place, None, False, rest))
    return rest


def owed(settings: Settings, lake: Lake) -> Owed:
    """Return what nights did not come to.

    Nothing where every night came to its end, and where the sign is that of another
    lake.
    """
    sign = _found(_spare(lake)) or _found(_sign(settings))
    if sign is None or sign.lake != lake.place:
        return Owed()
    if sign.after is None:
        return sign.owed
    numbers = {"": 0} | {each.id: each.sequence for each in lake.commits()}
    if sign.after not in numbers:
        return Owed()
    for run in lake.commits(kind="run"):
        if run.as_of and run.sequence > numbers[sign.after]:
            return _with_run(settings, sign.owed, run.as_of, is_news=sign.is_news)
    return sign.owed


def _with_run(
    settings: Settings, known: Owed, as_of: datetime, *, is_news: bool
) -> Owed:
    """Add the run of a night that was killed, which may have come to its report."""
    if is_news:
        first = known.news_before(as_of)
        known = msgspec.structs.replace(known, untold=first)
    is_written = _as_of(_folder(settings, as_of)) == format_instant(as_of)
    if is_written or as_of in known.reports:
        return known
    reports = sorted({*known.reports, as_of})
    return msgspec.structs.replace(known, reports=tuple(reports), tries=0)


def make_good(settings: Settings, lake: Lake, missing: Owed) -> list[str]:
    """Write the reports of such runs that have none; returns a line for each.

    They are given up after some nights that ended meanwhile: none would come to its
    end any more.
    """
    if not missing.reports:
        return []
    tried = msgspec.structs.replace(missing, tries=missing.tries + 1)
    _leave(settings, lake, _Sign(lake.place, None, False, tried))
    is_hopeless = tried.tries > _MOST_TRIES
    lines = [
        line
        for each in missing.reports
        for line in _made_good(settings, lake, each, is_hopeless=is_hopeless)
    ]
    _leave(settings, lake, _Sign(lake.place, None, False, Owed(untold=missing.untold)))
    return lines


def _made_good(
    settings: Settings, lake: Lake, missing: datetime, *, is_hopeless: bool
) -> list[str]:
    """Write a report into the folder of its own date.

    Where a later one is there, what it told of breaks that are gone is kept aside
    instead: breaks-<run_id>.csv.
    """
    folder = _folder(settings, missing)
    there, wanted = _as_of(folder), format_instant(missing)
    if there == wanted:
        return []
    do = f"try recon report --as-of {wanted}"
    told = f"the run of {wanted} had no report, as its night did not come to its end"
    if is_hopeless:
        return [f"{told}, and nights ended while it was written: {do}"]
    try:
        with reconcile(lake, settings, as_of=missing, dry_run=True) as result:
            if there and there > wanted:
                return _gone_aside(settings, result, folder, told)
            found = restatements(result)
            write(
                result,
                settings,
                journal_from=journal_from(settings, missing),
                restated=by_period(found),
                before=lambda: keep(settings, lake, missing),
            )
            place_or_remove(found, folder)
    except ReconError as error:
        return [f"{told}, and it cannot be written now ({error}): {do}"]
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


def _leave(settings: Settings, lake: Lake, sign: _Sign) -> None:
    """Leave a sign in place of the one before, or none where it would say nothing.

    Where it cannot be left with the reports it is left in the lake's folder, and
    counts before one that could not be taken away; where nowhere, no run is kept.
    """
    says_nothing = sign.after is None and sign.owed == Owed()
    content = b"" if says_nothing else msgspec.json.encode(sign)
    path, spare = _sign(settings), _spare(lake)
    try:
        make_folders(path.parent)
        _place(path, content)
    except OSError:
        with contextlib.suppress(OSError):
            _place(spare, msgspec.json.encode(sign))
    else:
        with contextlib.suppress(OSError):
            _place(spare, b"")


def _place(path: Path, content: bytes) -> None:
    """Write a sign durably, or take it away where it would be empty."""
    if content:
        draft = path.with_name(f"{_SIGN}.draft")
        write_private(draft, content)
        draft.replace(path)
    elif path.exists():
        path.unlink()
    else:
        return
    sync_folder(path.parent)


def _found(path: Path) -> _Sign | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Sign)
    except (OSError, ValueError, RecursionError):
        return None


def _sign(settings: Settings) -> Path:
    return settings.reports_path / _SIGN


def _spare(lake: Lake) -> Path:
    return lake.root / _SIGN


def _folder(settings: Settings, as_of: datetime) -> Path:
    """Return where the report of an instant is."""
    day = business_date(as_of, settings.business.timezone)
    return settings.reports_path / day.isoformat()


def _as_of(folder: Path) -> str | None:
    """Return of what instant the report in a folder is; None where there is none."""
    try:
        said: Any = msgspec.json.decode((folder / "summary.json").read_bytes())
        return str(said["as_of"])
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
