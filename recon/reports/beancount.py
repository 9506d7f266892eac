"""journal.beancount: the journal as plain-text accounting reads it.

Beancount knows five kinds of accounts, so suspense stands under Equity, and what is
held in escrow for others under Assets and Liabilities, each below `Memo`; the journal's
own name of an account is kept beside its opening.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta, tzinfo
from itertools import groupby
from typing import Any

import pyarrow as pa

from recon.reports.periods import Period
from recon.times import business_date, format_instant

WALLET = "assets:wallet"
_CURRENCY = "IRR"
_ROOTS = {
    "suspense": ("Equity", "Suspense"),
    "memo:escrow:held": ("Assets", "Memo", "Escrow", "Held"),
    "memo:escrow:parties": ("Liabilities", "Memo", "Escrow", "Parties"),
}

Row = Mapping[str, Any]


def render(
    journal: pa.Table,
    rollforward: pa.Table,
    period: Period,
    zone: tzinfo,
    *,
    warning: str = "",
) -> bytes:
    """Write the whole journal as beancount, from the first day of the period on.

    `journal` and `rollforward` are those of all time: what was posted before the
    period is brought forward in one entry. Where an interval of the wallet has no
    unexplained rest, the balance of the day after is asserted. `warning` becomes a
    comment at the top.
    """
    legs = journal.to_pylist()
    inside = [leg for leg in legs if _in_period(leg["business_date"], period)]
    earlier = [leg for leg in legs if _before(leg["business_date"], period)]
    lines = ['option "title" "Wallet and escrow, as reconciled"']
    lines += [f'option "operating_currency" "{_CURRENCY}"']
    if warning:
        lines.insert(0, f"; {warning}")
    first = min((leg["business_date"] for leg in inside), default=period.first)
    if period.first and first:
        first = min(first, period.first)
    if first:
        lines += ["", *_openings({leg["account"] for leg in legs}, first)]
        lines += _brought_forward(earlier, first)
    for _, entry in groupby(inside, lambda leg: leg["entry_id"]):
        lines += _entry(list(entry))
    lines += [""]
    lines += [
        f"{day + timedelta(days=1)} balance {_account(WALLET)}  {amount} {_CURRENCY}"
        for day, amount in _assertions(rollforward, legs, zone)
        if _in_period(day, period)
    ]
    return ("\n".join(lines) + "\n").encode()


def _in_period(day: date, period: Period) -> bool:
    after = period.last is not None and day > period.last
    return not after and not _before(day, period)


def _before(day: date, period: Period) -> bool:
    return period.first is not None and day < period.first


def _openings(accounts: Iterable[str], first: date) -> Iterator[str]:
    named: dict[str, list[str]] = defaultdict(list)
    for account in sorted(accounts):
        named[_account(account)].append(account)
    for name, ours in named.items():
        yield f"{first} open {name}  {_CURRENCY}"
        yield f"  account: {_text(', '.join(ours))}"


def _brought_forward(earlier: list[Row], first: date) -> Iterator[str]:
    sums: dict[str, int] = defaultdict(int)
    for leg in earlier:
        sums[_account(leg["account"])] += leg["debit"] - leg["credit"]
    if any(sums.values()):
        yield ""
        yield f'{first} * "Brought forward"'
        for account, amount in sorted(sums.items()):
            if amount:
                yield f"  {account}  {amount} {_CURRENCY}"


def _entry(legs: list[Row]) -> Iterator[str]:
    head = legs[0]
    yield ""
    yield f"{head['business_date']} * {_text(head['narration'])}"
    yield f"  entry: {_text(head['entry_id'])}"
    yield f"  posted: {_text(format_instant(head['posted_at']))}"
    yield f"  record: {_text(head['record_id'])}"
    for leg in legs:
        amount = leg["debit"] - leg["credit"]
        yield f"  {_account(leg['account'])}  {amount} {_CURRENCY}"


def _assertions(
    rollforward: pa.Table, legs: list[Row], zone: tzinfo
) -> Iterator[tuple[date, int]]:
    """Yield each day whose last snapshot is clean, and the wallet at its end."""
    last: dict[date, Row] = {}
    for interval in rollforward.sort_by("to_at").to_pylist():
        last[business_date(interval["to_at"], zone)] = interval
    moved: dict[date, list[tuple[datetime, int]]] = defaultdict(list)
    for leg in legs:
        if leg["account"] == WALLET:
            effect = leg["debit"] - leg["credit"]
            moved[leg["business_date"]].append((leg["posted_at"], effect))
    for day, interval in last.items():
        if not interval["unexplained"]:
            later = (rials for at, rials in moved[day] if at > interval["to_at"])
            yield day, interval["closing"] + sum(later)


def _account(name: str) -> str:
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
