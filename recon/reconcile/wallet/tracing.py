"""Which open items explain which rests of the wallet's intervals, each item once.

Two kinds of items may explain a rest: an open one, which may have landed in one of
several intervals, and a certain one close to a snapshot, which may have moved across
it (the rest of one side falls by it, that of the other rises). Intervals that share a
boundary with such moves are settled together: the fewest intervals stay unexplained,
then the fewest items are used. What is unique is settled first, for all intervals,
but never with the items that an earlier interval needs; what several sets explain
equally is then settled in the order of time.
"""

from collections.abc import Mapping, Sequence

from recon.reconcile.explain import MAX_SHOWN
from recon.reconcile.wallet.chains import Chains
from recon.reconcile.wallet.rests import Rests, Traced

MAX_ROUNDS = 50
"""So often the search is repeated with what earlier rounds settled."""


def trace(rests: Rests) -> dict[int, Traced]:
    """Explain every broken interval as far as it goes; intervals untouched are absent.

    Each open item counts once over all intervals, each moved one once.
    """
    return _Tracing(rests).run()


class _Tracing:
    def __init__(self, rests: Rests) -> None:
        self._rests = rests
        self._chains = Chains(rests)
        self._reserved: dict[int, int] = {}
        self._segments = list(self._chains.segments())

    def run(self) -> dict[int, Traced]:
        claims: dict[int, int] = {}
        for _ in range(MAX_ROUNDS):
            known = len(self._reserved)
            claims = self._settle_unique()
            if len(self._reserved) == known:
                break
        sure = dict(self._reserved)
        settled: dict[int, Traced] = {}
        for segment in self._segments:
            possible = self._chains.settle(segment, sure)
            chosen = self._chains.settle(segment, self._reserved)
            spared = self._chains.settle(segment, {**claims, **self._reserved})
            if _worth(spared) == _worth(chosen):
                chosen = spared
            for interval, traced in chosen.items():
                settled[interval] = _merged(traced, possible.get(interval))
                self._reserve(interval, traced)
        return settled

    def _settle_unique(self) -> dict[int, int]:
        """Reserve what is unique and sure, in the order of time.

        Returns what is unique but must wait for earlier intervals: these spare it
        where they have a choice.
        """
        waiting: list[list[set[int]]] = []  # choices of earlier intervals
        claims: dict[int, int] = {}
        for segment in self._segments:
            found = self._chains.settle(segment, self._reserved)
            for interval, traced in found.items():
                if not traced.unique:
                    waiting += [_choices(traced)] if traced.listed else []
                elif self._sure(interval, traced) and _leaves_all(waiting, traced):
                    self._reserve(interval, traced)
                elif traced.exact:
                    claims.update(dict.fromkeys(traced.sets[0][0], interval))
        return claims

    def _sure(self, interval: int, traced: Traced) -> bool:
        """Tell whether a unique explanation may go before earlier intervals.

        Not with stale items: in a long list of them a set may fit by chance, and must
        not take what explains an earlier interval.
        """
        stale = self._rests.stale.get(interval, frozenset())
        return traced.exact and stale.isdisjoint(traced.sets[0][0])

    def _reserve(self, interval: int, traced: Traced) -> None:
        for item in traced.sets[0][0]:
            self._reserved[item] = interval


def _worth(traced: Mapping[int, Traced]) -> tuple[int, int]:
    """Return how many intervals stay unexplained, and how many items are used."""
    return (
        sum(not each.exact for each in traced.values()),
        sum(len(part) for each in traced.values() for part in each.sets[0]),
    )


def _choices(traced: Traced) -> list[set[int]]:
    return [set(landed) for landed, _, _ in traced.sets]


def _leaves_all(waiting: Sequence[list[set[int]]], taking: Traced) -> bool:
    """Take items, unless an earlier interval would have no way left without them."""
    taken = set(taking.sets[0][0])
    left = [[way for way in ways if taken.isdisjoint(way)] for ways in waiting]
    if not all(left):
        return False
    for ways, remaining in zip(waiting, left, strict=True):
        ways[:] = remaining
    return True


def _merged(chosen: Traced, possible: Traced | None) -> Traced:
    """Put the sets that would do as well beside the one that counts."""
    if possible is None or not chosen.exact or not possible.exact:
        return chosen
    sets = dict.fromkeys([chosen.sets[0], *possible.sets, *chosen.sets])
    return Traced(
        sets=tuple(sets)[:MAX_SHOWN],
        count=max(chosen.count, possible.count, len(sets)),
        exact=True,
        candidates=chosen.candidates,
        limited=chosen.limited or possible.limited,
        different=max(chosen.different, possible.different),
    )
