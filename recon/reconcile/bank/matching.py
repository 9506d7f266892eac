"""Which debit of the bank serves which claim of a deposit, as many as can be served.

`int_bank_brackets` pairs nearly all. Here a claim that it left takes a debit of its
window, whose claim takes another one, and so on, until a debit is used that was left,
too. So none is called missing that could be there, and none that was served is not.
"""

from bisect import bisect_left, bisect_right, insort
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby

import pyarrow as pa
import pyarrow.compute as pc

from recon.lake.schema import TEXT
from recon.reconcile.bank.sides import Row, Sides, grouped, is_in
from recon.reconcile.engine import Engine

BANK_MATCHES = pa.schema({"claim_id": TEXT, "debit_id": TEXT})
"""`int_bank_matches`: one row a claim and a debit that serves it; each debit once."""

_BRACKETS = "select claim_id, debit_id from int_bank_brackets"


def paired(engine: Engine, sides: Sides) -> pa.Table:
    """Pair claims and debits: a largest set of pairs that has all the brackets'.

    Only where both a claim and a debit of an account and amount are left, is there more
    to pair.
    """
    brackets = engine.query(_BRACKETS).cast(BANK_MATCHES)
    left = [
        table.filter(pc.invert(is_in(table[name], brackets[name])))["amount"]
        for table, name in ((sides.claims, "claim_id"), (sides.debits, "debit_id"))
    ]
    contested = {*left[0].filter(is_in(left[0], left[1])).to_pylist()}
    debits = grouped(sides.debits_of(contested))
    served: dict[str, str] = {}
    for amount, claims in grouped(sides.claims_of(contested, brackets)).items():
        served |= serve(claims, debits[amount])
    return replaced(brackets, served, sorted(served.items()))


def replaced(
    matches: pa.Table, claims: Iterable[str], pairs: Iterable[tuple[str, str]]
) -> pa.Table:
    """Return matches with pairs of a claim and a debit in place of what claims have."""
    is_theirs = is_in(matches["claim_id"], claims)
    rows = [dict(zip(BANK_MATCHES.names, pair, strict=True)) for pair in pairs]
    return pa.concat_tables(
        [
            matches.filter(pc.invert(is_theirs)),
            pa.Table.from_pylist(rows, BANK_MATCHES),
        ]
    )


def serve(claims: Sequence[Row], debits: Sequence[Row]) -> dict[str, str]:
    """Serve as many claims of one account and amount as can be, by claim.

    A claim's `debit_id` is that which serves it as yet; it may get another one, but
    stays served. `debits` are in the order of `at_latest`.
    """
    pairing = Pairing(debits, claims)
    vain = Skips()
    for claim in claims:
        if claim["debit_id"] is None:
            pairing.serve(claim, vain)
    return pairing.served()


class Skips:
    """Places that are passed over."""

    def __init__(self) -> None:
        self._next: dict[int, int] = {}

    def add(self, place: int) -> None:
        self._next[place] = place + 1

    def first(self, place: int) -> int:
        """Return the first place from this one on that is not passed over."""
        passed = []
        while place in self._next:
            passed.append(place)
            place = self._next[place]
        for each in passed:
            self._next[each] = place
        return place


Ways = dict[int, tuple[Row, int | None]]
"""By a debit's place: which claim would take it, and which place that leaves."""


class Pairing:
    """Debits of one account and amount, and which claim each of them serves.

    Debits of one length (a whole day, or none) have neighbouring places, so that those
    in a claim's window are a range for each length. What is changed is added to
    `undoing`, as what takes it back. Of what was not, `moves` are all, and `leaves`
    those that let a debit serve nobody. `looks` counts the ways that `serve` noted.
    """

    def __init__(
        self,
        debits: Sequence[Row],
        claims: Iterable[Row] = (),
        undoing: list[Callable[[], None]] | None = None,
    ) -> None:
        turns = range(len(debits))
        spans = [row["at_latest"] - row["booked_at"] for row in debits]
        self._turns = sorted(turns, key=lambda turn: (spans[turn], turn))
        self.debits = [debits[turn] for turn in self._turns]
        self._latest = [row["at_latest"] for row in self.debits]
        self._booked = [row["booked_at"] for row in self.debits]
        lengths = groupby(turns, key=lambda place: spans[self._turns[place]])
        self._lengths = [(each[0], each[-1] + 1) for _, (*each,) in lengths]
        self._undoing = [] if undoing is None else undoing
        self.owners: list[Row | None] = [None] * len(debits)
        self._places: dict[str, int] = {}
        self._windows: dict[str, list[range]] = {}
        self.moves = self.leaves = self.looks = 0
        self.free = list(turns)
        place_of = {row["debit_id"]: place for place, row in enumerate(self.debits)}
        for claim in claims:
            if claim["debit_id"] is not None:
                self._put(place_of[claim["debit_id"]], claim)

    def served(self) -> dict[str, str]:
        """Return the debits of the claims that have one, by claim."""
        return {
            claim: self.debits[place]["debit_id"]
            for claim, place in self._places.items()
        }

    def is_served(self, claim: Row) -> bool:
        return claim["claim_id"] in self._places

    def windows(self, claim: Row) -> list[range]:
        """Return the places of the debits that may serve a claim, by their length."""
        windows = self._windows.get(claim["claim_id"])
        if windows is None:
            since, until = claim["requested_at"], claim["until_at"]
            windows = self._windows[claim["claim_id"]] = [
                range(
                    bisect_left(self._latest, since, first, end),
                    bisect_right(self._booked, until, first, end),
                )
                for first, end in self._lengths
            ]
        return windows

    def first_free(self, claim: Row) -> int | None:
        """Return the place of the earliest debit of a claim that serves nobody."""
        found: int | None = None
        for window in self.windows(claim):
            at = bisect_left(self.free, window.start)
            if at == len(self.free) or self.free[at] >= window.stop:
                continue
            if found is None or self._turns[self.free[at]] < self._turns[found]:
                found = self.free[at]
        return found

    def serve(self, claim: Row, vain: Skips) -> bool:
        """Serve a claim, the claims on the way taking other debits; or nobody.

        What was looked at in vain leads nowhere for any other claim either, as long
        as no debit is left.
        """
        ways: Ways = {}
        found = None
        for place in self.reach(claim, ways, vain):
            if self.owners[place] is None:
                found = place
                break
        self.looks += len(ways)
        if found is None:
            for place in ways:
                vain.add(place)
            return False
        self.hand_over(found, ways)
        return True

    def reach(self, claim: Row, ways: Ways, past: Skips) -> Iterator[int]:
        """Yield the debits that a claim may have if others move, and note the ways.

        Those that serve nobody come first, those passed over and all behind never.
        """
        seen = Skips()
        waiting: deque[tuple[Row, int | None]] = deque([(claim, None)])
        while waiting:
            asking, left = waiting.popleft()
            free = self.first_free(asking)
            if free is not None:
                ways[free] = asking, left
                yield free
            for window in self.windows(asking):
                place = _first(window.start, seen, past)
                while place < window.stop:
                    ways[place] = asking, left
                    seen.add(place)
                    owner = self.owners[place]
                    if owner is not None:
                        waiting.append((owner, place))
                    yield place
                    place = _first(place + 1, seen, past)

    def hand_over(self, place: int, ways: Ways) -> None:
        """Give a debit that is in reach to the claim, by the way to it.

        The claim that it served has none from then on.
        """
        to: int | None = place
        while to is not None:
            claim, left = ways[to]
            self.give(to, claim)
            to = left

    def give(self, place: int, claim: Row | None) -> None:
        """Let a debit serve a claim, or nobody."""
        self._undoing.append(partial(self._take_back, place, self.owners[place]))
        self.moves += 1
        self.leaves += claim is None
        self._put(place, claim)

    def release(self, claim: Row) -> None:
        """Let the debit of a claim, if it has one, serve nobody."""
        if self.is_served(claim):
            self.give(self._places[claim["claim_id"]], None)

    def _take_back(self, place: int, claim: Row | None) -> None:
        self.moves -= 1
        self.leaves -= self.owners[place] is None
        self._put(place, claim)

    def _put(self, place: int, claim: Row | None) -> None:
        before = self.owners[place]
        self.owners[place] = claim
        if before is not None and self._places.get(before["claim_id"]) == place:
            del self._places[before["claim_id"]]
        if claim is not None:
            self._places[claim["claim_id"]] = place
        if before is None and claim is not None:
            del self.free[bisect_left(self.free, place)]
        elif before is not None and claim is None:
            insort(self.free, place)


def _first(place: int, seen: Skips, vain: Skips) -> int:
    """Return the first place from this one on that neither passes over."""
    while (found := vain.first(seen.first(place))) != place:
        place = found
    return place
