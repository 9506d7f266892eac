"""Folders and files that only their owner may read, whatever the umask is.

A lake holds personal data and what a business earns: its folders are made with mode
0700 and its files with 0600, before anything is in them.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from recon.durability import sync_folder
from recon.errors import LakeError
from recon.wording import reason_of

FOLDER_MODE = 0o700
FILE_MODE = 0o600

_PIECE_BYTES = 2**20


@contextmanager
def writable(place: Path) -> Iterator[None]:
    """Turn a full disk, a read-only folder and the like into one clear error."""
    try:
        yield
    except OSError as error:
        raise LakeError(f"{place} cannot be written: {reason_of(error)}") from error


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for the owner alone.

    One that is there already keeps the mode that somebody gave it.
    """
    if folder.is_dir():
        return
    if not folder.parent.exists():
        make_folder(folder.parent)
    try:
        os.mkdir(folder, FOLDER_MODE)  # noqa: PTH102 - the kill tests count its steps
    except FileExistsError:
        if not folder.is_dir():
            raise
    else:
        folder.chmod(FOLDER_MODE)  # a umask may have taken the owner's rights
        # Else a power cut may take the folder with all in it.
        sync_folder(folder.parent)


def opened(path: Path, mode: str) -> BinaryIO:
    """Open a file for writing (`wb` or `xb`), for the owner alone."""
    return cast("BinaryIO", open(path, mode, opener=_private))


def write_private(path: Path, content: bytes | Path) -> None:
    """Write a file whole, for the owner alone, and flush it to the disk.

    `content` may be another file, however long: it is copied a piece at a time.
    """
    with opened(path, "wb") as file:
        if isinstance(content, Path):
            with content.open("rb") as source:
                shutil.copyfileobj(source, file, _PIECE_BYTES)
        else:
            file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _private(path: str, flags: int) -> int:
    handle = os.open(path, flags, FILE_MODE)
    os.fchmod(handle, FILE_MODE)  # it may have been there, or the umask may be odd
    return handle
