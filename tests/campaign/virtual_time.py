"""An event loop whose clock jumps to the next timer instead of waiting for it.

Back-offs, pauses of `Retry-After` and time-outs happen in their true order and cost
no time. While a thread of the loop's executor is at work, time is the real one.
"""

import asyncio
import selectors
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_LEAST_SECONDS = 1e-6  # less would be lost in the rounding of a late time


class _Selector(selectors.DefaultSelector):
    """Does not wait for a timer: it moves the loop's clock instead."""

    loop: "VirtualLoop"

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        if self.loop.has_threads:
            began = time.monotonic()
            found = super().select(timeout)
            self.loop.now += time.monotonic() - began
            return found
        found = super().select(0)
        if not found:
            self.loop.now += max(timeout, _LEAST_SECONDS)
        return found


class VirtualLoop(asyncio.SelectorEventLoop):
    """`now` is the loop's own time in seconds: it passes while nothing can be done."""

    def __init__(self) -> None:
        self.now = 0.0
        selector = _Selector()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        """Return the loop's own time in seconds."""
        return self.now

    @property
    def has_threads(self) -> bool:
        """Tell whether work may be under way in threads."""
        return getattr(self, "_default_executor", None) is not None


class _Policy(asyncio.DefaultEventLoopPolicy):
    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        return VirtualLoop()


@contextmanager
def virtual_time() -> Iterator[None]:
    """Give every loop that is made meanwhile a clock of its own."""
    before = asyncio.get_event_loop_policy()
    asyncio.set_event_loop_policy(_Policy())
    try:
        yield
    finally:
        asyncio.set_event_loop_policy(before)
