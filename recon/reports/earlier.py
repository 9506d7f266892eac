"""Reports of earlier nights, held against the lake: what it lacks of their pulls.

An older copy of a lake that was put back reads as whole, and an empty place as a lake
that nobody began; only what lies outside of it can tell. So can the reports of another
lake that were written to the same place.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recon.errors import UsageError
from recon.lake import Lake
from recon.settings import Settings
from recon.times import business_date, format_instant

REMEDY = (
    "if an older copy of the lake was put back: import, decide and close again what "
    "was done since; if two lakes share reports.path: give each one its own"
)
"""What to do about reports that the lake knows nothing of."""

_LOST = (
    "lake.path: {place} holds nothing, but {reports} has reports up to {newest}: is it "
    "the right place, and mounted? To begin anew, move those reports away"
)


def unknown(settings: Settings, lake: Lake) -> str | None:
    """Say so where the newest report rests on a pull that the lake lacks.

    What is compared is when each source was last read whole: a report speaks of no
    other pulls. None where there is no report that can be read.
    """
    found = max(_summaries(settings.reports_path), default=None)
    if found is None:
        return None
    as_of, path, sources = found
    commits = lake.commits(kind="pull")
    known = {(each.source, format_instant(each.committed_at)) for each in commits}
    for name, said in sorted(sources.items()):
        at = said.get("last_whole_sweep") if isinstance(said, dict) else None
        if at and (name, at) not in known:
            return (
                f"{path} (of {as_of}) rests on a pull of {name} of {at}, which this "
                "lake does not hold"
            )
    return None


def refuse_lost(settings: Settings, lake: Lake) -> None:
    """Tell a lake that is somewhere else from one that nobody began yet: UsageError.

    A run over its empty place would know of no import, balance or decision. Reports of
    today alone are those of a lake that was begun anew.
    """
    if any(commit.kind != "run" for commit in lake.commits()):
        return
    reports = settings.reports_path
    found = [path.parent.name for path in reports.glob("*/summary.json")]
    today = business_date(lake.now(), settings.business.timezone).isoformat()
    if any(day < today for day in found):
        told = _LOST.format(place=lake.place, reports=reports, newest=max(found))
        raise UsageError(told)


def _summaries(folder: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield when each report speaks of, its path, and its sources."""
    for path in folder.glob("*/summary.json"):
        try:
            said = json.loads(path.read_bytes())
            yield str(said["as_of"]), str(path), dict(said["sources"])
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            continue
