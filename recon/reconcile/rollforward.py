"""The wallet's roll-forward: from snapshot to snapshot, and what explains the rest.

An interval begins after one snapshot and ends with the next: what happened at the very
instant of a snapshot is taken to be in its balance. Source: the interface's paragraph
on `wallet_rollforward`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa

from recon.errors import SettingsError
from recon.lake.schema import FLAG, INSTANT, RIALS, TEXT, WHOLE
from recon.reconcile.engine import Engine
from recon.reconcile.wallet.account import (
    Item,
    explained_words,
    is_coincidence,
    unexplained_words,
)
from recon.reconcile.wallet.landings import Landings
from recon.reconcile.wallet.moves import find_moves
from recon.reconcile.wallet.rests import Rests, Traced
from recon.reconcile.wallet.signatures import Rest, hints
from recon.reconcile.wallet.tracing import trace

ROLLFORWARD = pa.schema(
    {
        "wallet": TEXT,
        "from_at": INSTANT,
        "to_at": INSTANT,
        "opening_rial": RIALS,
        "payments_rial": RIALS,
        "gateway_rial": RIALS,
        "hosted_rial": RIALS,
        "deposits_rial": RIALS,
        "adjustments_rial": RIALS,
        "expected_closing_rial": RIALS,
        "closing_rial": RIALS,
        "difference_rial": RIALS,
        "explained_rial": RIALS,
        "unexplained_rial": RIALS,
        "detail": TEXT,
        "is_coincidence": FLAG,
    }
)
"""`int_wallet_rollforward`: one row an interval, amounts in rials.

`is_coincidence` where several open items explain it and so many are open that this
proves nothing, since some fit by chance.
"""

EXPLANATIONS = pa.schema(
    {
        "wallet": TEXT,
        "to_at": INSTANT,
        "item_id": TEXT,
        "product": TEXT,
        "record_id": TEXT,
        "kind": TEXT,
        "effect_rial": RIALS,
        "solution": WHOLE,
        "is_unique": FLAG,
        "occurred_at": INSTANT,
        "latest_at": INSTANT,
    }
)
"""`int_wallet_explanations`: one row an item of a way to explain an interval.

`solution` 1 is the one that counts; further ones fit as well. `kind` is the movement's,
or `moved_in` and `moved_out` for one that moved over a boundary: by the clock skew, or
within its span. `latest_at` is by when one that moved had moved the wallet for sure.
`occurred_at` is when it counts; null where that is not certain.
"""

_MOVED = ("payments", "gateway", "hosted", "deposits", "adjustments")

_LANDING_KINDS = (
    "deposit_queued",
    "payment_timeout",
    "payment_without_time",
    "deposit_without_time",
    "gateway_without_time",
    "hosted_without_time",
)
"""Kinds of movements that may explain a rest."""


@dataclass(frozen=True)
class _Interval:
    """The time between two neighbouring snapshots of all.

    Where they are of two terms of the wallet it is not compared, and has no rest.
    """

    row: Mapping[str, Any]
    rest: int
    compared: bool = True

    @property
    def from_at(self) -> datetime:
        at: datetime = self.row["from_at"]
        return at

    @property
    def to_at(self) -> datetime:
        at: datetime = self.row["to_at"]
        return at


def compute(engine: Engine) -> dict[str, pa.Table]:
    """Compute the roll-forward and its explanations from the wallet's movements.

    Raises SettingsError where it is not known which IBAN is the wallet.
    """
    intervals = _intervals(engine)
    items: list[Item] = []
    traced: dict[int, Traced] = {}
    tolerance = engine.settings.checks.tolerance
    if any(abs(interval.rest) > tolerance for interval in intervals):
        skew = engine.settings.checks.clock_skew
        weighed = [at for at, each in enumerate(intervals) if not _is_still(each, skew)]
        moving = [intervals[at] for at in weighed]
        known = (intervals[0].from_at, intervals[-1].to_at)
        rests, items = _to_explain(engine, moving, known, tolerance)
        traced = {weighed[at]: how for at, how in trace(rests).items()}
    return _tables(engine, intervals, items, traced)


def _intervals(engine: Engine) -> list[_Interval]:
    snapshots = engine.query("select distinct wallet from int_wallet_snapshots")
    wallets = sorted(snapshots["wallet"].to_pylist())
    if len(wallets) > 1 and "" in engine.settings.wallet_ibans().values():
        raise SettingsError(
            "cash_in.wallet_iban is not set, and there are balances of several IBANs "
            f"({', '.join(wallets)}): set it to the wallet's"
        )
    rows = engine.query("select * from int_wallet_certain_sums order by to_at")
    intervals: list[_Interval] = []
    for row in rows.to_pylist():
        if intervals and intervals[-1].to_at != row["from_at"]:
            between = {"from_at": intervals[-1].to_at, "to_at": row["from_at"]}
            intervals.append(_Interval(between, 0, compared=False))
        intervals.append(_Interval(row, row["closing_rial"] - _expected(row)))
    return intervals


def _expected(row: Mapping[str, Any]) -> int:
    expected: int = sum(row[f"{name}_rial"] for name in ("opening", *_MOVED))
    return expected


def _is_still(interval: _Interval, skew: timedelta) -> bool:
    """Tell whether two snapshots so near one another show a wallet where nothing moved.

    They are one as to what is late: it may have come after both.
    """
    return (
        interval.compared
        and interval.rest == 0
        and interval.to_at - interval.from_at <= skew
        and not any(interval.row[f"{name}_rial"] for name in _MOVED)
    )


def _to_explain(
    engine: Engine,
    intervals: Sequence[_Interval],
    known: tuple[datetime, datetime],
    tolerance: int,
) -> tuple[Rests, list[Item]]:
    """Return the rests with the items that may explain them, and these items.

    `known` are the first and the last snapshot of all, between which what is not among
    `intervals` was still.
    """
    broken = [at for at, each in enumerate(intervals) if abs(each.rest) > tolerance]
    items = _open_items(engine)
    queue = engine.settings.checks.deposit_queue
    ends = [(each.from_at, each.to_at) for each in intervals]
    landings = Landings(items, ends, engine.settings.checks.clock_skew)
    instants = [*(each.from_at for each in intervals), known[1]]
    gaps = frozenset(at for at, each in enumerate(intervals) if not each.compared)
    starts = [known[0], *(each.to_at for each in intervals)]
    moves = find_moves(engine, instants, starts, broken, gaps, first=len(items))
    items += moves.items
    rests = Rests(
        rests=[each.rest for each in intervals],
        amounts=[item.effect for item in items],
        landing=landings.landing(broken, queue),
        moving=moves.moving,
        tolerance=tolerance,
        stale=landings.stale(broken, queue),
        sides=moves.sides,
        spans=moves.spans,
        twins=moves.twins,
        gaps=gaps,
    )
    return rests, items


def _open_items(engine: Engine) -> list[Item]:
    """Return what may have landed: the first to close first, then the oldest.

    What lands brings money: one that would take some explains no loss.
    """
    kinds = ", ".join(f"'{kind}'" for kind in _LANDING_KINDS)
    rows = engine.query(
        "select * from int_wallet_movements "
        f"where certainty <> 'certain' and effect_rial > 0 and kind in ({kinds}) "
        "order by possible_until nulls last, possible_from nulls first, movement_id"
    )
    return [Item.of(row) for row in rows.to_pylist()]


def _tables(
    engine: Engine,
    intervals: Sequence[_Interval],
    items: Sequence[Item],
    traced: Mapping[int, Traced],
) -> dict[str, pa.Table]:
    explained = [
        _explained(traced[at].sets[0], items) if at in traced and each.compared else 0
        for at, each in enumerate(intervals)
    ]
    unexplained = [
        Rest(each.from_at, each.to_at, each.rest - known)
        for each, known in zip(intervals, explained, strict=True)
    ]
    tolerance = engine.settings.checks.tolerance
    open_rests = [rest for rest in unexplained if abs(rest.amount) > tolerance]
    hinted = dict(zip(open_rests, hints(engine, open_rests), strict=True))
    rows = []
    for at, (each, rest) in enumerate(zip(intervals, unexplained, strict=True)):
        if not each.compared:
            continue
        how = traced.get(at, Traced())
        chance, detail = False, ""
        if explained[at]:
            chance = is_coincidence(how, items)
            detail = explained_words(how, items, each.rest, chance=chance)
        if rest in hinted:
            detail = unexplained_words(detail, how, rest.amount, hinted[rest])
        rows.append(
            dict(each.row)
            | {
                "expected_closing_rial": _expected(each.row),
                "difference_rial": each.rest,
                "explained_rial": explained[at],
                "unexplained_rial": rest.amount,
                "detail": detail,
                "is_coincidence": chance,
            }
        )
    return {
        "int_wallet_rollforward": pa.Table.from_pylist(rows, ROLLFORWARD),
        "int_wallet_explanations": _explanations(
            intervals, items, traced, engine.settings.checks.clock_skew
        ),
    }


def _explained(
    way: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]],
    items: Sequence[Item],
) -> int:
    landed, moved_in, moved_out = way
    return sum(items[i].effect for i in (*landed, *moved_in)) - sum(
        items[i].effect for i in moved_out
    )


def _explanations(
    intervals: Sequence[_Interval],
    items: Sequence[Item],
    traced: Mapping[int, Traced],
    skew: timedelta,
) -> pa.Table:
    rows = []
    seen = {at: how for at, how in traced.items() if intervals[at].compared}
    for at, how in sorted(seen.items()):
        for solution, (landed, moved_in, moved_out) in enumerate(how.sets, start=1):
            signed = (
                [(i, items[i].kind, 1) for i in landed]
                + [(i, "moved_in", 1) for i in moved_in]
                + [(i, "moved_out", -1) for i in moved_out]
            )
            rows += [
                {
                    "wallet": intervals[at].row["wallet"],
                    "to_at": intervals[at].to_at,
                    "item_id": items[i].item_id,
                    "product": items[i].product,
                    "record_id": items[i].record_id,
                    "kind": kind,
                    "effect_rial": sign * items[i].effect,
                    "solution": solution,
                    "is_unique": how.unique,
                    "occurred_at": items[i].occurred_at,
                    "latest_at": _latest(items[i], kind, intervals[at], skew),
                }
                for i, kind, sign in signed
            ]
    return pa.Table.from_pylist(rows, EXPLANATIONS)


def _latest(
    item: Item, kind: str, interval: _Interval, skew: timedelta
) -> datetime | None:
    """Return by when an item has moved the wallet for sure; by the clocks, soon.

    What a snapshot has too soon counts after it by its own time.
    """
    snapshots = {"moved_in": interval.from_at, "moved_out": interval.to_at}
    snapshot_at, counts_at = snapshots.get(kind), item.occurred_at
    if item.latest_at or snapshot_at is None or counts_at is None:
        return item.latest_at
    return counts_at if counts_at > snapshot_at else snapshot_at + skew
