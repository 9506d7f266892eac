"""Telling a sender that is still at work from one that died.

A session is one open journal that has begun a request. It holds a lock on a file of
its own for as long as its process lives; the system lets go of the lock however the
process ends, so that a lock which can be taken belongs to a sender that is gone.
"""

import secrets
from contextlib import suppress
from pathlib import Path

import filelock


class Session:
    """The lock of one sender, taken when it is made."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o700)
        self.name = secrets.token_hex(16)
        self._lock = _lock(folder, self.name)
        self._lock.acquire(timeout=0)

    def close(self) -> None:
        """Let go: what is still open in this session is cut from now on."""
        self._lock.release()
        with suppress(OSError):  # one that stays is free, which is all that counts
            Path(self._lock.lock_file).unlink(missing_ok=True)


def is_alive(folder: Path, name: str) -> bool:
    """Say whether the sender of a session may still bring an answer."""
    path = folder / f"{name}.lock"
    if not path.exists():
        return False
    lock = _lock(folder, name)
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        return True
    lock.release()
    with suppress(OSError):
        path.unlink(missing_ok=True)
    return False


def _lock(folder: Path, name: str) -> filelock.BaseFileLock:
    # Not per thread: an answer may be stored from another thread than began it.
    return filelock.FileLock(folder / f"{name}.lock", thread_local=False, mode=0o600)
