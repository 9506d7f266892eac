"""The seal of a row: by it a byte that changed on the disk is noticed.

SQLite proves no row: it gives back whatever is there, as if it had been written so.
"""

import hashlib

import msgspec


def seal(*said: str | bytes | int | None) -> str:
    """Return the SHA-256 of what a row says, as 64 hex digits."""
    return hashlib.sha256(msgspec.json.encode(said)).hexdigest()


def check(kept: str | None, *said: str | bytes | int | None) -> None:
    """Raise ValueError where a row says something else than was written.

    Rows of an earlier release have no seal, and count as they are.
    """
    if kept is not None and kept != seal(*said):
        raise ValueError("its SHA-256 is another")
