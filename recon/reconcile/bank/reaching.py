"""Which debits a claim may have if those that have them take others, nearest first.

Of equal amounts very many debits may be in reach of one another, and each claim without
one asks for them. So what was met is marked in bytes, and where many claims ask in
their turn, they are looked at together.
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from recon.reconcile.bank.sides import Row

MANY = 64
"""So many claims that ask are looked at together; of fewer, one by one is faster."""

_Places = NDArray[np.int64]

_CLAIM = -1  # in place of the debit of who asks: it is the claim that asks first


class Debits(Protocol):
    """What is to be known of a pairing."""

    debits: list[Row]
    owners: list[Row | None]
    free: list[int]

    def windows(self, claim: Row) -> list[range]:
        """Return the places of the debits that may serve a claim, by their length."""

    def first_free(self, claim: Row) -> int | None:
        """Return the place of the earliest debit of a claim that serves nobody."""

    def windows_of_owners(self) -> Sequence[tuple[_Places, _Places]]:
        """Return begins and ends of the windows of all owners, by length of debits."""


class Reach:
    """The debits that a claim may have if others move.

    Those marked in `past` are passed over, and all behind them; where it is empty, it
    is filled. `count` are those that were met, the one that was found among them.
    """

    def __init__(self, pairing: Debits, claim: Row, past: bytearray) -> None:
        self._pairing = pairing
        self._claim = claim
        if not past:
            past.extend(bytes(len(pairing.debits)))
        self._past = past
        self._met = bytearray()  # and passed over; empty before any is met
        self._left = np.empty(0, np.int64)  # by a debit, which one its taker leaves
        self.count = 0

    def find(self) -> int | None:
        """Return the nearest debit that serves nobody; note what is met before it."""
        asking = np.array([_CLAIM])
        while asking.size:
            turn, free = self._first_free(asking)
            if free is not None:
                self._expand(asking[:turn])
                self.count += 1
                if self._met:
                    self._left[free] = asking[turn]
                return free
            asking = self._expand(asking)
        return None

    def places(self) -> Iterator[int]:
        """Yield the debits in reach, of whom none serves nobody, nearest first.

        One by one, since whoever asks may soon have seen enough.
        """
        waiting = deque([_CLAIM])
        while waiting:
            for place in self._one_by_one([waiting.popleft()]):
                waiting.append(place)
                yield place

    def steps(self, place: int) -> Iterator[tuple[int, Row]]:
        """Yield the debits on the way to one, it first, and the claim to take each."""
        while place != _CLAIM:
            left = int(self._left[place]) if self._met else _CLAIM
            yield place, self._asker(left)
            place = left

    def pass_over(self) -> None:
        """Mark in `past` what was met."""
        if self._met:
            self._past[:] = self._met

    def _asker(self, place: int) -> Row:
        owner = self._claim if place == _CLAIM else self._pairing.owners[place]
        assert owner is not None  # noqa: S101
        return owner

    def _first_free(self, asking: _Places) -> tuple[int, int | None]:
        """Return the first who may have a free debit, by their turn, and this debit."""
        if asking.size < MANY:
            for turn, place in enumerate(asking.tolist()):
                free = self._pairing.first_free(self._asker(place))
                if free is not None:
                    return turn, free
            return 0, None
        all_free = self._pairing.free
        has_free = np.zeros(asking.size, np.bool_)
        for begins, ends in self._pairing.windows_of_owners():
            begin, end = begins[asking], ends[asking]
            first = bisect_left(all_free, begin.min())
            free_here = np.array(
                all_free[first : bisect_left(all_free, end.max())], np.int64
            )
            has_free |= free_here.searchsorted(begin) < free_here.searchsorted(end)
        turn = int(has_free.argmax())
        if not has_free[turn]:
            return 0, None
        return turn, self._pairing.first_free(self._asker(int(asking[turn])))

    def _expand(self, asking: _Places) -> _Places:
        """Meet the debits that claims ask for, and return them in the order of that."""
        if asking.size < MANY:
            found = np.array(list(self._one_by_one(asking.tolist())), np.int64)
        else:
            found = self._together(asking)
        self.count += found.size
        return found

    def _one_by_one(self, asking: list[int]) -> Iterator[int]:
        met = self._met or self._past
        for left in asking:
            for window in self._pairing.windows(self._asker(left)):
                place = met.find(0, window.start, window.stop)
                while place >= 0:
                    if not self._met:
                        self._met = met = bytearray(self._past)
                        self._left = np.empty(len(met), np.int64)
                    met[place] = 1
                    self._left[place] = left
                    yield place
                    place = met.find(0, place + 1, window.stop)

    def _together(self, asking: _Places) -> _Places:
        met = np.frombuffer(self._met, np.uint8)
        found, turns = [], []
        for begins, ends in self._pairing.windows_of_owners():
            begin, end = begins[asking], ends[asking]
            first = begin.min()
            places = first + np.flatnonzero(met[first : end.max()] == 0)
            turn = _first_ranges(
                places.searchsorted(begin), places.searchsorted(end), places.size
            )
            is_met = turn < asking.size
            found.append(places[is_met])
            turns.append(turn[is_met])
        in_turn = np.concatenate(turns)
        order = in_turn.argsort(kind="stable")
        places = np.concatenate(found)[order]
        met[places] = 1
        self._left[places] = asking[in_turn[order]]
        return places


def is_past(window: range, past: bytearray) -> bool:
    """Tell whether all debits of a window are passed over."""
    return past.find(0, window.start, window.stop) < 0 if past else not window


def _first_ranges(begins: _Places, ends: _Places, count: int) -> _Places:
    """Tell of each of `count` places the first range that holds it.

    Of one that none holds, how many ranges there are. A range is held as two that
    overlap, each as long as a power of two; from the longest on they are halved.
    """
    found = np.full(count, begins.size)
    turns = np.flatnonzero(begins < ends)
    begins, ends = begins[turns], ends[turns]
    powers = np.frexp(ends - begins)[1] - 1
    for power in range(int(powers.max(initial=-1)), -1, -1):
        length = 1 << power
        found[length:] = np.minimum(found[length:], found[:-length])
        is_so = powers == power
        for starts in (begins[is_so], ends[is_so] - length):
            np.minimum.at(found, starts, turns[is_so])
    return found
