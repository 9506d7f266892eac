"""A lake in a folder of this machine."""

import errno
import os
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

from recon.durability import sync_folder
from recon.errors import LakeError
from recon.lake.commits import decoded
from recon.lake.private_files import make_folder, writable, write_private
from recon.lake.storage import (
    COMMITS,
    DATA_FOLDERS,
    DRAFT,
    Measure,
    NotPlaced,
    draft_path,
    record_name,
)
from recon.lake.verifying import Verifier
from recon.wording import reason_of

_REFUSALS = {
    *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM),
    *(errno.ENOENT, errno.EMLINK, errno.EOPNOTSUPP, errno.EXDEV),
}
"""After any other error a file system over a network may have made the link, or make it
yet."""
_MARKS = (b"PAR1", b"PARE")  # at the end of a Parquet file, plain or encrypted
_FOOT = 8  # the length of its footer, and its mark


class Folder:
    """A folder with one subfolder for commit records and one for each kind of file."""

    workers = max(2, min(8, os.cpu_count() or 2))

    def __init__(self, root: Path) -> None:
        self.root = root
        self.place = str(root)
        self._verifier = Verifier()

    def prepare(self) -> None:
        """Make the folders."""
        with writable(self.root):
            make_folder(self.root)
            make_folder(self.root / COMMITS)

    def record_names(self, known: int = 0) -> list[str]:
        """Return every record's name; a record that went away is missed at once.

        A folder that may not be listed is an error, and not a lake without records.
        """
        del known
        folder = self.root / COMMITS
        try:
            names = [path.name for path in folder.iterdir()]
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise LakeError(f"{folder} cannot be read: {reason_of(error)}") from None
        return sorted(name for name in names if name.endswith(".json"))

    def read_record(self, name: str) -> bytes:
        """Return a record's bytes."""
        return (self.root / COMMITS / name).read_bytes()

    def create_record(self, name: str, content: bytes, commit_id: str) -> bool:
        """Write a draft, flush it and link it into place: a link fails if it exists."""
        draft = self.root / draft_path(commit_id)
        place = self.root / COMMITS / name
        try:
            write_private(draft, content)
            try:
                os.link(draft, place)
            except FileExistsError:
                return False
            sync_folder(self.root / COMMITS)
        except OSError as error:
            told = f"{self.root} cannot be written: {reason_of(error)}"
            is_refused = error.errno in _REFUSALS and _is_absent(place)
            kind = NotPlaced if is_refused else LakeError
            raise kind(told) from error
        return True

    def end_draft(self, commit_id: str) -> None:
        """Remove the draft of a record; one that stays is swept as a leftover."""
        with suppress(OSError):  # the commit stands, or its own error is told
            (self.root / draft_path(commit_id)).unlink(missing_ok=True)

    def publish(self, commit_id: str, paths: Sequence[str]) -> None:
        """Flush the folders of files that are flushed already."""
        del commit_id
        for folder in {Path(path).parent for path in paths}:
            for each in (folder, *folder.parents):  # new folders are new names too
                sync_folder(self.root / each)

    def withdraw(self, commit_id: str, paths: Sequence[str]) -> None:
        """Remove the draft alone: whoever wrote the files removes them."""
        del paths
        self.end_draft(commit_id)

    def fetch(self, path: str, size: int, sha256: str) -> Path:
        """Return the file itself once it is proven."""
        local = self.root / path
        self._verifier.check(local, size, sha256, str(local))
        return local

    @contextmanager
    def fresh(self, path: str) -> Iterator[Path]:
        """Give the file itself."""
        yield self.root / path

    def stored(self) -> dict[str, Measure]:
        """Return the files below the folders of data, and the drafts."""
        return measured(self.root)

    def has_records(self) -> bool:
        """Tell whether the folder of commit records is there."""
        return (self.root / COMMITS).is_dir()

    def is_whole(self, path: str) -> bool:
        """Tell whether a file ends as a Parquet file does, or a draft is a record.

        A draft whose record stands, where a writer was killed after its link, is no
        record that may be lost.
        """
        if path.startswith(f"{COMMITS}/"):
            return self._may_be_lost(self.root / path)
        return _ends_well(self.root / path)

    def remove(self, path: str) -> None:
        """Remove a file."""
        try:
            (self.root / path).unlink(missing_ok=True)
        except OSError as error:
            raise LakeError(
                f"{self.root / path} cannot be removed: {reason_of(error)}"
            ) from None

    def restore(self, path: str, copy: Path) -> None:
        """Write the copy beside its place, flush it, and swap it in at once."""
        place = self.root / path
        draft = place.with_name(f".{place.name}.{secrets.token_hex(4)}{DRAFT}")
        with writable(place):
            make_folder(place.parent)
            try:
                write_private(draft, copy)
                draft.replace(place)
                sync_folder(place.parent)
            finally:
                draft.unlink(missing_ok=True)

    @contextmanager
    def run_lease(self) -> Iterator[None]:
        """Hold nothing: the lock of the folder is enough."""
        yield

    def clear(self, named: set[str], older_than: timedelta) -> None:
        """Do nothing: there are no copies."""

    def _may_be_lost(self, draft: Path) -> bool:
        """Tell whether a draft says a whole record that is not in its place."""
        try:
            content = draft.read_bytes()
            name = record_name(decoded(content).sequence)
        except (FileNotFoundError, ValueError):
            return False
        except OSError:
            return True
        try:
            return self.read_record(name) != content
        except OSError:
            return True


def _is_absent(path: Path) -> bool:
    """Tell whether a file is surely not there."""
    try:
        path.lstat()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


def measured(root: Path, folders: Sequence[str] = DATA_FOLDERS) -> dict[str, Measure]:
    """Return the files below a folder where commits keep theirs, and the drafts."""
    data = (root.joinpath(folder).rglob("*") for folder in folders)
    drafts = (root / COMMITS).glob(f".*{DRAFT}")
    found = {}
    for path in [*(path for paths in data for path in paths), *drafts]:
        with suppress(OSError):  # it went away meanwhile
            measure = measure_of(path)
            if not path.is_dir():
                found[path.relative_to(root).as_posix()] = measure
    return found


def measure_of(path: Path) -> Measure:
    """Return how large and how old a file is; OSError where it is gone."""
    seen = path.lstat()
    age = timedelta(seconds=max(0.0, time.time() - seen.st_mtime))
    return Measure(seen.st_size, age)


def _ends_well(path: Path) -> bool:
    """Tell whether a file may be whole: of one that cannot be read nobody knows."""
    try:
        with path.open("rb") as file:
            mark = file.read(4)
            length = file.seek(0, os.SEEK_END)
            file.seek(max(0, length - _FOOT))
            foot = file.read(_FOOT)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    footer = int.from_bytes(foot[:4], "little")
    return mark in _MARKS and foot[4:] == mark and 0 < footer <= length - _FOOT - 4
