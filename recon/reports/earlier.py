"""Reports of earlier nights, held against the lake: what it lacks of their pulls.

An older copy of a lake that was put back reads as whole; only what lies outside of it
can tell. So can the reports of another lake that were written to the same place.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recon.lake import Lake
from recon.settings import Settings
from recon.times import format_instant

REMEDY = (
    "if an older copy of the lake was put back: import, decide and close again what "
    "was done since; if two lakes share reports.path: give each one its own"
)
"""What to do about reports that the lake knows nothing of."""


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


def _summaries(folder: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield when each report speaks of, its path, and its sources."""
    for path in folder.glob("*/summary.json"):
        try:
            said = json.loads(path.read_bytes())
            yield str(said["as_of"]), str(path), dict(said["sources"])
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            continue
