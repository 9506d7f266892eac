"""A log that nobody can fill: what recurs is counted, and said once a minute."""

import time
from collections import Counter
from collections.abc import Callable

from recon.wording import counted

Say = Callable[[str], None]
"""Takes one line for the log."""

_SECONDS = 60.0
_MOST_KINDS = 50


class Seldom:
    """Says things of one heading at most once a minute, with how often each came.

    A line has so many of them, and how often others came.
    """

    def __init__(self, heading: str, say: Say) -> None:
        self._heading = heading
        self._say = say
        self._unsaid: Counter[str] = Counter()
        self._others = 0  # for which a line has no place
        self._silent_until = float("-inf")

    def note(self, what: str) -> None:
        """Say a thing, or keep it for the next line."""
        if what in self._unsaid or len(self._unsaid) < _MOST_KINDS:
            self._unsaid[what] += 1
        else:
            self._others += 1
        now = time.monotonic()
        if now < self._silent_until:
            return
        told = [f"{count:,} × {what}" for what, count in self._unsaid.items()]
        told += [counted(self._others, "other")] if self._others else []
        self._say(f"{self._heading}: {'; '.join(told)}")
        self._unsaid.clear()
        self._others = 0
        self._silent_until = now + _SECONDS
