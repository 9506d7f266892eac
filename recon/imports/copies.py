"""The files of one command: hashed, copied aside, and read from the copy.

What is hashed, stored as evidence and read is one copy, so a file that changes while
it is imported can't be taken half old and half new.
"""

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, cast

from recon import log
from recon.errors import RefusedFile
from recon.imports.formats.rows import Refusal
from recon.scratch import spilling
from recon.wording import in_one_line

PART_BYTES = 16 * 2**20
_CHUNK = 2**20


def shown_name(path: Path) -> str:
    """Return a file's name without its folder, fit for messages and addresses.

    A folder without a name, as `.` and `/`, is shown as it was given.
    """
    return in_one_line(path.name or str(path))


def refuse_large(path: Path, most: int) -> None:
    """Refuse a file of more than `most` bytes before it is read."""
    with opened(path) as file:
        size = file.seek(0, 2)
    if size > most:
        raise Refusal(f"has {size:,} bytes; limits.import_file is {most:,}")


def sha256_of(path: Path) -> str:
    """Return the hash of a file in hex; Refusal if it cannot be read."""
    with opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def copied(path: Path, sha256: str) -> Iterator[BinaryIO]:
    """Open a copy of a file that nobody changes; Refusal if its hash is another.

    LakeError where the system's temporary folder has no room for it.
    """
    spool = tempfile.SpooledTemporaryFile(max_size=PART_BYTES)  # noqa: SIM115 - below
    with spool:
        with opened(path) as file:
            for part in iter(partial(file.read, _CHUNK), b""):
                with spilling():
                    spool.write(part)
        with spilling():
            spool.seek(0)  # which writes the rest
        if hashlib.file_digest(spool, "sha256").hexdigest() != sha256:
            raise Refusal("changed while it was read; try again")
        spool.seek(0)
        yield cast("BinaryIO", spool)


def parts(file: BinaryIO) -> Iterator[bytes]:
    """Yield a copy's bytes in parts of a bounded size, at least one; then rewind."""
    part = file.read(PART_BYTES)
    while True:
        following = file.read(PART_BYTES)
        yield part
        if not following:
            break
        part = following
    file.seek(0)


@contextmanager
def opened(path: Path) -> Iterator[BufferedReader]:
    """Open a file for reading; Refusal if it is none or cannot be read."""
    try:
        if path.exists() and not path.is_file():  # a pipe could not be read twice
            raise Refusal("is not a file")
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise Refusal(f"cannot be read: {error.strerror or error}") from None


def refused(path: Path, refusal: Refusal) -> RefusedFile:
    """Return the error of a file that is not taken: where, and why."""
    place = refusal.place(shown_name(path))
    logged = f"{place}: {log.without_texts(refusal.reason)}"
    return RefusedFile(in_one_line(f"{place}: {refusal.reason}"), in_one_line(logged))
