"""Fees: the rate that was paid against the one that was agreed."""

import pandas as pd
from matplotlib.figure import Figure

from recon.charts import style

TITLE = "Effective fee by product and method"
_ROW_INCHES = 0.42
_BASIS_POINTS = 10_000


def effective_rates(fees: pd.DataFrame) -> Figure:
    """Draw the wage in basis points of the amount, charged and by the tariff.

    Takes the columns of fees.csv; a line is a product, method and month. A hollow
    mark is what the tariff gives, a full one what was charged; they are orange where
    the two differ by a rial or more.
    """
    paid = fees[fees["amount"] > 0]
    if paid.empty:
        return style.empty(TITLE, "No certain payments in this period.")
    rows = paid.sort_values(["product", "payment_method", "month"], ignore_index=True)
    made = style.figure(
        f"{TITLE}, basis points (1/10,000 of the amount)",
        height=1.5 + _ROW_INCHES * len(rows),
    )
    axes = style.tidy(made.add_subplot())
    amounts = style.whole_numbers(rows["amount"])
    charged = _rates(rows["wage"], amounts)
    agreed = _rates(rows["expected_wage"], amounts)
    differences = style.whole_numbers(rows["difference"])
    for place, (rate, tariff, rials) in enumerate(
        zip(charged, agreed, differences, strict=True)
    ):
        colour = style.ALARM if rials else style.BLUE
        if not rows["expected_wage"].isna()[place]:
            axes.plot([rate, tariff], [place, place], color=colour, linewidth=1.5)
            axes.plot(tariff, place, "o", mfc="none", mec=colour, ms=10)
        axes.plot(rate, place, "o", color=colour, ms=5)
        note = f"{rials:+,} rials" if rials else ""
        axes.annotate(
            f"{rate:.1f}   {note}",
            (max(rate, tariff), place),
            xytext=(9, 0),
            textcoords="offset points",
            va="center",
            fontsize=9.5,
            color=colour,
        )
    names = zip(rows["product"], rows["payment_method"], rows["month"], strict=True)
    axes.set_yticks(
        range(len(rows)),
        [
            f"{style.label(method or product)}  {month or 'no month'}"
            for product, method, month in names
        ],
    )
    axes.invert_yaxis()
    axes.grid(axis="x", color=style.FAINT, linewidth=0.8)
    axes.set_xlim(left=0)
    axes.margins(x=0.2, y=0.03)
    return made


def _rates(wages: pd.Series, amounts: list[int]) -> list[float]:
    return [
        wage * _BASIS_POINTS / amount
        for wage, amount in zip(style.whole_numbers(wages), amounts, strict=True)
    ]
