"""Connections that must come to the point: a request's head has a deadline.

uvicorn bounds idle connections only; one that sends a byte now and then would stay
for ever. The deadline of a body is the receiver's own. Nor does it bound how many are
open: it answers those beyond its limit with 503 once they ask something, and while the
process may open no further file, asyncio prints a traceback for each attempt.
"""

import asyncio
import resource
from contextlib import suppress
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
_TIMES = 2  # the limit: so many may be open, and those beyond the limit get 503
_OTHER_FILES = 100


def make_room(connections: int, backlog: int) -> None:
    """Raise the process's limit of open files to what a full receiver needs.

    asyncio takes a whole backlog before any of it is looked at. Where the system sets
    a lower bound, the limit is that.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = _TIMES * connections + backlog + _OTHER_FILES
    most = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    if resource.RLIM_INFINITY != soft < most:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class PromptConnection(H11Protocol):
    """A connection that is cut unless its next request begins in time.

    So is one that comes while twice as many are open as are answered.
    """

    head_seconds = HEAD_SECONDS

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        limit = self.limit_concurrency
        if limit is not None and len(self.connections) > _TIMES * limit:
            transport.abort()
            return
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._unwatch()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Start the deadline while no request is at work, and end it with one."""
        at_work = self.cycle is not None and not self.cycle.response_complete
        if at_work:
            self._unwatch()
        elif self._deadline is None and not self.transport.is_closing():
            self._deadline = self.loop.call_later(self.head_seconds, self._cut)

    def _unwatch(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _cut(self) -> None:
        self._deadline = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.abort()
