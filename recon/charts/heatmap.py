"""A table of cells: the larger its share, the darker a cell, its figure in it."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.colors import Colormap, LinearSegmentedColormap

from recon.charts import style

_DARK_FROM = 0.55  # of the scale: from here on text is white


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
                    color="white" if value / most > _DARK_FROM else style.INK,
                )
    for side in axes.spines.values():
        side.set_visible(False)
