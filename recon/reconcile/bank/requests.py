"""Which requests of several entries the bank paid entry by entry after all.

`int_bank_claims` lets such a request ask for one debit of its sum where the statement
has one. That may be a debit of something else: where each entry has a debit that
nothing else claims, these are the request's, and that of the sum is left to others.
Where a claim has no debit, other claims take other debits for it, and other requests
are paid in the other way (`choices`), as long as all have theirs.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

import pyarrow as pa

from recon.reconcile.bank.choices import settle
from recon.reconcile.bank.matching import Pairing, paired, replaced
from recon.reconcile.bank.names import preferred
from recon.reconcile.bank.sides import (
    Amount,
    Row,
    Sides,
    amount_key,
    amount_of,
    grouped,
    only,
)
from recon.reconcile.bank.splits import Part, Request
from recon.reconcile.engine import Engine

Place: TypeAlias = tuple[Amount, int]
"""Of a debit, in the pairing of its account and amount."""

_P = TypeVar("_P")


def compute(engine: Engine) -> dict[str, pa.Table]:
    """Compute `int_bank_matches`: a request that was paid so has a row for each entry.

    Whom `matching` serves stays served; where no request was paid so, all pairs
    are its own. Debits that name the provider go first (`names`).
    """
    sides = Sides.of(engine)
    matches = paired(engine, sides)
    if sides.parts:
        matches = _reassigned(sides, matches)
    return {"int_bank_matches": preferred(sides, matches)}


def _reassigned(sides: Sides, matches: pa.Table) -> pa.Table:
    amounts = {amount_key(row) for rows in sides.parts.values() for row in rows}
    amounts.update(only(sides.claims, "claim_id", sides.parts)["amount"].to_pylist())
    claims = {row["claim_id"]: row for row in sides.claims_of(amounts, matches)}
    requests = [Request(claims[name], rows) for name, rows in sides.parts.items()]
    found = settled(list(claims.values()), requests, sides.debits_of(amounts))
    if all(len(each) == 1 for each in found.values()):
        return matches
    pairs = (
        (claim, debit) for claim in sorted(found) for debit in sorted(found[claim])
    )
    return replaced(matches, claims, pairs)


def settled(
    claims: Sequence[Row], requests: Sequence[Request], debits: Sequence[Row]
) -> dict[str, list[str]]:
    """Return the debits of each claim that is served, by claim.

    A claim's `debit_id` is that which serves it as yet. `debits` are in the order of
    `at_latest`.
    """
    found = {row["claim_id"]: [row["debit_id"]] for row in claims if row["debit_id"]}
    for part in _parts(claims, requests, debits):
        found |= settle(part)
    return found


def _parts(
    claims: Sequence[Row], requests: Sequence[Request], debits: Sequence[Row]
) -> Iterable[Part]:
    """Return the parts that have a request that may be split."""
    pairings = {amount: Pairing(rows) for amount, rows in grouped(debits).items()}
    ties = _Ties(pairings)
    split = {
        each.claim["claim_id"]: each
        for each in requests
        if _may_be_split(each, pairings)
    }
    places: dict[str, Place] = {}
    for claim in claims:
        request = split.get(claim["claim_id"])
        place = ties.tie([claim, *(request.entries if request else ())])
        if place is not None:
            places[claim["claim_id"]] = place
    parts = {ties.root(places[name]): Part() for name in split}
    for claim in claims:
        name = claim["claim_id"]
        part = parts.get(ties.root(places[name])) if name in places else None
        if part is not None:
            part.claims.append(claim)
            part.requests.extend([split[name]] if name in split else [])
    for amount, pairing in pairings.items():
        for turn, debit in enumerate(pairing.debits):
            part = parts.get(ties.root((amount, turn)))
            if part is not None:
                part.debits.append(debit)
    for part in parts.values():
        part.debits.sort(key=lambda row: (row["at_latest"], row["debit_id"]))
    return parts.values()


class _Ties:
    """Which debits belong together, as some claim could have either of them."""

    def __init__(self, pairings: Mapping[Amount, Pairing]) -> None:
        self._pairings = pairings
        self._tied: dict[Amount, dict[int, int]] = defaultdict(dict)  # to the next one
        self._up: dict[Place, Place] = {}

    def tie(self, claims: Iterable[Row]) -> Place | None:
        """Tie all debits that claims could have, and return one of them."""
        first: Place | None = None
        for claim in claims:
            amount = amount_of(claim)
            if amount not in self._pairings:
                continue
            for window in self._pairings[amount].windows(claim):
                if not window:
                    continue
                start = amount, window.start
                first = first or start
                self._join(first, start)
                tied = self._tied[amount]
                at = _end(tied, window.start)
                while at < window.stop - 1:
                    tied[at] = at + 1
                    self._join((amount, at), (amount, at + 1))
                    at = _end(tied, at)
        return first

    def root(self, place: Place) -> Place:
        """Return the same debit for all that belong together."""
        return _end(self._up, place)

    def _join(self, one: Place, other: Place) -> None:
        one, other = self.root(one), self.root(other)
        if one != other:
            self._up[other] = one


def _end(links: dict[_P, _P], place: _P) -> _P:
    """Follow links to their end, and let each that was passed lead there at once."""
    passed = []
    while place in links:
        passed.append(place)
        place = links[place]
    for each in passed:
        links[each] = place
    return place


def _may_be_split(request: Request, pairings: Mapping[Amount, Pairing]) -> bool:
    """Tell whether the entries are all there, and as many debits of each amount."""
    if None in (rials := [row["rial"] for row in request.entries]):
        return False
    if sum(rials) != request.claim["rial"]:
        return False
    return all(
        amount in pairings
        and len(rows)
        <= len(
            {
                place
                for window in {
                    each for row in rows for each in pairings[amount].windows(row)
                }
                for place in window[: len(rows)]
            }
        )
        for amount, rows in grouped(request.entries).items()
    )
