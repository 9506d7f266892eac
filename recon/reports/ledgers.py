"""What plain-text accounting needs of the journal: names, balances, whole entries.

`beancount` and `hledger` write it, each in its own words. Beancount knows five kinds of
accounts, so suspense stands under Equity, and what is held in escrow for others under
Assets and Liabilities, each below `Memo`.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, tzinfo
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recon.reports.periods import Period
from recon.reports.tables import TEXT
from recon.reports.texts import changed, instants, joined
from recon.times import business_date

WALLET = "assets:wallet"
CURRENCY = "IRR"
_ROOTS = {
    "suspense": ("Equity", "Suspense"),
    "memo:escrow:held": ("Assets", "Memo", "Escrow", "Held"),
    "memo:escrow:parties": ("Liabilities", "Memo", "Escrow", "Parties"),
}
_UNUSUAL = "[^A-Za-z0-9:_.,=/ -]|^ | $|  "
"""Found in each text that a ledger does not take as it is."""

Words = Callable[[str], str]
"""Makes a text such that a ledger takes it on one line."""


@dataclass(frozen=True)
class Opening:
    """With what a ledger begins.

    `accounts` are the journal's of all time, and the wallet's where its balance is
    asserted: one that always held nothing has no entry. `held` is what each had before
    the first day, in rials, by its name in the ledger. Without entries and assertions
    there is no first day.
    """

    accounts: tuple[str, ...]
    first: date | None
    held: tuple[tuple[str, int], ...]


def opening(days: pa.Table, period: Period, balances: "Balances") -> Opening:
    """Return with what a ledger of the period begins; `days` are the journal's."""
    posted = pc.min(period.of_dates(days)["business_date"]).as_py()
    begun = [day for day in (posted, balances.first) if day]
    first = period.first or min(begun, default=None)
    accounts = set(days["account"].unique().to_pylist())
    if balances.first:
        accounts.add(WALLET)
    sums: dict[str, int] = defaultdict(int)
    if first:
        earlier = days.filter(pc.less(days["business_date"], first))
        legs = (earlier[name].to_pylist() for name in ("account", "debit", "credit"))
        for account, debit, credit in zip(*legs, strict=True):
            sums[account_of(account)] += debit - credit
    return Opening(
        tuple(sorted(accounts)),
        first,
        tuple((account, rials) for account, rials in sorted(sums.items()) if rials),
    )


class Balances:
    """The wallet at the end of each day whose last snapshot is clean, in rials.

    It is the snapshot and what the day still moved after it: of the entries that go by
    while they are written.
    """

    def __init__(self, intervals: pa.Table, period: Period, zone: tzinfo) -> None:
        last: dict[date, Mapping[str, Any]] = {}
        for interval in intervals.sort_by("to_at").to_pylist():
            last[business_date(interval["to_at"], zone)] = interval
        self._last = {
            day: interval
            for day, interval in last.items()
            if not interval["unexplained"] and period.holds(day)
        }
        self._later: dict[date, int] = defaultdict(int)

    @property
    def first(self) -> date | None:
        """Return the first of the days, if there is one."""
        return min(self._last, default=None)

    def take(self, legs: pa.Table) -> None:
        """Take some of the period's legs, each once."""
        wallet = legs.filter(pc.equal(legs["account"], WALLET))
        for day in wallet["business_date"].unique().to_pylist():
            if day in self._last:
                since = pa.scalar(self._last[day]["to_at"], wallet["posted_at"].type)
                later = pc.and_(
                    pc.equal(wallet["business_date"], day),
                    pc.greater(wallet["posted_at"], since),
                )
                moved = wallet.filter(later)
                effect = pc.sum(pc.subtract(moved["debit"], moved["credit"]))
                self._later[day] += effect.as_py() or 0

    def __iter__(self) -> Iterator[tuple[date, int]]:
        """Yield each day and its balance, once all legs were taken."""
        for day, interval in self._last.items():
            yield day, interval["closing"] + self._later[day]


class Entries:
    """Legs of whole entries in their order, column by column as text.

    What both ledgers write alike is made once.
    """

    def __init__(self, legs: pa.Table) -> None:
        legs = legs.combine_chunks()
        ids = pc.fill_null(legs["entry_id"], "").combine_chunks()
        first = np.ones(legs.num_rows, dtype=np.bool_)
        first[1:] = pc.not_equal(ids[1:], ids[:-1]).to_numpy(zero_copy_only=False)
        self._first = pa.array(first)
        self._heads = legs.filter(self._first).combine_chunks()
        self.dates = self._heads["business_date"].combine_chunks().cast(TEXT)
        self.posted = instants(self._heads["posted_at"])
        rials = pc.subtract(legs["debit"], legs["credit"]).cast(TEXT)
        accounts = changed(legs["account"], account_of)
        ends = ("  ", rials.combine_chunks(), f" {CURRENCY}\n")
        self._postings = together("  ", accounts, *ends)

    def words(self, name: str, taken: Words) -> pa.StringArray:
        """Return a column of the entries' heads in words that the ledger takes."""
        texts = pc.fill_null(self._heads[name], "").combine_chunks()
        return changed(texts, taken, _UNUSUAL)

    def written(self, *parts: pa.StringArray | str) -> bytes:
        """Return each entry: its head put together from the parts, and its postings."""
        heads = together(*parts)
        nothing = pa.repeat(pa.scalar("", TEXT), len(self._postings))
        before = pc.replace_with_mask(nothing, self._first, heads)
        return joined(together(before, self._postings))


def together(*parts: pa.StringArray | str) -> pa.StringArray:
    """Put texts together row by row; a part that is one text is in all rows."""
    return pc.binary_join_element_wise(*parts, "")


def posting(account: str, rials: int) -> str:
    """Return a line that moves rials on an account of the ledger."""
    return f"  {account}  {rials} {CURRENCY}"


def encoded(lines: list[str]) -> bytes:
    """Return lines as they stand in the file."""
    return "".join(f"{line}\n" for line in lines).encode()


@cache
def account_of(name: str) -> str:
    """Return the ledgers' name of an account: `assets:bank:IR1` → Assets:Bank:IR1."""
    for prefix, root in _ROOTS.items():
        if name == prefix or name.startswith(prefix + ":"):
            rest = name.removeprefix(prefix).strip(":")
            return ":".join([*root, *map(_part, filter(None, rest.split(":")))])
    return ":".join(map(_part, name.split(":")))


def _part(word: str) -> str:
    """Return one part of an account's name, which begins with a capital or a digit."""
    plain = re.sub(r"[^A-Za-z0-9]+", " ", word).split()
    return "".join(piece[0].upper() + piece[1:] for piece in plain) or "Unknown"
