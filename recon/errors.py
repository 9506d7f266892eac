"""Everything that can go wrong, as one tree, and the exit code of each.

ReconError
├── UsageError              a wrong call: arguments, period, unknown name
│   ├── SettingsError       a wrong or missing setting
│   └── RefusedFile         an import that was not taken
├── LockHeld                another run is at work
├── Ended                   a signal ended the process
├── LakeError               the lake cannot be read or written
│   └── CorruptLake         a stored file is not what was committed
└── ProviderError           the provider's answer, or its absence
    ├── Refused             a documented 4xx: code, message, errors by field
    │   ├── Unauthenticated
    │   ├── NotFound
    │   └── RateLimited
    ├── Unavailable         5xx, time-out, cut connection, an answer that is no answer
    └── OutcomeUnknown      a request that moves money ended without a clear answer
"""

import errno
import os
from enum import IntEnum

_OF_FILES = (os.strerror(errno.EMFILE), os.strerror(errno.ENFILE))
NO_MORE_FILES = (
    f"the system lets this process open no further file ({_OF_FILES[0]}): raise its "
    "limit (ulimit -n, LimitNOFILE)"
)


class ExitCode(IntEnum):
    """What a command tells the shell (see the README's table)."""

    CLEAN = 0
    BREAKS_OPEN = 1
    USAGE = 2
    INCOMPLETE = 3
    LOCKED = 4


class ReconError(Exception):
    """Base of all errors that `recon` raises on purpose; one clear line each."""

    exit_code = ExitCode.USAGE
    logged: str | None = None
    """What a log tells in place of a line that may repeat a text of a file."""


class UsageError(ReconError):
    """The caller asked for something that does not exist or makes no sense."""


class SettingsError(UsageError):
    """A setting is missing, unknown or not allowed."""


class RefusedFile(UsageError):  # noqa: N818 - the field's word
    """A file given to an import was refused; nothing of it was taken.

    A log tells where it is and why, without a text of it.
    """

    def __init__(self, told: str, logged: str = "a file was refused") -> None:
        super().__init__(told)
        self.logged = logged


class LockHeld(ReconError):  # noqa: N818
    """Another run holds the lock of this lake."""

    exit_code = ExitCode.LOCKED


class Ended(ReconError):  # noqa: N818
    """A signal ended the process; its text says which. Announced, never raised."""


class LakeError(ReconError):
    """The lake cannot be read or written."""


class CorruptLake(LakeError):  # noqa: N818
    """A stored file is missing or differs from what was committed."""

    exit_code = ExitCode.INCOMPLETE


def unread(told: str) -> LakeError:
    """Return the error of a stored file that cannot be read, as `told` says.

    It is damaged, unless the system's words in it say that nothing can be opened.
    """
    return LakeError(NO_MORE_FILES) if lacks_files(told) else CorruptLake(told)


def lacks_files(told: str) -> bool:
    """Tell whether the system's words are that no further file can be opened."""
    return any(each in told for each in _OF_FILES)


class ProviderError(ReconError):
    """The provider refused, failed or stayed silent."""

    exit_code = ExitCode.INCOMPLETE

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        errors: dict[str, list[str]] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.errors = errors or {}


class Refused(ProviderError):  # noqa: N818
    """The provider answered with a documented refusal (4xx)."""


class Unauthenticated(Refused):
    """The credential is missing, wrong or not allowed (401, 403)."""


class NotFound(Refused):
    """The provider knows no such record (404)."""


class RateLimited(Refused):
    """The provider asks to slow down (429); `retry_after` in seconds if said."""

    retry_after: float | None = None


class Unavailable(ProviderError):  # noqa: N818
    """No usable answer: 5xx, time-out, cut connection, not JSON, wrong shape."""


class OutcomeUnknown(ProviderError):  # noqa: N818
    """A request that moves money ended without an answer; not sent again."""
