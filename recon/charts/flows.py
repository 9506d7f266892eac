"""Flows: what came in and went out, by day and payment method."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from recon.charts import style
from recon.charts.look import ENGLISH, Look
from recon.charts.series_names import End, name_ends
from recon.charts.steps import Steps, steps_of

TITLE = "Payments by day and method"
OTHERS = "all others"
MEASURES = {
    "amount": "gross amount",
    "wage": "wage",
    "affected": "effect on the wallet",
}
OWN_MONEY = ("cash_in", "wallet")
_MOST_METHODS = len(style.SERIES)
_MOST_DATE_LABELS = 7  # beside the longest names of methods
_LABEL_GAP = 0.115  # of the axes' height: a label of two lines


def flows_by_day(
    flows: pd.DataFrame, *, measure: str = "amount", look: Look = ENGLISH
) -> Figure:
    """Draw one bar a day, divided by method; each method named with its total.

    Takes the columns of flows.csv; `measure` is a key of MEASURES, in rials.
    Only what customers paid is drawn, not the business's own deposits and the
    adjustments of its wallet. A long period is drawn by week, a very long one by
    month; the six largest methods are shown, the rest together.
    """
    paid = flows[~flows["product"].isin(OWN_MONEY)].dropna(subset=["business_date"])
    if paid.empty:
        return style.empty(TITLE, "No certain payments in this period.", look)
    steps = steps_of(paid["business_date"], look.calendar)
    table = _by_step(paid, steps, measure)
    unit = style.unit_of(table.abs().sum(axis=1), look)
    title = look.say(
        f"Payments by {steps.name} and method: {{measure}}",
        measure=look.say(MEASURES[measure]),
    )
    made = style.figure(
        look.say("{title}, {unit}", title=title, unit=unit.name), look=look
    )
    axes = style.tidy(made.add_subplot())
    middles = _stack(axes, table)
    axes.margins(x=0.01)
    style.amount_axis(axes, unit)
    style.date_axis(axes, steps, look, most=_MOST_DATE_LABELS)
    style.tell_part_steps(axes, steps, look)
    _name_methods(axes, table, middles, unit)
    return made


def method_names(rows: pd.DataFrame) -> pd.Series:
    """Name each row's method; a product without methods goes by its own name."""
    method = rows["payment_method"].fillna("").astype("str")
    product = rows["product"].astype("str")
    return method.where(method != "", product)


def _by_step(paid: pd.DataFrame, steps: Steps, measure: str) -> pd.DataFrame:
    """Return one row a step without gaps, one column a method, the largest first."""
    keyed = pd.DataFrame(
        {
            "step": steps.place(paid["business_date"]),
            "method": method_names(paid),
            "rials": style.summable(paid[measure]),
        }
    )
    sums = keyed.pivot_table(
        index="step", columns="method", values="rials", aggfunc="sum", fill_value=0
    ).reindex(list(steps.firsts), fill_value=0)
    order = sums.abs().sum().sort_values(ascending=False, kind="stable").index
    shown = sums[order[:_MOST_METHODS]].copy()
    if len(order) > _MOST_METHODS:
        shown[OTHERS] = sums[order[_MOST_METHODS:]].sum(axis=1)
    return shown


def _stack(axes: Axes, table: pd.DataFrame) -> list[float]:
    """Stack the bars, negative ones downward; returns each method's mean middle."""
    above = [0] * len(table)
    below = [0] * len(table)
    middles = []
    for index, name in enumerate(table.columns):
        heights = style.whole_numbers(table[name])
        feet = [
            up if height >= 0 else down
            for height, up, down in zip(heights, above, below, strict=True)
        ]
        axes.bar(
            range(len(heights)),
            style.on_paper(heights),
            0.86,
            style.on_paper(feet),
            color=_colour(index, name),
        )
        middles.append(
            sum(foot + height / 2 for foot, height in zip(feet, heights, strict=True))
            / len(heights)
        )
        above = [up + max(rise, 0) for up, rise in zip(above, heights, strict=True)]
        below = [down + min(fall, 0) for down, fall in zip(below, heights, strict=True)]
    return middles


def _name_methods(
    axes: Axes, table: pd.DataFrame, middles: Sequence[float], unit: style.Unit
) -> None:
    """Write each method beside the bars, in their order, with total and share."""
    low, high = axes.get_ylim()
    wanted = [(middle - low) / (high - low) for middle in middles]
    totals = [sum(style.whole_numbers(table[name])) for name in table.columns]
    whole = sum(map(abs, totals)) or 1
    ends = [
        End(
            f"{unit.look.say(name) if name == OTHERS else style.label(name)}\n"
            f"{unit.text(total)} ({unit.look.share(abs(total) / whole)})",
            _colour(index, name),
            middle,
        )
        for index, (name, total, middle) in enumerate(
            zip(table.columns, totals, wanted, strict=True)
        )
    ]
    name_ends(axes, ends, gap=_LABEL_GAP)


def _colour(index: int, name: str) -> str:
    return style.REST if name == OTHERS else style.SERIES[index]
