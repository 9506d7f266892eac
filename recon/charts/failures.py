"""Failures: which payments did not happen, by method and code."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from recon.charts import style
from recon.charts.flows import OTHERS, method_names
from recon.charts.heatmap import heatmap, shades
from recon.charts.look import ENGLISH, Look

TITLE = "Failed payments by method and code"
_MOST_METHODS = 12
_MOST_CODES = 7
_ROW_INCHES = 0.52
_SIGNS_ACROSS = 84
_GATEWAY_CODES = {"0": "0 wrong data", "3": "3 expired", "4": "4 failed"}
_SHADES = shades(style.ALARM)


def failure_matrix(failures: pd.DataFrame, *, look: Look = ENGLISH) -> Figure:
    """Draw a table: methods down, codes across, each cell a count and its share.

    Takes the columns of failures.csv. The share is of all attempts of the method in
    the period; the darker, the larger. The methods and codes that failed most come
    first, the rest together.
    """
    failed = failures[failures["failed"] > 0]
    if failed.empty:
        return style.empty(TITLE, "No failed payments in this period.", look)
    attempts = _attempts(failures)
    counts = _folded(
        pd.DataFrame(
            {
                "method": method_names(failed),
                "code": code_names(failed, look),
                "failed": style.whole_numbers(failed["failed"]),
            }
        )
    )
    rows = [method for method in counts.index if method != OTHERS]
    whole = {method: attempts[method] for method in rows}
    if OTHERS in counts.index:
        whole[OTHERS] = int(attempts.drop(rows).sum())
    title = look.say(
        "{title}: count, and share of the method's attempts", title=look.say(TITLE)
    )
    height = 1.5 + _ROW_INCHES * len(counts)
    made = style.figure(title, height=height, look=look)
    _draw(made.add_subplot(), counts, whole, look)
    return made


def code_names(failed: pd.DataFrame, look: Look = ENGLISH) -> pd.Series:
    """Name each code; the gateway's are numbers. Source: document 2, B, code."""
    names = [
        look.say(_GATEWAY_CODES[code])
        if product == "gateway" and code in _GATEWAY_CODES
        else code
        for product, code in zip(failed["product"], failed["code"], strict=True)
    ]
    return pd.Series(names, failed.index, dtype="str")


def _attempts(failures: pd.DataFrame) -> pd.Series:
    """Return each method's attempts; a day's stand on the row of each of its codes."""
    days = failures.assign(method=method_names(failures)).drop_duplicates(
        ["business_date", "product", "method"]
    )
    return days.groupby("method")["attempts"].sum()


def _folded(failed: pd.DataFrame) -> pd.DataFrame:
    """Count by method and code; what is beyond the largest few goes together."""
    for column, most in (("method", _MOST_METHODS), ("code", _MOST_CODES)):
        sums = failed.groupby(column)["failed"].sum()
        largest = sums.sort_values(ascending=False, kind="stable").index[:most]
        kept = failed[column].isin(largest)
        failed[column] = failed[column].where(kept, OTHERS)
    table = failed.pivot_table(
        index="method", columns="code", values="failed", aggfunc="sum", fill_value=0
    )
    return table.loc[_largest_first(table.sum(axis=1)), _largest_first(table.sum())]


def _largest_first(sums: pd.Series) -> list[str]:
    ordered = list(sums.sort_values(ascending=False, kind="stable").index)
    return [name for name in ordered if name != OTHERS] + [
        name for name in ordered if name == OTHERS
    ]


def _draw(
    axes: Axes, counts: pd.DataFrame, attempts: dict[str, int], look: Look
) -> None:
    shares = [
        [count / max(attempts[method], 1) for count in counts.loc[method]]
        for method in counts.index
    ]
    texts = [
        [
            f"{look.count(count)}   {look.share(share, 1)}" if count else "–"
            for count, share in zip(counts.loc[method], row, strict=True)
        ]
        for method, row in zip(counts.index, shares, strict=True)
    ]
    heatmap(axes, shares, texts, _SHADES, points=10)
    axes.tick_params(length=0, labelsize=9.5, top=True, labeltop=True)
    axes.tick_params(bottom=False, labelbottom=False)
    width = _SIGNS_ACROSS // len(counts.columns)
    names = [style.wrapped(_named(code, look), width) for code in counts]
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks(
        range(len(counts)),
        [
            f"{style.label(_named(method, look))}\n" + _tried(attempts[method], look)
            for method in counts.index
        ],
    )
    axes.set_xticks([place + 0.5 for place in range(len(counts.columns))], minor=True)
    axes.set_yticks([place + 0.5 for place in range(len(counts))], minor=True)
    axes.grid(which="minor", color="white", linewidth=3)
    axes.tick_params(which="minor", length=0)
    if look.is_persian:
        axes.invert_xaxis()
        axes.yaxis.tick_right()
        axes.tick_params(axis="y", which="both", length=0)


def _tried(count: int, look: Look) -> str:
    """Say how many attempts there were; one is told as one."""
    text = "{count} attempt" if count == 1 else "{count} attempts"
    return look.say(text, count=look.count(count))


def _named(name: Any, look: Look) -> str:
    """Return a name of the data as it is, and the one of the rest in the language."""
    return look.say(OTHERS) if name == OTHERS else str(name)
