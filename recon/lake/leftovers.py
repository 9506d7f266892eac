"""Files in the lake that no commit names: what killed writers left, and its removal.

A writer closes its files, writes a draft of its commit record, links the draft into
place and removes it. So files that are cut, or that have a draft beside them, were
never committed. Whole files without a draft are doubtful: their writer was killed
in the moment between, or their commit record was lost since.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from recon.errors import CorruptLake, LakeError, UsageError
from recon.lake.lake import Lake

DATA_FOLDERS = ("pages", "records", "seen")
A_DAY = timedelta(days=1)
SHORTEST_AGE = timedelta(hours=1)
"""A younger file may belong to a writer that is still at work."""

_DRAFT = ".draft"


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


def stored_names(root: Path) -> set[str]:
    """Return the path, relative to the lake, of every file where commits keep theirs.

    List before reading the commits: whatever is committed in between is then named.
    """
    data = (root.joinpath(folder).rglob("*") for folder in DATA_FOLDERS)
    drafts = (root / "commits").glob(f".*{_DRAFT}")
    found = [*(path for paths in data for path in paths), *drafts]
    return {path.relative_to(root).as_posix() for path in found if not path.is_dir()}


def leftovers(root: Path, stored: set[str], named: set[str]) -> list[Leftover]:
    """Return the stored files that no commit names, in the order of their paths."""
    unnamed = sorted(stored - named)
    certain = _uncommitted_ids(root, unnamed)
    return [
        Leftover(path, *measure, doubtful=_commit_id(path) not in certain)
        for path in unnamed
        if (measure := _measure(root / path)) is not None
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
    stored = stored_names(lake.root)
    named = {file.path for commit in lake.commits() for file in commit.files}
    if not named and any(not name.startswith("commits/") for name in stored):
        _refuse_without_commits(lake)
    swept = [
        each
        for each in leftovers(lake.root, stored, named)
        if each.age > older_than and not each.doubtful
    ]
    if not dry_run:
        _remove(lake.root, swept)
    return swept


def _refuse_without_commits(lake: Lake) -> None:
    if not (lake.root / "commits").is_dir():
        raise CorruptLake(f"{lake.root / 'commits'}: the commit records are missing")


def _remove(root: Path, swept: Iterable[Leftover]) -> None:
    # Drafts go last: a sweep that is cut must not make a file doubtful.
    for each in sorted(swept, key=lambda found: found.path.endswith(_DRAFT)):
        try:
            (root / each.path).unlink(missing_ok=True)
        except OSError as error:
            raise LakeError(f"{root / each.path} cannot be removed: {error}") from None


def _uncommitted_ids(root: Path, unnamed: Iterable[str]) -> set[str]:
    """Return the ids of writers that surely never committed."""
    return {
        _commit_id(path)
        for path in unnamed
        if path.endswith(_DRAFT) or not _is_whole(root / path)
    }


def _commit_id(path: str) -> str:
    return Path(path).name.removeprefix(".").removesuffix(_DRAFT).split(".parquet")[0]


def _is_whole(path: Path) -> bool:
    try:
        pq.read_metadata(path)
    except (pa.ArrowException, OSError):
        return False
    return True


def _measure(path: Path) -> tuple[int, timedelta] | None:
    """Return size and age; None for what went away meanwhile."""
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_size, timedelta(seconds=max(0.0, time.time() - found.st_mtime))


def total_bytes(found: Iterable[Leftover]) -> int:
    """Return how much room leftovers take."""
    return sum(each.size for each in found)


def aged(found: Iterable[Leftover], older_than: timedelta) -> Iterator[Leftover]:
    """Yield the leftovers that were not written to for so long."""
    return (each for each in found if each.age > older_than)
