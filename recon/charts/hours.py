"""The week's clock: when customers pay, and when it fails."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date

import pandas as pd
from matplotlib.colors import Colormap
from matplotlib.figure import Figure

from recon.charts import style
from recon.charts.heatmap import heatmap, shades
from recon.charts.look import ENGLISH, Look
from recon.charts.steps import days_of, steps_of, weekday

PAYMENTS_TITLE = "Done payments by weekday and hour"
FAILURES_TITLE = "Share of failed attempts by weekday and hour"
_WEEKDAYS = ("Sat", "Sun", "Mon", "Tue", "Wed", "Thu", "Fri")
_HOURS = 24
_FEWEST_ATTEMPTS = 5
_BLUES = shades(style.BLUE)
_REDS = shades(style.ALARM)


def payments_by_hour(hours: pd.DataFrame, *, look: Look = ENGLISH) -> Figure:
    """Draw the rials of done payments in each hour of the week, on average a week.

    Takes the frame of `notebook.hours()`; hours are those of the business's clock. The
    weeks are all from the first attempt to pay to the last one.
    """
    if not sum(style.whole_numbers(hours["done"])):
        return style.empty(PAYMENTS_TITLE, "No done payments in this period.", look)
    sums = _by_hour(hours, "done_amount")
    days = steps_of(hours["business_date"], look.calendar).of_day
    numbers = _weekdays(days)
    means = [
        [rials / max(number, 1) for rials in row]
        for row, number in zip(sums, numbers, strict=True)
    ]
    unit = style.narrow_unit_of((rials for row in means for rials in row), look)
    title = look.say(
        "{title}: {unit} in a week, on average",
        title=look.say(PAYMENTS_TITLE),
        unit=unit.name,
    )
    return _clock(title, means, unit.short, _BLUES, look)


def failures_by_hour(hours: pd.DataFrame, *, look: Look = ENGLISH) -> Figure:
    """Draw which share of the attempts failed in each hour of the week.

    Takes the frame of `notebook.hours()`. An hour with very few attempts stays blank:
    its share says nothing.
    """
    if not sum(style.whole_numbers(hours["failed"])):
        return style.empty(FAILURES_TITLE, "No failed payments in this period.", look)
    attempts = _by_hour(hours, "attempts")
    failed = _by_hour(hours, "failed")
    shares = [
        [
            part / whole if whole >= _FEWEST_ATTEMPTS else 0.0
            for part, whole in zip(parts, wholes, strict=True)
        ]
        for parts, wholes in zip(failed, attempts, strict=True)
    ]
    if not any(map(any, shares)):
        what = "No hour of the week with five attempts or more has a failure."
        return style.empty(FAILURES_TITLE, what, look)
    title = look.say(FAILURES_TITLE)
    return _clock(title, shares, look.share, _REDS, look)


def _weekdays(dates: Iterable[date]) -> list[int]:
    """Count the days of each name, from Saturday, in the weeks of these dates.

    Days before the first date and after the last one are not of the period.
    """
    days = {day.toordinal(): weekday(day) for day in dates}
    first, last = min(days), max(days)
    begun = {day - place for day, place in days.items()}
    return [
        sum(first <= saturday + place <= last for saturday in begun)
        for place in range(len(_WEEKDAYS))
    ]


def _by_hour(hours: pd.DataFrame, column: str) -> list[list[int]]:
    """Sum a column by weekday, from Saturday, and hour."""
    sums = [[0] * _HOURS for _ in _WEEKDAYS]
    columns = (
        days_of(hours["business_date"]),
        style.whole_numbers(hours["business_hour"]),
        style.whole_numbers(hours[column]),
    )
    for day, hour, value in zip(*columns, strict=True):
        sums[weekday(day)][hour] += value
    return sums


def _clock(
    title: str,
    values: Sequence[Sequence[float]],
    text: Callable[[float], str],
    scale: Colormap,
    look: Look,
) -> Figure:
    made = style.figure(title, height=4.0, look=look)
    axes = made.add_subplot()
    texts = [[text(value) if value else "" for value in row] for row in values]
    heatmap(axes, values, texts, scale, points=8.5)
    axes.set_yticks(range(len(_WEEKDAYS)), [look.say(day) for day in _WEEKDAYS])
    axes.set_xticks(
        range(_HOURS), [look.written(f"{hour:02d}") for hour in range(_HOURS)]
    )
    axes.tick_params(length=0, labelsize=9.5)
    clock = look.say("hour of the business's clock")
    axes.set_xlabel(clock, fontsize=9.5, color=style.QUIET_TEXT)
    return made
