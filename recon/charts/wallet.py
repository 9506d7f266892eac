"""The wallet: what it should hold against what it holds, and the rest between."""

from datetime import datetime

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from recon.charts import style
from recon.charts.labels import Label, label_bars
from recon.charts.look import ENGLISH, Look
from recon.charts.steps import Steps

_MOST_LABELS = 8
_MOST_MARKERS = 100
_MOST_BARS = 200
_BAR = 0.38  # of the distance between two intervals
TITLE = "Wallet: expected and actual balance"


def wallet_rollforward(rollforward: pd.DataFrame, *, look: Look = ENGLISH) -> Figure:
    """Draw the balance at each snapshot, and below it what nothing explains.

    Takes the columns of rollforward.csv, one wallet or several (their intervals in
    order of time); amounts in rials. A line joins what is compared: the intervals of
    one wallet that follow one another. The upper part shows the expected and the actual
    closing balance, the lower one the explained and the unexplained rest of each
    interval, signed, on a scale of its own. An interval stands at the business date
    that its closing snapshot ends.
    """
    if rollforward.empty:
        what = "No two balance snapshots to compare in this period."
        return style.empty(TITLE, what, look)
    intervals = rollforward.sort_values(["to_at", "wallet"], ignore_index=True)
    unit = style.unit_of(style.whole_numbers(intervals["closing"]), look)
    title = look.say("{title}, {unit}", title=look.say(TITLE), unit=unit.name)
    made = style.figure(title, height=6.0, look=look)
    upper, lower = made.subplots(
        2, 1, sharex=True, gridspec_kw={"height_ratios": [3, 2]}
    )
    _draw_balances(style.tidy(upper), intervals, unit)
    _draw_rests(style.tidy(lower), intervals, look)
    ends = pd.DatetimeIndex(intervals["to_at"]).to_pydatetime()
    style.date_axis(lower, Steps("interval", tuple(map(look.ended, ends)), {}), look)
    return made


def _draw_balances(axes: Axes, intervals: pd.DataFrame, unit: style.Unit) -> None:
    actual = style.whole_numbers(intervals["closing"])
    expected = style.whole_numbers(intervals["expected_closing"])
    places = range(len(actual))
    marker = "o" if len(actual) <= _MOST_MARKERS else None
    for line in _lines(intervals):
        held, due = ([figures[at] for at in line] for figures in (actual, expected))
        axes.plot(line, held, color=style.BLUE, linewidth=1.8, marker=marker, ms=4)
        axes.plot(
            line,
            due,
            color=style.INK,
            linewidth=1.0,
            linestyle=(0, (4, 3)),
            marker=marker and "o",
            ms=8,
            mfc="none",
            mew=0.9,
        )
    rests = style.whole_numbers(intervals["unexplained"])
    odd = [place for place in places if rests[place]]
    axes.plot(odd, [actual[p] for p in odd], "o", color=style.ALARM, ms=8, zorder=5)
    style.amount_axis(axes, unit)
    axes.margins(x=0.02, y=0.15)
    low, high = axes.get_ylim()
    ends = style.spread([actual[-1], expected[-1]], (high - low) * 0.11)
    names = ("actual", style.BLUE), ("expected", style.INK)
    for (name, colour), height in zip(names, ends, strict=True):
        _beside(axes, height, unit.look.say(name), colour)
    if odd:
        axes.set_title(
            unit.look.say(
                "● {odd} of {whole} intervals end with an unexplained rest",
                odd=unit.look.count(len(odd)),
                whole=unit.look.count(len(actual)),
            ),
            loc="right" if unit.look.is_persian else "left",
            fontsize=10,
            color=style.ALARM,
        )


def _lines(intervals: pd.DataFrame) -> list[list[int]]:
    """Return the places of each line: what follows of a wallet on one another."""
    lines: list[list[int]] = []
    ended: dict[tuple[str, datetime], list[int]] = {}
    columns = (intervals[name] for name in ("wallet", "from_at", "to_at"))
    for place, (wallet, begin, end) in enumerate(zip(*columns, strict=True)):
        line = ended.pop((wallet, begin), None)
        if line is None:
            line = []
            lines.append(line)
        line.append(place)
        ended[wallet, end] = line
    return lines


def _draw_rests(axes: Axes, intervals: pd.DataFrame, look: Look) -> None:
    explained = style.whole_numbers(intervals["explained"])
    unexplained = style.whole_numbers(intervals["unexplained"])
    unit = style.unit_of([*explained, *unexplained], look)
    places = range(len(explained))
    _bars(axes, explained, -_BAR / 2, style.REST)
    _bars(axes, unexplained, _BAR / 2, style.ALARM)
    axes.axhline(0, color=style.QUIET, linewidth=0.8)
    style.amount_axis(axes, unit)
    axes.margins(y=0.25)
    if not any([*explained, *unexplained]):
        axes.set_yticks([0])
    axes.set_title(
        look.say("Difference of each interval, {unit}", unit=unit.name),
        loc="right" if look.is_persian else "left",
        fontsize=10,
        color=style.INK,
    )
    _beside(axes, 0.85, look.say("unexplained"), style.ALARM, axes_height=True)
    _beside(axes, 0.15, look.say("explained"), style.QUIET, axes_height=True)
    largest = sorted(places, key=lambda place: -abs(unexplained[place]))[:_MOST_LABELS]
    figures = [
        Label(
            text=look.count(unexplained[place]),
            place=place + _BAR / 2,
            height=unexplained[place],
            weight=unexplained[place],
            colour=style.ALARM,
            is_below=unexplained[place] < 0,
        )
        for place in largest
        if unexplained[place]
    ]
    label_bars(axes, figures)


def _bars(axes: Axes, heights: list[int], shift: float, colour: str) -> None:
    """Draw bars where there is something; thin lines where there are very many."""
    odd = [place for place, height in enumerate(heights) if height]
    tall = [heights[place] for place in odd]
    if len(heights) <= _MOST_BARS:
        axes.bar([place + shift for place in odd], tall, _BAR, color=colour)
    else:
        axes.vlines(odd, 0, tall, colors=colour, linewidth=1.2)
    axes.set_xlim(-1, len(heights))


def _beside(
    axes: Axes, height: float, name: str, colour: str, *, axes_height: bool = False
) -> None:
    """Write a series' name beside its end, where a legend would be looked up."""
    transform = axes.transAxes if axes_height else axes.get_yaxis_transform()
    axes.text(
        1.01, height, name, transform=transform, va="center", color=colour, fontsize=10
    )
