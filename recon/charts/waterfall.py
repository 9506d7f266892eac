"""The wallet's waterfall: from the opening balance to the closing one, step by step."""

import pandas as pd
from matplotlib.figure import Figure

from recon.charts import style
from recon.charts.labels import Label, label_bars
from recon.charts.look import ENGLISH, Look

TITLE = "Wallet from opening to closing"
_STEPS = (
    *("payments", "gateway", "hosted", "deposits", "adjustments"),
    *("explained", "unexplained"),
)
_UNCOMPARED = "not compared"
_COLOURS = {
    "explained": style.REST,
    "unexplained": style.ALARM,
    _UNCOMPARED: style.REST,
}
_ENDS = style.INK
_OUT = style.SKY
_FOREMOST = 2**63  # beyond every amount


def wallet_waterfall(rollforward: pd.DataFrame, *, look: Look = ENGLISH) -> Figure:
    """Draw what led from the period's opening to its closing balance.

    Takes the columns of rollforward.csv, of one wallet at a time; amounts in rials. The
    last steps are the rest that named items explain and the one that nothing does; and
    where the wallet changed, from the one's last balance to the other's first, which
    may be of one instant.
    """
    if rollforward.empty:
        what = "No two balance snapshots to compare in this period."
        return style.empty(TITLE, what, look)
    intervals = rollforward.sort_values("to_at", ignore_index=True)
    opening = int(intervals["opening"].iloc[0])
    moves = [sum(style.whole_numbers(intervals[name])) for name in _STEPS]
    closing = int(intervals["closing"].iloc[-1])
    steps: tuple[str, ...] = _STEPS
    if not _leads_on(intervals):
        steps, moves = (*steps, _UNCOMPARED), [*moves, closing - opening - sum(moves)]
    unit = style.unit_of([opening, closing, *moves], look)
    title = look.say("{title}, {unit}", title=look.say(TITLE), unit=unit.name)
    made = style.figure(title, look=look)
    axes = style.tidy(made.add_subplot())
    names = ["opening", *steps, "closing"]
    level = opening
    axes.bar(0, opening, 0.7, color=_ENDS)
    tops = [max(opening, 0)]
    for place, (name, move) in enumerate(zip(steps, moves, strict=True), start=1):
        colour = _COLOURS.get(name, style.BLUE if move >= 0 else _OUT)
        axes.bar(place, move, 0.7, bottom=level, color=colour)
        axes.plot(
            [place - 0.65, place + 0.35], [level, level], color=style.QUIET, lw=0.7
        )
        tops.append(max(level, level + move))
        level += move
    axes.bar(len(names) - 1, closing, 0.7, color=_ENDS)
    tops.append(max(closing, 0))
    figures = [
        _figure(names[place], place, rials, top, unit)
        for place, (rials, top) in enumerate(
            zip([opening, *moves, closing], tops, strict=True)
        )
    ]
    label_bars(axes, figures)
    axes.axhline(0, color=style.QUIET, linewidth=0.8)
    words = [look.say(name).replace(" ", "\n") for name in names]  # side by side
    axes.set_xticks(range(len(names)), words)
    if look.is_persian:
        axes.invert_xaxis()
    axes.margins(y=0.12)
    style.amount_axis(axes, unit)
    return made


def _leads_on(intervals: pd.DataFrame) -> bool:
    """Tell whether each interval goes on from the balance before it, at its instant."""
    before, after = (
        rows.reset_index(drop=True) for rows in (intervals[:-1], intervals[1:])
    )
    same = (before["wallet"] == after["wallet"]) | (
        before["closing"] == after["opening"]
    )
    return bool((same & (before["to_at"] == after["from_at"])).all())


def _figure(name: str, place: int, rials: int, top: int, unit: style.Unit) -> Label:
    """Write a step's figure; what nothing explains to the rial, before all others.

    Any other is to the rial where the unit would write none of it.
    """
    if name != "unexplained":
        is_small = unit.rounds_to_nothing(rials)
        text = unit.to_the_rial(rials) if is_small else unit.text(rials)
        return Label(text=text, place=place, height=top, weight=rials, size=9.5)
    return Label(
        text=unit.to_the_rial(rials),
        place=place,
        height=top,
        weight=_FOREMOST,
        colour=style.ALARM_TEXT if rials else style.INK,
        size=9.5,
    )
