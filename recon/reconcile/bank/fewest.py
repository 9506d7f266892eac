"""Which debit serves which claim, so that few requests are without one of theirs.

A request of several entries lacks a debit as soon as one entry does. So the debits of
requests that lack one are for those that have all with them, and these are served
first; then a request gives way where two others have all without it, or where it has
all in another way; at last where another one has all and fewer debits are left that
name the provider. Entries of the rest have what is left.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from recon.reconcile.bank.matching import Pairing
from recon.reconcile.bank.sides import Amount, Row, amount_of, grouped

_LOOKS = 500_000  # at a debit, for requests of several entries
_LOOKS_A_TRIAL = 50  # that take as long
_OTHERS = 30  # that may have all where one gives way, at most


@dataclass(frozen=True, eq=False)
class DepositRequest:
    """A request, and the claims that are served together in each way to pay it.

    One of several entries may be paid by one debit of the sum or by one an entry.
    Where no way can be, those of `entries` are served that can be.
    """

    name: str
    ways: Sequence[Sequence[Row]]
    entries: Sequence[Row]

    @cached_property
    def claims(self) -> list[Row]:
        rows = [row for way in (*self.ways, self.entries) for row in way]
        return [*{row["claim_id"]: row for row in rows}.values()]

    @cached_property
    def amounts(self) -> list[Amount]:
        return [*dict.fromkeys(amount_of(row) for row in self.claims)]


def served(
    requests: Sequence[DepositRequest], claims: Sequence[Row], debits: Sequence[Row]
) -> dict[str, str]:
    """Return the debit of each claim that is served, by claim.

    `claims` are those of `requests`, and others that go on being served. A claim's
    `debit_id` is that which serves it as yet. `debits` are in the order of `at_latest`.
    """
    sharing = _Sharing(requests, claims, debits)
    sharing.serve_whole()
    while sharing.give_way():
        pass
    if any(row["is_provider_named"] for row in debits):
        sharing.give_way(for_names=True)
    return sharing.serve_rest()


class _Sharing:
    """Who has which debit, while requests get all of theirs or give way."""

    def __init__(
        self,
        requests: Sequence[DepositRequest],
        claims: Sequence[Row],
        debits: Sequence[Row],
    ) -> None:
        self._undoing: list[Callable[[], None]] = []
        by_amount = grouped(claims)
        self._pairings: Mapping[Amount, Pairing] = {
            amount: Pairing(rows, by_amount[amount], self._undoing)
            for amount, rows in grouped(debits).items()
        }
        latest = sorted(requests, key=lambda each: each.entries[0]["requested_at"])
        latest.reverse()
        self._requests = sorted(latest, key=_size)
        self._wanting = [each for each in self._requests if not self._has_all(each)]
        self._vain: dict[Amount, bytearray] = defaultdict(bytearray)
        # of what may be undone
        self._vain_now: dict[Amount, bytearray] = defaultdict(bytearray)
        self._touched: set[Amount] = set()
        self._looks = _LOOKS

    def serve_whole(self) -> None:
        """Serve requests that lack a debit where all are left, the smallest first."""
        for request in self._wanting:
            self._release(request)
        self._keep()
        self._wanting = [each for each in self._wanting if not self._serve_all(each)]

    def give_way(self, *, for_names: bool = False) -> bool:
        """Let requests give way where more then have all; tell whether any did.

        `for_names`: or as many, and more debits serve somebody that name the provider.
        """
        by_name = {request.name: request for request in self._requests}
        wanting = {request.name for request in self._wanting}
        count = len(wanting)
        near: dict[Amount, dict[str, DepositRequest]] = defaultdict(dict)
        for request in self._wanting:
            for amount in request.amounts:
                near[amount][request.name] = request
        for request in self._requests:
            if len(request.claims) == 1 or request.name in wanting:
                continue
            found = (other for each in request.amounts for other in near[each].values())
            others = [*dict.fromkeys(islice(found, _OTHERS))]
            if not others or self._looks <= 0:
                continue
            for name in self._gives_way(request, others, for_names=for_names):
                wanting ^= {name}
                for amount in by_name[name].amounts:
                    if name in wanting:
                        near[amount][name] = by_name[name]
                    else:
                        del near[amount][name]
        self._wanting = [each for each in self._requests if each.name in wanting]
        return len(wanting) < count

    def serve_rest(self) -> dict[str, str]:
        """Serve what claims can be of requests that lack a debit; return all."""
        for request in self._wanting:
            for row in request.entries:
                self._serve(row)
                self._keep()
        found: dict[str, str] = {}
        for pairing in self._pairings.values():
            found |= pairing.served()
        return found

    def _gives_way(
        self,
        request: DepositRequest,
        others: Sequence[DepositRequest],
        *,
        for_names: bool,
    ) -> set[str]:
        """Return those that lack a debit no longer, or from now on."""
        all_requests = [*others, request]
        self._looks -= _LOOKS_A_TRIAL
        used = self._used(all_requests, others) if for_names else 0
        self._release(request)
        found = {each.name for each in all_requests if self._try_all(each)}
        is_better = len(found) > 1
        if len(found) == 1 and for_names:
            left = [each for each in all_requests if each.name not in found]
            is_better = self._used(all_requests, left) > used
        if not is_better:
            self._undo(0)
            return set()
        self._keep()
        return found ^ {request.name}

    def _used(
        self, requests: Sequence[DepositRequest], lacking: Sequence[DepositRequest]
    ) -> int:
        """Count the debits that name the provider and serve somebody, near requests.

        As it were once entries of those that lack a debit have what is left.
        """
        mark = len(self._undoing)
        for request in lacking:
            for row in request.entries:
                self._serve(row)
        amounts = {amount for request in requests for amount in request.amounts}
        used = 0
        for amount in amounts & self._pairings.keys():
            pairing = self._pairings[amount]
            self._looks -= len(pairing.debits)
            used += sum(
                debit["is_provider_named"] and owner is not None
                for debit, owner in zip(pairing.debits, pairing.owners, strict=True)
            )
        self._undo(mark)
        return used

    def _serve_all(self, request: DepositRequest) -> bool:
        if self._looks <= 0 and len(request.claims) > 1:
            return False
        is_served = self._try_all(request)
        self._keep()
        return is_served

    def _try_all(self, request: DepositRequest) -> bool:
        """Serve all claims of one of the ways to pay a request, or none."""
        for way in request.ways:
            mark = len(self._undoing)
            if all(self._serve(row) for row in way):
                return True
            self._undo(mark)
        return False

    def _serve(self, claim: Row) -> bool:
        """Serve a claim, if that can be.

        What is looked at in vain is so until a debit is left.
        """
        amount = amount_of(claim)
        pairing = self._pairings.get(amount)
        if pairing is None or not pairing.free:
            return False
        self._touched.add(amount)
        before = pairing.looks
        known = self._vain_now if pairing.moves else self._vain
        is_served = pairing.serve(claim, known[amount])
        self._looks -= pairing.looks - before
        return is_served

    def _has_all(self, request: DepositRequest) -> bool:
        return any(
            all(
                amount_of(row) in self._pairings
                and self._pairings[amount_of(row)].is_served(row)
                for row in way
            )
            for way in request.ways
        )

    def _release(self, request: DepositRequest) -> None:
        for row in request.claims:
            if (amount := amount_of(row)) in self._pairings:
                self._touched.add(amount)
                self._pairings[amount].release(row)
                self._vain_now.pop(amount, None)

    def _keep(self) -> None:
        for amount in self._touched:
            pairing = self._pairings[amount]
            if pairing.leaves:
                self._vain.pop(amount, None)
            pairing.moves = pairing.leaves = 0
        self._touched.clear()
        self._undoing.clear()
        self._vain_now.clear()

    def _undo(self, mark: int) -> None:
        if len(self._undoing) > mark:
            self._vain_now.clear()
        while len(self._undoing) > mark:
            self._undoing.pop()()


def _size(request: DepositRequest) -> tuple[int, int]:
    return min(map(len, request.ways)), len(request.claims)
