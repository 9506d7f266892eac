"""The lock of a run: one pull or night at a time on a lake; freed when it dies."""

from collections.abc import Iterator
from contextlib import contextmanager

from filelock import FileLock, Timeout

from recon.errors import LakeError, LockHeld
from recon.lake.lake import Lake


@contextmanager
def run_lock(lake: Lake) -> Iterator[None]:
    """Hold the lake's run lock; LockHeld at once if another run has it.

    The system frees the lock when its process ends, however it ends.
    """
    path = lake.root / "run.lock"
    try:
        lake.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = FileLock(path, timeout=0)
        lock.acquire()
    except Timeout:
        raise LockHeld(f"another run is at work on {lake.root}; try again later") from (
            None
        )
    except OSError as error:
        raise LakeError(f"{path} cannot be written: {error}") from None
    try:
        yield
    finally:
        lock.release()
