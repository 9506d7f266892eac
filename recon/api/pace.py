"""How fast one product is asked: so many at once, so many a second, slower on 429."""

import asyncio
import random
from collections import deque
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from recon.times import http_date

Sleep = Callable[[float], Awaitable[None]]

FIRST_WAIT_SECONDS = 0.2
LONGEST_WAIT_SECONDS = 20.0
_GOOD_ANSWERS_A_STEP = 20  # answers in a row that let one more request in again


def backoff_seconds(attempt: int) -> float:
    """Return the wait before the next attempt (the first is 0): doubling, jittered."""
    longest: float = min(FIRST_WAIT_SECONDS * 2**attempt, LONGEST_WAIT_SECONDS)
    return longest * random.uniform(0.5, 1)  # noqa: S311 - spreads load, no secret


def retry_after_seconds(
    header: str | None, said_at: datetime | None = None
) -> float | None:
    """Read `Retry-After`: seconds or an HTTP date; None if absent or unreadable.

    A date is by the clock of `said_at`, the present if None.
    """
    text = (header or "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    until = http_date(text)
    if until is None:
        return None
    return max(0.0, (until - (said_at or datetime.now(UTC))).total_seconds())


class Gate:
    """Lets requests through; used as `async with gate:` around each one.

    Refused with 429 it halves how many may be under way and lets nobody start for the
    time the provider asked; a run of good answers opens it again step by step.
    """

    def __init__(
        self, at_once: int, per_second: float | None, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._most = at_once
        self._limit = at_once
        self._gap = 1 / per_second if per_second else 0.0
        self._sleep = sleep
        self._active = 0
        self._good = 0
        self._next_start = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def at_once(self) -> int:
        """Return how many requests may be under way at present."""
        return self._limit

    def slow_down(self, seconds: float) -> None:
        """Take a 429: fewer at once, and a pause for everybody."""
        self._limit = max(1, self._limit // 2)
        self._good = 0
        start = asyncio.get_running_loop().time() + seconds
        self._next_start = max(self._next_start, start)

    def went_well(self) -> None:
        """Take a good answer: after a run of them one more may be under way."""
        self._good += 1
        if self._good >= _GOOD_ANSWERS_A_STEP and self._limit < self._most:
            self._limit += 1
            self._good = 0
            self._wake()

    async def __aenter__(self) -> None:
        while self._active >= self._limit:
            place = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place
            except asyncio.CancelledError:
                self._wake()  # a place given to a request that gave up goes on
                raise
        self._active += 1
        try:
            await self._turn()
        except BaseException:
            self._leave()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._leave()

    async def _turn(self) -> None:
        present = asyncio.get_running_loop().time()
        start = max(present, self._next_start)
        if self._gap:
            self._next_start = start + self._gap
        if start > present:
            await self._sleep(start - present)

    def _leave(self) -> None:
        self._active -= 1
        self._wake()

    def _wake(self) -> None:
        free = self._limit - self._active
        while self._waiting and free > 0:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                free -= 1
