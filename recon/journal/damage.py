"""What goes wrong with the journal's file, as the errors of a lake."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from recon.errors import CorruptLake, LakeError
from recon.wording import reason_of

_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_PRIMARY = 0xFF  # of an extended code of SQLite
_NO_ROOM = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE}
"""What a full disk is to SQLite: the second where it was full before the file was
opened, of which SQLite says no more than of a disk that is broken."""
_NO_TEXT = "Could not decode"  # of Python's, without a code; the text follows


@contextmanager
def as_lake_error(path: Path) -> Iterator[None]:
    """Raise CorruptLake where the file is damaged, LakeError on any other trouble.

    What a damaged text holds is not told: it may be somebody's name.
    """
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        if str(error).startswith(_NO_TEXT):
            raise CorruptLake(f"{path} is damaged: a text is not UTF-8") from None
        if getattr(error, "sqlite_errorcode", 0) & _PRIMARY in _DAMAGED:
            raise CorruptLake(f"{path} is damaged: {error}") from error
        if getattr(error, "sqlite_errorcode", 0) in _NO_ROOM:
            raise LakeError(f"{path}: database or disk is full") from error
        raise LakeError(f"{path}: {reason_of(error)}") from error


def refuse_damage(path: Path) -> None:
    """Raise CorruptLake where tables and indexes of the file do not fit together.

    What a damaged index lacks would read as never written: a deposit without answer.
    """
    with as_lake_error(path), closing(sqlite3.connect(path)) as connection:
        (said,) = connection.execute("pragma integrity_check(1)").fetchone()
    if said != "ok":
        raise CorruptLake(f"{path} is damaged: {said}")


@contextmanager
def readable(path: Path, row: str) -> Iterator[None]:
    """Raise CorruptLake where a row of the file, so named, is none that was written."""
    try:
        yield
    except (TypeError, ValueError, OverflowError) as error:
        told = f"{path} is damaged: {row} cannot be read: {error}"
        raise CorruptLake(told) from None
