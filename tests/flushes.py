"""What was flushed to the disk, in which order, and how much of it was there then."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


class Flushes:
    """The flushes of a process, and the steps that gave a file its name between them.

    A file is known by its inode: it may be flushed under another name.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.steps: list[tuple[str, int, int]] = []
        self._fsync = os.fsync
        patch.setattr(os, "fsync", self._flush)
        for name in ("link", "replace"):
            patch.setattr(os, name, self._named(getattr(os, name)))

    def _flush(self, handle: int) -> None:
        seen = os.fstat(handle)
        self.steps.append(("flush", seen.st_ino, seen.st_size))
        self._fsync(handle)

    def _named(self, call: Callable[..., None]) -> Callable[..., None]:
        def called(source: Any, place: Any, **given: Any) -> None:
            call(source, place, **given)
            seen = Path(place).stat()
            self.steps.append(("name", seen.st_ino, seen.st_size))

        return called

    def when(self, path: Path) -> list[int]:
        """Return at which steps a folder, or a file with all its bytes, was flushed."""
        seen = path.stat()
        return [
            number
            for number, (step, inode, size) in enumerate(self.steps)
            if (step, inode) == ("flush", seen.st_ino)
            and (path.is_dir() or size == seen.st_size)
        ]

    def named(self, path: Path) -> int:
        """Return at which step a file got its name."""
        found = [(step, inode) for step, inode, _ in self.steps]
        return found.index(("name", path.stat().st_ino))
