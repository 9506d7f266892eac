"""The wallet at both ends of a period, from its snapshots and what is certain."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pyarrow as pa

from recon.close.periods import ClosingPeriod
from recon.lake.schema import INSTANT, RIALS, TEXT
from recon.reconcile import balances as at_instants
from recon.reconcile.balances import Balance, Span, Term
from recon.reconcile.disclosures.uncompared import changes
from recon.reconcile.result import Result
from recon.reports.summary import STALE_AFTER

BALANCES = pa.schema(
    {
        "wallet": TEXT,
        "opening_at": INSTANT,
        "opening": RIALS,
        "moved": RIALS,
        "expected_closing": RIALS,
        "closing_at": INSTANT,
        "closing": RIALS,
        "difference": RIALS,
        "explained": RIALS,
        "unexplained": RIALS,
        "opening_snapshot_at": INSTANT,
        "opening_snapshot": RIALS,
        "closing_snapshot_at": INSTANT,
        "closing_snapshot": RIALS,
    }
)
"""One row a wallet, amounts in rials. `moved` is what is certain in the period.

A balance is one as of its instant (`recon.reconcile.balances`), from the snapshot
beside it. `difference` = `closing` − `expected_closing`.
`explained` and `unexplained` are those of the roll-forward's intervals that end in the
period, and of the next one what is known to be in it; with snapshots at both ends they
sum to it.
"""


def balances(result: Result, period: ClosingPeriod) -> pa.Table:
    """Return the opening and closing balance of each wallet with snapshots.

    One that became the wallet, or ceased to be it, within the period opens with its
    first snapshot, or closes with its last: between two nothing is compared. Where both
    are of one instant, what happened at it is in the balance of the old one.
    """
    spans = _spans(result, period)
    known = at_instants.balances(
        result, [(term, at) for term, span in spans for at in span]
    )
    moved = at_instants.certain(
        result, [(term.cut(first), term.cut(last)) for term, (first, last) in spans]
    )
    found = [
        _wallet(result, term.wallet, span, (known[2 * i], known[2 * i + 1]), moved[i])
        for i, (term, span) in enumerate(spans)
    ]
    return pa.Table.from_pylist(found, BALANCES)


def uncompared(result: Result, period: ClosingPeriod) -> list[dict[str, Any]]:
    """Return the times of a period that no two snapshots of a wallet enclose.

    What moved in them is in the balances, and no balance proves it. Shorter ones than
    the age at which a balance is told as old are left out, unless all of it is one.
    """
    return [
        {"wallet": term.wallet, "from_at": from_at, "to_at": to_at}
        for term, span in _spans(result, period)
        for from_at, to_at in _beside(term, span)
        if to_at - from_at >= STALE_AFTER or (from_at, to_at) == span
    ]


def wallet_changes(result: Result, period: ClosingPeriod) -> list[dict[str, Any]]:
    """Return the changes of the wallet whose time lies, if in part, in a period.

    Of what moved meanwhile no balance of the period has anything.
    """
    zone = result.engine.settings.business.timezone
    return changes(result.sql, period.begins(zone), period.ends(zone))


def _beside(term: Term, span: Span) -> Iterator[Span]:
    """Yield what of a span lies before the first snapshot and after the last one."""
    begin, end = span
    first, last = term.snapshots[0][0], term.snapshots[-1][0]
    if begin < first:
        yield begin, min(first, end)
    if last < end:
        yield max(last, begin), end


def _spans(result: Result, period: ClosingPeriod) -> list[tuple[Term, Span]]:
    """Return what of the period each wallet's term has, in the order of time."""
    zone = result.engine.settings.business.timezone
    begin, end = period.begins(zone), period.ends(zone)
    return [
        (term, span)
        for term in at_instants.terms(result)
        if (span := term.within(begin, end))
    ]


def _wallet(
    result: Result,
    wallet: str,
    ends: tuple[datetime, datetime],
    balances: tuple[Balance, Balance],
    moved: int,
) -> dict[str, Any]:
    opening, closing = balances
    intervals = [
        row
        for row in result.rollforward.to_pylist()
        if row["wallet"] == wallet and ends[0] < row["to_at"] <= ends[1]
    ]
    explained = sum(row["explained"] for row in intervals)
    return {
        "wallet": wallet,
        "opening_at": ends[0],
        "opening": opening.rials,
        "moved": moved,
        "expected_closing": opening.rials + moved,
        "closing_at": ends[1],
        "closing": closing.rials,
        "difference": closing.rials - opening.rials - moved,
        "explained": explained - opening.moved_over + closing.moved_over,
        "unexplained": sum(row["unexplained"] for row in intervals),
        "opening_snapshot_at": opening.snapshot_at,
        "opening_snapshot": opening.snapshot,
        "closing_snapshot_at": closing.snapshot_at,
        "closing_snapshot": closing.snapshot,
    }
