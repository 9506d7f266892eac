"""Two, three and four values that sum to a figure: pairs of them that meet.

Integers only. All pairs of fifteen hundred values are a million sums, of which hardly
any meets another one: which may is told by a hash of what is wanted, so that none of
the others has to be sorted.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

_AT_ONCE = 50_000
"""So many places are looked at together."""

_MOST_BITS = 23
_FACTORS = (0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F)
"""Odd, so that all bits of a sum count in the upper ones of the product."""

_Values = NDArray[np.int64]
_Places = NDArray[np.intp]
Set = tuple[int, ...]


class Pairs:
    """The sums of two values each; `numbers` tells how many items have each value."""

    def __init__(self, values: Sequence[int], numbers: Sequence[int]) -> None:
        self._order = np.argsort(np.asarray(values, dtype=np.int64), kind="stable")
        self._values: _Values = np.asarray(values, dtype=np.int64)[self._order]
        self._numbers = np.asarray(numbers, dtype=np.int64)[self._order]
        self._first, self._second = _pairs_of(len(values))
        self._lower = self._values[self._first]
        self._upper = self._values[self._second]
        self._sums: _Values = self._lower + self._upper

    def sets(self, size: int, target: int) -> Iterator[Set]:
        """Yield the sets of two, three or four items, as ascending positions.

        No sum of four may be beyond 64 bits.
        """
        return {2: self._of_two, 3: self._of_three, 4: self._of_four}[size](target)

    def _of_two(self, target: int) -> Iterator[Set]:
        at = np.flatnonzero(self._sums == target)
        yield from self._possible(self._first[at], self._second[at])

    def _of_three(self, target: int) -> Iterator[Set]:
        """Search for the least of the three, and the pair above it."""
        left = np.flatnonzero(3 * self._values <= target)
        right = np.flatnonzero(self._sums + self._lower >= target)
        wanted = target - self._values[left]
        for this, other in _meetings(wanted, self._sums[right]):
            pair = right[other]
            yield from self._possible(left[this], self._first[pair], self._second[pair])

    def _of_four(self, target: int) -> Iterator[Set]:
        """Search for the pair of the lesser two, and that of the others."""
        left = np.flatnonzero(self._sums + 2 * self._upper <= target)
        right = np.flatnonzero(self._sums + 2 * self._lower >= target)
        wanted = target - self._sums[left]
        for this, other in _meetings(wanted, self._sums[right]):
            lesser, greater = left[this], right[other]
            yield from self._possible(
                *(self._first[lesser], self._second[lesser]),
                *(self._first[greater], self._second[greater]),
            )

    def _possible(self, *columns: _Places) -> Iterator[Set]:
        """Yield the sets whose values ascend, each once, of which there are enough."""
        rows = np.stack(columns, axis=1)
        rows = rows[(rows[:, :-1] <= rows[:, 1:]).all(axis=1)]
        times = np.ones(len(rows), dtype=np.int64)
        enough = np.ones(len(rows), dtype=np.bool_)
        for one, other in pairwise(rows.T):
            times = np.where(one == other, times + 1, 1)
            enough &= times <= self._numbers[other]
        yield from map(tuple, np.sort(self._order[rows[enough]], axis=1).tolist())


@lru_cache(maxsize=2)
def _pairs_of(count: int) -> tuple[_Places, _Places]:
    """Return the two positions of each pair of so many values, in their order."""
    first, second = np.triu_indices(count)
    return first, second


def _meetings(wanted: _Values, sums: _Values) -> Iterator[tuple[_Places, _Places]]:
    """Yield places in `wanted` beside those in `sums` that have what is wanted.

    Many at once, in the order of the first, then of the second.
    """
    left, right = _likely(wanted, sums)
    order = right[np.argsort(sums[right], kind="stable")]
    ordered = sums[order]
    for start in range(0, len(left), _AT_ONCE):
        places = left[start : start + _AT_ONCE]
        begin = np.searchsorted(ordered, wanted[places], side="left")
        end = np.searchsorted(ordered, wanted[places], side="right")
        for some in _parts(end - begin):
            times = (end - begin)[some]
            nth = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
            yield (
                np.repeat(places[some], times),
                order[np.repeat(begin[some], times) + nth],
            )


def _parts(numbers: _Places) -> Iterator[slice]:
    """Yield neighbouring numbers that come to no more than is looked at together."""
    ends, start = np.cumsum(numbers), 0
    while start < len(numbers):
        before = ends[start - 1] if start else 0
        stop = int(np.searchsorted(ends, before + _AT_ONCE, side="right"))
        yield slice(start, max(start + 1, stop))
        start = max(start + 1, stop)


def _likely(wanted: _Values, sums: _Values) -> tuple[_Places, _Places]:
    """Return the places that may meet: all that do, and a few whose hashes are alike.

    Each round has another hash; where many meet, the first round tells.
    """
    left, right = np.arange(len(wanted)), np.arange(len(sums))
    for factor in _FACTORS:
        count = len(left) + len(right)
        right = right[_met(sums[right], wanted[left], factor)]
        left = left[_met(wanted[left], sums[right], factor)]
        if 2 * (len(left) + len(right)) > count:
            break
    return left, right


def _met(these: _Values, those: _Values, factor: int) -> NDArray[np.bool_]:
    """Tell of each of these whether one of those has its hash."""
    bits = min(_MOST_BITS, len(those).bit_length() + 3)
    there = np.zeros(2**bits, dtype=np.bool_)
    there[_hashes(those, factor, bits)] = True
    met: NDArray[np.bool_] = there[_hashes(these, factor, bits)]
    return met


def _hashes(values: _Values, factor: int, bits: int) -> _Places:
    """Return a number of so many bits for each value."""
    products = values.view(np.uint64) * np.uint64(factor)
    return (products >> np.uint64(64 - bits)).view(np.intp)
