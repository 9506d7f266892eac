"""A table of cells: the larger its share, the darker a cell, its figure in it."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.colors import Colormap, LinearSegmentedColormap

_CHANNELS = (0.2126, 0.7152, 0.0722)
_STRAIGHT_TO = 0.04045  # of sRGB: above it light grows by a power
_DARK_BELOW = 0.179  # luminance below which white is read better than black


def shades(colour: str) -> Colormap:
    """Return the scale from white to a colour."""
    return LinearSegmentedColormap.from_list(colour, ["#ffffff", colour])


def heatmap(
    axes: Axes,
    values: Sequence[Sequence[float]],
    texts: Sequence[Sequence[str]],
    scale: Colormap,
    *,
    points: float,
) -> None:
    """Draw rows of cells from the top, each of nought or more, the larger the darker.

    `texts` stand in the cells, `points` large.
    """
    most = max(max(row) for row in values) or 1
    axes.imshow(values, cmap=scale, vmin=0, vmax=most, aspect="auto")
    for row, cells in enumerate(zip(values, texts, strict=True)):
        for column, (value, text) in enumerate(zip(*cells, strict=True)):
            if text:
                axes.text(
                    column,
                    row,
                    text,
                    ha="center",
                    va="center",
                    fontsize=points,
                    color=_ink_on(scale(value / most)),
                )
    for side in axes.spines.values():
        side.set_visible(False)


def _ink_on(ground: Sequence[float]) -> str:
    """Return black or white, whichever is read better on a colour of parts 0 to 1.

    Source: WCAG 2.2, relative luminance.
    """
    channels = zip(_CHANNELS, ground, strict=False)  # a fourth part is opacity
    luminance = sum(share * _linear(part) for share, part in channels)
    return "white" if luminance < _DARK_BELOW else "black"


def _linear(part: float) -> float:
    return part / 12.92 if part <= _STRAIGHT_TO else ((part + 0.055) / 1.055) ** 2.4
