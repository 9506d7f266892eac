"""The hidden folder in which a run writes its reports before they are put in place."""

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from recon import scratch
from recon.durability import make_folders

_OF_ANY_DAY = ".????-??-??.????????"
_ABANDONED_SECONDS = 3600


@contextlib.contextmanager
def draft_beside(folder: Path) -> Iterator[Path]:
    """Make a draft beside `folder` and remove it afterwards, whatever happened.

    Drafts of runs that were killed go with it, of whatever day (see `scratch`); where
    the file system has no locks, once they are an hour old. Raises OSError where the
    folder cannot be made.
    """
    make_folders(folder.parent)
    draft = folder.parent / f".{folder.name}.{secrets.token_hex(4)}"
    with contextlib.ExitStack() as lock:
        try:
            with alone(folder.parent):  # none is swept between its making and its lock
                draft.mkdir()
                lock.callback(os.close, scratch.lock(draft))
            yield draft
        finally:
            shutil.rmtree(draft, ignore_errors=True)
            with contextlib.suppress(OSError), alone(folder.parent):
                found = folder.parent.glob(_OF_ANY_DAY)
                scratch.sweep(found, lockless_seconds=_ABANDONED_SECONDS)


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Let one run at a time into a folder; the lock ends with its process, too.

    Where the file system has no locks, it lets everyone in.
    """
    handle = scratch.lock(folder)
    try:
        yield
    finally:
        os.close(handle)
