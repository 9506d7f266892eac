"""Two rows that tell whether others left the list while it grew: its first, its last.

A list that grows at its head leaves its old first row as far from the end as it was;
one that grows at its tail leaves its old last row as far from the start. So that row,
met again in its old place from that end in a list that is longer now, shows that no
row of the old list has gone: where the list grows at the other end, it comes further
from there. In a list that is as long as it was, one row may have come for another that
left; and a row further in would not tell of those that left before it.
"""

from collections.abc import Sequence


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

    def hold(self, ids: Sequence[str], start: int, total: int) -> bool:
        """Tell whether a page read later has such a row in its old place."""
        places = {key: place for place, key in enumerate(ids, start=start)}
        (first, at_head), (last, at_tail) = self._first, self._last
        return (total > at_head > 0 and places.get(first) == total - at_head) or (
            total > at_tail > 0 and places.get(last) == at_tail - 1
        )
