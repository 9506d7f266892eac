"""The journal's file: SQLite that only its owner may read, written whole or not at all.

`Journal` keeps requests in it, `Deliveries` escrow events.
"""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from recon.durability import sync_folder
from recon.errors import LakeError
from recon.journal.damage import as_lake_error

_Identity = tuple[int, int] | None


class JournalFile:
    """One connection to the file, which threads may share. A context manager.

    What it does raises LakeError when the file cannot be used, CorruptLake where it is
    damaged.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._lock = threading.RLock()
        self._files: dict[Path, _Identity] = {}

    def is_replaced(self) -> bool:
        """Tell whether other files are in the place of this one and those beside it.

        One without its log is another one, too: what only the log had is not in it. So
        is one without the log's index: whoever opens it next does not see that this
        one is open, and writes over what its log has.
        """
        try:
            found = _identities(self.path)
        except OSError:  # whoever writes is told
            return False
        return found[self.path] is not None and found != self._files

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take_place(self) -> None:
        """Note which files are in place, once SQLite has opened them all."""
        self._files = _identities(self.path)

    def _refuse_elsewhere(self) -> None:
        """Raise LakeError where what is written now would be found by nobody."""
        with as_lake_error(self.path):
            for place, known in self._files.items():
                if (found := _identity(place)) != known:
                    became = "replaced" if found else "moved away or removed"
                    raise LakeError(f"{place} was {became} while it was open")

    def _rows(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        with self._lock, as_lake_error(self.path):
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Write in one transaction: all of it is on disk at its end, or nothing."""
        with self._lock, as_lake_error(self.path):
            # Immediate: what is read before the insert still holds at the commit.
            self._connection.execute("begin immediate")
            try:
                yield self._connection
                self._connection.execute("commit")
            except BaseException:
                # A full disk may have rolled it back already; a commit that failed
                # must not leave a transaction in the way of the next one.
                if self._connection.in_transaction:
                    self._connection.execute("rollback")
                raise


def connected(path: Path, *, busy_seconds: float) -> sqlite3.Connection:
    """Connect to the file; `busy_seconds` is how long another writer is waited for."""
    return sqlite3.connect(
        path, timeout=busy_seconds, isolation_level=None, check_same_thread=False
    )


def _identities(path: Path) -> dict[Path, _Identity]:
    """Return what tells a journal, its write-ahead log and that one's index."""
    places = (path.with_name(f"{path.name}{end}") for end in ("", "-wal", "-shm"))
    return {place: _identity(place) for place in places}


def _identity(path: Path) -> _Identity:
    """Return what tells a file from any other; None where there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def instant(text: str) -> datetime:
    """Read a stored instant, in UTC; ValueError where it has no zone."""
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError(f"{text} has no zone")
    return found.astimezone(UTC)


def stored(moment: datetime) -> str:
    """Write an instant as the file has it: texts sort as instants do."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def make_private(path: Path) -> None:
    """Make the file before SQLite does: only its owner may read it.

    A file that exists is never opened here: to close any descriptor of it would drop
    the locks that SQLite holds on it in this process, and with them what keeps
    another process from taking the write-ahead log away.
    """
    made = [each for each in (path.parent, *path.parent.parents) if not each.exists()]
    for each in reversed(made):
        each.mkdir(exist_ok=True, mode=0o700)
        each.chmod(0o700)  # a umask may have taken the owner's rights
    try:
        flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC
        descriptor = os.open(path, flags, 0o600)
        os.fchmod(descriptor, 0o600)
    except FileExistsError:
        path.chmod(0o600)
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    for folder in (path.parent, *(each.parent for each in made)):
        sync_folder(folder)  # a new folder is a new name, too
