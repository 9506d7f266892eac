"""Certain movements that may lie on the other side of a snapshot than their time says.

One kind lies within the clock skew of a snapshot, whose clock is another; or is a
hosted checkout that was created so soon before it that it may have been paid after it.
The other is known to a span of time only, as an adjustment that is given by its day: it
counts at the span's begin, and may have moved the wallet behind any snapshot in it.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from recon.reconcile.engine import Engine
from recon.reconcile.wallet.account import Item
from recon.reconcile.wallet.cutoff import Side
from recon.reconcile.wallet.spans import Span

_MAX_SPANS = 8
_SECOND = timedelta(seconds=1)
_DAYS = {timedelta(hours=each) - _SECOND for each in (23, 23.5, 24, 24.5, 25)}
"""How long a date is from its first second to its last; not 24 where clocks change."""

_SLOT_SECONDS = 3600
_LONGEST_PAYING = timedelta(hours=1)  # as int_hosted_payments has it

_Reach = tuple[timedelta, timedelta]  # of what may be late, and of the clocks


@dataclass(frozen=True)
class Moves:
    """What may move over boundaries; positions count on from the items before.

    `moving[b]` are the positions of what lies near boundary b, and `sides[b]` those
    within the clock skew, as they lie around it. `spans` are those known to a span
    only. `twins` gives the position of one that lies near the begin of its interval as
    of a span.
    """

    items: Sequence[Item]
    moving: Mapping[int, Sequence[int]]
    sides: Mapping[int, Sequence[Side]]
    spans: Sequence[Span]
    twins: Mapping[int, int]


def find_moves(
    engine: Engine,
    instants: Sequence[datetime],
    starts: Sequence[datetime],
    broken: Sequence[int],
    gaps: Collection[int],
    first: int,
) -> Moves:
    """Return what may move over the ends of intervals, some of which are `broken`.

    `instants` are when boundaries end, the i-th interval lies between the i-th and the
    next; `starts` are when they begin, which is earlier where snapshots between which
    nothing moved are one boundary; `gaps` are the intervals that are not compared. An
    item's effect is what moves to the boundary's later side.
    """
    items: list[Item] = []
    moving: dict[int, list[int]] = {}
    near: dict[int, list[int]] = {}
    spanning = list(_of_spans(engine, instants, broken, gaps))
    homes = {item.item_id: span.home for item, span in spanning}
    own: dict[str, int] = {}
    for boundary, item in _near_snapshots(engine, instants, starts, broken):
        if homes.get(item.item_id, boundary) == boundary:
            own[item.item_id] = first + len(items)
            moving.setdefault(boundary, []).append(first + len(items))
            if item.latest_at is None:
                near.setdefault(boundary, []).append(len(items))
            items.append(item)
    begin = first + len(items)
    return Moves(
        items=[*items, *(item for item, _ in spanning)],
        moving=moving,
        sides={
            boundary: _sides(items, places, instants[boundary], first)
            for boundary, places in near.items()
        },
        spans=[span._replace(item=begin + at) for at, (_, span) in enumerate(spanning)],
        twins={
            own[item.item_id]: begin + at
            for at, (item, _) in enumerate(spanning)
            if item.item_id in own
        },
    )


def _of_spans(
    engine: Engine,
    instants: Sequence[datetime],
    broken: Sequence[int],
    gaps: Collection[int],
) -> Iterator[tuple[Item, Span]]:
    """Yield what is known to a span only, with the intervals that it may be in.

    Between the first interval that is broken and the last one: what moved into one that
    is not broken made room for what moved out of it. What is given by its day may have
    come where no snapshot shows it, too: after the last one of that day or of the
    wallet.
    """
    skew = engine.settings.checks.clock_skew
    rows = engine.query(
        "select * from int_wallet_movements "
        "where certainty = 'certain' and effect_rial <> 0 "
        "and product <> 'unified' and latest_at > occurred_at "
        "order by occurred_at, movement_id"
    )
    beyond = len(instants) - 1
    for row in rows.to_pylist():
        begin, end = row["occurred_at"], row["latest_at"]
        home, last = (bisect_left(instants, at) - 1 for at in (begin, end))
        is_day = end - begin in _DAYS
        unseen = last == beyond or last in gaps
        if unseen and not (is_day and end - instants[last] > skew):
            last -= 1
        if home < last and last >= broken[0] and home <= broken[-1]:
            yield Item.of(row), Span(0, home, last, is_day)


def _near_snapshots(
    engine: Engine,
    instants: Sequence[datetime],
    starts: Sequence[datetime],
    broken: Sequence[int],
) -> list[tuple[int, Item]]:
    """Return items close to an end of a broken interval, with that boundary.

    What is early was there when the boundary began, what is late came after it ended.
    One close to two boundaries moves over that of the nearer snapshot. Unknown: when a
    hosted checkout was paid; it is taken to be within `checks.verify_window` of its
    creation, and within an hour: patience with what waits is no reason to move what is
    paid.
    """
    skew = engine.settings.checks.clock_skew
    paying = min(engine.settings.checks.verify_window, _LONGEST_PAYING)
    reach = max(skew, paying)
    near = sorted({at for each in broken for at in (each, each + 1)})
    first = (instants[near[0]] - reach).replace(microsecond=0)
    slot = max(_SLOT_SECONDS, 2 * (reach // _SECOND + 1))
    rows = engine.query(
        "select movements.*, boundaries.boundary "
        f"from (values {_windows(instants, near, (reach, skew), (first, slot))}) "
        "as boundaries (boundary, slot, early_at, from_at, until_at) "
        "inner join int_wallet_movements as movements "
        f"on date_diff('second', timestamptz '{first.isoformat()}', "
        f"movements.occurred_at) // {slot} = boundaries.slot "
        "and movements.occurred_at >= boundaries.early_at "
        "and movements.occurred_at <= boundaries.until_at "
        "where movements.certainty = 'certain' and movements.effect_rial <> 0 "
        "and (movements.product = 'hosted' "
        "or movements.occurred_at >= boundaries.from_at) "
        f"and ({_within(instants, near, (reach, skew))}) "
        "order by movements.occurred_at, movements.movement_id, boundaries.boundary"
    )
    nearest: dict[str, tuple[timedelta, int, Item]] = {}
    for row in rows.to_pylist():
        boundary, occurred_at = row["boundary"], row["occurred_at"]
        later = bisect_left(instants, occurred_at)  # the boundary at or after it
        if boundary not in (later - 1, later):
            continue
        if boundary < later and occurred_at - starts[boundary] > skew:
            continue
        item = Item.of(row, -row["effect_rial"] if boundary < later else None)
        is_late = instants[boundary] - occurred_at > skew
        until = occurred_at + paying if is_late else None
        item = replace(item, latest_at=until)
        beside = starts[boundary] if boundary == later else instants[boundary]
        found = (abs(beside - occurred_at), boundary, item)
        known = nearest.setdefault(item.item_id, found)
        if found[0] < known[0]:
            nearest[item.item_id] = found
    return [(boundary, item) for _, boundary, item in nearest.values()]


def _windows(
    instants: Sequence[datetime],
    near: Sequence[int],
    reach: _Reach,
    slots: tuple[datetime, int],
) -> str:
    """Return the windows as rows, one each for every slot of time that they touch.

    `slots` are the begin of the first one and their seconds. By them few movements are
    held against few windows, and not all against all.
    """
    first, seconds = slots
    early, skew = reach
    rows = []
    for at in near:
        times = [instants[at] - early, instants[at] - skew, instants[at] + skew]
        span = ", ".join(f"timestamptz '{each.isoformat()}'" for each in times)
        begin, _, end = ((each - first) // _SECOND // seconds for each in times)
        rows += [f"({at}, {slot}, {span})" for slot in range(begin, end + 1)]
    return ", ".join(rows)


def _within(instants: Sequence[datetime], near: Sequence[int], reach: _Reach) -> str:
    """Return the windows as constants, which the files are read by."""
    early, skew = reach
    spans = [(instants[at] - early, instants[at] + skew) for at in near]
    if len(spans) > _MAX_SPANS:
        spans = [(spans[0][0], spans[-1][1])]
    return " or ".join(
        f"(movements.occurred_at >= timestamptz '{begin.isoformat()}' "
        f"and movements.occurred_at <= timestamptz '{end.isoformat()}')"
        for begin, end in spans
    )


def _sides(
    items: Sequence[Item], near: Sequence[int], at: datetime, first: int
) -> list[Side]:
    """Return what lies before a snapshot and after it, by instant, nearest first."""
    by_time: dict[datetime, list[int]] = {}
    for place in near:
        when = items[place].occurred_at
        if when is not None:
            by_time.setdefault(when, []).append(first + place)
    before = sorted((when for when in by_time if when <= at), reverse=True)
    after = sorted(when for when in by_time if when > at)
    return [[by_time[when] for when in times] for times in (before, after)]
