"""What a source gets to work with, and what it says when it is done."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from recon.api.client import Client
from recon.errors import CorruptLake
from recon.lake import Commit, Lake
from recon.pull.keeping import Keeper
from recon.settings import Settings

_EARLY = 100  # of a week, an hour and forty minutes


@dataclass(frozen=True)
class Tick:
    """Where a source stands: pages and records so far, retries; counts.

    `pages_total` is None while it is unknown. `status` is `running` until the end,
    then one of those of an outcome; `reason` says why a source is skipped.
    """

    source: str
    status: str = "running"
    pages: int = 0
    pages_total: int | None = None
    records: int = 0
    retries: int = 0
    reason: str = ""


Progress = Callable[[Tick], None]
"""Called often, from the thread that pulls; must be quick."""


@dataclass(frozen=True)
class Found:
    """How a source ended. `error` says why it is not complete, in one line.

    `whole` is false where a list was read in part on purpose; `certificate` is the
    proof of completeness, as JSON values.
    """

    complete: bool = True
    whole: bool = True
    error: str | None = None
    certificate: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Pulling:
    """One source being pulled."""

    source: str
    settings: Settings
    lake: Lake
    client: Client
    keeper: Keeper
    report: Callable[[int | None], None]  # pages in all, where known
    full: bool = False
    pull_id: str = ""
    at_end: list[Callable[[], None]] = field(default_factory=list)  # however it ends
    after_commit: list[Callable[[], None]] = field(default_factory=list)

    @property
    def base(self) -> Commit | None:
        """Return the whole pull that one in part may build on; None if none may."""
        return None if self.full else base(self.settings, self.lake, self.source)


def base(settings: Settings, lake: Lake, source: str) -> Commit | None:
    """Return a source's newest complete whole pull if younger than `full_every`.

    None where the ids that it met are damaged: the list is to be read whole again.
    """
    last = last_whole(lake, source)
    return last if is_young(settings, lake, last) and _has_its_ids(lake, last) else None


def _has_its_ids(lake: Lake, pull: Commit | None) -> bool:
    met = [file for file in pull.files if file.folder == "seen"] if pull else []
    try:
        lake.fetch(met)
    except CorruptLake:
        return False
    return True


def is_young(settings: Settings, lake: Lake, pull: Commit | None) -> bool:
    """Tell whether a pull is younger than `full_every`; none is not.

    A night of the same hour comes some seconds early, and is late enough. How old one
    is that lies in the future of this machine's clock, nobody knows.
    """
    every = settings.lake.full_every
    if pull is None or lake.now() - pull.committed_at >= every - every / _EARLY:
        return False
    return not lake.is_ahead(pull.committed_at, settings.checks.clock_skew)


def last_whole(lake: Lake, source: str) -> Commit | None:
    """Return a source's newest complete whole pull, however old."""
    pulls = reversed(lake.commits(kind="pull", source=source))
    return next((each for each in pulls if each.complete and each.whole), None)


class Source(Protocol):
    """A module of this folder that is a source."""

    NAME: str
    SECTION: str
    TABLE: str

    def fetch(self, pulling: Pulling, /) -> Awaitable[Found]:
        """Read the source into the lake; ProviderError ends it as incomplete."""
