"""Proof that a local file is what was committed, given once for each state of it.

Neither DuckDB nor pyarrow notices a changed byte by itself: of 200 flipped bits in a
Parquet file, both returned other rows without a word for 147. So a file's SHA-256 is
checked before it is first read in a process, at more than a gigabyte a second and
core, and again once it looks touched. No note of it is kept on disk: bytes that rot
change neither time nor size, so each process looks for itself.
"""

import hashlib
import os
import threading
from pathlib import Path

from recon.errors import CorruptLake, unread


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Verifier:
    """Remembers which files were found as committed, and how they looked then."""

    def __init__(self) -> None:
        self._sound: dict[Path, tuple[object, ...]] = {}
        self._lock = threading.Lock()

    def check(
        self,
        path: Path,
        size: int,
        sha256: str,
        name: str,
        *,
        remember: bool = True,
    ) -> None:
        """Raise CorruptLake, which calls the file `name`, if it is another."""
        try:
            found = path.stat()
        except FileNotFoundError:
            raise CorruptLake(f"{name}: a committed file is missing") from None
        except OSError as error:
            told = f"a committed file cannot be read: {error.strerror}"
            raise CorruptLake(f"{name}: {told}") from None
        if found.st_size != size:
            raise CorruptLake(
                f"{name}: a committed file has {found.st_size} bytes instead of {size}"
            )
        look = (sha256, *_look(found))
        if self._sound.get(path) == look:
            return
        try:
            digest = file_hash(path)
        except OSError as error:
            raise unread(
                f"{name}: a committed file cannot be read: {error.strerror}"
            ) from None
        if digest != sha256:
            raise CorruptLake(
                f"{name}: a committed file is damaged: its SHA-256 is another"
            )
        if remember:
            with self._lock:
                self._sound[path] = look


def _look(found: os.stat_result) -> tuple[int, ...]:
    """Return what changes whenever a program writes to a file."""
    return (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
