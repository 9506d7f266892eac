"""Rows that tell whether others left the list while it grew.

A list that grows at its head leaves every old row as far from the end as it was; one
that grows at its tail leaves every old row as far from the start. So one row of the
first page, or of the last, met again in its old place from that end, shows that no
row between it and that end has gone.
"""

from collections.abc import Sequence


class Anchors:
    """Places of the rows of a list's first and last page, as first read."""

    def __init__(self) -> None:
        self._from_end: dict[str, int] = {}
        self._from_start: dict[str, int] = {}

    def drop_head(self, ids: Sequence[str], total: int) -> None:
        """Remember the rows of page 1, from an answer with that total."""
        if not self._from_end:
            self._from_end = {key: total - place for place, key in enumerate(ids)}

    def drop_tail(self, ids: Sequence[str], start: int) -> None:
        """Remember the rows of the last page, which begins at place `start`."""
        if not self._from_start:
            places = enumerate(ids, start=start)
            self._from_start = {key: place for place, key in places}

    def hold(self, ids: Sequence[str], start: int, total: int) -> bool:
        """Tell whether a page read later has such a row in its old place."""
        return any(
            self._from_end.get(key) == total - place
            or self._from_start.get(key) == place
            for place, key in enumerate(ids, start=start)
        )
