"""What was under way when a period ended, and what is not certain by then."""

import pyarrow as pa

from recon.close.periods import ClosingPeriod
from recon.lake.schema import INSTANT, RIALS, TEXT
from recon.reconcile.result import Result

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
