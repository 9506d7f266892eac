"""What a pull would ask, in counts, by what the lake knows; nobody is asked.

Counts are of requests that bring records: retries come on top, and one request for the
token of the escrow service. A list that moved since is as much longer or shorter.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from recon.lake import Commit, Lake
from recon.pull.lookups import wanted
from recon.pull.ordering import Order
from recon.pull.partial import is_no_cheaper, pages_of, reopened
from recon.pull.pulling import Source, base, last_whole
from recon.pull.rounds import Round
from recon.pull.runner import ORDER, plan
from recon.pull.versions import standing_ids
from recon.settings import Settings
from recon.times import format_instant
from recon.wording import counted

_END_PAGES = {Order.NEWEST_FIRST: 1, Order.OLDEST_FIRST: 3}
"""The first page and, where that is not the new end, the last two: of those the first
is full and was known before."""


@dataclass(frozen=True)
class Forecast:
    """What is expected of one source; `requests` is None where nothing is known yet.

    `pages` of lists and `lookups` of single records are what it is made of. `action`
    is `whole`, `part` or `skip`, `reason` says what the counts rest on.
    """

    source: str
    action: str
    requests: int | None = None
    pages: int | None = None
    lookups: int | None = None
    reason: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return asdict(self)


def forecast(
    settings: Settings,
    lake: Lake,
    sources: Sequence[str] = (),
    *,
    full: bool = False,
) -> list[Forecast]:
    """Say what a pull of these sources would ask; UsageError on an unknown one."""
    modules = {source.NAME: source for source in ORDER}
    return [
        Forecast(each.source, each.action, 0, 0, 0, each.reason)
        if each.action == "skip"
        else _of(modules[each.source], settings, lake, full)
        for each in plan(settings, lake, sources, full=full)
    ]


def _of(source: Source, settings: Settings, lake: Lake, full: bool) -> Forecast:
    fixed = getattr(source, "requests", None)
    count: int | None = fixed(settings) if fixed else None
    if count is not None:
        return Forecast(source.NAME, "whole", count, count, 0)
    if hasattr(source, "REGISTER"):
        return _lookups(source, settings, lake, full)
    last = None if full else base(settings, lake, source.NAME)
    if last is None or not last.certificate.get("order"):
        return _whole(source.NAME, lake)
    return _part(source, last, lake)


def _lookups(source: Any, settings: Settings, lake: Lake, full: bool) -> Forecast:
    name, register = source.NAME, source.REGISTER
    zone = register.zone(settings)
    whole = full or Round.of(lake, name).is_due(settings, lake, zone)
    sent = register.sent(settings, lake)
    found = wanted(settings, lake, register, sent, whole=whole)
    action = "part" if found.later_count or found.final_count else "whole"
    told = [f"{len(found.ids):,} sent and not final"]
    if whole:
        told = [f"all {len(found.ids):,} that were sent"]
    if found.final_count:
        told.append(f"not asked for: {found.final_count:,} final")
    if found.later_count:
        told.append(f"left for a whole pull: {found.later_count:,} refused")
    if not sent and not found.ids and not found.final_count:
        told = ["nothing was sent, by the journal and the imports"]
    count = len(found.ids)
    return Forecast(name, action, count, 0, count, "; ".join(told))


def _whole(name: str, lake: Lake) -> Forecast:
    last = last_whole(lake, name)
    if last is None:
        told = "nothing is known yet: it was never read whole"
        return Forecast(name, "whole", reason=told)
    pages = _pages_now(last, lake, name)
    at = format_instant(last.committed_at)
    told = f"by its last whole sweep, at {at}"
    return Forecast(name, "whole", pages, pages, 0, told)


def _pages_now(last: Commit, lake: Lake, name: str) -> int:
    """Return the pages of a sweep, as the list has grown by what came in since."""
    pages = pages_of(last)
    then = int(last.certificate.get("last_total") or 0)
    newest = lake.commits(kind="pull", source=name)[-1].certificate
    now = int(newest.get("known", 0)) + int(newest.get("fresh", 0))
    if not then or newest.get("proof") != "counted":
        return pages
    return -(-pages * now // then)


def _part(source: Any, last: Commit, lake: Lake) -> Forecast:
    """Say what a pull in part costs, or the whole list where that is no dearer."""
    name = source.NAME
    standing = standing_ids(lake, source.TABLE)
    open_count = len(reopened(lake, source.open_ids, standing))
    at = format_instant(last.committed_at)
    if is_no_cheaper(open_count, pages_of(last)):
        pages = _pages_now(last, lake, name)
        told = f"{counted(open_count, 'open record')} cost as much as the whole list"
        return Forecast(name, "whole", pages, pages, 0, f"{told}, last read at {at}")
    newest = lake.commits(kind="pull", source=name)[-1].certificate
    pages = _END_PAGES[Order(last.certificate["order"])]
    if newest.get("proof") == "counted":
        pages = newest["pages"]
    told = f"read whole at {at}; its new end, and {counted(open_count, 'open record')}"
    return Forecast(name, "part", pages + open_count, pages, open_count, told)
