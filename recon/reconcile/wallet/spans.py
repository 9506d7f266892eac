"""What is known to a span of time: which of it may have left the interval it counts in.

Such an item lands in its own interval or in one later interval of its span, once. Few
of them are weighed in every way; of many, all, none, and what an interval asks for.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain, combinations
from typing import NamedTuple

from recon.reconcile.explain import MAX_ITEMS, Found

MAX_TRIED = 5
"""So few items that may leave an interval or arrive in it are weighed in every way."""

MAX_ASKED = 4
"""Of more, so many sets are weighed that are what an interval asks for."""

Items = tuple[int, ...]


class Span(NamedTuple):
    """An item that counts in interval `home`, and landed in `last` at the latest.

    `home` is -1 for one that counts before the first interval; `last` is the number of
    intervals where it may have landed after all of them. Where nothing is compared, or
    no snapshot is yet, only one that is given `by_day` is taken to have landed.
    """

    item: int
    home: int
    last: int
    by_day: bool = True


class Spans:
    """The spans of one set of rests, and in which ways they pass an interval."""

    def __init__(
        self,
        spans: Sequence[Span],
        rests: Sequence[int],
        amounts: Sequence[int],
        search: Callable[[Items, int, int], Found],
        gaps: Collection[int] = (),
    ) -> None:
        """Take what searches so many items at most whose amounts are a sum in rials.

        `gaps` are the intervals that are not compared.
        """
        self._rests = rests
        self._gaps = frozenset(gaps)
        self._amounts = amounts
        self._search = search
        self._span = {span.item: span for span in spans}
        self._tied = {b for s in spans for b in range(s.home + 1, s.last + 1)}
        homes: dict[int, list[int]] = defaultdict(list)
        for span in spans:
            homes[span.home].append(span.item)
        self._homes = {home: tuple(items) for home, items in homes.items()}
        unseen = [*gaps, len(rests)]
        self._unseen = {
            span.item
            for span in spans
            if span.by_day and any(span.home < at <= span.last for at in unseen)
        }

    def ties(self, boundary: int) -> bool:
        """Tell whether an item may have moved over a boundary."""
        return boundary in self._tied

    def home(self, item: int) -> int:
        """Return the interval that an item counts in."""
        return self._span[item].home

    def furthest(self, interval: int) -> int:
        """Return the last interval where what counts in this one may have landed."""
        return max((self._span[i].last for i in self.of(interval)), default=interval)

    def may_be_unseen(self, item: int) -> bool:
        """Tell whether an item may have landed after all intervals, or in a gap."""
        return item in self._unseen

    def all_by_day(self, items: Items) -> bool:
        """Tell whether all are given by a day, and none may have landed unseen."""
        return all(self._span[i].by_day and i not in self._unseen for i in items)

    def of(self, interval: int) -> Items:
        """Return what counts in an interval and may have landed later."""
        return self._homes.get(interval, ())

    def total(self, items: Items) -> int:
        """Return what items come to, in rials."""
        return sum(self._amounts[item] for item in items)

    def before(self) -> list[Items]:
        """Return in which ways items of before the first interval may come later."""
        own = self.of(-1)
        if len(own) <= MAX_TRIED:
            return list(_subsets(own))
        return list(dict.fromkeys([(), own, *self._summing(own, self._rests[0])]))

    def ways(
        self, interval: int, pending: Items, rests: Sequence[int]
    ) -> Iterator[tuple[Items, Items]]:
        """Yield what of `pending` came in an interval, and what of its own left it.

        Without both, one of `rests` would be left of it. What can land no later has
        come.
        """
        own = self.of(interval)
        forced = tuple(i for i in pending if self._span[i].last == interval)
        free = tuple(i for i in pending if i not in forced)
        if len(free) + len(own) <= MAX_TRIED:
            for came in _subsets(free):
                yield from ((forced + came, gone) for gone in _subsets(own))
            return
        wanted = [rest - self.total(forced) for rest in rests]
        arrivals = [(), free, *self._summing(free, *wanted)]
        following = self._rests[interval + 1 : self._asking(interval)]
        for came in dict.fromkeys(forced + each for each in arrivals):
            wanted = [self.total(came) - rest for rest in rests]
            asked = self._summing(own, *wanted, *following)
            yield from ((came, gone) for gone in dict.fromkeys([(), own, *asked]))

    def _asking(self, interval: int) -> int:
        """Return up to where rests tell what an interval's own items are asked for.

        Of one that is compared they are the next one's; of a gap, all they may reach.
        """
        return (self.furthest(interval) if interval in self._gaps else interval + 1) + 1

    def _summing(self, items: Items, *wanted: int) -> Iterator[Items]:
        """Yield a few sets that come to what is wanted: of few items, or nearly all."""
        whole = self.total(items)
        for rials in wanted:
            if rials:
                yield from self._search(items, rials, MAX_ITEMS).sets[:MAX_ASKED]
            if rials != whole:
                found = self._search(items, whole - rials, MAX_ITEMS)
                for left in found.sets[:MAX_ASKED]:
                    yield tuple(item for item in items if item not in left)


def _subsets(items: Items) -> Iterator[Items]:
    sizes = range(len(items) + 1)
    return chain.from_iterable(combinations(items, size) for size in sizes)
