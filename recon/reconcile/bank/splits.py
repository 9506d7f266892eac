"""Requests of several entries that the bank split: paid by a debit for each entry.

A request is served by one debit of its sum, or it is split, and each entry is served by
a debit of its own.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any

from recon.reconcile.bank.matching import Pairing
from recon.reconcile.bank.sides import Amount, Row, amount_of, grouped


@dataclass(frozen=True, eq=False)
class Request:
    """A request of several entries: the claim of its sum, and that of each entry."""

    claim: Row
    entries: Sequence[Row]


@dataclass(frozen=True, eq=False)
class Part:
    """Claims that could have the same debits, with these.

    A claim's `debit_id` is that which serves it as yet: as many are served as can be
    where no request is split. `requests` are those that may be. `debits` are in the
    order of `at_latest`.
    """

    claims: list[Row] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    debits: list[Row] = field(default_factory=list)


class Splits:
    """Which debit serves which claim of a part, and which requests are split."""

    def __init__(self, part: Part) -> None:
        self.undoing: list[Callable[[], None]] = []
        self.requests = sorted(part.requests, key=_likeness)
        self.request_of = {
            row["claim_id"]: each
            for each in part.requests
            for row in (each.claim, *each.entries)
        }
        self._splits: set[str] = set()
        self._kinds: dict[str, int] = {}
        self._numbers: dict[str, int] = {}
        alike = {each.claim["claim_id"]: _likeness(each) for each in part.requests}
        rows = sorted(
            part.claims,
            key=lambda row: alike.get(row["claim_id"]) or _likeness(Request(row, ())),
        )
        self._claims = sorted(rows, key=lambda row: row["requested_at"], reverse=True)
        claims = grouped(self._claims)
        debits = grouped(part.debits)
        entries = [row for each in part.requests for row in each.entries]
        self.pairings = {
            amount: Pairing(debits[amount], claims[amount], self.undoing)
            for amount in {amount_of(row) for row in (*part.claims, *entries)}
        }

    def served(self) -> dict[str, list[str]]:
        """Return the debits of each claim that is served."""
        found: dict[str, list[str]] = defaultdict(list)
        for pairing in self.pairings.values():
            for claim, debit in pairing.served().items():
                request = self.request_of.get(claim)
                found[request.claim["claim_id"] if request else claim].append(debit)
        return found

    def unserved(self) -> list[Row]:
        return [row for row in self._claims if not self._is_served(row)]

    def split_freely(self) -> None:
        """Split requests whose entries all have a debit that serves nobody.

        Those that no debit serves come first. The debit that another one leaves may
        serve a claim, else an entry of a larger request.
        """
        ahead = sorted(
            self.requests,
            key=lambda each: (self._is_served(each.claim), -len(each.entries)),
        )
        for request in [each for each in ahead if self._serve_entries(each)]:
            self.change(request)
        rising = sorted(self.requests, key=lambda each: each.claim["rial"])
        for amount, requests in groupby(rising, lambda each: amount_of(each.claim)):
            for request in requests:
                if self._serve_entries(request):
                    self.change(request)
            self._serve_unserved(amount)

    def change(self, request: Request) -> Sequence[Row]:
        """Split a request or no longer split it; return what then is to be served."""
        name = request.claim["claim_id"]
        asking = self.others(request)
        if name in self._splits:
            self._splits.remove(name)
            self.undoing.append(partial(self._splits.add, name))
        else:
            self._splits.add(name)
            self.undoing.append(partial(self._splits.remove, name))
        for row in self.others(request):
            self.pairings[amount_of(row)].release(row)
        return asking

    def kind(self, request: Request) -> tuple[int, bool]:
        """Return what is the same for requests that could stand for each other."""
        name = request.claim["claim_id"]
        if name not in self._kinds:
            windows = sorted(
                (amount_of(row), [(each.start, each.stop) for each in found])
                for row in (request.claim, *request.entries)
                for found in [self.pairings[amount_of(row)].windows(row)]
            )
            self._kinds[name] = self._numbers.setdefault(
                str(windows), len(self._numbers)
            )
        return self._kinds[name], name in self._splits

    def others(self, request: Request) -> Sequence[Row]:
        """Return what is to be served for a request if it changes over."""
        if request.claim["claim_id"] in self._splits:
            return [request.claim]
        return request.entries

    def undo(self, mark: int) -> None:
        """Take back what was done since there was as much to undo."""
        while len(self.undoing) > mark:
            self.undoing.pop()()

    def _is_served(self, claim: Row) -> bool:
        return claim["claim_id"] in self._splits or (
            self.pairings[amount_of(claim)].is_served(claim)
        )

    def _serve_entries(self, request: Request) -> bool:
        """Serve the entries of a request that is not split, if nobody needs to move."""
        if request.claim["claim_id"] in self._splits:
            return False
        for entries in (request.entries, request.entries[::-1]):
            mark = len(self.undoing)
            for row in entries:
                pairing = self.pairings[amount_of(row)]
                free = pairing.first_free(row)
                if free is None:
                    self.undo(mark)
                    break
                pairing.give(free, row)
            else:
                return True
        return False

    def _serve_unserved(self, amount: Amount) -> None:
        vain = bytearray()
        for claim in self._claims:
            if amount_of(claim) == amount and not self._is_served(claim):
                self.pairings[amount].serve(claim, vain)


def _likeness(request: Request) -> tuple[Any, ...]:
    claim = request.claim
    entries = sorted((row["rial"], row["requested_at"]) for row in request.entries)
    times = claim["requested_at"], claim["until_at"]
    return *times, claim["rial"], entries, claim["claim_id"]
