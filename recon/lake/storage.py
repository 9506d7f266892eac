"""Where a lake's bytes are: what a folder and a bucket have to offer alike.

Everything is written once under a name of its own and never changed; what is visible
hangs on one step alone, `create_record`, which fails if the name is taken. Nothing is
ever renamed. DuckDB and pyarrow read local paths, so a storage hands those out.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol, TypeVar

from recon.errors import LakeError

Given = TypeVar("Given")
Made = TypeVar("Made")

COMMITS = "commits"
"""Where commit records are; `records` is the folder of the rows that commits bring."""
_RECORD_NAME = re.compile(r"\d{8,}\.json")
DRAFT = ".draft"
DRAFTS = "drafts"
"""Below `root`: what pulls received so far, each in a file of this machine alone."""
RUN_LOCK = "run.lock"
"""What holds a lake for one run: a file below `root`, and an object of a bucket."""
DATA_FOLDERS = (
    *("pages", "records", "seen"),
    *("compacted", "superseded", "outstanding", "cleared"),
)


class NotPlaced(LakeError):  # noqa: N818 - what became of a commit
    """A commit record could not be written, and surely is not there."""


class Measure(NamedTuple):
    """How large a stored file is, in bytes, and how long ago it was written."""

    size: int
    age: timedelta


class Storage(Protocol):
    """The door to a lake's bytes; paths are relative to the lake, with `/`.

    `root` is the local folder where files are written and read: the lake itself, or
    the cache of a bucket. `place` is what people call the lake in messages. Raises
    LakeError where the storage cannot be used, CorruptLake for what is not as it was.
    """

    root: Path
    place: str
    workers: int  # how many requests or files at once are worth it

    def prepare(self) -> None:
        """Make ready for writing."""

    def record_names(self, known: int = 0) -> list[str]:
        """Return the names of the commit records in their order.

        A caller that has read the first `known` lets a storage look behind them only.
        """

    def read_record(self, name: str) -> bytes:
        """Return a commit record's bytes; OSError if it cannot be read."""

    def create_record(self, name: str, content: bytes, commit_id: str) -> bool:
        """Make a commit record visible, durably; False if the name is taken.

        Raises NotPlaced where it is surely not visible; after any other error it may.
        """

    def end_draft(self, commit_id: str) -> None:
        """Remove what `publish` or `create_record` noted of an unfinished commit."""

    def publish(self, commit_id: str, paths: Sequence[str]) -> None:
        """Make files that were written below `root` durable in the lake."""

    def withdraw(self, commit_id: str, paths: Sequence[str]) -> None:
        """Take back what `publish` did for a commit that is given up, its note last."""

    def fetch(self, path: str, size: int, sha256: str) -> Path:
        """Return a local file that is, byte for byte, what was committed."""

    def fresh(self, path: str) -> AbstractContextManager[Path]:
        """Give a file as it is stored at present; FileNotFoundError if it is not."""

    def stored(self) -> dict[str, Measure]:
        """Return every file where commits keep theirs, and the drafts."""

    def has_records(self) -> bool:
        """Tell whether the place of the commit records is there, be it empty."""

    def is_whole(self, path: str) -> bool:
        """Tell whether a file that no commit names was written to its end.

        Of a draft: whether it may be the only copy of a record that was lost.
        """

    def remove(self, path: str) -> None:
        """Remove a file; nothing happens if it is not there."""

    def restore(self, path: str, copy: Path) -> None:
        """Put a copy in a file's place, durably."""

    def run_lease(self) -> AbstractContextManager[None]:
        """Hold what keeps other machines from running; LockHeld if one runs."""

    def clear(self, named: set[str], older_than: timedelta) -> None:
        """Remove local copies of what no commit names, if so old."""


def side_by_side(
    storage: Storage, function: Callable[[Given], Made], items: Iterable[Given]
) -> Iterator[Made]:
    """Call a function for each item, some at once; yields in the order of the items."""
    waiting = list(items)
    if len(waiting) < 2 or storage.workers < 2:  # noqa: PLR2004 - one is not several
        yield from map(function, waiting)
        return
    with ThreadPoolExecutor(min(storage.workers, len(waiting))) as pool:
        yield from pool.map(function, waiting)


def is_record_name(name: str) -> bool:
    """Tell whether a name is one of a commit record, of whatever number."""
    return bool(_RECORD_NAME.fullmatch(name))


def record_name(sequence: int) -> str:
    """Return the name of a commit record by its number."""
    return f"{sequence:08d}.json"


def file_path(folder: str, table: str, commit_id: str) -> str:
    """Return the path of a commit's file in the lake."""
    return f"{folder}/{table}/{commit_id}.parquet"


def draft_path(commit_id: str) -> str:
    """Return the path of what is noted of a commit before its record stands."""
    return f"{COMMITS}/.{commit_id}{DRAFT}"


def commit_id_of(path: str) -> str:
    """Return the id of the commit that a file, or the draft of a record, belongs to."""
    name = PurePosixPath(path).name.removeprefix(".").removesuffix(DRAFT)
    return name.partition(".parquet")[0]
