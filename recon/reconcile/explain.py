"""Exact search: which sets of items sum to a figure, to the rial.

Integers only. The fewest items win, and every set of that size is counted. Items of
equal amount are searched as one value with its number, so many equal ones cost little.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import nsmallest
from itertools import accumulate, chain, combinations, islice, product
from math import comb, gcd, prod

from recon.reconcile.pairs import Pairs

MAX_ITEMS = 4
"""Sets of up to this many items are searched among all candidates."""

MAX_CANDIDATES = 1_500
"""More candidates than this are not searched; the last ones are."""

MAX_SMALL_POOL = 24
"""Among this few candidates, sets of any number of items are searched; among more, if
so many are equal that there are no more different sets."""

ROUND = 10_000
"""Amounts of people are often whole thousands of toman."""

MIN_ODDS = 20
"""A larger set than `MAX_ITEMS` counts only where chance gives one in fewer cases."""

MAX_MATCHES = 20_000
"""Counting stops here; the count is then a lower bound."""

MAX_SHOWN = 20
"""So many sets are listed; all are counted."""

MAX_AMOUNT = 10**18
"""Items beyond this many rials are left out: sums of four stay within 64 bits."""


@dataclass(frozen=True)
class Found:
    """The smallest sets that sum to a figure: positions in the given amounts.

    `size` is their number of items and `count` how many there are, of which so many
    differ in their amounts (`different`); `sets` lists the first of them. `counted` is
    false where counting stopped early, `searched` where candidates were left out.
    """

    size: int
    count: int
    sets: tuple[tuple[int, ...], ...]
    counted: bool = True
    searched: bool = True
    different: int = 0

    def __bool__(self) -> bool:
        return self.count > 0


def find_sets(
    amounts: Sequence[int],
    target: int,
    *,
    most_items: int | None = None,
    most: int = MAX_SHOWN,
) -> Found:
    """Return the smallest sets of amounts whose sum is exactly `target` (not 0).

    Zero amounts never take part. All sets of up to `MAX_ITEMS` items are searched,
    then larger ones where chance hardly gives one (`MIN_ODDS`): of any size in a small
    pool (`MAX_SMALL_POOL`), in another one those that leave out up to `MAX_ITEMS`.
    `most_items` asks for less.
    The order of the amounts decides which sets come first.
    """
    pool, step, searched = _usable(tuple(amounts))
    if not pool or target % step:
        return Found(0, 0, (), searched=searched)
    places: dict[int, list[int]] = defaultdict(list)
    for index in pool:
        places[amounts[index]].append(index)
    values = list(places)
    numbers = [len(places[value]) for value in values]
    sizes = _by_size(values, numbers, target)
    if searched and most_items is None and not _is_small(numbers):
        sizes = chain(sizes, _of_nearly_all(values, numbers, target))
    for multisets in islice(sizes, most_items):
        found = list(islice(multisets, MAX_MATCHES + 1))
        if found:
            counted = len(found) <= MAX_MATCHES
            return _expanded(found, values, places, most, (counted, searched))
    return Found(0, 0, (), searched=searched)


@lru_cache(maxsize=4)
def _usable(amounts: tuple[int, ...]) -> tuple[list[int], int, bool]:
    """Return the positions to search, what divides their sums, and if they are all."""
    usable = [i for i, a in enumerate(amounts) if a and abs(a) <= MAX_AMOUNT]
    pool = usable[-MAX_CANDIDATES:]
    searched = len(pool) == sum(1 for a in amounts if a)
    return pool, gcd(*(amounts[index] for index in pool)), searched


def coincidence(amounts: Sequence[int], size: int) -> int:
    """Return N where a set of that size sums to any given figure once in about N.

    A rough measure: how many figures there are up to the largest such sum, in steps
    that all amounts share (of `ROUND` rials at most), over how many different sets
    there are. Below 2, a fit proves nothing.
    """
    usable = [amount for amount in amounts if amount]
    if not size or size > len(usable):
        return 1
    largest = sum(sorted(map(abs, usable), reverse=True)[:size])
    figures = largest // min(gcd(*usable), ROUND) + 1
    few = min(size, len(usable) - size)  # to take some is to leave out the others
    return max(1, figures // _different_sets(usable, few))


def _different_sets(amounts: Sequence[int], size: int) -> int:
    """Count the sets of that size that differ in their amounts."""
    ways = [1] + [0] * size
    for number in Counter(amounts).values():
        ways = [sum(ways[max(0, n - number) : n + 1]) for n in range(size + 1)]
    return ways[size]


def _expanded(
    found: Sequence[tuple[int, ...]],
    values: Sequence[int],
    places: dict[int, list[int]],
    most: int,
    known: tuple[bool, bool],
) -> Found:
    """Turn sets of values into sets of items: which of the equal ones is open."""

    def items() -> Iterator[tuple[int, ...]]:
        for multiset in nsmallest(most, found):
            chosen = [
                list(islice(combinations(places[values[index]], times), most))
                for index, times in Counter(multiset).items()
            ]
            for parts in product(*chosen):
                yield tuple(sorted(index for part in parts for index in part))

    numbers = [len(places[value]) for value in values]
    count = sum(_number_of(multiset, numbers) for multiset in found)
    sets = tuple(islice(items(), most))
    return Found(len(found[0]), count, sets, *known, different=len(found))


def _number_of(multiset: tuple[int, ...], numbers: Sequence[int]) -> int:
    """Return how many sets of items a set of values stands for."""
    if len(set(multiset)) == len(multiset):
        return prod(numbers[index] for index in multiset)
    times = Counter(multiset)
    return prod(comb(numbers[index], number) for index, number in times.items())


def _by_size(
    values: Sequence[int], numbers: Sequence[int], target: int
) -> Iterator[Iterator[tuple[int, ...]]]:
    """Yield, for each number of items, the sets of values that sum to the target."""
    total = sum(numbers)
    if not values or abs(target) > max(map(abs, values)) * total:
        return
    yield from _of_few(values, numbers, target)
    if total > MAX_ITEMS and _is_small(numbers):
        yield from _of_any_size(values, numbers, target)


def _is_small(numbers: Sequence[int]) -> bool:
    """Tell whether sets of any size can be searched, of so many values each."""
    middle = len(numbers) // 2
    halves = (numbers[:middle], numbers[middle:])
    most = 2 ** (MAX_SMALL_POOL // 2)
    return sum(numbers) <= MAX_SMALL_POOL or all(
        prod(number + 1 for number in half) <= most for half in halves
    )


def _of_few(
    values: Sequence[int], numbers: Sequence[int], target: int
) -> Iterator[Iterator[tuple[int, ...]]]:
    """Yield the sets of one item, of two, three and four."""
    given = tuple(values), tuple(numbers)
    for size, (least, most) in enumerate(_reach(*given), start=1):
        if size == 1:
            yield ((i,) for i, value in enumerate(values) if value == target)
        elif least <= target <= most:
            yield _pairs(*given).sets(size, target)
        else:
            yield iter(())


@lru_cache(maxsize=4)
def _reach(values: tuple[int, ...], numbers: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return the least and the most that one item comes to, two, three and four."""
    items = sorted(
        value
        for value, number in zip(values, numbers, strict=True)
        for _ in range(min(number, MAX_ITEMS))
    )
    ends = accumulate(items[:MAX_ITEMS]), accumulate(items[::-1][:MAX_ITEMS])
    return list(zip(*ends, strict=True))


def _of_nearly_all(
    values: Sequence[int], numbers: Sequence[int], target: int
) -> Iterator[Iterator[tuple[int, ...]]]:
    """Yield the sets that leave out four items, three, two, one and none."""
    everything = Counter(dict(enumerate(numbers)))
    amounts = [values[index] for index in everything.elements()]
    left_out = sum(amounts) - target
    ways = list(_of_few(values, numbers, left_out))
    none: list[tuple[int, ...]] = [] if left_out else [()]
    for number, way in [*reversed([*enumerate(ways, start=1)]), (0, iter(none))]:
        first = next(way, None)
        if first is None:
            continue
        if coincidence(amounts, len(amounts) - number) < MIN_ODDS:
            return  # the fewest items win: chance has a smaller set than any other
        yield (
            tuple((everything - Counter(without)).elements())
            for without in chain([first], way)
        )


@lru_cache(maxsize=2)
def _pairs(values: tuple[int, ...], numbers: tuple[int, ...]) -> Pairs:
    """Return the sums of pairs, kept for the next figure of the same candidates."""
    return Pairs(values, numbers)


def _of_any_size(
    values: Sequence[int], numbers: Sequence[int], target: int
) -> Iterator[Iterator[tuple[int, ...]]]:
    """Yield the sets of more than `MAX_ITEMS` items, smallest size first."""
    amounts = [
        value
        for value, number in zip(values, numbers, strict=True)
        for _ in range(number)
    ]
    left, right = _halves(tuple(values), tuple(numbers))
    by_size: dict[int, list[tuple[int, ...]]] = defaultdict(list)
    for total, multisets in left.items():
        for rest in right.get(target - total, ()):
            for multiset in multisets:
                by_size[len(multiset) + len(rest)].append(multiset + rest)
    for size in sorted(by_size):
        if size > MAX_ITEMS and coincidence(amounts, size) < MIN_ODDS:
            return  # the fewest items win: chance has a smaller set than any other
        yield iter(by_size[size])


_Sums = dict[int, list[tuple[int, ...]]]


@lru_cache(maxsize=4)
def _halves(values: tuple[int, ...], numbers: tuple[int, ...]) -> tuple[_Sums, _Sums]:
    """Return the sums of all sets of either half of the values."""
    middle = len(values) // 2
    return (
        _multisets(values, numbers, range(middle)),
        _multisets(values, numbers, range(middle, len(values))),
    )


def _multisets(values: Sequence[int], numbers: Sequence[int], indices: range) -> _Sums:
    found: list[tuple[tuple[int, ...], int]] = [((), 0)]
    for index in indices:
        found = [
            (chosen + (index,) * times, total + values[index] * times)
            for chosen, total in found
            for times in range(numbers[index] + 1)
        ]
    sums: _Sums = defaultdict(list)
    for chosen, total in found:
        sums[total].append(chosen)
    return sums
