"""Neighbouring intervals that moves tie together, settled as one.

Walks their boundaries from left to right: a state is the sum that moved over one. Of
all ways, those that leave the fewest intervals unexplained count, and of these the
ones that use the fewest items.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice
from typing import NamedTuple

from recon.reconcile.cutoff import Side, find_cutoff
from recon.reconcile.explain import (
    MAX_CANDIDATES,
    MAX_SHOWN,
    MAX_SMALL_POOL,
    Found,
    find_sets,
)

MAX_STATES = 16
"""So many sums that may have moved across one boundary are weighed."""

MAX_WEIGHED = 4
"""Of so few items near a boundary, every sum is weighed; else those that fit."""

MAX_ITEMS_WITH_MOVES = 2
"""Where items moved over an end too, so many open items are searched besides; all
that fit in a small pool."""

MAX_RETRIES = 50
"""So often neighbours are settled anew because two of them took the same item."""

_NONE = Found(0, 1, ((),))
_Items = tuple[int, ...]


@dataclass(frozen=True)
class Rests:
    """What is to be explained, interval by interval in the order of time, in rials.

    `landing[i]` are the positions in `amounts` of the open items that may have landed
    in interval i. `moving[b]` are those of the certain items that may have moved
    across boundary b, which lies between the intervals b-1 and b; their amounts are
    what moves to the later side. Up to `tolerance` a rest needs no explanation.
    `stale[i]` are items so old for interval i that they wait for their turn in time.
    `sides[b]` are the items of `moving[b]` again, as they lie around the boundary.
    Those of `passing[b]` move over b only if they move over b-1 as well. `spans` are
    items that nothing near a boundary speaks for: they move only where both intervals
    are then explained to the rial.
    """

    rests: Sequence[int]
    amounts: Sequence[int]
    landing: Mapping[int, Sequence[int]]
    moving: Mapping[int, Sequence[int]]
    tolerance: int = 0
    stale: Mapping[int, frozenset[int]] = field(default_factory=dict)
    sides: Mapping[int, Sequence[Side]] = field(default_factory=dict)
    passing: Mapping[int, frozenset[int]] = field(default_factory=dict)
    spans: frozenset[int] = frozenset()

    def broken(self, interval: int) -> bool:
        """Tell whether an interval has a rest that needs an explanation."""
        return abs(self.rests[interval]) > self.tolerance


@dataclass(frozen=True)
class Traced:
    """How one interval is explained: `landed` items, and items moved over its ends.

    `sets` are all ways that were found, as (landed, moved in, moved out): the first
    is the one that counts. `count` is how many there are. `candidates` are the items
    that could have landed in it; `limited` tells that a limit of the search was met.
    """

    sets: tuple[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]], ...] = (
        ((), (), ()),
    )
    count: int = 1
    exact: bool = False
    candidates: tuple[int, ...] = ()
    limited: bool = False

    @property
    def unique(self) -> bool:
        """Tell whether no other set of as few items explains it."""
        return self.count == 1

    @property
    def listed(self) -> bool:
        """Tell whether `sets` are all there are."""
        return self.count == len(self.sets)


class _Move(NamedTuple):
    """What moves over a boundary, in rials; `spanning`: items of `spans` among it."""

    rials: int
    spanning: bool = False


@dataclass(frozen=True)
class _Step:
    """One interval in one way: what moved over its two ends, and what landed."""

    interval: int
    moved_in: _Move
    moved_out: _Move
    landed: Found
    exact: bool


_NOTHING = _Move(0)


@dataclass
class _Node:
    """A move over a boundary, and the cheapest ways to come there."""

    cost: tuple[int, int]  # unexplained intervals, items
    ways: list[tuple["_Node | None", _Step | None]] = field(default_factory=list)


class Chains:
    """Settles the chains of one set of rests; remembers what it searched."""

    def __init__(self, rests: Rests) -> None:
        self._rests = rests
        self._reserved: Mapping[int, int] = {}
        self._found: dict[tuple[_Items, int, int | None], Found] = {}
        self._cutoffs: dict[tuple[int, int], Found] = {}
        self._open: dict[int, _Items] = {}
        self._held: Mapping[int, Collection[int]] = {}
        self._chosen: Mapping[int, _Items] = {}

    def settle(self, segment: range, reserved: Mapping[int, int]) -> dict[int, Traced]:
        """Explain neighbouring intervals, no item in two of them.

        `reserved` items may land in the interval they are reserved for only. Where
        what passes intervals cannot be told apart, it is left where it is counted.
        """
        self._reserved = reserved
        passing = self._rests.passing
        for held in ({}, passing) if any(map(passing.get, segment)) else ({},):
            self._held = held
            barred: dict[int, set[int]] = {}
            for _ in range(MAX_RETRIES):
                traced = self._best(segment, barred)
                if traced is None:
                    break
                twice = _used_twice(traced)
                if twice is None:
                    return {interval: _ended(each) for interval, each in traced.items()}
                interval, item = twice
                barred.setdefault(interval, set()).add(item)
        return {interval: Traced() for interval in segment}

    def _best(
        self, segment: range, barred: Mapping[int, set[int]]
    ) -> dict[int, Traced] | None:
        """Walk the boundaries from left to right, keeping the cheapest ways.

        None where in none of them what moves over a boundary came so far.
        """
        self._open = {interval: self._pool(interval, barred) for interval in segment}
        nodes: dict[_Move, _Node] = {
            moved: _Node((0, self._moves(segment.start, moved).size), [(None, None)])
            for moved in self._worth_weighing(segment.start, ())
        }
        for interval in segment:
            after: dict[_Move, _Node] = {}
            for moved_out in self._worth_weighing(interval + 1, nodes):
                for moved_in, node in nodes.items():
                    for step in self._steps(interval, moved_in, moved_out):
                        self._arrive(after, node, step)
            nodes = after
        cheapest = min(node.cost for node in nodes.values())
        last = [node for node in nodes.values() if node.cost == cheapest]
        ways = (path for node in last for path in _paths(node))
        paths = list(islice(ways, MAX_SHOWN))
        for place, path in enumerate(paths):
            moved = self._moved(path)
            if moved is not None:
                self._chosen = moved
                return self._described(segment, [path, *paths[:place], *paths[place:]])
        return None

    def _moved(self, path: Sequence[_Step]) -> dict[int, _Items] | None:
        """Choose by boundary what moves over it, such that nothing leaps over one."""
        start = path[0].interval
        moves = [path[0].moved_in, *(step.moved_out for step in path)]
        ways: list[dict[int, _Items]] = [{}]
        for boundary, moved in enumerate(moves, start=start):
            passing = self._rests.passing.get(boundary, frozenset())
            further = []
            for items in self._moves(boundary, moved).sets:
                came = passing.intersection(items)
                before = (
                    way for way in ways if came.issubset(way.get(boundary - 1, ()))
                )
                further += [{**way, boundary: items} for way in islice(before, 1)]
            ways = further
        return ways[0] if ways else None

    def _arrive(self, after: dict[_Move, _Node], node: _Node, step: _Step) -> None:
        moves = self._moves(step.interval + 1, step.moved_out).size
        broken, items = node.cost
        cost = (broken + (not step.exact), items + moves + step.landed.size)
        known = after.get(step.moved_out)
        if known is None or cost < known.cost:
            after[step.moved_out] = _Node(cost, [(node, step)])
        elif cost == known.cost:
            known.ways.append((node, step))

    def _steps(
        self, interval: int, moved_in: _Move, moved_out: _Move
    ) -> Iterator[_Step]:
        """Yield an interval explained by what landed in it, and left unexplained."""
        rest = self._rests.rests[interval] - moved_in.rials + moved_out.rials
        still = moved_in == moved_out == _NOTHING and not self._rests.broken(interval)
        if rest == 0 or still:
            yield _Step(interval, moved_in, moved_out, _NONE, exact=True)
            return
        if not (moved_in.spanning or moved_out.spanning):
            yield _Step(interval, moved_in, moved_out, _NONE, exact=False)
        if self._rests.broken(interval):
            pool = self._open[interval]
            large = len(pool) > MAX_SMALL_POOL
            if large and moved_in.rials and moved_out.rials:
                return
            few = large and (moved_in.rials or moved_out.rials)
            landed = self._sets(pool, rest, MAX_ITEMS_WITH_MOVES if few else None)
            if landed:
                yield _Step(interval, moved_in, moved_out, landed, exact=True)

    def _worth_weighing(
        self, boundary: int, before: Mapping[_Move, _Node] | tuple[()]
    ) -> list[_Move]:
        """Return the moves worth weighing at a boundary; none first.

        Those that leave a side without a rest, and all sums of a few items.
        """
        items = self._movable(boundary)
        if not items:
            return [_NOTHING]
        rests = self._rests.rests
        wanted = [rests[boundary]] if boundary < len(rests) else []
        wanted += [moved.rials - rests[boundary - 1] for moved in before]
        if len(items) <= MAX_WEIGHED:
            amounts = [self._rests.amounts[item] for item in items]
            for size in range(1, len(items) + 1):
                wanted += [sum(chosen) for chosen in combinations(amounts, size)]
        reachable = [_NOTHING]
        for rials in dict.fromkeys(filter(None, wanted)):
            if len(reachable) >= MAX_STATES:
                break
            plain = _Move(rials)
            spanning = plain._replace(spanning=True)
            near, any_ = (self._moves(boundary, each) for each in (plain, spanning))
            reachable += [plain] if near else []
            if any_ and not (near and near.size <= any_.size):
                reachable.append(spanning)
        return reachable

    def _moves(self, boundary: int, moved: _Move) -> Found:
        if not moved.rials:
            return _NONE
        items = self._movable(boundary)
        if moved.spanning:
            return self._sets(items, moved.rials)
        near = tuple(item for item in items if item not in self._rests.spans)
        return self._sets(near, moved.rials) or self._cutoff(boundary, moved.rials)

    def _movable(self, boundary: int) -> _Items:
        held = self._held.get(boundary, ())
        items = self._rests.moving.get(boundary, ())
        return tuple(item for item in items if item not in held)

    def _cutoff(self, boundary: int, moved: int) -> Found:
        """Search for the items that another cut-off of the snapshot moves."""
        key = (boundary, moved)
        if key not in self._cutoffs:
            sides = self._rests.sides.get(boundary, ())
            self._cutoffs[key] = find_cutoff(sides, self._rests.amounts, moved)
        return self._cutoffs[key]

    def _pool(self, interval: int, barred: Mapping[int, set[int]]) -> _Items:
        out = barred.get(interval, set())
        return tuple(
            item
            for item in self._rests.landing.get(interval, ())
            if self._reserved.get(item, interval) == interval and item not in out
        )

    def _sets(self, items: _Items, target: int, most_items: int | None = None) -> Found:
        """Search once for the same items and sum; positions become items."""
        key = (items, target, most_items)
        if key not in self._found:
            amounts = [self._rests.amounts[item] for item in items]
            found = find_sets(amounts, target, most_items=most_items)
            sets = tuple(tuple(items[i] for i in chosen) for chosen in found.sets)
            self._found[key] = replace(found, sets=sets)
        return self._found[key]

    def _chosen_first(self, boundary: int, found: Found) -> list[_Items]:
        """Return the sets that may have moved, the one that was chosen first."""
        chosen = self._chosen.get(boundary)
        return sorted(found.sets, key=lambda items: items != chosen)

    def _described(
        self, segment: range, paths: Sequence[list[_Step]]
    ) -> dict[int, Traced]:
        described = {}
        for interval in segment:
            place = interval - segment.start
            steps = list(dict.fromkeys(path[place] for path in paths))
            pool = self._open[interval]
            limited = (
                len(pool) > MAX_CANDIDATES
                or len(paths) == MAX_SHOWN
                or not all(step.landed.counted for step in steps)
            )
            ways = [self._one(step) for step in steps]
            described[interval] = _together(ways, pool, limited=limited)
        return described

    def _one(self, step: _Step) -> Traced:
        inward = self._moves(step.interval, step.moved_in)
        outward = self._moves(step.interval + 1, step.moved_out)
        ways = (
            (landed, moved_in, moved_out)
            for landed in step.landed.sets
            for moved_in in self._chosen_first(step.interval, inward)
            for moved_out in self._chosen_first(step.interval + 1, outward)
        )
        return Traced(
            sets=tuple(islice(ways, MAX_SHOWN)),
            count=step.landed.count * inward.count * outward.count,
            exact=step.exact,
        )


def segments(rests: Rests) -> Iterator[range]:
    """Yield the runs of intervals that moves tie together and that are not all fine."""
    start = 0
    for boundary in range(1, len(rests.rests) + 1):
        if boundary == len(rests.rests) or not rests.moving.get(boundary):
            if any(rests.broken(interval) for interval in range(start, boundary)):
                yield range(start, boundary)
            start = boundary


def _paths(node: _Node) -> Iterator[list[_Step]]:
    """Yield every cheapest way to a node, as its steps in the order of time."""
    for before, step in node.ways:
        if before is None or step is None:
            yield []
            continue
        for path in _paths(before):
            yield [*path, step]


def _together(
    ways: Sequence[Traced], candidates: tuple[int, ...], *, limited: bool
) -> Traced:
    sets = tuple(dict.fromkeys(each for way in ways for each in way.sets))
    return Traced(
        sets=sets[:MAX_SHOWN],
        count=sum(way.count for way in ways),
        exact=ways[0].exact,
        candidates=candidates,
        limited=limited,
    )


def _ended(traced: Traced) -> Traced:
    """Leave out of each way what moved into its interval and on out of it."""
    ways = []
    for landed, moved_in, moved_out in traced.sets:
        through = {*moved_in} & {*moved_out}
        ended = [
            tuple(item for item in moved if item not in through)
            for moved in (moved_in, moved_out)
        ]
        ways.append((landed, ended[0], ended[1]))
    return replace(traced, sets=tuple(ways))


def _used_twice(traced: Mapping[int, Traced]) -> tuple[int, int] | None:
    seen: set[int] = set()
    for interval, each in traced.items():
        for item in each.sets[0][0]:
            if item in seen:
                return interval, item
            seen.add(item)
    return None
