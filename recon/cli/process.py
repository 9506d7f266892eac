"""What befalls the process from outside: Ctrl-C, an output that takes nothing."""

import contextlib
import errno
import io
import os
import select
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

_MOST_SIGNALS = 4096
_OUTPUTS = (1, 2)  # standard output and error
_UNREAD = select.POLLERR | select.POLLHUP
_OF_FULL_DISKS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


class Interrupts:
    """Whether Ctrl-C was pressed: engines make errors of their own of it.

    Used around a command. Handlers of the signal stay as they are.
    """

    def __init__(self) -> None:
        """Hear of nothing yet."""
        self._ends: tuple[int, int] | None = None
        self._before = -1

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._ends = os.pipe()
            for end in self._ends:
                os.set_blocking(end, False)
            self._before = signal.set_wakeup_fd(
                self._ends[1], warn_on_full_buffer=False
            )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._ends:
            signal.set_wakeup_fd(self._before)
            for end in self._ends:
                os.close(end)
            self._ends = None

    def heard(self) -> bool:
        """Tell whether Ctrl-C was pressed since this was asked last."""
        if not self._ends:
            return False
        with contextlib.suppress(BlockingIOError):
            return signal.SIGINT in os.read(self._ends[0], _MOST_SIGNALS)
        return False


class PipeBroken(Exception):  # noqa: N818 - that is what happened
    """A pipe has no reader any more. Of BrokenPipeError click makes exit code 1."""


@contextlib.contextmanager
def told_of_pipes() -> Iterator[None]:
    """Turn BrokenPipeError into one that click leaves alone."""
    try:
        yield
    except BrokenPipeError as error:
        raise PipeBroken from error


def output_unread() -> bool:
    """Tell whether nobody reads standard output or error any more; let go of it."""
    asked = select.poll()
    for place in _OUTPUTS:
        asked.register(place, 0)
    unread = [place for place, said in asked.poll(0) if said & _UNREAD]
    for place in unread:
        os.dup2(os.open(os.devnull, os.O_WRONLY), place)
    return bool(unread)


def ready_output() -> None:
    """Give what is printed a place: a closed stream, or one that lacks letters.

    What the terminal or the file cannot show is printed as an escape.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - open as long as the process
        elif isinstance(stream, io.TextIOWrapper) and _lacks_letters(stream):
            stream.reconfigure(errors="backslashreplace")


def _lacks_letters(stream: io.TextIOWrapper) -> bool:
    """Tell whether a letter that a stream cannot show would end the process.

    In the C locale it is no UTF-8 where that was switched off, and lets through what
    was no text to begin with.
    """
    is_unicode = stream.encoding.lower().replace("_", "-") == "utf-8"
    return stream.errors == "strict" or (
        stream.errors == "surrogateescape" and not is_unicode
    )


def output_failed(error: OSError) -> bool:
    """Tell whether it was standard output that could not be written; let go of it."""
    if error.filename is not None or error.errno not in _OF_FULL_DISKS:
        return False
    try:
        print(flush=True)  # what was to be printed may be gone: an empty line tells
    except OSError:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return True
    return False
