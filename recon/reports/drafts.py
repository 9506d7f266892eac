"""The hidden folder in which a run writes its reports before they are put in place."""

import contextlib
import fcntl
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from recon.lake.commits import make_folders

_OF_ANY_DAY = ".????-??-??.????????"
_ABANDONED_SECONDS = 3600


@contextlib.contextmanager
def draft_beside(folder: Path) -> Iterator[Path]:
    """Make a draft beside `folder` and remove it afterwards, whatever happened.

    Drafts of runs that were killed go with it, of whatever day. A run locks its draft
    as long as it lives, and the system frees the lock when its process ends: what can
    be locked is nobody's. Where the file system has no locks, a draft is nobody's once
    it is an hour old. Raises OSError where the folder cannot be made.
    """
    make_folders(folder.parent)
    draft = folder.parent / f".{folder.name}.{secrets.token_hex(4)}"
    with contextlib.ExitStack() as lock:
        try:
            with alone(folder.parent):  # none is swept between its making and its lock
                draft.mkdir()
                handle = os.open(draft, os.O_RDONLY)
                lock.callback(os.close, handle)
                with contextlib.suppress(OSError):  # a file system that has no locks
                    fcntl.flock(handle, fcntl.LOCK_EX)
            yield draft
        finally:
            shutil.rmtree(draft, ignore_errors=True)
            with contextlib.suppress(OSError), alone(folder.parent):
                _sweep(folder.parent)


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Let one run at a time into a folder; the lock ends with its process, too.

    Where the file system has no locks, it lets everyone in.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _sweep(reports: Path) -> None:
    for draft in reports.glob(_OF_ANY_DAY):
        with contextlib.suppress(OSError):
            if _nobodys(draft):
                shutil.rmtree(draft, ignore_errors=True)


def _nobodys(draft: Path) -> bool:
    handle = os.open(draft, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return time.time() - draft.stat().st_mtime > _ABANDONED_SECONDS
    finally:
        os.close(handle)
    return True
