"""The lock of a run between machines: an object with an owner and a short life.

One object, `run.lock`, is created or replaced only under a condition on what it was,
so of several that try one gets it. Its holder replaces it again and again; if it was
not replaced for a while, by the store's own clock, its holder is gone and the next
one takes over. So it is where that clock went back by more than this since: whoever is
at work replaces it in a moment. A machine whose own run was killed takes over at once:
the system let go of the local lock, so nobody is at work there. A holder that stood
still for longer than the lease finds its object replaced and says so at its end;
whatever both did is still sound, for commits need no lock.
"""

import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from types import TracebackType
from typing import Self

import msgspec

from recon.errors import LakeError, LockHeld
from recon.lake.objects import Objects
from recon.lake.storage import RUN_LOCK

LEASE_SECONDS = 60.0
"""How long a holder may be silent before it counts as gone."""

_RENEWALS = 4  # in the life of a lease


class _Note(msgspec.Struct):
    """What the object says; `count` makes every renewal another object."""

    owner: str  # empty: nobody
    run: str
    count: int


class Lease:
    """A held lease, renewed by a thread until the context ends."""

    def __init__(
        self,
        objects: Objects,
        machine: str,
        now: Callable[[], datetime],
        place: str,
    ) -> None:
        self._objects = objects
        self._note = _Note(machine, secrets.token_hex(16), 0)
        self._now = now
        self._place = place
        self._tag = ""
        self._lost = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._renew, daemon=True)

    def __enter__(self) -> Self:
        """Take the lease; LockHeld if another holds it."""
        if not (self._taken() and self._is_ours()):
            raise LockHeld(f"another run is at work on {self._place}; try again later")
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let go; LockHeld if another took over meanwhile and nothing else failed."""
        self._ended.set()
        self._thread.join()
        if not self._lost:
            with suppress(LakeError, OSError):  # it then ends by itself
                self._lost = not self._let_go()
        if self._lost and error is None:
            raise LockHeld(
                f"this run stood still, and another took over {self._place}; "
                "what both stored is sound"
            )

    def _let_go(self) -> bool:
        """Leave the lease to nobody; False if it is another's, unseen by a renewal."""
        nobody = _Note("", self._note.run, self._note.count + 1)
        content = msgspec.json.encode(nobody)
        if self._objects.replace(RUN_LOCK, content, self._tag):
            return True
        # The tag may be old: an answer was lost.
        return self._is_ours() and self._objects.replace(RUN_LOCK, content, self._tag)

    def _taken(self) -> bool:
        content = msgspec.json.encode(self._note)
        if self._objects.create(RUN_LOCK, content):
            return True
        try:
            seen = self._objects.look(RUN_LOCK)
        except FileNotFoundError:
            return False
        note = _read(seen.content)
        gone = (
            note is None
            or note.owner in {"", self._note.owner}
            or abs(self._now() - seen.at) > timedelta(seconds=LEASE_SECONDS)
        )
        return gone and self._objects.replace(RUN_LOCK, content, seen.tag)

    def _is_ours(self) -> bool:
        """Learn the tag of what stands there; True if this run wrote it.

        It may be an earlier renewal, or one whose answer never came.
        """
        seen = self._objects.look(RUN_LOCK)
        self._tag = seen.tag
        note = _read(seen.content)
        ours = (self._note.owner, self._note.run)
        return note is not None and (note.owner, note.run) == ours

    def _renew(self) -> None:
        alive = time.monotonic()
        while not self._ended.wait(LEASE_SECONDS / _RENEWALS):
            self._note.count += 1
            content = msgspec.json.encode(self._note)
            try:
                renewed = self._objects.replace(RUN_LOCK, content, self._tag)
                kept = self._is_ours()  # the tag may be old: an answer was lost
                alive = time.monotonic() if renewed else alive
            except (LakeError, OSError):
                kept = True  # no answer is no refusal, for as long as the lease lasts
            if not kept or time.monotonic() - alive > LEASE_SECONDS:
                self._lost = True
                return


def _read(content: bytes) -> _Note | None:
    try:
        return msgspec.json.decode(content, type=_Note)
    except msgspec.MsgspecError:
        return None
