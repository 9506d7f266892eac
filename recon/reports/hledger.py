"""journal.hledger: the journal as hledger reads it.

Entry by entry the same as journal.beancount, under the same names of accounts. Where
beancount asserts a balance at the start of a day, hledger does at the end of the day
before: in a posting of nothing, the last of its date.
"""

from collections.abc import Iterable, Iterator
from datetime import tzinfo
from itertools import groupby

import pyarrow as pa
import pyarrow.compute as pc

from recon.reports.beancount import (
    CURRENCY,
    LEGS_AT_ONCE,
    WALLET,
    Row,
    account_of,
    assertions,
    brought_forward,
    streamed,
)
from recon.reports.periods import Period
from recon.times import format_instant

_KINDS = {"Assets": "A", "Liabilities": "L", "Equity": "E", "Expenses": "X"}
_IN_TEXT = str.maketrans({";": ",", "|": "/"})
_IN_CODE = str.maketrans({"(": "[", ")": "]", ";": ","})


def chunks(
    entries: pa.Table,
    rollforward: pa.Table,
    period: Period,
    zone: tzinfo,
    *,
    warning: str = "",
) -> Iterator[bytes]:
    """Write the journal, from the first day of the period on.

    `entries` and `rollforward` are those of all time, in their order: what was posted
    before the period is brought forward in one entry. Where an interval of the wallet
    has no unexplained rest, the balance of its day's end is asserted. `warning`
    becomes a comment at the top. An entry's id is its code.
    """
    inside = period.of_dates(entries)
    head = [f"; {warning}"] if warning else []
    head += ["; Wallet and escrow, as reconciled", f"commodity 1000. {CURRENCY}"]
    first = period.first or pc.min(inside["business_date"]).as_py()
    if first:
        head += ["", *_accounts(entries["account"].unique().to_pylist())]
        held = brought_forward(entries, first)
        if held:
            head += ["", f"{first} * Brought forward"]
            head += [_posting(account, rials) for account, rials in held]
    yield _encoded(head)
    for _, part in groupby(
        enumerate(groupby(streamed(inside), lambda leg: leg["entry_id"])),
        lambda numbered: numbered[0] // LEGS_AT_ONCE,
    ):
        lines: list[str] = []
        for _, (_, entry) in part:
            lines += _entry(list(entry))
        yield _encoded(lines)
    asserted: list[str] = []
    for day, rials in assertions(rollforward, entries, zone):
        if period.holds(day):
            asserted += ["", f"{day} * Balance of the wallet"]
            asserted += [f"{_posting(account_of(WALLET), 0)} = {rials} {CURRENCY}"]
    yield _encoded(asserted)


def _accounts(names: Iterable[str]) -> Iterator[str]:
    for name in sorted({account_of(name) for name in [*names, WALLET]}):
        kind = _KINDS.get(name.partition(":")[0])
        yield f"account {name}" + (f"  ; type: {kind}" if kind else "")


def _entry(legs: list[Row]) -> Iterator[str]:
    head = legs[0]
    code = " ".join(head["entry_id"].split()).translate(_IN_CODE)
    yield ""
    yield f"{head['business_date']} * ({code}) {_text(head['narration'])}".rstrip()
    yield f"  ; posted: {format_instant(head['posted_at'])}"
    yield f"  ; record: {_text(head['record_id'])}"
    for leg in legs:
        yield _posting(account_of(leg["account"]), leg["debit"] - leg["credit"])


def _posting(account: str, rials: int) -> str:
    return f"  {account}  {rials} {CURRENCY}"


def _text(text: str | None) -> str:
    """Return a text on one line, without what ends or divides one."""
    return " ".join((text or "").translate(_IN_TEXT).split())


def _encoded(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
