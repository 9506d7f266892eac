"""Fees: the rate that was paid against the one that was agreed."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from recon.charts import style
from recon.charts.look import ENGLISH, Look

TITLE = "Effective fee by product and method"
_MOST_ROWS = 25
_ROW_INCHES = 0.42
_MARGIN_ROWS = 0.6
_BASIS_POINTS = 10_000
_EDGE = 0.02  # of the scale, so that a mark at nought is whole
_PAST = 0.3  # room for the figure beside the last mark


def effective_rates(fees: pd.DataFrame, *, look: Look = ENGLISH) -> Figure:
    """Draw the wage in basis points of the amount, charged and by the tariff.

    Takes the columns of fees.csv; a line is a product, method and month. A hollow
    mark is what the tariff gives, a full one what was charged, its `effective_bps`
    beside it; they are orange where the two differ by a rial or more. At most
    twenty-five rows are shown, those that differ most and then the newest.
    """
    paid = fees[fees["amount"] > 0]
    if paid.empty:
        return style.empty(TITLE, "No certain payments in this period.", look)
    rows = _foremost(paid).sort_values(
        ["product", "payment_method", "month"], ignore_index=True
    )
    title = look.say(
        "{title}, basis points (1/10,000 of the amount)", title=look.say(TITLE)
    )
    height = 1.5 + _ROW_INCHES * len(rows)
    made = style.figure(title, height=height, look=look, has_figures_beside=True)
    axes = style.tidy(made.add_subplot())
    _draw_rates(axes, rows, look)
    _name_rows(axes, rows, look)
    if len(rows) < len(paid):
        told = look.say(
            "{shown} of {whole} rows: those that differ most, then the newest",
            shown=look.count(len(rows)),
            whole=look.count(len(paid)),
        )
        style.note_above(axes, told, look)
    return made


def _foremost(paid: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that are off the tariff by most rials, then the newest ones."""
    off = [abs(rials) for rials in style.whole_numbers(paid["difference"])]
    months = [month if isinstance(month, str) else "" for month in paid["month"]]
    order = sorted(
        range(len(paid)), key=lambda place: (off[place], months[place]), reverse=True
    )
    return paid.iloc[order[:_MOST_ROWS]]


def _draw_rates(axes: Axes, rows: pd.DataFrame, look: Look) -> None:
    """Draw each row's two rates, with its figure in fees.csv beside them.

    Persian rates begin at the right, as a Persian line does.
    """
    amounts = style.whole_numbers(rows["amount"])
    charged = _rates(rows["wage"], amounts)
    agreed = _rates(rows["expected_wage"], amounts)
    differences = style.whole_numbers(rows["difference"])
    figures = [
        "" if pd.isna(rate) else look.count(int(rate)) for rate in rows["effective_bps"]
    ]
    for place, (rate, tariff, rials, told) in enumerate(
        zip(charged, agreed, differences, figures, strict=True)
    ):
        colour = style.ALARM if rials else style.BLUE
        if not rows["expected_wage"].isna()[place]:
            axes.plot([rate, tariff], [place, place], color=colour, linewidth=1.5)
            axes.plot(tariff, place, "o", mfc="none", mec=colour, ms=10)
        axes.plot(rate, place, "o", color=colour, ms=5)
        axes.annotate(
            _note(told, rials, look),
            (max(rate, tariff), place),
            xytext=(-9 if look.is_persian else 9, 0),
            textcoords="offset points",
            ha="right" if look.is_persian else "left",
            va="center",
            fontsize=9.5,
            color=style.ALARM_TEXT if rials else style.BLUE,
        )
    most = max(*charged, *agreed, 1.0)
    axes.set_xlim(-_EDGE * most, (1 + _PAST) * most)
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda value, _: look.written(f"{value:,.0f}"))
    )
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True, min_n_ticks=1))
    axes.grid(axis="x", color=style.FAINT, linewidth=0.8)
    if look.is_persian:
        axes.invert_xaxis()
        axes.yaxis.tick_right()


def _name_rows(axes: Axes, rows: pd.DataFrame, look: Look) -> None:
    """Write each row's method and month, the first on top."""
    names = zip(rows["product"], rows["payment_method"], rows["month"], strict=True)
    axes.set_yticks(
        range(len(rows)),
        [
            f"{look.named(style.label(method or product))}  {_month(month, look)}"
            for product, method, month in names
        ],
    )
    axes.set_ylim(len(rows) - 1 + _MARGIN_ROWS, -_MARGIN_ROWS)


def _note(rate: str, rials: int, look: Look) -> str:
    """Write a rate, and how many rials it is off where it is."""
    if not rials:
        return rate
    difference = look.say("{rials} rials", rials=look.written(f"{rials:+,}"))
    return look.say(
        "{rate}   {difference}",
        rate=rate,
        difference=look.apart(difference),
    )


def _month(month: Any, look: Look) -> str:
    """Write a row's month; it is null, or NaN, where a record has no time."""
    return look.month(month) if isinstance(month, str) else look.say("no month")


def _rates(wages: pd.Series, amounts: list[int]) -> list[float]:
    return [
        wage * _BASIS_POINTS / amount
        for wage, amount in zip(style.whole_numbers(wages), amounts, strict=True)
    ]
