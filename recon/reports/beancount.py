"""journal.beancount: the journal as plain-text accounting reads it.

Beancount knows five kinds of accounts, so suspense stands under Equity, and what is
held in escrow for others under Assets and Liabilities, each below `Memo`; the journal's
own name of an account is kept beside its opening.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta, tzinfo
from functools import cache
from itertools import groupby
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recon.reports.periods import Period
from recon.times import business_date, format_instant

WALLET = "assets:wallet"
CURRENCY = "IRR"
_ROOTS = {
    "suspense": ("Equity", "Suspense"),
    "memo:escrow:held": ("Assets", "Memo", "Escrow", "Held"),
    "memo:escrow:parties": ("Liabilities", "Memo", "Escrow", "Parties"),
}
LEGS_AT_ONCE = 20_000

Row = Mapping[str, Any]


def render(
    journal: pa.Table,
    rollforward: pa.Table,
    period: Period,
    zone: tzinfo,
    *,
    warning: str = "",
) -> bytes:
    """Write the journal, whole; `chunks` gives it in parts."""
    return b"".join(chunks(journal, rollforward, period, zone, warning=warning))


def chunks(
    journal: pa.Table,
    rollforward: pa.Table,
    period: Period,
    zone: tzinfo,
    *,
    warning: str = "",
) -> Iterator[bytes]:
    """Write the journal as beancount, from the first day of the period on.

    `journal` and `rollforward` are those of all time, in their order: what was posted
    before the period is brought forward in one entry. Where an interval of the wallet
    has no unexplained rest, the balance of the day after is asserted. `warning`
    becomes a comment at the top.
    """
    inside = period.of_dates(journal)
    head = [f"; {warning}"] if warning else []
    head += ['option "title" "Wallet and escrow, as reconciled"']
    head += [f'option "operating_currency" "{CURRENCY}"']
    first = period.first or pc.min(inside["business_date"]).as_py()
    if first:
        head += ["", *_openings(journal["account"].unique().to_pylist(), first)]
        head += _brought_forward(journal, first)
    yield _encoded(head)
    legs = streamed(inside)
    for _, entries in groupby(
        enumerate(groupby(legs, lambda leg: leg["entry_id"])),
        lambda numbered: numbered[0] // LEGS_AT_ONCE,
    ):
        lines: list[str] = []
        for _, (_, entry) in entries:
            lines += _entry(list(entry))
        yield _encoded(lines)
    asserted = [
        f"{day + timedelta(days=1)} balance {account_of(WALLET)}  {rials} {CURRENCY}"
        for day, rials in assertions(rollforward, journal, zone)
        if period.holds(day)
    ]
    yield _encoded(["", *asserted])


def _encoded(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def streamed(journal: pa.Table) -> Iterator[Row]:
    """Yield the legs, few of them in memory at a time."""
    for batch in journal.to_batches(max_chunksize=LEGS_AT_ONCE):
        yield from batch.to_pylist()


def _openings(accounts: Iterable[str], first: date) -> Iterator[str]:
    named: dict[str, list[str]] = defaultdict(list)
    for account in sorted(accounts):
        named[account_of(account)].append(account)
    for name, ours in named.items():
        yield f"{first} open {name}  {CURRENCY}"
        yield f"  account: {_text(', '.join(ours))}"


def brought_forward(journal: pa.Table, first: date) -> list[tuple[str, int]]:
    """Return what each account held before a date, in rials; none that held nothing."""
    earlier = journal.filter(pc.less(journal["business_date"], first))
    rows = earlier.group_by("account").aggregate([("debit", "sum"), ("credit", "sum")])
    sums: dict[str, int] = defaultdict(int)
    for row in rows.to_pylist():
        sums[account_of(row["account"])] += row["debit_sum"] - row["credit_sum"]
    return [(account, rials) for account, rials in sorted(sums.items()) if rials]


def _brought_forward(journal: pa.Table, first: date) -> Iterator[str]:
    """Yield one entry of what each account held before the first day."""
    held = brought_forward(journal, first)
    if held:
        yield ""
        yield f'{first} * "Brought forward"'
        for account, rials in held:
            yield f"  {account}  {rials} {CURRENCY}"


def _entry(legs: list[Row]) -> Iterator[str]:
    head = legs[0]
    yield ""
    yield f"{head['business_date']} * {_text(head['narration'])}"
    yield f"  entry: {_text(head['entry_id'])}"
    yield f'  posted: "{format_instant(head["posted_at"])}"'
    yield f"  record: {_text(head['record_id'])}"
    for leg in legs:
        rials = leg["debit"] - leg["credit"]
        yield f"  {account_of(leg['account'])}  {rials} {CURRENCY}"


def assertions(
    rollforward: pa.Table, journal: pa.Table, zone: tzinfo
) -> Iterator[tuple[date, int]]:
    """Yield each day whose last snapshot is clean, and the wallet at its end.

    The wallet's legs are in order of time, so what a day still moved after its
    snapshot is the difference of two running sums.
    """
    last: dict[date, Row] = {}
    for interval in rollforward.sort_by("to_at").to_pylist():
        last[business_date(interval["to_at"], zone)] = interval
    wallet = journal.filter(pc.equal(journal["account"], WALLET))
    effects = pc.subtract(wallet["debit"], wallet["credit"]).to_numpy()
    running = np.concatenate([[0], np.cumsum(effects, dtype=np.int64)])
    times = wallet["posted_at"].cast(pa.int64()).to_numpy()
    days = wallet["business_date"].cast(pa.int32()).to_numpy()
    for day, interval in last.items():
        if not interval["unexplained"]:
            at = pa.scalar(interval["to_at"], journal.schema.field("posted_at").type)
            since = np.searchsorted(times, at.cast(pa.int64()).as_py(), side="right")
            number = (day - date(1970, 1, 1)).days
            until = np.searchsorted(days, number, side="right")
            later = running[max(until, since)] - running[since]
            yield day, interval["closing"] + int(later)


@cache
def account_of(name: str) -> str:
    """Return beancount's name of an account: `assets:bank:IR1` → Assets:Bank:IR1."""
    for prefix, root in _ROOTS.items():
        if name == prefix or name.startswith(prefix + ":"):
            rest = name.removeprefix(prefix).strip(":")
            return ":".join([*root, *map(_part, filter(None, rest.split(":")))])
    return ":".join(map(_part, name.split(":")))


def _part(word: str) -> str:
    """Return one part of an account's name, which begins with a capital or a digit."""
    plain = re.sub(r"[^A-Za-z0-9]+", " ", word).split()
    return "".join(piece[0].upper() + piece[1:] for piece in plain) or "Unknown"


def _text(text: str | None) -> str:
    """Quote a text on one line."""
    plain = " ".join((text or "").split())
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
