"""Files and folders that survive a power cut: written whole, their names flushed."""

import os
from pathlib import Path


def write_durably(path: Path, content: bytes) -> None:
    """Write a file whole and flush it to the disk."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def make_folders(folder: Path) -> None:
    """Make a folder and those above it that are missing; each new name is flushed.

    Else a power cut may take a new folder, and with it a file that was flushed.
    """
    if folder.is_dir():
        return
    make_folders(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries to the disk, so that a new name survives a crash."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
