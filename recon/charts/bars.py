"""Lying bars with their names on the left and their figures at their ends."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from recon.charts import style
from recon.charts.flows import OTHERS
from recon.charts.look import ENGLISH, Look

_BAR_INCHES = 0.34
_FEWEST_ROWS = 3  # a single bar stays a bar
_FRAME_INCHES = 1.3


def folded(sums: pd.DataFrame, most: int) -> pd.DataFrame:
    """Return the first rows, and what the others come to as one more of them."""
    rest = sums.iloc[most:].sum().to_frame(OTHERS).T
    return pd.concat([sums.head(most), rest]) if len(sums) > most else sums


def lying_bars(
    title: str,
    names: Sequence[str],
    values: Sequence[int],
    texts: Sequence[str],
    colours: Sequence[str],
    look: Look = ENGLISH,
) -> Figure:
    """Draw one bar a name, the first on top, each with its text at its end.

    That of a bar below zero stands on the other side of zero, away from the names.
    Persian bars begin at the right, as a Persian line does.
    """
    rows = max(len(names), _FEWEST_ROWS)
    height = _FRAME_INCHES + _BAR_INCHES * rows
    made = style.figure(title, height=height, look=look, has_figures_beside=True)
    axes = style.tidy(made.add_subplot())
    places = range(len(names))
    axes.barh(places, style.on_paper(values), 0.72, color=list(colours))
    for place, value, text in zip(places, values, texts, strict=True):
        axes.annotate(
            text,
            (max(float(value), 0), place),
            xytext=(-4 if look.is_persian else 4, 0),
            textcoords="offset points",
            ha="right" if look.is_persian else "left",
            va="center",
            fontsize=9.5,
            color=style.INK,
        )
    axes.set_yticks(list(places), [style.label(name, 34) for name in names])
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.axvline(0, color=style.QUIET, linewidth=0.8)
    axes.margins(x=0.16)
    axes.set_ylim(rows - 0.5, -0.5)
    if look.is_persian:
        axes.invert_xaxis()
        axes.yaxis.tick_right()
    return made
