"""An event loop whose clock jumps to the next timer instead of waiting for it.

Back-offs, pauses of `Retry-After` and time-outs happen in their true order and cost
no time. While a thread of the loop's executor is at work, time is the real one.
"""

import asyncio
import selectors
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class _Selector(selectors.DefaultSelector):
    """Never waits for a timer: it says how long it would have."""

    loop: "VirtualLoop"

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None or timeout <= 0 or self.loop.has_threads:
            return super().select(timeout)
        found = super().select(0)
        if not found:
            self.loop.ahead += timeout
        return found


class VirtualLoop(asyncio.SelectorEventLoop):
    """`ahead` is how many seconds it is ahead of the machine's clock."""

    def __init__(self) -> None:
        self.ahead = 0.0
        selector = _Selector()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        """Return the loop's own time in seconds."""
        return super().time() + self.ahead

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
