"""Files in the lake that no commit names: what killed writers left, and its removal.

A writer closes its files, writes a draft of its commit record, links the draft into
place and removes it. So files that are cut, or whose draft is, were never committed.
Other whole files are doubtful: their writer was killed in the moment between, or their
commit record was lost since. A draft beside a data file is of a restoring that was
killed, and says nothing of the commit whose file it was to be.

What a killed pull had received lies in a draft, beside the lake, on this machine alone.
The next pull of its source goes on from it while it is young.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from recon.errors import LakeError, UsageError
from recon.lake.folder import measure_of
from recon.lake.lake import Lake
from recon.lake.storage import (
    COMMITS,
    DRAFT,
    DRAFTS,
    Measure,
    Storage,
    commit_id_of,
)
from recon.wording import reason_of

A_DAY = timedelta(days=1)
SHORTEST_AGE = timedelta(hours=1)
"""A younger file may belong to a writer that is still at work."""


@dataclass(frozen=True)
class Leftover:
    """A file that nobody reads; `path` is relative to the lake, `size` in bytes.

    `age` is since it was last written to. `doubtful` says that it may belong to a
    commit whose record was lost.
    """

    path: str
    size: int
    age: timedelta
    doubtful: bool = False


def leftovers(
    storage: Storage, stored: Mapping[str, Measure], named: set[str]
) -> list[Leftover]:
    """Return the stored files that no commit names, in the order of their paths.

    `stored` is to be listed before the commits are read: whatever is committed in
    between is then named.
    """
    unnamed = sorted(stored.keys() - named)
    certain = _uncommitted_ids(storage, unnamed)
    return [
        Leftover(path, *stored[path], doubtful=_id_of(path) not in certain)
        for path in unnamed
    ]


def sweep_orphans(
    lake: Lake, older_than: timedelta = A_DAY, *, dry_run: bool = False
) -> list[Leftover]:
    """Remove what killed writers left, if not written to for so long; return it.

    What is doubtful stays. Raises UsageError on an age under an hour, CorruptLake
    where a commit record is missing or damaged (its files would look like leftovers),
    LakeError where a file cannot be removed.
    """
    if older_than < SHORTEST_AGE:
        raise UsageError("leftovers younger than an hour may still be written to")
    stored = lake.storage.stored()
    named = {file.path for commit in lake.commits() for file in commit.files}
    swept = [
        each
        for each in leftovers(lake.storage, stored, named)
        if each.age > older_than and not each.doubtful
    ]
    if not dry_run:
        _remove(lake.storage, swept)
        lake.storage.clear(named, older_than)
    return swept


def drafts(lake: Lake) -> list[Leftover]:
    """Return what pulls had received when they were killed, or receive at present."""
    found = []
    for path in sorted((lake.root / DRAFTS).glob(f"*{DRAFT}")):
        with suppress(OSError):  # its pull ended meanwhile
            found.append(Leftover(f"{DRAFTS}/{path.name}", *measure_of(path)))
    return found


def sweep_drafts(lake: Lake, *, dry_run: bool = False) -> list[Leftover]:
    """Remove the drafts not written to for a day; return them.

    No pull takes an answer from a draft that is older than an hour. Raises LakeError
    where one cannot be removed.
    """
    swept = list(aged(drafts(lake), A_DAY))
    for each in [] if dry_run else swept:
        try:
            (lake.root / each.path).unlink(missing_ok=True)
        except OSError as error:
            told = f"{lake.root / each.path} cannot be removed: {reason_of(error)}"
            raise LakeError(told) from None
    return swept


def _remove(storage: Storage, swept: Iterable[Leftover]) -> None:
    # Drafts go last: a sweep that is cut must not make a file doubtful.
    for each in sorted(swept, key=lambda found: found.path.endswith(DRAFT)):
        storage.remove(each.path)


def _uncommitted_ids(storage: Storage, unnamed: Iterable[str]) -> set[str]:
    """Return the ids of writers that surely never committed, and of restorings."""
    return {
        _id_of(path)
        for path in unnamed
        if _is_of_restoring(path) or not storage.is_whole(path)
    }


def _id_of(path: str) -> str:
    """Return whose file it is; a draft of a restoring is nobody else's."""
    return path if _is_of_restoring(path) else commit_id_of(path)


def _is_of_restoring(path: str) -> bool:
    return path.endswith(DRAFT) and not path.startswith(f"{COMMITS}/")


def total_bytes(found: Iterable[Leftover]) -> int:
    """Return how much room leftovers take."""
    return sum(each.size for each in found)


def aged(found: Iterable[Leftover], older_than: timedelta) -> Iterator[Leftover]:
    """Yield the leftovers that were not written to for so long."""
    return (each for each in found if each.age > older_than)
