"""Figures at upright bars: each is read whole, or is not there.

A figure is often wider than its bar. Over a bar of its own colour it would lose a digit
and be read as another amount, so it gets the ground of the axes behind it and moves
beside its neighbours' bars; where two meet, the one that matters less is left out. The
table beneath a chart has all of them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

from recon.charts import style

_ABOVE_BARS = 6
_BEFORE_ALL = -1  # drawn first, so that what is drawn after it stands as it was placed
_GAP_POINTS = 3
_GROUND_POINTS = 1
_APART_POINTS = 4
_Side = Literal["center", "left", "right"]
_SIDES: tuple[_Side, ...] = ("left", "right")


@dataclass(frozen=True, kw_only=True)
class Label:
    """A figure at the end of the bar at `place`; of larger `weight`, it matters more.

    `height` is in the axis' unit, `size` in points; `is_below` that of a bar which goes
    down.
    """

    text: str
    place: float
    height: float
    weight: int
    colour: str = style.INK
    size: float = 9
    is_below: bool = False


def label_bars(axes: Axes, labels: Sequence[Label]) -> None:
    """Write figures at the ends of bars, as many of them as are read whole."""
    notes = [_note(axes, label) for label in labels]
    order = sorted(range(len(notes)), key=lambda at: -abs(labels[at].weight))
    axes.add_artist(_Room([notes[at] for at in order]))


def _note(axes: Axes, label: Label) -> Annotation:
    return axes.annotate(
        label.text,
        (label.place, label.height),
        xytext=(0, -_GAP_POINTS if label.is_below else _GAP_POINTS),
        textcoords="offset points",
        ha="center",
        va="top" if label.is_below else "bottom",
        fontsize=label.size,
        color=label.colour,
        zorder=_ABOVE_BARS,
        bbox={
            "facecolor": axes.get_facecolor(),
            "edgecolor": "none",
            "pad": _GROUND_POINTS,
        },
    )


class _Room(Artist):
    """Finds room for notes, those that matter most first; draws nothing itself.

    It does so at each drawing: only then is known how large the figure is.
    """

    def __init__(self, notes: Sequence[Annotation]) -> None:
        super().__init__()
        self._notes = notes
        self.set_zorder(_BEFORE_ALL)
        self.set_in_layout(False)

    def draw(self, renderer: RendererBase) -> None:
        patches = self.axes.patches if self.axes else ()
        bars = [
            bar.get_window_extent(renderer)
            for bar in patches
            if isinstance(bar, Rectangle)
        ]
        taken = [text.get_window_extent(renderer) for text in self._others()]
        apart = cast("float", renderer.points_to_pixels(_APART_POINTS))
        for note in self._notes:
            note.set_visible(True)
            found = _place(note, renderer, bars, taken)
            note.set_visible(found is not None)
            if found is not None:
                taken.append(found.padded(apart))

    def _others(self) -> list[Text]:
        """Return the texts that no note may meet: names, and the axes' own figures."""
        if not self.axes:
            return []
        ticks = (*self.axes.get_xticklabels(), *self.axes.get_yticklabels())
        texts = [text for text in self.axes.texts if text not in self._notes]
        return [text for text in (*texts, *ticks) if text.get_visible()]


def _place(
    note: Annotation,
    renderer: RendererBase,
    bars: Sequence[Bbox],
    taken: Sequence[Bbox],
) -> Bbox | None:
    """Move a note to where it meets nothing, else over bars alone; None if nowhere.

    Beside its own bar it stands over no other one, which it would be taken to be of.
    """
    centre = _box(note, renderer, "center")
    if not _meets(centre, [*taken, *bars]):
        return centre
    at, _ = note.axes.transData.transform(note.xy) if note.axes else (0, 0)
    columns = [
        Bbox.from_extents(bar.x0, -math.inf, bar.x1, math.inf)
        for bar in bars
        if not bar.x0 <= at <= bar.x1
    ]
    for side in _SIDES:
        box = _box(note, renderer, side)
        if not _meets(box, [*taken, *columns, *_beyond(note)]):
            return box
    centre = _box(note, renderer, "center")
    return None if _meets(centre, taken) else centre


def _beyond(note: Annotation) -> list[Bbox]:
    """Return what lies left and right of the picture, where figures lose their ends."""
    if note.figure is None:
        return []
    left, right = note.figure.bbox.x0, note.figure.bbox.x1
    ends = (-math.inf, left), (right, math.inf)
    return [Bbox.from_extents(x0, -math.inf, x1, math.inf) for x0, x1 in ends]


def _box(note: Annotation, renderer: RendererBase, side: _Side) -> Bbox:
    """Put a note to the middle of its bar, or to where that is its left or right."""
    note.set_horizontalalignment(side)
    return note.get_window_extent(renderer)


def _meets(box: Bbox, others: Sequence[Bbox]) -> bool:
    return any(
        min(box.x1, other.x1) > max(box.x0, other.x0)
        and min(box.y1, other.y1) > max(box.y0, other.y0)
        for other in others
    )
