"""Learning a list's order from its own pages; none is taken for granted.

Unknown: the order of lists. It is believed only while every page bears it out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import pairwise
from typing import Any, Generic, TypeAlias, TypeVar

Row = TypeVar("Row")

Moment: TypeAlias = datetime | float
"""When a record was made: of one list all are instants, or all are Unix seconds."""


class Order(StrEnum):
    """Where a list's new records go in."""

    NEWEST_FIRST = "newest_first"
    OLDEST_FIRST = "oldest_first"


@dataclass(frozen=True, slots=True)
class _Span:
    """The times of one page: its first and last row's, and how they run."""

    least: Any
    most: Any
    falls: bool  # never later from row to row
    rises: bool  # never earlier


class OrderWatch(Generic[Row]):
    """Watches the pages of a list go by."""

    def __init__(self, created_at: Callable[[Row], Moment | None] | None) -> None:
        self._created_at = created_at
        self._spans: dict[int, _Span] = {}
        self._broken = created_at is None

    def see(self, number: int, rows: Sequence[Row]) -> None:
        """Take a page; a row without a time tells that there is no order to learn."""
        if self._broken or self._created_at is None or not rows:
            return
        known: list[Any] = [
            time for time in map(self._created_at, rows) if time is not None
        ]
        if len(known) < len(rows):
            self._broken = True
            return
        self._spans[number] = _Span(
            min(known),
            max(known),
            falls=known == sorted(known, reverse=True),
            rises=known == sorted(known),
        )

    def found(self) -> Order | None:
        """Return the order that all pages bear out; None if they do not, or say little.

        Pages read while rows came in overlap, so both ends of neighbouring pages are
        compared, not the end of one with the beginning of the next.
        """
        spans = [self._spans[number] for number in sorted(self._spans)]
        if self._broken or len(spans) < 2 or spans[0].most == spans[-1].most:  # noqa: PLR2004 - one page shows no order
            return None
        if all(span.falls for span in spans) and all(
            first.least >= second.least and first.most >= second.most
            for first, second in pairwise(spans)
        ):
            return Order.NEWEST_FIRST
        if all(span.rises for span in spans) and all(
            first.least <= second.least and first.most <= second.most
            for first, second in pairwise(spans)
        ):
            return Order.OLDEST_FIRST
        return None

    def agrees(self, order: Order) -> bool:
        """Tell whether the pages seen so far do not speak against an order.

        One page can only speak for itself; pages of the same times speak for none.
        """
        spans = self._spans.values()
        runs = [s.falls if order is Order.NEWEST_FIRST else s.rises for s in spans]
        if self._broken or not all(runs):
            return False
        return len(self._spans) <= 1 or self.found() is order or self._level()

    def doubt(self) -> None:
        """Take note that a page was not the one asked for: it shows no order."""
        self._broken = True

    def forget(self) -> None:
        """Begin anew."""
        self._spans.clear()

    def _level(self) -> bool:
        moments = {(span.least, span.most) for span in self._spans.values()}
        return len(moments) == 1
