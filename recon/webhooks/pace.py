"""How much may be read and stored in a while: a bucket that fills by itself."""

import time

UNIT_BYTES = 4096
"""What one unit of the allowance is worth; a usual event is far smaller."""


class Allowance:
    """Units that may be used: `burst` at once, `rate` more each second.

    What needs more than a burst is taken once that is there, and the rest is owed: it
    would else wait for ever.
    """

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._at = burst, time.monotonic()

    def take(self, size: int) -> float:
        """Take what so many bytes need; returns 0, or the seconds to wait instead."""
        now = time.monotonic()
        grown = self._left + (now - self._at) * self._rate
        self._left, self._at = min(self._burst, grown), now
        units = max(1, -(-size // UNIT_BYTES))
        least = min(units, self._burst)
        if least > self._left:
            return (least - self._left) / self._rate
        self._left -= units
        return 0.0
