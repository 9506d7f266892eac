"""The wallet at both ends of a period, from its snapshots and what is certain."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
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
there is none), and what certainly moved between the two: also what the snapshot has on
its other side by the clock skew. `difference` = `closing` − `expected_closing`.
`explained` and `unexplained` are those of the roll-forward's intervals that end in the
period, and of the next one what is known to be in it; with snapshots at both ends they
sum to it.
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

    That is a deposit that was requested before it and landed after it, or at an unknown
    time after the last snapshot before it, whatever may have moved the wallet before it
    and is not certain to this day, and a settlement that left the wallet before it and
    came to the bank after it, or not to this day.
    """
    rows = result.engine.query(
        "select movement_id, product, record_id, kind, certainty, "
        "effect_rial as effect, possible_from, possible_until, "
        "occurred_at as landed_at "
        "from int_wallet_movements "
        "where (certainty <> 'certain' and coalesce(possible_from < $until, true)) "
        "or (product = 'cash_in' and possible_from < $until "
        "and occurred_at >= $until) "
        "union all select movements.movement_id, movements.product, "
        "movements.record_id, movements.kind, movements.certainty, "
        "movements.effect_rial, movements.occurred_at, movements.latest_at, "
        "cast(null as timestamptz) "
        "from (select item_id, "
        "max(case when kind = 'moved_in' then to_at end) as came_by, "
        "max(case when kind = 'moved_in' then 1 else -1 end * effect_rial) as later "
        "from int_wallet_explanations where solution = 1 "
        "and kind in ('moved_in', 'moved_out') group by item_id) as moved "
        "inner join int_wallet_movements as movements "
        "on moved.item_id = movements.movement_id "
        "where moved.later = movements.effect_rial "
        "and movements.occurred_at < $until and movements.latest_at >= $until "
        "and coalesce(moved.came_by > $until, true) "
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
    moves = _moves(result, wallet)
    skew = result.engine.settings.checks.clock_skew
    moved_over = [
        _moved_over(moves, skew, snapshot[0], end)
        for snapshot, end in zip(
            (opening_snapshot, closing_snapshot), ends, strict=True
        )
    ]
    opening, closing = opening + moved_over[0], closing + moved_over[1]
    return {
        "wallet": wallet,
        "opening_at": ends[0],
        "opening": opening,
        "moved": moved,
        "expected_closing": opening + moved,
        "closing_at": ends[1],
        "closing": closing,
        "difference": closing - opening - moved,
        "explained": sum(row["explained"] for row in intervals)
        - moved_over[0]
        + moved_over[1],
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


def _moved_over(
    moves: Sequence[Mapping[str, Any]],
    skew: timedelta,
    snapshot_at: datetime,
    instant: datetime,
) -> int:
    """Return what explanations move over the balance just before an instant.

    What counts before the snapshot and came after it, if it came before the instant for
    sure; less what counts between the two and came after the instant. Of a snapshot at
    the instant or after it, what counts between the two and is not in it.
    """
    moved = 0
    for row in moves:
        at, latest = row["occurred_at"], row["latest_at"]
        left_by, came_after = row["left_by"], row["came_after"]
        if (left_by is None or left_by <= snapshot_at) and (
            came_after is None or came_after >= snapshot_at
        ):
            if snapshot_at >= instant:
                is_sure = instant <= at <= snapshot_at
            elif latest is not None and at <= snapshot_at:
                is_sure = latest < instant
            else:
                is_sure = instant - snapshot_at > skew
            moved += row["later"] if is_sure else 0
        elif row["left_after"] == snapshot_at < at < instant < left_by:
            moved -= row["later"]
    return moved


def _moves(result: Result, wallet: str) -> list[dict[str, Any]]:
    """Return what moved over snapshots, with the intervals that it left and came to.

    `later` is in rials, what moved to the later of the two.
    """
    rows = result.engine.query(
        "select items.item_id, "
        "max(case when items.kind = 'moved_out' then intervals.from_at end) "
        "as left_after, "
        "max(case when items.kind = 'moved_out' then intervals.to_at end) as left_by, "
        "max(case when items.kind = 'moved_in' then intervals.from_at end) "
        "as came_after, "
        "max(case when items.kind = 'moved_in' then 1 else -1 end "
        "* items.effect_rial) as later, "
        "max(movements.occurred_at) as occurred_at, "
        "max(movements.latest_at) as latest_at "
        "from int_wallet_explanations as items "
        "inner join int_wallet_rollforward as intervals "
        "on items.wallet = intervals.wallet and items.to_at = intervals.to_at "
        "inner join int_wallet_movements as movements "
        "on items.item_id = movements.movement_id "
        "where items.solution = 1 and items.kind in ('moved_in', 'moved_out') "
        "and items.wallet = $wallet group by items.item_id order by items.item_id",
        wallet=wallet,
    )
    found: list[dict[str, Any]] = rows.to_pylist()
    return found


def _certain(result: Result, when: str, begin: datetime, end: datetime) -> int:
    rows = result.engine.query(
        "select coalesce(cast(sum(effect_rial) as bigint), 0) as moved "
        f"from int_wallet_movements where certainty = 'certain' and {when}",
        a=begin,
        b=end,
    )
    moved: int = rows["moved"][0].as_py()
    return moved
