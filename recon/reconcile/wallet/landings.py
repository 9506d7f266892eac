"""In which of the wallet's intervals an open item may have landed.

What may land in each interval is told when it is asked for: all of it at once, of many
items and many intervals, would take their product in memory.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from recon.reconcile.wallet.account import Item

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)
_ALWAYS = 2**62  # beyond all instants, and its differences are within 64 bits
_TIMEOUT = "payment_timeout"

_T = TypeVar("_T")


class Landings:
    """The open items of some broken intervals; items are named by their positions.

    `ends` are the two snapshots of each interval. A queued deposit may land at any time
    after its request. A done payment without a time was done between its creation and
    its last update. Unknown: how long after a time-out the money may still move; its
    own interval and the next one are taken. By `skew` each may be off.
    """

    def __init__(
        self,
        items: Sequence[Item],
        ends: Sequence[tuple[datetime, datetime]],
        skew: timedelta,
    ) -> None:
        self._names = np.arange(len(items)).astype(np.object_)  # each int is one object
        self._from = _ticks([item.possible_from for item in items], -_ALWAYS)
        self._until = _ticks([_latest(item) for item in items], _ALWAYS)
        self._waits = np.asarray([item.kind == _TIMEOUT for item in items], np.bool_)
        self._begins = [_tick(begin) for begin, _ in ends]
        self._ends = [_tick(end) for _, end in ends]
        self._skew = skew // _TICK

    def stale(
        self, broken: Collection[int], queue: timedelta
    ) -> Mapping[int, frozenset[int]]:
        """Return what is older in an interval than `queue`: newer ones are likelier."""
        return _Asked(
            broken, lambda at: frozenset(self._named(self._split(at, queue)[1]))
        )

    def landing(
        self, broken: Collection[int], queue: timedelta
    ) -> Mapping[int, Sequence[int]]:
        """Return what may have landed in an interval, the stale ones last."""
        return _Asked(
            broken, lambda at: self._named(np.concatenate(self._split(at, queue)))
        )

    def _named(self, places: NDArray[np.intp]) -> list[int]:
        named: list[int] = self._names[places].tolist()
        return named

    def _split(
        self, at: int, queue: timedelta
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return what may have landed in an interval, and what of it is stale."""
        begin, before = self._begins[at], self._begins[max(0, at - 1)]
        begins = np.where(self._waits, before, begin)
        began = self._from - self._ends[at] <= self._skew
        places = np.flatnonzero(began & (begins - self._until < self._skew))
        known = self._from[places] > -_ALWAYS
        stale = known & (self._from[places] < begin - queue // _TICK)
        return places[~stale], places[stale]


class _Asked(Mapping[int, _T]):
    """Answers for some intervals, each found when it is asked for."""

    def __init__(self, broken: Collection[int], find: Callable[[int], _T]) -> None:
        self._broken = dict.fromkeys(broken)
        self._find = find

    def __getitem__(self, interval: int) -> _T:
        if interval not in self._broken:
            raise KeyError(interval)
        return self._find(interval)

    def __iter__(self) -> Iterator[int]:
        return iter(self._broken)

    def __len__(self) -> int:
        return len(self._broken)


def _latest(item: Item) -> datetime | None:
    """Return the last instant at which an item can have landed; None if any can be."""
    earliest, latest = item.possible_from, item.possible_until
    if latest is None or (earliest is not None and latest < earliest):
        return earliest if item.kind == _TIMEOUT else None
    return latest


def _ticks(instants: Sequence[datetime | None], unknown: int) -> NDArray[np.int64]:
    ticks = [unknown if each is None else _tick(each) for each in instants]
    return np.asarray(ticks, dtype=np.int64)


def _tick(instant: datetime) -> int:
    return (instant - _EPOCH) // _TICK
