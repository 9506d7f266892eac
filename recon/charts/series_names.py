"""The names of series beside their ends, where a legend would be looked up.

A name is in ink, since many colours of series are too light for letters; the mark
before it says which one it is of.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.transforms import Transform, offset_copy

from recon.charts import style

MARK = "■"
_AFTER_MARK_POINTS = 11


def spread(
    places: Sequence[float],
    gap: float,
    *,
    low: float = -math.inf,
    high: float = math.inf,
) -> list[float]:
    """Move labels apart to at least that gap, in their order, between two bounds.

    Where they do not fit between the bounds, the gap shrinks.
    """
    if len(places) > 1:
        gap = min(gap, (high - low) / (len(places) - 1))
    order = sorted(range(len(places)), key=lambda index: places[index])
    moved = [places[index] for index in order]
    for index in range(len(moved)):
        floor = low if index == 0 else moved[index - 1] + gap
        moved[index] = max(moved[index], floor)
    for index in reversed(range(len(moved))):
        ceiling = high if index == len(moved) - 1 else moved[index + 1] - gap
        moved[index] = min(moved[index], ceiling)
    result = [0.0] * len(places)
    for index, place in zip(order, moved, strict=True):
        result[index] = place
    return result


@dataclass(frozen=True)
class End:
    """The end of a series: its name, colour and place from 0 to 1 of the height."""

    name: str
    colour: str
    height: float


def name_ends(axes: Axes, ends: Sequence[End], *, gap: float = 0.07) -> None:
    """Write each series' name beside its end, where a legend would be looked up."""
    wanted = [end.height for end in ends]
    heights = spread(wanted, gap, low=0.03, high=0.97)
    for end, height in zip(ends, heights, strict=True):
        name_beside(axes, axes.transAxes, height, end.name, end.colour)


def name_beside(
    axes: Axes, places: Transform, height: float, name: str, colour: str
) -> None:
    """Write a series' name in ink right of its axes, behind a mark of its colour."""
    after = offset_copy(
        places, axes.get_figure(root=True), x=_AFTER_MARK_POINTS, units="points"
    )
    for text, tone, place in ((MARK, colour, places), (name, style.INK, after)):
        axes.text(
            1.012,
            height,
            text,
            transform=place,
            va="center",
            fontsize=9.5,
            linespacing=1.15,
            color=tone,
        )
