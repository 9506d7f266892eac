"""A folder for what a run spills, which goes with the run even where that is killed.

A run locks its folder for as long as it lives, and the system frees the lock when its
process ends, however it ends. So a folder that can be locked is nobody's: the next run
removes it, for it may hold personal data and much of a disk.
"""

import fcntl
import os
import re
import shutil
import tempfile
import time
import weakref
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Self

from recon.errors import LakeError
from recon.wording import reason_of

NO_ROOM = "the system's temporary folder, which TMPDIR names, cannot be written"
"""Said where a run can spill nothing."""

_PREFIX = "recon-scratch-"
_NAME = re.compile(rf"{_PREFIX}[a-z0-9_]{{8}}")
_YOUNG_SECONDS = 60
"""A younger folder may be one that its run has not locked yet."""


class Scratch:
    """A folder of the system's temporary folder (`TMPDIR`), for the owner alone.

    It is removed when it is closed, at the latest at the end of the process; `path` is
    where it is. The first one of a process removes those of killed ones. Raises
    LakeError where it cannot be made, as on a full disk.
    """

    def __init__(self) -> None:
        _sweep_once()
        with ExitStack() as undone, spilling():
            self._folder = tempfile.TemporaryDirectory(prefix=_PREFIX)
            undone.callback(self._folder.cleanup)
            locked = Path(self._folder.name)
            self._unlock = weakref.finalize(self, os.close, lock(locked))
            self.path = locked / "files"  # which whoever uses it may lock
            self.path.mkdir(0o700)
            undone.pop_all()

    def close(self) -> None:
        """Remove the folder with all that is in it; again is nothing."""
        self._folder.cleanup()
        self._unlock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def spilling() -> Iterator[None]:
    """Blame the temporary folder for what cannot be written there: LakeError."""
    try:
        yield
    except OSError as error:
        raise LakeError(f"{NO_ROOM}: {reason_of(error)}") from None


def lock(folder: Path) -> int:
    """Lock a folder until the handle that is returned is closed, or its process ends.

    Waits for another that holds it. Where the file system has no locks, it is not held.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    with suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_EX)
    return handle


def sweep(folders: Iterable[Path], lockless_seconds: float = float("inf")) -> None:
    """Remove the folders that no process holds.

    Where the file system has no locks, those not written to for `lockless_seconds`.
    """
    for folder in folders:
        with suppress(OSError):  # another run removed it meanwhile, or it is another's
            if _is_nobodys(folder, lockless_seconds):
                shutil.rmtree(folder, ignore_errors=True)


def _is_nobodys(folder: Path, lockless_seconds: float) -> bool:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return _age(folder) > lockless_seconds
    finally:
        os.close(handle)
    return True


@cache
def _sweep_once() -> None:
    with suppress(OSError):
        found = list(Path(tempfile.gettempdir()).iterdir())
        sweep(each for each in found if _is_old_scratch(each))


def _is_old_scratch(path: Path) -> bool:
    if not _NAME.fullmatch(path.name):
        return False
    with suppress(OSError):
        seen = path.lstat()
        return seen.st_uid == os.getuid() and _age(path) > _YOUNG_SECONDS
    return False


def _age(path: Path) -> float:
    return time.time() - path.lstat().st_mtime
