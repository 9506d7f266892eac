"""When a fee schedule changed: records in order of time, cut into pieces.

A change is told only where it gives so many more wages exactly that it cannot be a few
odd records; a few odd records are no change.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from recon.reconcile.fees.schedules import Flags, Rials, Schedule, best, is_unique

CHANGE_COST = 5
"""A change must give more than this many further wages exactly."""

SMALLEST_BLOCK = 16
"""Schedules are looked for in blocks of the time, down to so many records."""

MOST_BLOCKS = 64
"""Blocks of one length, at most; half as many begin between them."""

FEW_OFF = 8
"""A block of which one in so many is off is not searched again, but those that are."""

MAX_ROUNDS = 4
"""So often the records off every schedule are searched for further ones."""

MAX_SCHEDULES = 64
"""So many schedules are held against each other, those that give the most."""


@dataclass(frozen=True)
class Piece:
    """Records `start` to `stop` (not included) under one schedule.

    The schedule came into force after record `after` and not later than `start`; the
    records between fit the one before as well. `after` is None for the first piece.
    """

    schedule: Schedule
    start: int
    stop: int
    after: int | None
    fitting: int
    is_unique: bool


def pieces(amounts: Rials, wages: Rials) -> list[Piece]:
    """Cut records, given in order of time, where their schedule changed; rials.

    No records, no pieces. A wage that no schedule gives belongs to the piece of its
    time and does not fit.
    """
    if not len(amounts):
        return []
    known = _schedules(amounts, wages)
    cuts, chosen = _cheapest(np.stack([each.fits(amounts, wages) for each in known]))
    found = [known[state] for state in chosen]
    return list(_dated(amounts, wages, cuts, found))


def _schedules(amounts: Rials, wages: Rials) -> list[Schedule]:
    """Return the schedules that some block of time asks for, the best ones first."""
    known: dict[Schedule, None] = {}
    left = np.arange(len(amounts))
    for _ in range(MAX_ROUNDS):
        before = len(known)
        for block in _blocks(len(left)):
            these = left[block]
            _learn(known, amounts[these], wages[these])
        ranked = _ranked(known, amounts, wages)
        hits = np.stack([each.fits(amounts, wages) for each in ranked])
        cuts, chosen = _cheapest(hits)
        off = np.ones(len(amounts), dtype=bool)
        for start, stop, state in zip(cuts, [*cuts[1:], len(off)], chosen, strict=True):
            off[start:stop] = ~hits[state, start:stop]
            places = np.flatnonzero(off[start:stop]) + start
            if len(places) > CHANGE_COST:  # all of them may be of another schedule
                spanned = slice(places[0], places[-1] + 1)
                _learn(known, amounts[spanned], wages[spanned], refine=True)
        for start, stop in _readings(hits, cuts, chosen):
            _learn(known, amounts[start:stop], wages[start:stop], refine=True)
        left = np.flatnonzero(off)
        if len(known) == before or len(left) <= CHANGE_COST:
            break
    return _ranked(known, amounts, wages)


def _readings(
    hits: Flags, cuts: Sequence[int], chosen: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Yield each piece as it was cut, and as it may begin and end otherwise.

    Around a change, records that the schedules of both sides give, or neither does, may
    be of either side: all of them, none, or only those that neither gives.
    """
    count = hits.shape[1]
    begins, ends = [(0,) * 4], []
    for cut, old, new in zip(cuts[1:], chosen[:-1], chosen[1:], strict=True):
        apart = np.flatnonzero(hits[old] != hits[new])
        place = int(np.searchsorted(apart, cut))
        first = int(apart[place - 1]) + 1 if place else 0
        last = int(apart[place]) if place < len(apart) else count
        given = np.flatnonzero(hits[old, first:last]) + first
        of_both = (int(given[0]), int(given[-1]) + 1) if len(given) else (last, first)
        ends.append((cut, last, first, of_both[0]))
        begins.append((cut, first, last, of_both[1]))
    ends.append((count,) * 4)
    for begin, end in zip(begins, ends, strict=True):
        for start, stop in dict.fromkeys(zip(begin, end, strict=True)):
            if start < stop:
                yield start, stop


def _learn(
    known: dict[Schedule, None], amounts: Rials, wages: Rials, *, refine: bool = False
) -> None:
    """Add the best schedule of a block, unless a known one is as good as needed."""
    few = 0 if refine else len(amounts) // FEW_OFF
    least = max(len(amounts) - few, 1)
    if not any(int(each.fits(amounts, wages).sum()) >= least for each in known):
        schedule = best(amounts, wages) or Schedule(0, max(int(wages[0]), 0))
        known.setdefault(schedule)


def _ranked(
    known: dict[Schedule, None], amounts: Rials, wages: Rials
) -> list[Schedule]:
    def rank(schedule: Schedule) -> tuple[int, int]:
        return -int(schedule.fits(amounts, wages).sum()), schedule.parts

    return sorted(known, key=rank)[:MAX_SCHEDULES]


def _blocks(count: int) -> Iterator[slice]:
    """Yield the whole, its halves, quarters and so on, and blocks between them."""
    parts = 1
    while parts == 1 or (count // parts >= SMALLEST_BLOCK and parts <= MOST_BLOCKS):
        length = -(-count // parts)
        starts = list(range(0, count, length))
        between = [start + length // 2 for start in starts[:-1]]
        for start in [*starts, *between]:
            yield slice(start, min(start + length, count))
        parts *= 2


def _cheapest(hits: Flags) -> tuple[list[int], list[int]]:
    """Return where pieces start, and the schedule of each: least misfits and changes.

    `hits` has a row a schedule and a column a record. Neighbours that the same
    schedules give are one step.
    """
    changes = (hits[:, 1:] != hits[:, :-1]).any(axis=0)
    starts = np.concatenate([[0], np.flatnonzero(changes) + 1])
    lengths = np.diff([*starts.tolist(), hits.shape[1]])
    misses = ~hits[:, starts] * lengths
    costs = misses[:, 0].astype(np.int64)
    came_from = np.zeros(misses.shape, dtype=np.int16)
    own = np.arange(len(costs), dtype=np.int16)
    for step in range(1, len(starts)):
        cheapest = int(costs.argmin())
        moved = costs > costs[cheapest] + CHANGE_COST
        came_from[:, step] = np.where(moved, cheapest, own)
        costs = np.minimum(costs, costs[cheapest] + CHANGE_COST) + misses[:, step]
    state = int(costs.argmin())
    cuts, chosen = [0], [state]
    for step in range(len(starts) - 1, 0, -1):
        before = int(came_from[state, step])
        if before != state:
            cuts.insert(1, int(starts[step]))
            chosen.insert(0, before)
            state = before
    return cuts, chosen


def _dated(
    amounts: Rials, wages: Rials, cuts: Sequence[int], found: Sequence[Schedule]
) -> Iterator[Piece]:
    """Yield the pieces, each begun at the first record that only it gives."""
    starts = list(cuts)
    afters: list[int | None] = [None]
    for place in range(1, len(starts)):
        old = found[place - 1].fits(amounts, wages)
        new = found[place].fits(amounts, wages)
        only_old = np.flatnonzero((old & ~new)[starts[place - 1] : starts[place]])
        after = starts[place - 1] + int(only_old[-1]) if len(only_old) else None
        begin = starts[place - 1] if after is None else after + 1
        only_new = np.flatnonzero((new & ~old)[begin:])
        starts[place] = begin + int(only_new[0])
        afters.append(after)
    for place, schedule in enumerate(found):
        start = starts[place]
        stop = starts[place + 1] if place + 1 < len(starts) else len(amounts)
        these = np.arange(start, stop)
        fitting = these[schedule.fits(amounts[start:stop], wages[start:stop])]
        unique = is_unique(schedule, amounts[fitting], wages[fitting])
        yield Piece(schedule, start, stop, afters[place], len(fitting), unique)
