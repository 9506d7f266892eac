"""journal.hledger: the journal as hledger reads it.

Entry by entry the same as journal.beancount, under the same names of accounts. Where
beancount asserts a balance at the start of a day, hledger does at the end of the day
before: in a posting of nothing, the last of its date.
"""

from collections.abc import Iterable, Iterator

import pyarrow.compute as pc

from recon.reports.ledgers import (
    CURRENCY,
    WALLET,
    Balances,
    Entries,
    Opening,
    account_of,
    encoded,
    posting,
    together,
)

_KINDS = {"Assets": "A", "Liabilities": "L", "Equity": "E", "Expenses": "X"}
_IN_TEXT = str.maketrans({";": ",", "|": "/"})
_IN_CODE = str.maketrans({"(": "[", ")": "]", ";": ","})


def head(opening: Opening, warning: str = "") -> bytes:
    """Write what stands before the entries; a warning becomes a comment at the top.

    What was posted before the period is brought forward in one entry.
    """
    lines = [f"; {warning}"] if warning else []
    lines += ["; Wallet and escrow, as reconciled", f"commodity 1000. {CURRENCY}"]
    if opening.first:
        lines += ["", *_accounts(opening.accounts)]
    if opening.held:
        lines += ["", f"{opening.first} * Brought forward"]
        lines += [posting(account, rials) for account, rials in opening.held]
    return encoded(lines)


def entries(each: Entries) -> bytes:
    """Write entries; an entry's id is its code."""
    said = each.words("narration", _text)
    said = pc.if_else(pc.equal(said, ""), said, together(" ", said))
    return each.written(
        *("\n", each.dates, " * (", each.words("entry_id", _code), ")", said),
        *("\n  ; posted: ", each.posted),
        *("\n  ; record: ", each.words("record_id", _text), "\n"),
    )


def tail(balances: Balances) -> bytes:
    """Assert balances, each at the end of its day."""
    lines: list[str] = []
    for day, rials in balances:
        lines += ["", f"{day} * Balance of the wallet"]
        lines += [f"{posting(account_of(WALLET), 0)} = {rials} {CURRENCY}"]
    return encoded(lines)


def _accounts(names: Iterable[str]) -> Iterator[str]:
    for name in sorted({account_of(name) for name in [*names, WALLET]}):
        kind = _KINDS.get(name.partition(":")[0])
        yield f"account {name}" + (f"  ; type: {kind}" if kind else "")


def _text(text: str) -> str:
    """Return a text on one line, without what ends or divides one."""
    return " ".join(text.translate(_IN_TEXT).split())


def _code(text: str) -> str:
    """Return a text that may stand between parentheses."""
    return " ".join(text.split()).translate(_IN_CODE)
