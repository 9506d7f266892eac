"""Which requests are split, so that the bank's debits serve as many claims as can be.

Each claim that was served stays so. Of choices that serve as many, requests are split
whose entries all have a debit that serves nobody.

In a part of few requests every choice is looked at. In a larger one, for a claim
without a debit, a few requests change over: one leaves it a debit, and another one
leaves that one what it asks for then. How much is looked at has a limit, so that a part
of any size ends; a claim that more of them could serve may be left there.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial

from recon.reconcile.bank.reaching import Reach, is_past
from recon.reconcile.bank.sides import Amount, Row, amount_of
from recon.reconcile.bank.splits import Part, Request, Splits

FEW_REQUESTS = 14
"""Where no more of a part may be split, every choice is looked at."""

_CHAINS = (1, 2, 4, 8)  # requests that change over for a claim, at most
_CHANGES = 500  # that are tried for a claim of a larger part
_ROUNDS = 2  # of chains, since splits after a first may help another claim
_LOOKS = 500_000  # at a debit, for all claims of a part
_LOOKS_A_ROW = 300  # of a larger part, if these are fewer
_LOOKS_A_CHANGE = 50  # that take as long


def settle(part: Part) -> dict[str, list[str]]:
    """Return the debits of each claim that is served, by claim."""
    splits = Splits(part)
    count = len(splits.unserved())
    splits.split_freely()
    if len(part.requests) <= FEW_REQUESTS:
        return _by_choices(part, splits, count).served()
    splits = _by_chains(part, splits)
    if splits.unserved():
        # requests that need not be split may stand in the way of those that must
        other = _by_chains(part, Splits(part))
        splits = min(splits, other, key=lambda each: len(each.unserved()))
    return splits.served()


def _by_choices(part: Part, splits: Splits, count: int) -> Splits:
    """Serve as many claims as can be of so many that had no debit at first."""
    while left := len(splits.unserved()):
        other = Splits(part)
        search = _Search(other, _LOOKS)
        if not search.serve_together(count - left + 1):
            return _by_chains(part, splits) if search.is_spent() else splits
        splits = other
        splits.split_freely()
    return splits


def _by_chains(part: Part, splits: Splits) -> Splits:
    looks = _LOOKS_A_ROW * (len(part.claims) + len(part.debits))
    for _ in range(_ROUNDS):
        _Search(splits, min(looks, _LOOKS)).serve_by_chains()
        splits.split_freely()
    return splits


class _Search:
    """Seeks what serves claims without a debit, as requests change over for them.

    A claim without a way to a debit that serves nobody is served where a request in
    its reach leaves it a debit, and the other debits that this asks for are found so,
    too. A request changes over once at most.
    """

    def __init__(self, splits: Splits, looks: int) -> None:
        self._splits = splits
        self._looks = looks
        self._changes = _LOOKS  # that are left for a claim
        self._longest = len(splits.requests)
        self._changed: set[str] = set()
        self._touched: set[Amount] = set()
        self._vain: dict[Amount, bytearray] = defaultdict(bytearray)
        self._hopeless: dict[tuple[Amount, int], bytearray] | None = None
        self._tried: dict[tuple[int, bool], int] | None = None
        self._explored: set[tuple[frozenset[str], frozenset[str]]] = set()

    def serve_by_chains(self) -> None:
        """Serve one claim after the other, by the shortest chains first."""
        self._touched.update(self._splits.pairings)
        self._keep()
        for self._longest in _CHAINS:
            is_found = True
            while is_found and self._looks > 0:
                self._hopeless = defaultdict(bytearray)
                waiting = self._splits.unserved()
                is_found = sum(self._serve(claim) for claim in waiting) > 0

    def serve_together(self, count: int) -> bool:
        """Serve so many claims more, whichever they are, if that can be."""
        waiting = [row for row in self._splits.unserved() if self._may_serve(row)]
        return self._serve_of(waiting, count, frozenset())

    def is_spent(self) -> bool:
        """Tell whether the limit ended the search, of a claim or of all."""
        return min(self._looks, self._changes) <= 0

    def _serve(self, claim: Row) -> bool:
        self._changes = _CHANGES
        self._tried = {}
        for _ in self._ways(claim):
            self._keep()
            return True  # and what follows is not looked at, so nothing is undone
        return False

    def _keep(self) -> None:
        for amount in self._touched:
            pairing = self._splits.pairings[amount]
            if pairing.leaves:
                self._vain.pop(amount, None)
            pairing.moves = pairing.leaves = 0
        self._touched.clear()
        self._changed.clear()
        self._splits.undoing.clear()

    def _may_serve(self, claim: Row) -> bool:
        mark = len(self._splits.undoing)
        may_serve = any(True for _ in self._ways(claim))
        self._splits.undo(mark)
        return may_serve

    def _serve_of(
        self, waiting: Sequence[Row], count: int, served: frozenset[str]
    ) -> bool:
        if count == 0:
            return True
        for turn, claim in enumerate(waiting[: len(waiting) - count + 1], start=1):
            names = served | {claim["claim_id"]}
            for _ in self._ways(claim):
                known = frozenset(self._changed), names
                if known not in self._explored:
                    self._explored.add(known)
                    if self._serve_of(waiting[turn:], count - 1, names):
                        return True
        return False

    def _ways(self, claim: Row) -> Iterator[None]:
        """Serve a claim in each way that leaves nobody without a debit, by turns."""
        seen: set[tuple[frozenset[str], frozenset[str]]] = set()
        yield from self._states([claim], seen)
        request = self._splits.request_of.get(claim["claim_id"])
        is_open = self._longest > len(self._changed) and not self.is_spent()
        if request and is_open and request.claim["claim_id"] not in self._changed:
            mark = len(self._splits.undoing)
            yield from self._states(self._change(request), seen)
            self._splits.undo(mark)

    def _states(
        self,
        asking: Sequence[Row],
        seen: set[tuple[frozenset[str], frozenset[str]]],
    ) -> Iterator[None]:
        known = frozenset(self._changed), frozenset(row["claim_id"] for row in asking)
        if known in seen:
            return
        seen.add(known)
        splits = self._splits
        mark = len(splits.undoing)
        for turn, claim in enumerate(asking, start=1):
            if self._serve_at_once(claim):
                continue
            pairing = splits.pairings[amount_of(claim)]
            for place, reach, request in self._in_the_way(claim):
                here = len(splits.undoing)
                pairing.hand_over(place, reach)
                others = self._change(request)
                yield from self._states([*asking[turn:], *others], seen)
                splits.undo(here)
            break
        else:
            yield
        splits.undo(mark)

    def _serve_at_once(self, claim: Row) -> bool:
        """Serve a claim, if nobody needs to change over for it.

        What is looked at in vain is so until a debit is left.
        """
        amount = amount_of(claim)
        pairing = self._splits.pairings[amount]
        self._touched.add(amount)
        vain = bytearray() if pairing.leaves else self._vain[amount]
        reach = Reach(pairing, claim, vain)
        found = reach.find()
        self._looks -= reach.count
        if found is not None:
            pairing.hand_over(found, reach)
        elif not pairing.moves:
            reach.pass_over()
        return found is not None

    def _in_the_way(self, claim: Row) -> Iterator[tuple[int, Reach, Request]]:
        """Yield who may leave a claim a debit, and the ways to it, nearest first."""
        left = self._longest - len(self._changed)
        amount = amount_of(claim)
        pairing = self._splits.pairings[amount]
        past = bytearray()
        if self._hopeless is not None and not pairing.moves:
            past = self._hopeless[amount, left]
        reach = Reach(pairing, claim, past)
        found: set[tuple[int, bool]] = set()
        for place in reach.places():
            self._looks -= 1
            if self.is_spent():
                return
            owner = pairing.owners[place]
            request = owner and self._splits.request_of.get(owner["claim_id"])
            if not request or request.claim["claim_id"] in self._changed:
                continue
            kind = self._splits.kind(request)
            if kind not in found and self._is_worth_it(request, kind, left):
                yield place, reach, request
            found.add(kind)
        reach.pass_over()

    def _is_worth_it(self, request: Request, kind: tuple[int, bool], left: int) -> bool:
        if left < 1 or (left == 1 and not self._may_end(request)):
            return False
        if self._tried is not None:
            if self._tried.get(kind, 0) >= left:
                return False
            self._tried[kind] = left
        return True

    def _may_end(self, request: Request) -> bool:
        """Tell whether a request may change over alone, as far as that is known."""
        for row in self._splits.others(request):
            amount = amount_of(row)
            pairing = self._splits.pairings[amount]
            if not pairing.leaves and all(
                is_past(window, self._vain[amount]) for window in pairing.windows(row)
            ):
                return False
        return True

    def _change(self, request: Request) -> Sequence[Row]:
        self._changes -= 1
        self._looks -= _LOOKS_A_CHANGE
        name = request.claim["claim_id"]
        self._changed.add(name)
        self._splits.undoing.append(partial(self._changed.remove, name))
        for row in (request.claim, *request.entries):
            self._touched.add(amount_of(row))
        return self._splits.change(request)
