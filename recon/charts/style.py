"""The look that all charts share: sizes, colours, numbers, dates, the empty chart.

Colours are Okabe and Ito's, told apart with every common colour blindness; orange-red
is kept for what needs attention. Those of series are in an order in which neighbours
stay two on paper without colours. Many are too light for letters, which have tones of
their own. Amounts stay integers until they become places on paper.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

import pandas as pd
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter, MaxNLocator
from pandas.api.extensions import ExtensionArray

from recon.charts.look import ENGLISH, Look
from recon.charts.steps import Steps

INK = "#222222"
QUIET = "#8a8a8a"
FAINT = "#dddddd"
BLUE = "#0072b2"
SKY = "#56b4e9"
ALARM = "#d55e00"
AMBER = "#e69f00"
SERIES = (BLUE, SKY, "#009e73", AMBER, "#5b4b8a", "#cc79a7")
REST = "#b5b5b5"
ALARM_TEXT, QUIET_TEXT = "#b23c00", "#666666"

WIDTH_INCHES = 10.0
HEIGHT_INCHES = 5.4
DPI = 110

_TITLE_POINTS = 13
_TITLE_PLACE = 0.012  # of the width, from the side where reading begins
_LABEL_POINTS = 10
_MOST_DATE_LABELS = 9
_THOUSAND = 1_000
_MILLION = 1_000_000
_BILLION = 1_000_000_000
_NO_FRACTION_FROM = 1_000
_SHORT_FROM = 10
_LEAST = 0.05  # what is less would be rounded to nothing
_MOST_SHARE_DIGITS = 4
_NO_SHARE = 1e-9
_NARROW_BELOW = 10_000
_EXACT_BELOW = 10 * _MILLION
_MILLIONS_BELOW = 10 * _BILLION


@dataclass(frozen=True)
class Unit:
    """How amounts are written on an axis: so many rials make one of it."""

    rials: int
    name: str
    look: Look = ENGLISH

    def text(self, amount: float) -> str:
        """Write an amount of rials in this unit, with thousands separators.

        What came to little is `<0.1`, and so told from what came to nothing.
        """
        is_little = self.rounds_to_nothing(amount)
        return self._written(amount, _NO_FRACTION_FROM, is_little=is_little)

    def rounds_to_nothing(self, amount: float) -> bool:
        """Tell whether an amount is some rials, and none to a tenth of this unit."""
        return bool(round(amount)) and abs(amount) < _LEAST * self.rials

    def tick(self, amount: float, ticks: Sequence[float]) -> str:
        """Write one of the amounts along an axis, each with the digits that tell it."""
        digits = self._digits(ticks)
        is_long = max(map(abs, ticks)) >= _NO_FRACTION_FROM * self.rials
        if not digits or (digits == 1 and not is_long):
            return self.text(amount)
        return self.look.written(f"{amount / self.rials:z,.{digits}f}")

    def _digits(self, amounts: Sequence[float]) -> int:
        """Return how many digits after the point write each amount whole."""
        rials = [round(float(f"{amount:.15g}")) for amount in amounts]
        digits, part = 0, self.rials
        while part > 1 and any(each % part for each in rials):
            digits, part = digits + 1, part // 10
        return digits

    def to_the_rial(self, amount: int) -> str:
        """Write an amount whole; below it the rials, where the unit is another.

        Nothing is nothing in every unit.
        """
        rials = self.look.count(amount)
        if self.rials == 1 or not amount:
            return rials
        return self.look.say("{rials} rials", rials=rials).replace(" ", "\n")

    def short(self, amount: float) -> str:
        """Write a mean of amounts, maybe below a rial, for a narrow place."""
        is_little = amount / self.rials < _LEAST
        return self._written(amount, _SHORT_FROM, is_little=is_little)

    def _written(self, amount: float, whole_from: int, *, is_little: bool) -> str:
        """Write an amount in this unit, with a fraction below so many of it."""
        if amount > 0 and is_little:
            return self.look.from_left(self.look.written("<0.1"))
        whole = amount / self.rials
        digits = 0 if whole == int(whole) or abs(whole) >= whole_from else 1
        return self.look.written(f"{whole:z,.{digits}f}")


def unit_of(amounts: Iterable[float], look: Look = ENGLISH) -> Unit:
    """Choose the unit in which the largest of these amounts is short to read."""
    largest = max((abs(amount) for amount in amounts), default=0)
    if largest < _EXACT_BELOW:
        return Unit(1, look.say("rials"), look)
    if largest < _MILLIONS_BELOW:
        return Unit(_MILLION, look.say("million rials"), look)
    return Unit(_BILLION, look.say("billion rials"), look)


def narrow_unit_of(amounts: Iterable[float], look: Look = ENGLISH) -> Unit:
    """Choose the unit in which the largest of these amounts has four digits at most."""
    largest = max((abs(amount) for amount in amounts), default=0)
    if _NARROW_BELOW <= largest < _NARROW_BELOW * _THOUSAND:
        return Unit(_THOUSAND, look.say("thousand rials"), look)
    if _NARROW_BELOW <= largest < _NARROW_BELOW * _MILLION:
        return Unit(_MILLION, look.say("million rials"), look)
    if largest >= _NARROW_BELOW * _BILLION:
        return Unit(_THOUSAND * _BILLION, look.say("thousand billion rials"), look)
    return unit_of([largest], look)


class _TwiceLaidOut(ConstrainedLayoutEngine):
    """A layout for figures beside marks, which it moves as it makes room for them."""

    def execute(self, fig: Figure) -> None:
        """Lay out, and once more from where the marks are then."""
        super().execute(fig)
        super().execute(fig)


def figure(
    title: str,
    *,
    height: float = HEIGHT_INCHES,
    look: Look = ENGLISH,
    has_figures_beside: bool = False,
) -> Figure:
    """Return an empty figure with its title; legible on a slide and on a page.

    `has_figures_beside`: texts stand beside marks, maybe as far as the edge.
    """
    engine = _TwiceLaidOut if has_figures_beside else ConstrainedLayoutEngine
    layout = engine(w_pad=0.12, h_pad=0.1)
    made = Figure(figsize=(WIDTH_INCHES, height), dpi=DPI, layout=layout)
    made.suptitle(
        title,
        x=1 - _TITLE_PLACE if look.is_persian else _TITLE_PLACE,
        ha="right" if look.is_persian else "left",
        fontsize=_TITLE_POINTS,
        weight="bold",
        color=INK,
    )
    return made


def empty(title: str, what: str, look: Look = ENGLISH) -> Figure:
    """Return a chart that says what is missing instead of showing nothing."""
    made = figure(look.say(title), height=2.2, look=look)
    axes = made.add_subplot()
    axes.set_axis_off()
    said = look.say(what)
    axes.text(0.5, 0.5, said, ha="center", va="center", fontsize=12, color=QUIET_TEXT)
    return made


def note_above(axes: Axes, text: str, look: Look, colour: str = INK) -> None:
    """Write a sentence between the title and the axes, where reading begins."""
    axes.set_title(
        text,
        loc="right" if look.is_persian else "left",
        fontsize=_LABEL_POINTS,
        color=colour,
    )


def tidy(axes: Axes) -> Axes:
    """Take away every line that tells nothing."""
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(FAINT)
    axes.tick_params(length=0, labelsize=_LABEL_POINTS, colors=INK)
    axes.tick_params(axis="x", pad=7)
    axes.set_axisbelow(True)
    return axes


def amount_axis(axes: Axes, unit: Unit) -> None:
    """Write amounts in that unit along the upright axis."""
    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda value, _: unit.tick(value, list(axes.get_yticks())))
    )
    whole = unit.rials == 1
    axes.yaxis.set_major_locator(
        MaxNLocator(nbins=6, integer=whole, min_n_ticks=1 if whole else 2)
    )
    axes.grid(axis="y", color=FAINT, linewidth=0.8)


def share_axis(axes: Axes, look: Look) -> None:
    """Write shares along the upright axis, with no more digits than tell its ticks."""

    def text(share: float, _: object) -> str:
        percents = [100 * float(tick) for tick in axes.get_yticks()]
        digits = 0
        while digits < _MOST_SHARE_DIGITS and any(
            not math.isclose(each, round(each, digits), abs_tol=_NO_SHARE)
            for each in percents
        ):
            digits += 1
        return look.share(share, digits)

    axes.yaxis.set_major_formatter(FuncFormatter(text))


def date_axis(
    axes: Axes, steps: Steps, look: Look, *, most: int = _MOST_DATE_LABELS
) -> None:
    """Label places 0, 1, 2 … with their dates, as many as can be read."""
    firsts = steps.firsts
    every = max(1, -(-len(firsts) // most))
    places = list(range(0, len(firsts), every))
    if steps.name == "month":
        texts = [look.month_of(firsts[place]) for place in places]
    else:
        texts = _ticks([firsts[place] for place in places], look)
    axes.set_xticks(places, texts)


def tell_part_steps(axes: Axes, steps: Steps, look: Look) -> None:
    """Say below an axis which weeks or months at its ends have not all their days."""
    said = {
        (True, False): "The first {name} starts only on {first}.",
        (False, True): "The last {name} ends already on {last}.",
        (True, True): "The first {name} starts only on {first}, "
        "and the last ends already on {last}.",
    }
    first, last = steps.begins_at, steps.ends_at
    phrase = said.get((first is not None, last is not None))
    if phrase:
        days = {"first": first and look.day(first), "last": last and look.day(last)}
        told = look.say(phrase, name=look.say(steps.name), **days)
        axes.set_xlabel(told, fontsize=9.5, color=QUIET_TEXT)


def time_axis(
    axes: Axes, places: Sequence[float], days: Sequence[date], look: Look
) -> None:
    """Label places in time with their dates, as many as can be read.

    Places rise, and the axis has its bounds already: what it is wider by than the
    places brings their labels together. The last one, which is of now, has its label; a
    date has one, at its last place.
    """
    first, last = axes.get_xlim()
    between = (places[-1] - places[0]) / (_MOST_DATE_LABELS - 1)
    apart = max(between, (last - first) / _MOST_DATE_LABELS)
    chosen = [len(places) - 1]
    for index in reversed(range(len(places) - 1)):
        latest = chosen[-1]
        if places[latest] - places[index] >= apart and days[index] != days[latest]:
            chosen.append(index)
    chosen.reverse()
    texts = _ticks([days[index] for index in chosen], look)
    axes.set_xticks([places[index] for index in chosen], texts)


def _ticks(days: Sequence[date], look: Look) -> list[str]:
    return [
        look.tick(day, days[index - 1] if index else None)
        for index, day in enumerate(days)
    ]


def wrapped(text: Any, width: int) -> str:
    """Return a label broken into up to three lines of about that width."""
    lines = [""]
    breakable = rf"[^_\- ]{{0,{width - 1}}}[_\- ]|[^_\- ]{{1,{width}}}"
    for part in re.findall(breakable, label(text, 3 * width)):
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(line.strip() for line in lines)


def label(text: Any, most: int = 26) -> str:
    """Return a text from the data as it can be drawn: short, on one line, plain.

    A sign that the font lacks becomes an empty box; a dollar sign starts no formula.
    """
    plain = " ".join(str(text).split())
    cut = plain if len(plain) <= most else plain[: most - 1] + "…"
    drawable = "".join(sign if _has_glyph(sign) else "□" for sign in cut)
    return drawable.replace("$", r"\$")


@cache
def _has_glyph(sign: str) -> bool:
    font = font_manager.get_font(font_manager.findfont("DejaVu Sans"))
    return bool(font.get_char_index(ord(sign)))


def whole_numbers(values: Iterable[Any]) -> list[int]:
    """Return amounts as Python integers; an empty cell counts as none."""
    return [0 if pd.isna(value) else int(value) for value in values]


def summable(values: Iterable[Any]) -> ExtensionArray:
    """Return amounts as a column of Python's integers: a sum of it is never wrapped."""
    return pd.array(whole_numbers(values), dtype="object")


def on_paper(amounts: Iterable[int]) -> list[float]:
    """Return amounts as places: a sum beyond 64 bits is no number to matplotlib."""
    return [float(amount) for amount in amounts]
