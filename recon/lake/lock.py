"""The lock of a run: one pull or night at a time on a lake; freed when it dies."""

from collections.abc import Iterator
from contextlib import contextmanager

from filelock import FileLock, Timeout

from recon.errors import LakeError, LockHeld
from recon.lake.lake import Lake
from recon.lake.private_files import FILE_MODE, make_folder
from recon.lake.storage import RUN_LOCK
from recon.wording import reason_of


@contextmanager
def run_lock(lake: Lake) -> Iterator[None]:
    """Hold the lake's run lock; LockHeld at once if another run has it.

    The system frees the lock when its process ends, however it ends. A lake in a
    bucket is locked for other machines too, by a lease (see `leases`).
    """
    path = lake.root / RUN_LOCK
    try:
        make_folder(lake.root)
        lock = FileLock(path, timeout=0, mode=FILE_MODE)
        lock.acquire()
    except Timeout:
        raise LockHeld(
            f"another run is at work on {lake.place}; try again later"
        ) from None
    except OSError as error:
        raise LakeError(f"{path} cannot be written: {reason_of(error)}") from None
    try:
        with lake.storage.run_lease():
            yield
    finally:
        lock.release()
