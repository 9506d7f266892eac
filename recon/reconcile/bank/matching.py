"""Which debit of the bank serves which claim of a deposit, as many as can be served.

`int_bank_brackets` pairs nearly all. Here a claim that it left takes a debit of its
window, whose claim takes another one, and so on, until a debit is used that was left,
too. So none is called missing that could be there, and none that was served is not.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import groupby

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from recon.lake.schema import TEXT
from recon.reconcile.bank.reaching import Reach
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
    vain = bytearray()
    for claim in claims:
        if claim["debit_id"] is None:
            pairing.serve(claim, vain)
    return pairing.served()


_Windows = tuple[NDArray[np.int64], NDArray[np.int64]]


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
        self._of_owners: NDArray[np.int64] | None = None  # once they are asked for
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

    def windows_of_owners(self) -> Sequence[_Windows]:
        """Return begins and ends of the windows of all owners, by length of debits."""
        if self._of_owners is None:
            shape = len(self._lengths), 2, len(self.debits)
            self._of_owners = np.zeros(shape, np.int64)
            for place, owner in enumerate(self.owners):
                self._note_windows(place, owner)
        return [(begins, ends) for begins, ends in self._of_owners]

    def serve(self, claim: Row, vain: bytearray) -> bool:
        """Serve a claim, the claims on the way taking other debits; or nobody.

        What was looked at in vain leads nowhere for any other claim either, as long
        as no debit is left.
        """
        reach = Reach(self, claim, vain)
        found = reach.find()
        self.looks += reach.count
        if found is None:
            reach.pass_over()
            return False
        self.hand_over(found, reach)
        return True

    def hand_over(self, place: int, reach: Reach) -> None:
        """Give a debit that is in reach to the claim, by the way to it.

        The claim that it served has none from then on.
        """
        for to, claim in reach.steps(place):
            self.give(to, claim)

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
        self._note_windows(place, claim)
        if before is not None and self._places.get(before["claim_id"]) == place:
            del self._places[before["claim_id"]]
        if claim is not None:
            self._places[claim["claim_id"]] = place
        if before is None and claim is not None:
            del self.free[bisect_left(self.free, place)]
        elif before is not None and claim is None:
            insort(self.free, place)

    def _note_windows(self, place: int, owner: Row | None) -> None:
        """Keep the windows of a debit's owner, once those of all are asked for."""
        if self._of_owners is None:
            return
        self._of_owners[:, :, place] = 0
        for length, window in enumerate(self.windows(owner) if owner else ()):
            self._of_owners[length, :, place] = window.start, window.stop
