"""Which of a few requests were split: every choice, where claims lack a debit.

A request of several entries is served by one debit of its sum, or it is split, and
each entry is served by a debit of its own. Claims that could have the same debits are
tied, and so are a request and its entries. Of each part that is tied together, the
choice is taken that serves most claims; whoever was served stays so.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeAlias

from recon.reconcile.bank_matching import LONGEST_DEBIT, Row, serve

MOST_LOOKS = 50_000
"""At claims, over all choices of a part; a larger one is left as it is."""

Amount: TypeAlias = tuple[str, int]
"""An account and rials."""

Requests: TypeAlias = Mapping[str, Sequence[Row]]
"""Requests of several entries, by the claim of their sum; the entries as claims."""


@dataclass(frozen=True)
class Choice:
    """The requests that are split, and the debit of each claim that is served."""

    split: tuple[str, ...]
    served: Mapping[Amount, Mapping[str, str]]


@dataclass
class Part:
    """Claims that are tied together, and those of them that may be split."""

    claims: list[Row] = field(default_factory=list)
    requests: dict[str, Sequence[Row]] = field(default_factory=dict)

    def chosen(
        self, debits: Mapping[Amount, Sequence[Row]], left: int
    ) -> Choice | None:
        """Return the choice that leaves fewest claims without a debit, and fewer.

        `left` is how many are left as yet.
        """
        if 2 ** len(self.requests) * len(self.claims) > MOST_LOOKS:
            return None
        near = self._near(debits)
        found = None
        for count in range(len(self.requests) + 1):
            for split in combinations(sorted(self.requests), count):
                served = self._served(split, near)
                if served is None:
                    continue
                rest = len(self.claims) - count
                rest -= sum(map(len, served.values()))
                rest += sum(len(self.requests[each]) for each in split)
                if rest < left:
                    left, found = rest, Choice(split, served)
                if not left:
                    return found
        return found

    def _near(self, debits: Mapping[Amount, Sequence[Row]]) -> dict[Amount, list[Row]]:
        """Return the debits that any of the claims could have."""
        entries = [row for rows in self.requests.values() for row in rows]
        found = {}
        for amount, rows in by_amount([*self.claims, *entries]).items():
            first = min(row["requested_at"] for row in rows)
            last = max(row["until_at"] for row in rows)
            found[amount] = [
                each
                for each in debits.get(amount, ())
                if first <= each["at_latest"] and each["booked_at"] <= last
            ]
        return found

    def _served(
        self, split: Sequence[str], debits: Mapping[Amount, Sequence[Row]]
    ) -> dict[Amount, dict[str, str]] | None:
        """Serve the claims of a choice; None where one must be served and is not."""
        asking = [row for each in split for row in self.requests[each]]
        whole = [row for row in self.claims if row["claim_id"] not in split]
        before = [row for row in whole if row["debit_id"] is not None]
        others = [row for row in whole if row["debit_id"] is None]
        must = {row["claim_id"] for row in (*asking, *before)}
        found = {}
        for amount, rows in by_amount([*asking, *before, *others]).items():
            bare = [{**row, "debit_id": None} for row in rows]
            found[amount] = serve(bare, debits[amount])
            if not all(
                row["claim_id"] in found[amount]
                for row in rows
                if row["claim_id"] in must
            ):
                return None
        return found


def sum_of(entries: Sequence[Row]) -> Amount:
    """Return the account and amount of the claim of a request's sum."""
    return entries[0]["iban"], entries[0]["request_rial"]


def amount_of(row: Row) -> Amount:
    """Return the account and amount of a claim or a debit."""
    return row["iban"], row["rial"]


def parts(claims: Sequence[Row], requests: Requests) -> Iterator[Part]:
    """Yield what is tied together, where a request is part of it."""
    entries = [row for rows in requests.values() for row in rows]
    clusters = _clusters([*claims, *entries])
    ties = _Ties()
    for request, rows in requests.items():
        for row in rows:
            ties.tie(clusters[request], clusters[row["claim_id"]])
    found: dict[int, Part] = defaultdict(Part)
    for row in claims:
        name = row["claim_id"]
        part = found[ties.root(clusters[name])]
        part.claims.append(row)
        if name in requests:
            part.requests[name] = requests[name]
    yield from (part for part in found.values() if part.requests)


def _clusters(rows: Iterable[Row]) -> dict[str, int]:
    """Return a number for each claim; those that may have one debit have the same."""
    found: dict[str, int] = {}
    number = 0
    for same in by_amount(rows).values():
        number += 1
        end = None
        for row in sorted(same, key=lambda row: row["requested_at"]):
            if end is not None and row["requested_at"] > end + LONGEST_DEBIT:
                number, end = number + 1, None
            found[row["claim_id"]] = number
            end = row["until_at"] if end is None else max(end, row["until_at"])
    return found


class _Ties:
    """Numbers that belong together."""

    def __init__(self) -> None:
        self._up: dict[int, int] = {}

    def tie(self, one: int, other: int) -> None:
        """Tie two numbers, and all that are tied to either."""
        one, other = self.root(one), self.root(other)
        if one != other:
            self._up[other] = one

    def root(self, number: int) -> int:
        """Return one number for all that are tied together."""
        while number in self._up:
            number = self._up[number]
        return number


def by_amount(rows: Iterable[Row]) -> dict[Amount, list[Row]]:
    """Return claims or debits by their account and amount."""
    found: dict[Amount, list[Row]] = defaultdict(list)
    for row in rows:
        found[amount_of(row)].append(row)
    return found
