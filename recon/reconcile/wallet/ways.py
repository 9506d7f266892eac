"""Ways over the boundaries of neighbouring intervals, of which the cheapest count."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from recon.reconcile.explain import Found
from recon.reconcile.wallet.spans import Items

MAX_WAYS = 64
"""The cheapest ways to so many states of a boundary are followed."""


class Over(NamedTuple):
    """What moves over a boundary: near it, in rials, and items of spans."""

    near: int
    items: Items = ()


class Step(NamedTuple):
    """One interval in one way: what moved over its two ends, and what landed.

    `came` are the items of spans that landed in it, `gone` those of its own that left.
    """

    interval: int
    moved_in: Over
    moved_out: Over
    came: Items
    gone: Items
    landed: Found
    exact: bool


NOTHING = Over(0)


@dataclass
class Node:
    """A move over a boundary, and the cheapest ways to come there."""

    cost: tuple[int, int]  # unexplained intervals, items
    ways: list[tuple["Node | None", Step | None]] = field(default_factory=list)


Nodes = dict[Over, Node]
_Later = tuple[Step, Any] | None  # a step, and those after it


def cheapest(nodes: Nodes) -> Nodes:
    """Return the cheapest states, and that in which nothing moves."""
    if len(nodes) <= MAX_WAYS:
        return nodes
    kept = sorted(nodes, key=lambda moved: (moved != NOTHING, nodes[moved].cost))
    return {moved: nodes[moved] for moved in kept[:MAX_WAYS]}


def paths_to(node: Node) -> Iterator[list[Step]]:
    """Yield every cheapest way to a node, as its steps in the order of time."""
    open_ends: list[tuple[Node, _Later]] = [(node, None)]
    while open_ends:
        node, later = open_ends.pop()
        for before, step in reversed(node.ways):
            if before is not None and step is not None:
                open_ends.append((before, (step, later)))
                continue
            path = []
            while later is not None:
                path.append(later[0])
                later = later[1]
            yield path
