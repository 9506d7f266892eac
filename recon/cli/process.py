"""What befalls the process from outside: Ctrl-C, an output that takes nothing."""

import atexit
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
from typing import Any, NoReturn, Self

from recon.errors import NO_MORE_FILES, lacks_files

_MOST_SIGNALS = 4096
_OUTPUTS = (1, 2)  # standard output and error
_GIVEN_UP = "recon-notify"  # so are threads called in which `notify` sends
_UNREAD = select.POLLERR | select.POLLHUP
_NO_THREAD = "can't start new thread"
_NO_MORE_THREADS = (
    "the system starts no further thread for this process: raise the limit of its "
    "processes (ulimit -u, TasksMax, a container's pids limit) or of its address space "
    "(ulimit -v)"
)
NO_MORE_MEMORY = (
    "the system gives this process no further memory: raise its limit (ulimit -v, "
    "MemoryMax, a container's memory), or lower engine.memory_limit"
)
_UNMAPPED = "failed to map segment"  # of a library, by the system's loader
_NO_CACHE = "MPLCONFIGDIR"
"""matplotlib names it where no folder is left that it may keep its fonts in."""
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

    def __exit__(self, *_: object) -> None:
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


def leave_interrupts() -> None:
    """Let Ctrl-C end the process at once: nothing but the tidying up is left of it.

    Where it is ignored, as in a job of the background, it stays so.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def leave(code: int) -> NoReturn:
    """End the process with an exit code; a sending that was given up ends with it.

    Its library has threads of its own, which the interpreter would wait for: for as
    long as the address hangs. What else is to be done at the end is done.
    """
    if any(each.name == _GIVEN_UP for each in threading.enumerate()):
        atexit._run_exitfuncs()  # noqa: SLF001 - all but the waiting
        os._exit(code)
    sys.exit(code)


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

    What the terminal or the file cannot show is printed as an escape. Standard error
    becomes one whose lines are dropped where they cannot be written: a full disk of
    the log, or a reader that went away, stops no work and changes no exit code.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - open as long as the process
        elif isinstance(stream, io.TextIOWrapper) and _lacks_letters(stream):
            stream.reconfigure(errors="backslashreplace")
    if isinstance(sys.stderr, io.TextIOWrapper) and _is_standard_error(sys.stderr):
        sys.stderr = _forgiving(sys.stderr)


class _Forgiving(io.FileIO):
    """A file that takes every line, and drops those that cannot be written."""

    def write(self, content: Any, /) -> int:
        """Write what can be written now; the rest is dropped."""
        with contextlib.suppress(OSError):
            written = super().write(content)
            if written is not None:  # else it would have to be waited for
                return written
        return len(content)


def _forgiving(stream: io.TextIOWrapper) -> io.TextIOWrapper:
    """Return standard error as it is, but for what cannot be written."""
    with contextlib.suppress(OSError):
        stream.flush()
    file = _Forgiving(stream.fileno(), "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(file),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=True,
    )


def _is_standard_error(stream: io.TextIOWrapper) -> bool:
    """Tell whether a stream is the process's own: a test may have put another there."""
    try:
        return stream.fileno() == _OUTPUTS[1]
    except (OSError, ValueError):
        return False


def _lacks_letters(stream: io.TextIOWrapper) -> bool:
    """Tell whether a letter that a stream cannot show would end the process.

    In the C locale it is no UTF-8 where that was switched off, and lets through what
    was no text to begin with.
    """
    is_unicode = stream.encoding.lower().replace("_", "-") == "utf-8"
    return stream.errors == "strict" or (
        stream.errors == "surrogateescape" and not is_unicode
    )


def lacking(error: BaseException) -> str:
    """Say what the system does not give the process, if that is the error; else ""."""
    if isinstance(error, BaseExceptionGroup):
        return next(filter(None, map(lacking, error.exceptions)), "")
    if isinstance(error, RuntimeError) and _NO_THREAD in str(error):
        return _NO_MORE_THREADS
    if isinstance(error, (OSError, ImportError)) and lacks_files(str(error)):
        return NO_MORE_FILES
    if isinstance(error, OSError) and _NO_CACHE in str(error):
        from recon.scratch import NO_ROOM

        return NO_ROOM
    if isinstance(error, ImportError) and _UNMAPPED in str(error):
        return NO_MORE_MEMORY
    of_engine = type(error).__name__ == "OutOfMemoryException"  # DuckDB's, not loaded
    return NO_MORE_MEMORY if of_engine or isinstance(error, MemoryError) else ""


def output_failed(error: OSError) -> bool:
    """Tell whether it was standard output that could not be written; let go of it."""
    if error.filename is not None or error.errno not in _OF_FULL_DISKS:
        return False
    try:
        print(flush=True)  # what was to be printed may be gone: an empty line tells
    except OSError:
        _let_go_of_output()
        return True
    return False


def end_output() -> None:
    """Write what standard output still holds, or drop it.

    Else the interpreter tries it as it ends, and makes an exit code of its own of it.
    """
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        _let_go_of_output()


def _let_go_of_output() -> None:
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
