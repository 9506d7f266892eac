"""Work in a child process that may die at a chosen write step, and what it told.

The child tells by a pipe what it was given a promise for (`ack`), so that whoever
started it knows what must not be lost, however it ended.
"""

import json
import os
import select
import signal
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recon.errors import ReconError
from tests.campaign.disk import KILLED, Blow, Disk

LONGEST_SECONDS = 120.0

Ack = Callable[[Any], None]
"""Called with what was promised to the caller: an id of a commit, of an event."""
Work = Callable[[Ack], None]


@dataclass
class Ending:
    """How a child ended: `error` is a clear refusal, `trouble` a traceback."""

    code: int
    acks: list[Any] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    error: str = ""
    trouble: str = ""

    @property
    def killed(self) -> bool:
        """Tell whether it was ended from outside or by the disk."""
        return self.code in {KILLED, -signal.SIGKILL}

    @property
    def done(self) -> bool:
        """Tell whether the work says that it succeeded."""
        return not (self.killed or self.error or self.trouble)


def in_child(
    work: Work, root: Path, blow: Blow | None = None, *, kill_after: float = 0.0
) -> Ending:
    """Do the work in a child whose writes under `root` are struck by `blow`.

    With `kill_after` the child gets SIGKILL after so many seconds, wherever it is.
    """
    with tempfile.TemporaryDirectory(prefix="recon-disk-") as kept:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            _live(work, Disk(root, blow, kept=Path(kept)), writing)
        os.close(writing)
        return _heard(child, reading, kill_after)


def _live(work: Work, disk: Disk, pipe: int) -> None:
    """Do the work and end: nothing of the parent's clean-up may run here."""
    write = os.write

    def tell(kind: str, said: Any) -> None:
        write(pipe, json.dumps([kind, said]).encode() + b"\n")

    try:
        with disk.working():
            work(lambda said: tell("ack", said))
    except ReconError as error:
        tell("error", f"{type(error).__name__}: {error}")
    except BaseException:  # noqa: BLE001 - whatever it is, it is told
        tell("trouble", traceback.format_exc())
    tell("steps", disk.steps)
    os._exit(0)


def _heard(child: int, pipe: int, kill_after: float) -> Ending:
    started, said = time.monotonic(), b""
    limit = kill_after or LONGEST_SECONDS
    with os.fdopen(pipe, "rb", buffering=0) as told:
        while True:
            left = limit - (time.monotonic() - started)
            ready, _, _ = select.select([told], [], [], max(0.0, left))
            if not ready:
                os.kill(child, signal.SIGKILL)
                limit = LONGEST_SECONDS * 2
                if not kill_after:
                    said += json.dumps(["trouble", "it hung"]).encode() + b"\n"
                kill_after = 0.0
                continue
            part = told.read(1 << 16)
            if not part:
                break
            said += part
    _, status = os.waitpid(child, 0)
    ending = Ending(os.waitstatus_to_exitcode(status))
    for line in said.splitlines():
        _take(ending, line)
    return ending


def _take(ending: Ending, line: bytes) -> None:
    try:
        kind, said = json.loads(line)
    except ValueError:
        return  # it was killed while it told
    match kind:
        case "ack":
            ending.acks.append(said)
        case "steps":
            ending.steps = said
        case "error":
            ending.error = said
        case _:
            ending.trouble = said
