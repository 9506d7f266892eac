"""The wallet's balance at an instant, from its snapshots and what is certain.

The closing of a period and what restates it read the same one.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from recon.reconcile.result import Result

_MOMENT = timedelta(microseconds=1)

Span = tuple[datetime, datetime]
"""From an instant on, up to just before another one."""


@dataclass(frozen=True)
class Balance:
    """What a wallet held just before an instant, in rials.

    It is that of the last snapshot up to the instant (the first one after it, where
    there is none), and what certainly moved between the two: also what the snapshot has
    on its other side, by the clock skew or within a span; that is `moved_over`.
    """

    rials: int
    moved_over: int
    snapshot_at: datetime
    snapshot: int


@dataclass(frozen=True)
class Term:
    """The time in which an IBAN was the wallet's, with its snapshots in their order.

    Between two of them, from the last snapshot of the one to the first of the other,
    nobody's balance is compared; `begins` and `ends` are null where no other is beside
    it. `until` is when it ceased to be the wallet's: up to then all that moved was in
    it. `shared` are the instants at which one ends and the next begins, with a snapshot
    of each.
    """

    wallet: str
    begins: datetime | None
    ends: datetime | None
    snapshots: Sequence[tuple[datetime, int]]
    until: datetime
    shared: Collection[datetime] = ()

    def within(self, begin: datetime, end: datetime) -> Span | None:
        """Return what of a span is in the term; None where nothing is."""
        first = max(begin, self.begins or begin)
        last = min(end, self.ends or end)
        return (first, last) if first < last else None

    def has(self, instant: datetime) -> bool:
        """Tell whether the balance of an instant is one of this term."""
        last = max(self.ends, self.until) if self.ends else instant
        return (self.begins or instant) <= instant <= last

    def cut(self, instant: datetime) -> datetime:
        """Return before when that is what a balance of an instant has in it.

        It is the instant itself. What happened at one that is shared is in the balance
        of the wallet that ends there, as in the roll-forward: it is cut just after it.
        """
        return instant + _MOMENT if instant in self.shared else instant


def terms(result: Result) -> list[Term]:
    """Return the wallet's terms with snapshots, in the order of time."""
    rows = result.engine.query(
        "select wallet, term_from, term_until, snapshot_at, balance_rial "
        "from int_wallet_snapshots order by snapshot_at, term_from, wallet"
    )
    known: dict[tuple[str, datetime, datetime], list[tuple[datetime, int]]] = {}
    for row in rows.to_pylist():
        snapshot = (row["snapshot_at"], row["balance_rial"])
        term = row["wallet"], row["term_from"], row["term_until"]
        known.setdefault(term, []).append(snapshot)
    last = len(known) - 1
    spans = [(snapshots[0][0], snapshots[-1][0]) for snapshots in known.values()]
    shared = frozenset(end for (_, end), (begin, _) in pairwise(spans) if end == begin)
    return [
        Term(
            wallet,
            begins=snapshots[0][0] if number else None,
            ends=snapshots[-1][0] if number < last else None,
            snapshots=snapshots,
            until=until,
            shared=shared,
        )
        for number, ((wallet, _, until), snapshots) in enumerate(known.items())
    ]


def balances(result: Result, asked: Sequence[tuple[Term, datetime]]) -> list[Balance]:
    """Return the balances at instants of terms, in the order of both."""
    cuts = [(term, term.cut(at)) for term, at in asked]
    snapshots = [_snapshot(term.snapshots, at) for term, at in cuts]
    spans = [
        _between(snapshot_at, at)
        for (snapshot_at, _), (_, at) in zip(snapshots, cuts, strict=True)
    ]
    moved = certain(result, spans)
    moves = {term.wallet: _moves(result, term.wallet) for term, _ in cuts}
    found = []
    for (term, at), (snapshot_at, snapshot), between in zip(
        cuts, snapshots, moved, strict=True
    ):
        over = _moved_over(moves[term.wallet], snapshot_at, at)
        rials = snapshot + over + (between if snapshot_at < at else -between)
        found.append(Balance(rials, over, snapshot_at, snapshot))
    return found


def certain(result: Result, spans: Sequence[Span]) -> list[int]:
    """Return what certainly moved the wallet in each span, in rials."""
    if not spans:
        return []
    sums = ", ".join(
        f"coalesce(cast(sum(case when occurred_at >= $from_{number} "
        f"and occurred_at < $until_{number} then effect_rial end) as bigint), 0) "
        f"as moved_{number}"
        for number in range(len(spans))
    )
    ends = {
        f"{name}_{number}": at
        for number, span in enumerate(spans)
        for name, at in zip(("from", "until"), span, strict=True)
    }
    rows = result.engine.query(
        f"select {sums} from int_wallet_movements where certainty = 'certain'", **ends
    )
    (row,) = rows.to_pylist()
    return list(row.values())


def _snapshot(
    known: Sequence[tuple[datetime, int]], instant: datetime
) -> tuple[datetime, int]:
    """Return the snapshot to go by: the last one up to an instant, else the first."""
    earlier = [each for each in known if each[0] <= instant]
    return earlier[-1] if earlier else known[0]


def _between(snapshot_at: datetime, instant: datetime) -> Span:
    """Return the span that lies between a snapshot and an instant.

    What happened at the very instant of a snapshot is in it, as in the roll-forward.
    """
    if snapshot_at < instant:
        return snapshot_at + _MOMENT, instant
    return instant, snapshot_at + _MOMENT


def _moved_over(
    moves: Sequence[Mapping[str, Any]],
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
            else:
                is_sure = latest is not None and latest < instant
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
        "max(items.latest_at) as latest_at, "
        "max(movements.occurred_at) as occurred_at "
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
