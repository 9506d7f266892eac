"""What is left of each interval of the wallet, and how it is explained."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from recon.reconcile.explain import MAX_CANDIDATES, MAX_SHOWN
from recon.reconcile.wallet.cutoff import Side
from recon.reconcile.wallet.spans import Span


@dataclass(frozen=True)
class Rests:
    """What is to be explained, interval by interval in the order of time, in rials.

    `landing[i]` are the positions in `amounts` of the open items that may have landed
    in interval i. `moving[b]` are those of the certain items that may have moved
    across boundary b, which lies between the intervals b-1 and b; their amounts are
    what moves to the later side. Up to `tolerance` a rest needs no explanation.
    `stale[i]` are items so old for interval i that they wait for their turn in time.
    `sides[b]` are the items of `moving[b]` again, as they lie around the boundary.
    `spans` are certain items that may have landed in a later interval than their own.
    `twins` names the item of `spans` that one of `moving[b]` is again, where it lies
    near the begin of its own interval. `gaps` are intervals that are not compared, of
    which nobody knows a rest: their end and the begin of the next are those of others.
    """

    rests: Sequence[int]
    amounts: Sequence[int]
    landing: Mapping[int, Sequence[int]]
    moving: Mapping[int, Sequence[int]]
    tolerance: int = 0
    stale: Mapping[int, frozenset[int]] = field(default_factory=dict)
    sides: Mapping[int, Sequence[Side]] = field(default_factory=dict)
    spans: Sequence[Span] = ()
    twins: Mapping[int, int] = field(default_factory=dict)
    gaps: frozenset[int] = frozenset()

    def broken(self, interval: int) -> bool:
        """Tell whether an interval has a rest that needs an explanation."""
        return abs(self.rests[interval]) > self.tolerance

    def tied(self, boundary: int) -> bool:
        """Tell whether what is near a boundary ties the intervals beside it."""
        beside = {boundary - 1, boundary}
        return bool(self.moving.get(boundary)) and beside.isdisjoint(self.gaps)

    def ordered(self, interval: int, items: Sequence[int]) -> tuple[int, ...]:
        """Return open items as a search takes them, which leaves out the first of many.

        These are the oldest of the stale ones: what was just asked for is likeliest.
        """
        too_many = len(items) - MAX_CANDIDATES
        if too_many <= 0:
            return tuple(items)
        stale = self.stale.get(interval, frozenset())
        oldest = dict.fromkeys([item for item in items if item in stale][:too_many])
        return (*oldest, *(item for item in items if item not in oldest))


@dataclass(frozen=True)
class Traced:
    """How one interval is explained: `landed` items, and items moved over its ends.

    `sets` are all ways that were found, as (landed, moved in, moved out): the first
    is the one that counts. `count` is how many there are, and `different` how many of
    these differ in the amounts that landed. `candidates` are the items that could have
    landed in it; `limited` tells that a limit of the search was met.
    """

    sets: tuple[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]], ...] = (
        ((), (), ()),
    )
    count: int = 1
    exact: bool = False
    candidates: tuple[int, ...] = ()
    limited: bool = False
    different: int = 0

    @classmethod
    def of(
        cls, ways: Sequence[Self], candidates: tuple[int, ...], *, limited: bool
    ) -> Self:
        """Take ways that do as well as one another; the first of them counts."""
        sets = tuple(dict.fromkeys(each for way in ways for each in way.sets))
        return cls(
            sets=sets[:MAX_SHOWN],
            count=sum(way.count for way in ways),
            exact=ways[0].exact,
            candidates=candidates,
            limited=limited,
            different=max(way.different for way in ways),
        )

    @property
    def unique(self) -> bool:
        """Tell whether no other set of as few items explains it."""
        return self.count == 1

    @property
    def listed(self) -> bool:
        """Tell whether `sets` are all there are."""
        return self.count == len(self.sets)
