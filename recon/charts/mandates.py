"""Mandates: how much room is left, when they end, how well they work with age."""

from dataclasses import replace
from datetime import timedelta

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from recon.charts import style
from recon.charts.bars import lying_bars
from recon.charts.labels import Label, label_bars
from recon.charts.look import ENGLISH, Look
from recon.charts.series_names import End, name_ends
from recon.charts.steps import days_of, steps_of

ROOM_TITLE = "Usable mandates by how much of this month's count is used"
LIMIT_TITLE = "Mandates by their largest withdrawal against the limit"
EXPIRY_TITLE = "Usable mandates by the week in which they expire"
SUCCESS_TITLE = "Share of withdrawals that succeed, by the mandate's age"
_SHARES = {"unused": 0, "up to half": 50, "up to 90%": 90}
_NEARLY, _ALL = "nearly all", "all"
_BEYOND = "beyond"
_MOST_WEEKS = 26
_FEWEST_ATTEMPTS = 3
_TOP = 1.03  # of the axis of shares: a full share is not at its very edge


def mandate_headroom(mandates: pd.DataFrame, *, look: Look = ENGLISH) -> Figure:
    """Draw how many usable mandates have used how much of their monthly count.

    Takes the frame of `notebook.mandates()`.
    """
    usable = mandates[mandates["is_usable"].fillna(value=False).astype(bool)]
    return _by_share(
        ROOM_TITLE, usable["used_this_month"], usable["monthly_count"], look
    )


def mandate_limits(mandates: pd.DataFrame, *, look: Look = ENGLISH) -> Figure:
    """Draw how close the largest withdrawal of each used mandate came to its limit.

    Takes the frame of `notebook.mandates()`.
    """
    used = mandates[mandates["done"] > 0]
    return _by_share(
        LIMIT_TITLE, used["largest_withdrawal"], used["withdrawal_limit"], look
    )


def mandate_expiry(mandates: pd.DataFrame, *, look: Look = ENGLISH) -> Figure:
    """Draw how many usable mandates expire in which of the next weeks.

    Takes the frame of `notebook.mandates()`; weeks begin on Saturday, and what ends
    later than half a year after the first one is counted alone.
    """
    usable = mandates[mandates["is_usable"].fillna(value=False).astype(bool)]
    days = sorted(days_of(usable["expiry_date"].dropna()))
    if not days:
        return style.empty(EXPIRY_TITLE, "No usable mandate has an end.", look)
    # one that never ends would stretch the weeks of the others
    days = [day for day in days if day - days[0] <= timedelta(weeks=_MOST_WEEKS)]
    steps = steps_of(days, look.calendar, name="week")
    shown = steps.firsts[:_MOST_WEEKS]
    placed = steps.place(days)
    counts = [placed.count(first) for first in shown]
    made = style.figure(look.say(EXPIRY_TITLE), height=4.0, look=look)
    axes = style.tidy(made.add_subplot())
    axes.bar(range(len(shown)), counts, 0.8, color=style.BLUE)
    figures = [
        Label(text=look.count(count), place=place, height=count, weight=count)
        for place, count in enumerate(counts)
        if count
    ]
    label_bars(axes, figures)
    if sum(counts) < len(usable):
        told = look.say(
            "{shown} of {whole} mandates: the others end later, or have no end",
            shown=look.count(sum(counts)),
            whole=look.count(len(usable)),
        )
        style.note_above(axes, told, look)
    axes.set_yticks([])
    axes.margins(x=0.01, y=0.12)
    style.date_axis(axes, replace(steps, firsts=shown), look)
    return made


def mandate_success(ages: pd.DataFrame, *, look: Look = ENGLISH) -> Figure:
    """Draw the share of done withdrawals by the mandate's age in weeks, and method.

    Takes the frame of `notebook.mandate_ages()`; ages with very few attempts are left
    out. The six methods with the most withdrawals are shown.
    """
    if not sum(style.whole_numbers(ages["attempts"])):
        return style.empty(SUCCESS_TITLE, "No withdrawals on known mandates.", look)
    found = _shares_by_age(ages)
    if not found:
        what = "No week of a mandate's age has three withdrawals or more."
        return style.empty(SUCCESS_TITLE, what, look)
    title = look.say("{title} in weeks", title=look.say(SUCCESS_TITLE))
    made = style.figure(title, look=look)
    axes = style.tidy(made.add_subplot())
    ends = []
    for (name, shares), colour in zip(found.items(), style.SERIES, strict=False):
        axes.plot(shares.index, shares, "o-", color=colour, ms=4, lw=1.5)
        last = float(shares.iloc[-1]) / _TOP
        ends.append(End(style.label(name), colour, last))
    if len(ends) < len(found):
        told = look.say(
            "{shown} of {whole} methods: those with the most withdrawals",
            shown=look.count(len(ends)),
            whole=look.count(len(found)),
        )
        style.note_above(axes, told, look)
    axes.set_ylim(0, _TOP)
    style.share_axis(axes, look)
    axes.grid(axis="y", color=style.FAINT, linewidth=0.8)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda week, _: look.count(int(week))))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=12, integer=True, min_n_ticks=1))
    axes.set_xlabel(look.say("weeks since the mandate was created"), fontsize=9.5)
    name_ends(axes, ends)
    return made


def _shares_by_age(ages: pd.DataFrame) -> dict[str, pd.Series]:
    """Return each method's shares by week of age, the most withdrawals first."""
    rows = pd.DataFrame(
        {
            "method": list(ages["payment_method"].fillna("").astype("str")),
            "age": style.whole_numbers(ages["age_weeks"]),
            "attempts": style.whole_numbers(ages["attempts"]),
            "done": style.whole_numbers(ages["done"]),
        }
    )
    totals = rows.groupby("method")["attempts"].sum()
    names = totals.sort_values(ascending=False, kind="stable").index
    sums = rows.groupby(["method", "age"])[["attempts", "done"]].sum()
    sums = sums[sums["attempts"] >= _FEWEST_ATTEMPTS]
    shares = sums["done"] / sums["attempts"]
    known = set(shares.index.get_level_values("method"))
    return {name: shares.loc[name] for name in names if name in known}


def _by_share(title: str, parts: pd.Series, wholes: pd.Series, look: Look) -> Figure:
    """Count mandates by the share of an allowance that they used."""
    pairs = zip(style.whole_numbers(parts), style.whole_numbers(wholes), strict=True)
    names = [_share(part, whole) for part, whole in pairs if whole > 0]
    if not names:
        return style.empty(title, "No such mandate is known.", look)
    shown = [name for name in (*_SHARES, _NEARLY, _ALL, _BEYOND) if name in names]
    counts = [names.count(name) for name in shown]
    warned = {_ALL: style.AMBER, _BEYOND: style.ALARM}
    return lying_bars(
        look.say(title),
        [look.say(name) for name in shown],
        counts,
        [look.count(count) for count in counts],
        [warned.get(name, style.BLUE) for name in shown],
        look,
    )


def _share(part: int, whole: int) -> str:
    for name, percent in _SHARES.items():
        if part * 100 <= percent * whole:
            return name
    if part == whole:
        return _ALL
    return _NEARLY if part < whole else _BEYOND
