"""journal.beancount: the journal as beancount reads it.

The journal's own name of an account is kept beside its opening.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from recon.reports.ledgers import (
    CURRENCY,
    WALLET,
    Balances,
    Entries,
    Opening,
    account_of,
    encoded,
    posting,
)


def head(opening: Opening, warning: str = "") -> bytes:
    """Write what stands before the entries; a warning becomes a comment at the top.

    What was posted before the period is brought forward in one entry.
    """
    lines = [f"; {warning}"] if warning else []
    lines += ['option "title" "Wallet and escrow, as reconciled"']
    lines += [f'option "operating_currency" "{CURRENCY}"']
    if opening.first:
        lines += ["", *_accounts(opening.accounts, opening.first)]
    if opening.held:
        lines += ["", f'{opening.first} * "Brought forward"']
        lines += [posting(account, rials) for account, rials in opening.held]
    return encoded(lines)


def entries(each: Entries) -> bytes:
    """Write entries."""
    return each.written(
        *("\n", each.dates, ' * "', each.words("narration", _text)),
        *('"\n  entry: "', each.words("entry_id", _text)),
        *('"\n  posted: "', each.posted),
        *('"\n  record: "', each.words("record_id", _text), '"\n'),
    )


def tail(balances: Balances) -> bytes:
    """Assert balances, each at the start of the day after."""
    asserted = [
        f"{day + timedelta(days=1)} balance {account_of(WALLET)}  {rials} {CURRENCY}"
        for day, rials in balances
        if day < date.max
    ]
    return encoded(["", *asserted])


def _accounts(accounts: Iterable[str], first: date) -> Iterator[str]:
    named: dict[str, list[str]] = defaultdict(list)
    for account in accounts:
        named[account_of(account)].append(account)
    for name, ours in named.items():
        yield f"{first} open {name}  {CURRENCY}"
        yield f'  account: "{_text(", ".join(ours))}"'


def _text(text: str) -> str:
    """Return a text on one line, as it stands between quotes."""
    return " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
