"""How often payments fail from day to day, and what the failures amount to."""

from math import isfinite

import pandas as pd
from matplotlib.figure import Figure

from recon.charts import style
from recon.charts.bars import folded, lying_bars
from recon.charts.failures import code_names
from recon.charts.flows import OTHERS, method_names
from recon.charts.look import ENGLISH, Look
from recon.charts.series_names import End, name_ends
from recon.charts.steps import Steps, steps_of

RATE_TITLE = "Share of attempts that failed"
COST_TITLE = "What failed by code"
_MOST_METHODS = 4
_MOST_CODES = 15


def failure_rate_by_day(failures: pd.DataFrame, *, look: Look = ENGLISH) -> Figure:
    """Draw the share of failed attempts over time: of all, and of the largest methods.

    Takes the columns of failures.csv. A long period is drawn by week, a very long one
    by month.
    """
    dated = failures.dropna(subset=["business_date"])
    if dated.empty:
        return style.empty(RATE_TITLE, "No attempts to pay in this period.", look)
    steps = steps_of(dated["business_date"], look.calendar)
    rows = _attempts(dated, steps)
    made = style.figure(look.say(f"{RATE_TITLE}, by {steps.name}"), look=look)
    axes = style.tidy(made.add_subplot())
    totals = rows.groupby("method")["attempts"].sum()
    names = list(totals.sort_values(ascending=False, kind="stable").index)
    lines = [
        (style.label(name), colour, 1.0, _shares(rows[rows["method"] == name], steps))
        for name, colour in zip(names[:_MOST_METHODS], style.SERIES, strict=False)
    ]
    lines.append((look.say("all methods"), style.INK, 2.4, _shares(rows, steps)))
    for _, colour, width, shares in lines:
        axes.plot(range(len(shares)), shares, color=colour, linewidth=width)
        alone = _alone(shares)
        dots = [shares[place] for place in alone]  # whole, at the edge too
        axes.plot(alone, dots, "o", color=colour, ms=5, clip_on=False)
    if len(names) > _MOST_METHODS:
        told = look.say(
            "{shown} of {whole} methods: those with the most attempts",
            shown=look.count(_MOST_METHODS),
            whole=look.count(len(names)),
        )
        style.note_above(axes, told, look)
    style.share_axis(axes, look)
    axes.grid(axis="y", color=style.FAINT, linewidth=0.8)
    axes.set_ylim(bottom=0)
    axes.margins(x=0.01)
    style.date_axis(axes, steps, look)
    style.tell_part_steps(axes, steps, look)
    top = axes.get_ylim()[1]
    name_ends(
        axes,
        [End(name, colour, _last(shares) / top) for name, colour, _, shares in lines],
    )
    return made


def failure_cost(failures: pd.DataFrame, *, look: Look = ENGLISH) -> Figure:
    """Draw how many rials did not come in, by code, with the count of payments.

    Takes the columns of failures.csv. What customers paid at a second try is in here
    too: it is what failed, not what was lost. The fifteen codes that came to the most
    are shown, the rest together.
    """
    failed = failures[failures["failed"] > 0]
    if failed.empty:
        return style.empty(COST_TITLE, "No failed payments in this period.", look)
    rows = pd.DataFrame(
        {
            "code": list(code_names(failed, look)),
            "failed": style.whole_numbers(failed["failed"]),
            "rials": style.summable(failed["amount_failed"]),
        }
    )
    sums = rows.groupby("code").sum()
    sums = sums.sort_values("rials", ascending=False, kind="stable")
    sums = folded(sums, _MOST_CODES)
    costs, counts = (style.whole_numbers(sums[name]) for name in ("rials", "failed"))
    unit = style.unit_of(costs, look)
    return lying_bars(
        look.say("{title}, {unit}", title=look.say(COST_TITLE), unit=unit.name),
        [look.say(OTHERS) if code == OTHERS else str(code) for code in sums.index],
        costs,
        [
            look.say(
                "{rials} in {count}", rials=unit.text(rials), count=look.count(count)
            )
            for rials, count in zip(costs, counts, strict=True)
        ],
        [style.ALARM] * len(costs),
        look,
    )


def _attempts(dated: pd.DataFrame, steps: Steps) -> pd.DataFrame:
    """Return attempts and failures by step; a day's attempts stand once."""
    rows = pd.DataFrame(
        {
            "step": steps.place(dated["business_date"]),
            "day": list(dated["business_date"]),
            "method": list(method_names(dated)),
            "product": list(dated["product"]),
            "attempts": style.whole_numbers(dated["attempts"]),
            "failed": style.whole_numbers(dated["failed"]),
        }
    )
    repeated = rows.duplicated(["day", "product", "method"])
    rows["attempts"] = rows["attempts"].where(~repeated, 0)
    return rows


def _shares(rows: pd.DataFrame, steps: Steps) -> list[float]:
    """Return failed by attempts for each step; a step without attempts has no place."""
    sums = rows.groupby("step")[["attempts", "failed"]].sum()
    sums = sums.reindex(list(steps.firsts))
    return [
        failed / attempts if attempts > 0 else float("nan")
        for attempts, failed in zip(sums["attempts"], sums["failed"], strict=True)
    ]


def _alone(shares: list[float]) -> list[int]:
    """Return the places that no line leads to: those beside them have no share."""
    gap = float("nan")
    beside = zip([gap, *shares], shares, [*shares[1:], gap], strict=False)
    return [
        place
        for place, (before, share, after) in enumerate(beside)
        if isfinite(share) and not isfinite(before) and not isfinite(after)
    ]


def _last(shares: list[float]) -> float:
    return next((share for share in reversed(shares) if share == share), 0.0)  # noqa: PLR0124 - NaN
