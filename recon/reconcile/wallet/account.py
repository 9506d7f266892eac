"""Telling in words, with the arithmetic, what explains a rest of the wallet."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from recon.money import format_rials
from recon.reconcile.explain import (
    MAX_CANDIDATES,
    MAX_ITEMS,
    MAX_SMALL_POOL,
    coincidence,
)
from recon.reconcile.wallet.rests import Traced
from recon.reconcile.wallet.signatures import record_name
from recon.times import format_instant

_STORIES = {
    "deposit_queued": "queued since {since}",
    "payment_timeout": "timed out at {since}",
    "payment_without_time": "done, with no time, since {since}",
}
MANY_FITS = 3
"""So many sets of as few items, of different amounts, fit where chance gives some."""

MAX_TOLD = 10
"""So many items of an explanation are told; the table of explanations has all."""


@dataclass(frozen=True)
class Item:
    """A movement that may explain a rest; `effect` in rials, signed.

    For one that may have moved over a boundary, what moves to the later side.
    """

    item_id: str
    product: str
    record_id: str
    kind: str
    effect: int
    occurred_at: datetime | None
    possible_from: datetime | None
    possible_until: datetime | None
    latest_at: datetime | None

    @classmethod
    def of(cls, row: Mapping[str, Any], effect: int | None = None) -> Self:
        """Take a row of `int_wallet_movements`, with another effect if one is given."""
        return cls(
            item_id=row["movement_id"],
            product=row["product"],
            record_id=row["record_id"],
            kind=row["kind"],
            effect=row["effect_rial"] if effect is None else effect,
            occurred_at=row["occurred_at"],
            possible_from=row["possible_from"],
            possible_until=row["possible_until"],
            latest_at=row["latest_at"],
        )

    @property
    def told(self) -> str:
        """Return its name and why it is not certain when it landed."""
        since, until = self.occurred_at or self.possible_from, self.latest_at
        story = _STORIES.get(self.kind, "of {since}")
        when = format_instant(since) if since else "an unknown time"
        if until:
            story = f"some time between {{since}} and {format_instant(until)}"
        return f"{record_name(self.kind)} {self.record_id}, {story.format(since=when)}"


def explained_words(
    how: Traced, items: Sequence[Item], difference: int, *, chance: bool
) -> str:
    """Tell what explains a difference, how uniquely, and how surely.

    `chance` is what `is_coincidence` says of it.
    """
    landed, moved_in, moved_out = how.sets[0]
    parts = [
        *((items[i].effect, items[i].told) for i in landed),
        *_moved([items[i] for i in moved_in], 1, "moved in"),
        *_moved([items[i] for i in moved_out], -1, "moved out"),
    ]
    sums = [f"{format_rials(effect)} ({name})" for effect, name in parts[:MAX_TOLD]]
    if len(parts) > MAX_TOLD:
        rest = sum(effect for effect, _ in parts[MAX_TOLD:])
        sums.append(f"{format_rials(rest)} ({len(parts) - MAX_TOLD} more)")
    total = sum(effect for effect, _ in parts)
    words = f"{format_rials(total)} = {' + '.join(sums)}"
    if total == difference and not how.unique:
        least = "at least " if how.limited else ""
        words += f"; not unique: {least}{how.count:,} sets of as few items fit"
    if chance:
        words += "; so many items are open that such a set may fit by chance"
    elif len(landed) > 1:
        odds = _odds(how, items)
        words += f"; by chance such a set fits about once in {odds:,}"
    return words + "."


def _moved(items: Sequence[Item], sign: int, where: str) -> Iterator[tuple[int, str]]:
    """Yield what moved over an end, with its rials; very many as one, with its span."""
    if len(items) <= MAX_ITEMS:
        yield from ((sign * item.effect, f"{item.told}, {where}") for item in items)
        return
    times = sorted(item.occurred_at for item in items if item.occurred_at)
    span = " to ".join(format_instant(times[at]) for at in (0, -1))
    total = sign * sum(item.effect for item in items)
    yield total, f"{len(items):,} movements of {span}, {where}"


def unexplained_words(explained: str, how: Traced, rest: int, hint: str) -> str:
    """Tell what is left, how far it was searched, and which signature fits."""
    words = [explained] if explained else []
    words.append(f"{format_rials(rest)} is unexplained.")
    open_count = len(how.candidates)
    if open_count == 1:
        words.append("The one open item does not sum to it.")
    elif open_count:
        which = f"the {open_count:,} open items"
        if open_count > MAX_SMALL_POOL:
            which = f"up to {MAX_ITEMS} of {which}, or of all but so many,"
        words.append(f"No set of {which} sums to it.")
    if open_count > MAX_CANDIDATES:
        words.append(f"Only the newest {MAX_CANDIDATES:,} of them were searched.")
    if hint:
        words.append(f"A hint only: {hint}.")
    return " ".join(words)


def is_coincidence(how: Traced, items: Sequence[Item]) -> bool:
    """Tell whether several items explain an interval, and that proves nothing.

    Where sets of `MANY_FITS` different amounts fit, all but one do so by chance; or so
    many items are open that as few of them come to any figure.
    """
    landed = how.sets[0][0]
    return len(landed) > 1 and (how.different >= MANY_FITS or _odds(how, items) == 1)


def _odds(how: Traced, items: Sequence[Item]) -> int:
    return coincidence([items[i].effect for i in how.candidates], len(how.sets[0][0]))
