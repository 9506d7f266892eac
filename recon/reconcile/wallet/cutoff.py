"""Whether a snapshot's cut-off was earlier or later than its time says, to the rial.

A provider's clock, or a balance that lags, puts the last payments before a snapshot
after it, or the first ones after it before it: all of them up to an instant, however
many. Sets of any items are `explain`'s; those of a cut-off are few, so that a fit is
hardly chance among very many items, too.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import gcd

from recon.reconcile.explain import MIN_ODDS, ROUND, Found, find_sets

Side = Sequence[Sequence[int]]
"""Items before a snapshot, or after it: grouped by instant, the nearest first."""

_MOST_AT_ONCE = 24


def find_cutoff(sides: Sequence[Side], amounts: Sequence[int], target: int) -> Found:
    """Return the items that another cut-off moves, which sum to `target` (not 0).

    Integers, in rials. Of the items of its very instant some may be on either side.
    Where chance gives as much more than once in `MIN_ODDS` cases, nothing is found.
    """
    ways = [way for side in sides for way in _on_side(side, amounts, target)]
    if not ways or _odds(sides, amounts) < MIN_ODDS:
        return Found(0, 0, ())
    size = min(way.size for way in ways)
    fewest = [way for way in ways if way.size == size]
    sets = tuple(each for way in fewest for each in way.sets)
    return Found(size, sum(way.count for way in fewest), sets)


def cut_twice(
    begin: Sequence[Side], end: Sequence[Side], amounts: Sequence[int], rest: int
) -> list[int]:
    """Return what cut-offs move over an interval's begin, where one of its end fits.

    In rials: what came over the begin, less what left over the end, is the interval's
    `rest`. None is 0. Where chance gives such a pair more than once in `MIN_ODDS`
    cases, nothing is found.
    """
    starts, ends = _cuts(begin, amounts), _cuts(end, amounts)
    fitting = sorted(moved for moved in starts if moved - rest in ends)
    moved = [amounts[i] for side in (*begin, *end) for group in side for i in group]
    if not fitting or _figures(moved) // (len(starts) * len(ends)) < MIN_ODDS:
        return []
    return fitting


def _cuts(sides: Sequence[Side], amounts: Sequence[int]) -> set[int]:
    """Return what the cut-offs move that lie between two instants, but for 0 rials."""
    wholes = ([sum(amounts[i] for i in group) for group in side] for side in sides)
    return {each for whole in wholes for each in accumulate(whole) if each}


def _figures(moved: Sequence[int]) -> int:
    """Return how many figures there are up to the sum of these, in their steps."""
    return sum(map(abs, moved)) // min(gcd(*moved), ROUND) + 1


def _on_side(groups: Side, amounts: Sequence[int], target: int) -> Iterator[Found]:
    """Yield the nearest items of one side that sum to the target, if any do."""
    passed: list[int] = []
    left = target
    for group in groups:
        own = [amounts[item] for item in group]
        whole = sum(own)
        if left == whole:
            yield Found(len(passed) + len(group), 1, ((*passed, *group),))
            return
        reach = (sum(min(each, 0) for each in own), sum(max(each, 0) for each in own))
        if len(group) <= _MOST_AT_ONCE and reach[0] <= left <= reach[1]:
            some = find_sets(own, left)
            if some:
                sets = (tuple(group[at] for at in each) for each in some.sets)
                ways = tuple((*passed, *each) for each in sets)
                yield Found(len(passed) + some.size, some.count, ways)
                return
        passed += group
        left -= whole


def _odds(sides: Sequence[Side], amounts: Sequence[int]) -> int:
    """Return N where some cut-off gives any one figure once in about N."""
    groups = [group for side in sides for group in side]
    moved = [amounts[item] for group in groups for item in group]
    ways = sum(1 << min(len(group), _MOST_AT_ONCE) for group in groups)
    return _figures(moved) // ways
