"""The wallet at both ends of a period, from its snapshots and what is certain."""

from datetime import datetime
from typing import Any

import pyarrow as pa

from recon.close.periods import ClosingPeriod
from recon.lake.schema import INSTANT, RIALS, TEXT
from recon.reconcile.result import Result

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

A balance is that of the last snapshot up to the instant (the first one after it, where
there is none), and what certainly moved between the two. `difference` = `closing` −
`expected_closing`. `explained` and `unexplained` are those of the roll-forward's
intervals that end in the period; with snapshots at both ends they sum to it.
"""

IN_TRANSIT = pa.schema(
    {
        "movement_id": TEXT,
        "product": TEXT,
        "record_id": TEXT,
        "kind": TEXT,
        "certainty": TEXT,
        "effect": RIALS,
        "possible_from": INSTANT,
        "possible_until": INSTANT,
        "landed_at": INSTANT,
    }
)
"""One row a movement that was under way when the period ended; `effect` in rials.

`landed_at` is when it reached the wallet, where that is certain by now, or the bank's
account, where it is a settlement: it had left the wallet for certain.
"""


def balances(result: Result, period: ClosingPeriod) -> pa.Table:
    """Return the opening and closing balance of each wallet with snapshots."""
    zone = result.engine.settings.business.timezone
    begin, end = period.begins(zone), period.ends(zone)
    moved = _certain(result, "occurred_at >= $a and occurred_at < $b", begin, end)
    snapshots: dict[str, list[tuple[datetime, int]]] = {}
    rows = result.sql(
        "select wallet, snapshot_at, balance_rial from int_wallet_snapshots "
        "order by wallet, snapshot_at"
    )
    for row in rows.to_pylist():
        snapshot = (row["snapshot_at"], row["balance_rial"])
        snapshots.setdefault(row["wallet"], []).append(snapshot)
    found = [
        _wallet(result, wallet, known, (begin, end), moved)
        for wallet, known in snapshots.items()
    ]
    return pa.Table.from_pylist(found, BALANCES)


def in_transit(result: Result, period: ClosingPeriod) -> pa.Table:
    """Return what was under way at the period's end, as known at T.

    That is a deposit that was requested before it and landed after it, whatever may
    have moved the wallet before it and is not certain to this day, and a settlement
    that left the wallet before it and came to the bank after it, or not to this day.
    """
    rows = result.engine.query(
        "select movement_id, product, record_id, kind, certainty, "
        "effect_rial as effect, possible_from, possible_until, "
        "occurred_at as landed_at "
        "from int_wallet_movements "
        "where (certainty <> 'certain' and coalesce(possible_from < $until, true)) "
        "or (product = 'cash_in' and possible_from < $until "
        "and occurred_at >= $until) "
        "union all select 'adjustment:' || settlement_id, 'wallet', settlement_id, "
        "'settlement', 'certain', -amount, settled_at, cast(null as timestamptz), "
        "booked_at from report_settlements "
        "where settled_at < $until and coalesce(booked_at >= $until, true) "
        "order by movement_id",
        until=period.ends(result.engine.settings.business.timezone),
    )
    return rows.cast(IN_TRANSIT)


def _wallet(
    result: Result,
    wallet: str,
    snapshots: list[tuple[datetime, int]],
    ends: tuple[datetime, datetime],
    moved: int,
) -> dict[str, Any]:
    intervals = [
        row
        for row in result.rollforward.to_pylist()
        if row["wallet"] == wallet and ends[0] < row["to_at"] <= ends[1]
    ]
    opening_snapshot, opening = _balance(result, snapshots, ends[0])
    closing_snapshot, closing = _balance(result, snapshots, ends[1])
    return {
        "wallet": wallet,
        "opening_at": ends[0],
        "opening": opening,
        "moved": moved,
        "expected_closing": opening + moved,
        "closing_at": ends[1],
        "closing": closing,
        "difference": closing - opening - moved,
        "explained": sum(row["explained"] for row in intervals),
        "unexplained": sum(row["unexplained"] for row in intervals),
        "opening_snapshot_at": opening_snapshot[0],
        "opening_snapshot": opening_snapshot[1],
        "closing_snapshot_at": closing_snapshot[0],
        "closing_snapshot": closing_snapshot[1],
    }


def _balance(
    result: Result, snapshots: list[tuple[datetime, int]], instant: datetime
) -> tuple[tuple[datetime, int], int]:
    """Return the snapshot to go by, and the balance just before an instant.

    What happened at the very instant of a snapshot is in it, as in the roll-forward.
    """
    earlier = [each for each in snapshots if each[0] <= instant]
    snapshot = earlier[-1] if earlier else snapshots[0]
    at, balance = snapshot
    if at < instant:
        since = "occurred_at > $a and occurred_at < $b"
        return snapshot, balance + _certain(result, since, at, instant)
    until = "occurred_at >= $a and occurred_at <= $b"
    return snapshot, balance - _certain(result, until, instant, at)


def _certain(result: Result, when: str, begin: datetime, end: datetime) -> int:
    rows = result.engine.query(
        "select coalesce(cast(sum(effect_rial) as bigint), 0) as moved "
        f"from int_wallet_movements where certainty = 'certain' and {when}",
        a=begin,
        b=end,
    )
    moved: int = rows["moved"][0].as_py()
    return moved
