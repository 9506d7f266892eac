"""Two rows that tell whether others left the list while it grew: its first, its last.

A list that grows at its head leaves its old first row as far from the end as it was;
one that grows at its tail leaves its old last row as far from the start. So that row,
met again in its old place from that end in a list that is longer now, shows that no
row of the old list has gone: where the list grows at the other end, it comes further
from there. In a list that is as long as it was, one row may have come for another that
left; and a row further in would not tell of those that left before it.

A list that grows at both ends may lose as many rows as came at the one end while the
row of the other still seems to be in its old place. So the other row is looked for as
well: it has to be the end of the list still.
"""

from collections.abc import Sequence
from enum import Enum


class Growth(Enum):
    """An end of a list: that where rows come in."""

    HEAD = "head"
    TAIL = "tail"


class Anchors:
    """Places of a list's first and last row, as first read."""

    def __init__(self) -> None:
        self._first = ("", 0)  # an id, and how long the list was then
        self._last = ("", 0)

    def drop_head(self, ids: Sequence[str], total: int) -> None:
        """Remember the first row of page 1, from an answer with that total."""
        if ids and not self._first[1]:
            self._first = ids[0], total

    def drop_tail(self, ids: Sequence[str], start: int, total: int) -> None:
        """Remember the last row, of a page that begins at place `start`."""
        if ids and not self._last[1] and start + len(ids) == total:
            self._last = ids[-1], total

    def grown(self, ids: Sequence[str], start: int, total: int) -> Growth | None:
        """Tell at which end the list grew, if a page read later shows it to have."""
        places = {key: place for place, key in enumerate(ids, start=start)}
        (first, at_head), (last, at_tail) = self._first, self._last
        if total > at_head > 0 and places.get(first) == total - at_head:
            return Growth.HEAD
        if total > at_tail > 0 and places.get(last) == at_tail - 1:
            return Growth.TAIL
        return None

    def far_row(self, grown: Growth) -> str:
        """Return the id of the old row at the end where the list did not grow."""
        return (self._last if grown is Growth.HEAD else self._first)[0]

    def far_place(self, grown: Growth, total: int) -> int:
        """Return the place of that row in a list of that length: it is an end still."""
        return total - 1 if grown is Growth.HEAD else 0
