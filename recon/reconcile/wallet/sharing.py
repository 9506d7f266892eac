"""Open items among neighbouring intervals that are settled as one: each lands once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from recon.reconcile.explain import MAX_SHOWN, Found
from recon.reconcile.wallet.rests import Traced


def apart(
    traced: Mapping[int, Traced],
    amounts: Sequence[int],
    search: Callable[[tuple[int, ...], int], Found],
) -> dict[int, Traced]:
    """Let intervals, in the order of time, take what no earlier one has taken.

    As many other candidates of the same sum, in rials, do as well, and the moves over
    the interval's ends stay as they are. Without such ones an item is used again.
    """
    taken: set[int] = set()
    found = {}
    for interval, each in traced.items():
        found[interval] = each
        landed, moved_in, moved_out = each.sets[0]
        if not taken.isdisjoint(landed):
            left = tuple(item for item in each.candidates if item not in taken)
            others = search(left, sum(amounts[item] for item in landed))
            if others.size == len(landed):
                landed = others.sets[0]
                ways = dict.fromkeys([(landed, moved_in, moved_out), *each.sets])
                found[interval] = replace(each, sets=tuple(ways)[:MAX_SHOWN])
        taken.update(landed)
    return found


def used_again(traced: Mapping[int, Traced]) -> Iterator[tuple[int, int]]:
    """Yield the items that landed in an earlier interval, too, with the interval."""
    seen: set[int] = set()
    for interval, each in traced.items():
        for item in each.sets[0][0]:
            if item in seen:
                yield interval, item
            seen.add(item)
