"""Neighbouring intervals that moves tie together, settled as one.

Walks their boundaries from left to right: a state is what moved over one. Of all ways,
those that leave the fewest intervals unexplained count, and of these the ones that use
the fewest items.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice, takewhile

from recon.reconcile.explain import (
    MAX_CANDIDATES,
    MAX_SHOWN,
    MAX_SMALL_POOL,
    Found,
    find_sets,
)
from recon.reconcile.wallet.cutoff import cut_twice, find_cutoff
from recon.reconcile.wallet.rests import Rests, Traced
from recon.reconcile.wallet.segments import segments
from recon.reconcile.wallet.sharing import apart, used_again
from recon.reconcile.wallet.spans import Items, Spans
from recon.reconcile.wallet.ways import (
    NOTHING,
    Node,
    Nodes,
    Over,
    Step,
    cheapest,
    paths_to,
)

MAX_STATES = 16
"""So many sums that may have moved across one boundary are weighed, of each way."""

MAX_WEIGHED = 4
"""Of so few items near a boundary, every sum is weighed; else those that fit."""

MAX_LANDED = 8
"""So many open items are weighed beside what of many spans left an interval."""

MAX_ITEMS_WITH_MOVES = 2
"""Where items moved over an end too, so many open items are searched besides; all
that fit in a small pool."""

MAX_RETRIES = 20
"""So often neighbours are settled anew because two of them took the same item."""

_NONE = Found(0, 1, ((),))
_Sums = dict[tuple[int, int | None], Found]  # what comes to a sum, of so many items


class Chains:
    """Settles the chains of one set of rests; remembers what it searched."""

    def __init__(self, rests: Rests) -> None:
        self._rests = rests
        self._spans = Spans(
            rests.spans, rests.rests, rests.amounts, self._sets, rests.gaps
        )
        self._reserved: Mapping[int, int] = {}
        self._searched: dict[Items, tuple[tuple[int, ...], _Sums, _Sums]] = {}
        self._alike: dict[tuple[int, ...], _Sums] = {}
        self._cutoffs: dict[tuple[int, int], Found] = {}
        self._twice: dict[int, list[int]] = {}
        self._open: dict[int, Items] = {}
        self._settled: dict[tuple[range, tuple[Items, ...]], dict[int, Traced]] = {}
        self._walked: list[tuple[int, Items, Nodes]] = []

    def segments(self) -> Iterator[range]:
        """Yield the runs of intervals that are settled together."""
        return segments(self._rests, self._spans)

    def settle(self, segment: range, reserved: Mapping[int, int]) -> dict[int, Traced]:
        """Explain neighbouring intervals, no item in two of them.

        `reserved` items may land in the interval they are reserved for only.
        """
        self._reserved = reserved
        key = segment, tuple(self._pool(interval, {}) for interval in segment)
        if key not in self._settled:
            self._settled[key] = self._settle(segment, reserved)
        return self._settled[key]

    def _settle(self, segment: range, reserved: Mapping[int, int]) -> dict[int, Traced]:
        barred: dict[int, set[int]] = {}
        for _ in range(MAX_RETRIES):
            best = self._best(segment, barred)
            traced = apart(best, self._rests.amounts, self._sets)
            twice = list(used_again(traced))
            if not twice:
                return traced
            for interval, item in twice:
                barred.setdefault(interval, set()).add(item)
        return {interval: Traced() for interval in segment} | self._plain(
            segment, reserved
        )

    def _plain(self, segment: range, reserved: Mapping[int, int]) -> dict[int, Traced]:
        """Explain neighbouring intervals as if each span had ended at home."""
        if not self._rests.spans:
            return {}
        chains = Chains(replace(self._rests, spans=()))
        parts = (each for each in chains.segments() if each.start in segment)
        return {
            interval: traced
            for each in parts
            for interval, traced in chains.settle(each, reserved).items()
        }

    def _best(
        self, segment: range, barred: Mapping[int, set[int]]
    ) -> dict[int, Traced]:
        """Walk the boundaries from left to right, keeping the cheapest ways.

        As far as the open items are those of the last walk, so are the ways.
        """
        self._open = {interval: self._pool(interval, barred) for interval in segment}
        known = zip(self._walked, self._open.items(), strict=False)
        same = list(takewhile(lambda each: each[0][:2] == each[1], known))
        del self._walked[len(same) :]
        nodes = self._walked[-1][2] if same else self._begin(segment.start)
        for interval in segment[len(same) :]:
            after: Nodes = {}
            for moved_in, node in self._promising(interval, nodes).items():
                for step in self._steps(interval, moved_in):
                    self._arrive(after, node, step)
            nodes = cheapest(after)
            self._walked.append((interval, self._open[interval], nodes))
        ended = [n for moved, n in nodes.items() if self._may_end(segment.stop, moved)]
        cost = min(node.cost for node in ended)
        paths = (path for n in ended if n.cost == cost for path in paths_to(n))
        return self._described(segment, list(islice(paths, MAX_SHOWN)))

    def _begin(self, start: int) -> Nodes:
        pending = self._spans.before() if start == 0 else [()]
        wanted = [
            self._rests.rests[start] - self._spans.total(each) for each in pending
        ]
        nodes = {}
        for near in self._near(start, wanted):
            size = self._moves(start, near).size
            for items in pending:
                cost = (0, size + len(items))
                nodes[Over(near, items)] = Node(cost, [(None, None)])
        return nodes

    def _promising(self, interval: int, nodes: Nodes) -> Nodes:
        """Return the states that some cheapest way may go on from, into an interval.

        Where nothing moved in, the interval may be left unexplained; a state that is
        worse than that is on no cheapest way, if all that leaves is weighed from both.
        """
        few = len(self._rests.moving.get(interval + 1, ())) <= MAX_WEIGHED
        if NOTHING not in nodes or not few or self._spans.of(interval):
            return nodes
        broken, items = nodes[NOTHING].cost
        return {
            moved: node
            for moved, node in nodes.items()
            if moved.items or node.cost <= (broken + 1, items)
        }

    def _may_end(self, boundary: int, moved: Over) -> bool:
        """Tell whether what moves over the last boundary may: from broken intervals.

        Before the end of all intervals no item of a span is left on its way.
        """
        is_end = boundary == len(self._rests.rests)
        return all(is_end and self._may_leave(item) for item in moved.items)

    def _may_leave(self, item: int) -> bool:
        home = self._spans.home(item)
        return home >= 0 and self._rests.broken(home)

    def _arrive(self, after: Nodes, node: Node, step: Step) -> None:
        moves = self._moves(step.interval + 1, step.moved_out.near).size
        broken, items = node.cost
        items += moves + len(step.gone) + step.landed.size
        cost = (broken + (not step.exact), items)
        known = after.get(step.moved_out)
        if known is None or cost < known.cost:
            after[step.moved_out] = Node(cost, [(node, step)])
        elif cost == known.cost:
            known.ways.append((node, step))

    def _steps(self, interval: int, moved_in: Over) -> Iterator[Step]:
        """Yield an interval in every way that what moved over its begin allows."""
        rest = self._rests.rests[interval] - moved_in.near
        following = self._rests.rests[interval + 1 :][:1]
        earlier = self._earlier(interval, moved_in.near)
        amounts = self._rests.amounts
        near = self._rests.moving.get(interval + 1, ())[:MAX_WEIGHED]
        landed = self._open[interval][-MAX_CANDIDATES:][:MAX_LANDED]
        rests = [rest, *(rest + amounts[item] for item in near)]
        rests += (rest - amounts[item] for item in landed)
        for came, gone in self._spans.ways(interval, moved_in.items, rests):
            if not earlier.isdisjoint(gone):
                continue
            left = rest - self._spans.total(came) + self._spans.total(gone)
            stay = [item for item in moved_in.items if item not in came]
            over = tuple(sorted([*stay, *gone]))
            wanted = [-left, *following]
            wanted += [each - self._spans.total(over) for each in following if over]
            for rials in self._near(interval + 1, wanted):
                out = Over(rials, over)
                step = Step(interval, moved_in, out, came, gone, _NONE, exact=True)
                yield from self._judged(step, left + rials)

    def _earlier(self, interval: int, near: int) -> set[int]:
        """Return the interval's own items of spans that landed before its begin."""
        moved = self._moves(interval, near).sets[0]
        return {self._rests.twins[i] for i in moved if i in self._rests.twins}

    def _judged(self, step: Step, rest: int) -> Iterator[Step]:
        """Yield a step as exact, explained by what landed, and left unexplained.

        What came from another interval must leave nothing, or just what counts here
        and never came; and where fewer open items explain the interval, it did not. A
        gap takes what left a broken interval and may have come unseen.
        """
        interval, over = step.interval, (step.moved_in.near, step.moved_out.near)
        if interval in self._rests.gaps:
            unseen = self._spans.may_be_unseen
            if all(unseen(item) and self._may_leave(item) for item in step.came):
                yield step
            return
        still = not (any(over) or step.came or step.gone)
        pool = self._open[interval] if self._rests.broken(interval) else ()
        if rest == 0 or (still and not self._rests.broken(interval)):
            if not self._without(step, pool, rest, 0):
                yield step
            return
        if self._may_be_left(step, rest):
            yield step._replace(exact=False)
        large = len(pool) > MAX_SMALL_POOL
        is_in, is_out = (
            near or items
            for near, items in zip(over, (step.came, step.gone), strict=True)
        )
        if not pool or (large and is_in and is_out):
            return
        few = large and (is_in or is_out)
        landed = self._sets(pool, rest, MAX_ITEMS_WITH_MOVES if few else None)
        if landed and not self._without(step, pool, rest, landed.size):
            yield step._replace(landed=landed)

    def _may_be_left(self, step: Step, rest: int) -> bool:
        """Tell whether an interval may be left with that rest.

        What came there leaves just what counts there and never came, but for what is
        given by a day that ends there: that may come beside an unknown rest. And what
        passes it is not on its way beyond all intervals, where nothing would be seen.
        """
        passing = set(step.moved_in.items).intersection(step.moved_out.items)
        if any(map(self._spans.may_be_unseen, passing)):
            return False
        if self._rests.broken(step.interval) and self._spans.all_by_day(step.came):
            return True
        own = self._spans.of(step.interval)
        stayed = tuple(item for item in own if item not in step.gone)
        return not step.came or bool(self._sets(stayed, -rest))

    def _without(self, step: Step, pool: Items, rest: int, landed: int) -> bool:
        """Tell whether fewer open items explain what came from another interval."""
        if not step.came:
            return False
        whole = rest + self._spans.total(step.came)
        if whole == 0:
            return True
        found = self._sets(pool, whole)
        return bool(found) and found.size < landed + len(step.came)

    def _near(self, boundary: int, wanted: Sequence[int]) -> list[int]:
        """Return the sums worth weighing of what is near a boundary; 0 first.

        Those that are wanted and can be reached, those of cut-offs of this snapshot and
        of the next that fit together, and all sums of a few items.
        """
        items = tuple(self._rests.moving.get(boundary, ()))
        if not items:
            return [0]
        sums = [*wanted, *self._cut_twice(boundary)]
        if len(items) <= MAX_WEIGHED:
            amounts = [self._rests.amounts[item] for item in items]
            for size in range(1, len(items) + 1):
                sums += [sum(chosen) for chosen in combinations(amounts, size)]
        sums = list(dict.fromkeys(filter(None, sums)))
        reached = (each for each in sums if self._moves(boundary, each))
        return [0, *islice(reached, MAX_STATES)]

    def _cut_twice(self, interval: int) -> list[int]:
        """Return what cut-offs move into an interval where others move out of it."""
        if interval == len(self._rests.rests) or not self._rests.broken(interval):
            return []
        if interval not in self._twice:
            begin, end = (
                self._rests.sides.get(at, ()) for at in (interval, interval + 1)
            )
            rest = self._rests.rests[interval]
            self._twice[interval] = cut_twice(begin, end, self._rests.amounts, rest)
        return self._twice[interval]

    def _moves(self, boundary: int, rials: int) -> Found:
        """Search for what moved near a boundary: a few items, or another cut-off."""
        if not rials:
            return _NONE
        items = tuple(self._rests.moving.get(boundary, ()))
        return self._sets(items, rials) or self._cutoff(boundary, rials)

    def _cutoff(self, boundary: int, moved: int) -> Found:
        """Search for the items that another cut-off of the snapshot moves."""
        key = (boundary, moved)
        if key not in self._cutoffs:
            sides = self._rests.sides.get(boundary, ())
            self._cutoffs[key] = find_cutoff(sides, self._rests.amounts, moved)
        return self._cutoffs[key]

    def _pool(self, interval: int, barred: Mapping[int, set[int]]) -> Items:
        out = barred.get(interval, set())
        free = self._rests.landing.get(interval, ())
        if self._reserved or out:
            free = [
                item
                for item in free
                if self._reserved.get(item, interval) == interval and item not in out
            ]
        return self._rests.ordered(interval, free)

    def _sets(self, items: Items, target: int, most_items: int | None = None) -> Found:
        """Search once for the same items and sum; positions become items.

        Other items of the same amounts are found at the same positions.
        """
        if items not in self._searched:
            amounts = tuple(self._rests.amounts[item] for item in items)
            self._searched[items] = amounts, self._alike.setdefault(amounts, {}), {}
        amounts, alike, known = self._searched[items]
        key = (target, most_items)
        if key not in known:
            if key not in alike:
                alike[key] = find_sets(amounts, target, most_items=most_items)
            found = alike[key]
            sets = tuple(tuple(items[i] for i in chosen) for chosen in found.sets)
            known[key] = replace(found, sets=sets)
        return known[key]

    def _described(
        self, segment: range, paths: Sequence[list[Step]]
    ) -> dict[int, Traced]:
        described = {}
        for interval in segment:
            place = interval - segment.start
            steps = list(dict.fromkeys(path[place] for path in paths))
            alike = [step for step in steps if step.exact and steps[0].exact]
            steps = alike or steps[:1]
            pool = self._open[interval]
            limited = (
                len(pool) > MAX_CANDIDATES
                or len(paths) == MAX_SHOWN
                or not all(step.landed.counted for step in steps)
            )
            ways = [self._one(step) for step in steps]
            described[interval] = Traced.of(ways, pool, limited=limited)
        return described

    def _one(self, step: Step) -> Traced:
        inward = self._moves(step.interval, step.moved_in.near)
        outward = self._moves(step.interval + 1, step.moved_out.near)
        ways = (
            (landed, (*moved_in, *step.came), (*moved_out, *step.gone))
            for landed in step.landed.sets
            for moved_in in inward.sets
            for moved_out in outward.sets
        )
        return Traced(
            sets=tuple(islice(ways, MAX_SHOWN)),
            count=step.landed.count * inward.count * outward.count,
            exact=step.exact,
            different=step.landed.different,
        )
