"""The wallet: what it should hold against what it holds, and the rest between."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from recon.charts import style
from recon.charts.labels import Label, label_bars
from recon.charts.look import ENGLISH, Look
from recon.charts.series_names import spread

_MOST_LABELS = 8
_MOST_MARKERS = 100
_MOST_BARS = 200
_BAR = 0.38  # of the usual distance between two snapshots
_DAY = timedelta(days=1)
TITLE = "Wallet: expected and actual balance"


def wallet_rollforward(rollforward: pd.DataFrame, *, look: Look = ENGLISH) -> Figure:
    """Draw the balance at each snapshot, and below it what nothing explains.

    Takes the columns of rollforward.csv, one wallet or several (their intervals in
    order of time); amounts in rials. A line joins what is compared: the intervals of
    one wallet that follow one another. The upper part shows the expected and the actual
    closing balance, the lower one the explained and the unexplained rest of each
    interval, signed, on a scale of its own. An interval stands at the time of its
    closing snapshot, a long one as long as it was, and has the business date that this
    ends.
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
    ends = pd.DatetimeIndex(intervals["to_at"]).to_pydatetime()
    places = [(end - ends[0]) / _DAY for end in ends]
    _draw_balances(style.tidy(upper), intervals, places, unit)
    _draw_rests(style.tidy(lower), intervals, places, look)
    style.time_axis(lower, places, [look.ended(end) for end in ends], look)
    return made


def _draw_balances(
    axes: Axes, intervals: pd.DataFrame, places: Sequence[float], unit: style.Unit
) -> None:
    actual = style.whole_numbers(intervals["closing"])
    expected = style.whole_numbers(intervals["expected_closing"])
    marker = "o" if len(actual) <= _MOST_MARKERS else None
    for line in _lines(intervals):
        at, held, due = (
            [each[index] for index in line] for each in (places, actual, expected)
        )
        axes.plot(at, held, color=style.BLUE, linewidth=1.8, marker=marker, ms=4)
        axes.plot(
            at,
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
    odd = [index for index, rest in enumerate(rests) if rest]
    marked = [places[index] for index in odd], [actual[index] for index in odd]
    axes.plot(*marked, "o", color=style.ALARM, ms=8, zorder=5)
    style.amount_axis(axes, unit)
    axes.margins(x=0.02, y=0.15)
    low, high = axes.get_ylim()
    ends = spread([actual[-1], expected[-1]], (high - low) * 0.11)
    names = ("actual", style.BLUE), ("expected", style.INK)
    for (name, colour), height in zip(names, ends, strict=True):
        _beside(axes, height, unit.look.say(name), colour)
    if odd:
        told = unit.look.say(
            "● {odd} of {whole} intervals end with an unexplained rest"
            if len(odd) > 1
            else "● {odd} of {whole} intervals ends with an unexplained rest",
            odd=unit.look.count(len(odd)),
            whole=unit.look.count(len(actual)),
        )
        style.note_above(axes, told, unit.look, style.ALARM_TEXT)


def _lines(intervals: pd.DataFrame) -> list[list[int]]:
    """Return the rows of each line: what follows of a wallet on one another."""
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


def _draw_rests(
    axes: Axes, intervals: pd.DataFrame, places: Sequence[float], look: Look
) -> None:
    explained = style.whole_numbers(intervals["explained"])
    unexplained = style.whole_numbers(intervals["unexplained"])
    unit = style.unit_of([*explained, *unexplained], look)
    width = _BAR * _distance(places)
    left, right = ([at + shift for at in places] for shift in (-width / 2, width / 2))
    _bars(axes, left, explained, width, style.REST)
    _bars(axes, right, unexplained, width, style.ALARM)
    axes.set_xlim(places[0] - width / _BAR, places[-1] + width / _BAR)
    axes.axhline(0, color=style.QUIET, linewidth=0.8)
    style.amount_axis(axes, unit)
    axes.margins(y=0.25 if unit.rials == 1 else 0.35)
    if not any([*explained, *unexplained]):
        axes.set_yticks([0])
    told = look.say("Difference of each interval, {unit}", unit=unit.name)
    style.note_above(axes, told, look)
    _beside(axes, 0.85, look.say("unexplained"), style.ALARM_TEXT, axes_height=True)
    _beside(axes, 0.15, look.say("explained"), style.QUIET_TEXT, axes_height=True)
    label_bars(axes, _figures(right, unexplained, unit))


def _figures(
    places: Sequence[float], rests: list[int], unit: style.Unit
) -> list[Label]:
    """Return the figures of the largest rests to the rial, each at its bar."""
    largest = sorted(range(len(rests)), key=lambda index: -abs(rests[index]))
    return [
        Label(
            text=unit.to_the_rial(rests[index]),
            place=places[index],
            height=rests[index],
            weight=rests[index],
            colour=style.ALARM_TEXT,
            is_below=rests[index] < 0,
        )
        for index in largest[:_MOST_LABELS]
        if rests[index]
    ]


def _distance(places: Sequence[float]) -> float:
    """Return how far snapshots usually are apart, in days, wide enough to be seen."""
    gaps = [later - earlier for earlier, later in pairwise(places)]
    least = (places[-1] - places[0]) / _MOST_BARS
    return max(median(gaps), least) if least else 1.0


def _bars(
    axes: Axes, places: Sequence[float], heights: list[int], width: float, colour: str
) -> None:
    """Draw bars where there is something; thin lines where there are very many.

    The taller stand behind the others: of two snapshots soon after one another both
    are seen.
    """
    order = sorted(range(len(heights)), key=lambda index: -abs(heights[index]))
    odd = [index for index in order if heights[index]]
    at, tall = [places[index] for index in odd], [heights[index] for index in odd]
    if len(heights) <= _MOST_BARS:
        axes.bar(at, tall, width, color=colour)
    else:
        axes.vlines(at, 0, tall, colors=colour, linewidth=1.2)


def _beside(
    axes: Axes, height: float, name: str, colour: str, *, axes_height: bool = False
) -> None:
    """Write a series' name beside its end, where a legend would be looked up."""
    transform = axes.transAxes if axes_height else axes.get_yaxis_transform()
    axes.text(
        1.01, height, name, transform=transform, va="center", color=colour, fontsize=10
    )
