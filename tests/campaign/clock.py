"""The machine's clock, leaping: what every module of recon takes for the present."""

import datetime as dt
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, timedelta, tzinfo
from random import Random
from typing import Any
from unittest import mock

_NO_SHIFT = timedelta(0)
LEAPS = (
    timedelta(seconds=-2),
    timedelta(minutes=-61),
    timedelta(days=-3),
    timedelta(days=-200),
    timedelta(seconds=90),
    timedelta(days=8),
)
"""By how much a leap moves the clock: back as far as forth, and past `full_every`."""


class Clock:
    """`shift` is how far the clock is off; `jitter` lets single readings leap."""

    def __init__(self, start: dt.datetime | None = None) -> None:
        """Begin at the true time, or at a given one."""
        self.shift = _NO_SHIFT if start is None else start - dt.datetime.now(UTC)
        self.jitter: Random | None = None

    def leap(self, chance: Random) -> timedelta:
        """Move the clock by one of the leaps; it ends no further than a year off."""
        by = chance.choice(LEAPS)
        if abs(self.shift + by) < timedelta(days=365):
            self.shift += by
        return by

    def now(self, zone: tzinfo | None = None) -> dt.datetime:
        """Return the present as this clock has it."""
        shift = self.shift
        if self.jitter is not None and self.jitter.random() < 0.2:
            shift += self.jitter.choice(LEAPS)
        return (dt.datetime.now(UTC) + shift).astimezone(zone or UTC)

    @contextmanager
    def moving(self) -> Iterator["Clock"]:
        """Put this clock in the place of the machine's, in every module of recon."""
        stand_in = _stand_in(self)
        with ExitStack() as stack:
            for name, module in [*sys.modules.items()]:
                own = name == "recon" or name.startswith("recon.")
                if own and getattr(module, "datetime", None) is dt.datetime:
                    stack.enter_context(mock.patch.object(module, "datetime", stand_in))
            yield self


def _stand_in(clock: Clock) -> type:
    """Return what looks like `datetime` in every respect but the present."""

    class Kind(type):
        def __instancecheck__(cls, value: Any) -> bool:
            return isinstance(value, dt.datetime)

        def __getattr__(cls, name: str) -> Any:
            return getattr(dt.datetime, name)

        def __call__(cls, *given: Any, **named: Any) -> Any:
            return dt.datetime(*given, **named)  # noqa: DTZ001 - as it was called

    class Present(metaclass=Kind):
        @staticmethod
        def now(tz: tzinfo | None = None) -> dt.datetime:
            return clock.now(tz)

    return Present
