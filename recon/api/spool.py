"""Blocks of bytes that wait to be read again: few in memory, the others in a file.

The file has no name, so it is gone with the process, however that ends. A folder that
cannot hold it costs memory, nothing else.
"""

import os
import tempfile
import weakref
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from recon.errors import LakeError
from recon.lake.private_files import make_folder
from recon.lake.storage import DRAFT

MOST_HELD = 2**20
"""Bytes; what comes after them goes to the file."""

_Place = tuple[int, int, int]  # where a block begins, its length, its checksum


class Spool:
    """Blocks in the order in which they were added; without a folder all in memory."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._blocks: list[bytes | _Place] = []
        self._held = 0  # bytes in memory
        self._end = 0  # of the file
        self._handle: int | None = None  # of no file

    def add(self, block: bytes) -> None:
        """Take a block."""
        laid_aside = self._written(block) if self._held >= MOST_HELD else None
        self._blocks.append(laid_aside or block)
        self._held += 0 if laid_aside else len(block)

    def __iter__(self) -> Iterator[bytes]:
        """Yield the blocks; LakeError where one does not come back as it was."""
        for block in self._blocks:
            yield block if isinstance(block, bytes) else self._read(block)

    def _written(self, block: bytes) -> _Place | None:
        """Put a block into the file; None where that cannot be."""
        if self._folder is None:
            return None
        try:
            if self._handle is None:
                self._handle = self._opened(self._folder)
            whole = os.pwrite(self._handle, block, self._end) == len(block)
        except OSError:
            whole = False
        if not whole:
            self._folder = None
            return None
        place = (self._end, len(block), zlib.crc32(block))
        self._end += len(block)
        return place

    def _opened(self, folder: Path) -> int:
        make_folder(folder)
        file = tempfile.TemporaryFile(  # noqa: SIM115 - open as long as the spool is
            buffering=0, dir=folder, suffix=DRAFT
        )
        weakref.finalize(self, file.close)
        return file.fileno()

    def _read(self, place: _Place) -> bytes:
        start, length, checksum = place
        block = b""
        with suppress(OSError):
            block = os.pread(self._handle or 0, length, start)
        if len(block) != length or zlib.crc32(block) != checksum:
            raise LakeError("what was laid aside on the disk did not come back whole")
        return block
