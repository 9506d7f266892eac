"""Breaks: what is open, how loud, since when."""

from collections import Counter

import pandas as pd
from matplotlib.figure import Figure

from recon.charts import style
from recon.charts.bars import lying_bars
from recon.charts.labels import Label, label_bars
from recon.charts.look import ENGLISH, Look
from recon.charts.series_names import name_beside

TITLE = "Open breaks by check"
AGE_TITLE = "Open breaks by age"
LOUDNESS = {
    "critical": "#b2182b",
    "error": style.ALARM,
    "warning": style.AMBER,
    "info": style.QUIET,
}
_MOST_CHECKS = 25
_AGES = {"today": 0, "1 to 2 days": 2, "3 to 6 days": 6, "1 to 4 weeks": 28}
_OLDER = "older"


def breaks_by_check(breaks: pd.DataFrame, *, look: Look = ENGLISH) -> Figure:
    """Draw how many breaks of each check are open, the loudest first.

    Takes the columns of breaks.csv. The checks with the most breaks of their severity
    are shown, at most twenty-five; of those with as many, first the most rials.
    """
    still_open = breaks[breaks["status"] == "open"]
    if still_open.empty:
        return style.empty(TITLE, "No break is open in this period.", look)
    counts = Counter(zip(still_open["severity"], still_open["check"], strict=True))
    differences = style.whole_numbers(still_open["difference"])
    rials: Counter[str] = Counter()
    for check, difference in zip(still_open["check"], differences, strict=True):
        rials[check] += abs(difference)
    order = list(LOUDNESS)
    rows = sorted(
        ((severity, check, count) for (severity, check), count in counts.items()),
        key=lambda row: (order.index(row[0]), -row[2], -rials[row[1]], row[1]),
    )
    shown = rows[:_MOST_CHECKS]
    title = look.say(TITLE)
    if len(shown) < len(rows):
        title = look.say(
            "Open breaks by check: the loudest {shown} of {whole}",
            shown=look.count(len(shown)),
            whole=look.count(len(rows)),
        )
    return lying_bars(
        title,
        [check for _, check, _ in shown],
        [count for _, _, count in shown],
        [
            look.say(
                "{count} {severity}",
                count=look.count(count),
                severity=look.say(severity),
            )
            for severity, _, count in shown
        ],
        [LOUDNESS[severity] for severity, _, _ in shown],
        look,
    )


def breaks_by_age(breaks: pd.DataFrame, *, look: Look = ENGLISH) -> Figure:
    """Draw how many breaks have been open for how long, by severity.

    Takes the columns of breaks.csv; the age is in days since a run first found it.
    """
    still_open = breaks[breaks["status"] == "open"]
    if still_open.empty:
        return style.empty(AGE_TITLE, "No break is open in this period.", look)
    ages = style.whole_numbers(still_open["age_days"])
    found = pd.crosstab(
        pd.Series([_age(days) for days in ages], name="age"),
        pd.Series(list(still_open["severity"]), name="severity"),
    ).reindex(index=[*_AGES, _OLDER], fill_value=0)
    present = [name for name in LOUDNESS if name in found]
    made = style.figure(look.say(AGE_TITLE), height=3.6, look=look)
    axes = style.tidy(made.add_subplot())
    feet = [0] * len(found)
    for severity in present:
        heights = style.whole_numbers(found[severity])
        axes.bar(range(len(found)), heights, 0.7, feet, color=LOUDNESS[severity])
        feet = [foot + height for foot, height in zip(feet, heights, strict=True)]
    figures = [
        Label(text=look.count(count), place=place, height=count, weight=count, size=10)
        for place, count in enumerate(feet)
    ]
    label_bars(axes, figures)
    axes.set_xticks(range(len(found)), [look.say(age) for age in found.index])
    axes.set_yticks([])
    axes.margins(y=0.15)
    if look.is_persian:
        axes.invert_xaxis()
    for line, severity in enumerate(present):
        height = 0.95 - 0.11 * line
        name, colour = look.say(severity), LOUDNESS[severity]
        name_beside(axes, axes.transAxes, height, name, colour)
    return made


def _age(days: int) -> str:
    return next((name for name, most in _AGES.items() if days <= most), _OLDER)
