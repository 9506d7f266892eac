"""Escrow: what is held for others, and for how long."""

from collections import Counter, defaultdict
from datetime import date
from itertools import accumulate

import pandas as pd
from matplotlib.figure import Figure

from recon.charts import style
from recon.charts.bars import lying_bars
from recon.charts.look import ENGLISH, Look
from recon.charts.steps import steps_of

HELD_TITLE = "Held in escrow for others"
AGE_TITLE = "What is held now, by days since the buyer paid"
_HELD = "memo:escrow:held"
_AGES = {
    "up to 3 days": 3,
    "4 to 7 days": 7,
    "8 to 30 days": 30,
    "31 to 90 days": 90,
}
_OLDER = "over 90 days"
_OVERPAID = "more went out than came in"


def escrow_held(journal: pd.DataFrame, *, look: Look = ENGLISH) -> Figure:
    """Draw what is held in escrow at the end of each day.

    Takes the frame of `notebook.held()`, or the columns of a whole journal.csv, in
    rials; only its memo account of what is held.
    """
    legs = journal[journal["account"] == _HELD]
    if legs.empty:
        what = "No corroborated escrow payment in this period."
        return style.empty(HELD_TITLE, what, look)
    steps = steps_of(legs["business_date"], look.calendar)
    moves: Counter[date] = Counter()
    for step, debit, credit in zip(
        steps.place(legs["business_date"]),
        style.whole_numbers(legs["debit"]),
        style.whole_numbers(legs["credit"]),
        strict=True,
    ):
        moves[step] += debit - credit
    held = list(accumulate(moves[first] for first in steps.firsts))
    unit = style.unit_of(held, look)
    title = look.say(f"{HELD_TITLE}, {{unit}}, by {steps.name}", unit=unit.name)
    made = style.figure(title, look=look)
    axes = style.tidy(made.add_subplot())
    places, levels = range(len(held)), style.on_paper(held)
    axes.fill_between(places, levels, step="post", color=style.BLUE, alpha=0.25)
    axes.plot(places, levels, drawstyle="steps-post", color=style.BLUE, lw=1.8)
    axes.plot(places[-1], levels[-1], "o", color=style.BLUE, ms=4)  # a day alone, too
    axes.annotate(
        look.say("{rials} rials", rials=look.count(held[-1])),
        (places[-1], levels[-1]),
        xytext=(6, 0),
        textcoords="offset points",
        va="center",
        fontsize=10,
        color=style.BLUE,
    )
    style.amount_axis(axes, unit)
    style.date_axis(axes, steps, look)
    axes.margins(x=0.01)
    return made


def escrow_ageing(escrow: pd.DataFrame, *, look: Look = ENGLISH) -> Figure:
    """Draw what is held now by the time since the buyer paid, disputes apart.

    Takes the frame of `notebook.escrow()`, in rials. What went out beyond what came in
    is a bar of its own, below zero: what is held in all is less by it.
    """
    held = escrow[escrow["held"] != 0]
    if held.empty:
        return style.empty(AGE_TITLE, "Nothing is known to be held in escrow.", look)
    columns = (
        style.whole_numbers(held["held_days"]),
        [bool(flag) for flag in held["is_disputed"]],
        style.whole_numbers(held["held"]),
    )
    groups: dict[tuple[str, bool], list[int]] = defaultdict(list)
    for days, disputed, rials in zip(*columns, strict=True):
        groups[_age(days) if rials > 0 else _OVERPAID, disputed].append(rials)
    order = [
        (age, disputed)
        for age in (*_AGES, _OLDER, _OVERPAID)
        for disputed in (False, True)
        if (age, disputed) in groups
    ]
    sums = [sum(groups[key]) for key in order]
    unit = style.unit_of(sums, look)
    return lying_bars(
        look.say("{title}, {unit}", title=look.say(AGE_TITLE), unit=unit.name),
        [
            look.say("{age}, disputed", age=look.say(age))
            if disputed
            else look.say(age)
            for age, disputed in order
        ],
        sums,
        [
            look.say(
                "{rials} in {count}",
                rials=_sum(rials, unit),
                count=look.count(len(groups[key])),
            )
            for key, rials in zip(order, sums, strict=True)
        ],
        [style.ALARM if disputed else style.BLUE for _, disputed in order],
        look,
    )


def _age(days: int) -> str:
    return next((name for name, most in _AGES.items() if days <= most), _OLDER)


def _sum(rials: int, unit: style.Unit) -> str:
    """Write a sum; one below zero that the unit would write as nothing, to the rial."""
    if rials < 0 and unit.rounds_to_nothing(rials):
        return unit.look.say("{rials} rials", rials=unit.look.count(rials))
    return unit.text(rials)
