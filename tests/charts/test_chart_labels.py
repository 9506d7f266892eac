"""The figures at bars: each is read whole, or is not there."""

import itertools
from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation

from recon import charts
from recon.charts import Look
from tests.charts.frames import break_rows, intervals, mandate_rows
from tests.charts.test_chart_layout import (
    both,
    boxed,
    drawn,
    drawn_in_sizes,
    meet,
    overlap,
)

APART_PIXELS = 4
BILLION = 1_000_000_000
NEIGHBOURS = [2_144_851_100, 770_950_000]
"""The label of the second is written over the bar of the first."""


def rests(*unexplained: int, of: int = 22) -> pd.DataFrame:
    """A wallet of so many intervals, the first of which end with these rests."""
    given = intervals(of)
    given["explained"] = 0
    given["unexplained"] = [*unexplained, *[0] * (of - len(unexplained))]
    return given


def labels(axes: Axes) -> list[Annotation]:
    """The figures at bars that are shown."""
    notes = [each for each in axes.texts if isinstance(each, Annotation)]
    return [each for each in notes if each.get_visible() and each.get_text()]


def shown(made: Figure, at: int = 0) -> list[str]:
    return [each.get_text() for each in labels(made.axes[at])]


def in_rials(amount: int, look: Look) -> str:
    """A figure to the rial on an axis of another unit: the rials are below it."""
    written = look.say("{rials} rials", rials=look.count(amount))
    return written.replace(" ", "\n")


def assert_legible(axes: Axes) -> None:
    found = labels(axes)
    assert found
    for (one, first), (other, second) in itertools.combinations(boxed(found), 2):
        assert not meet(one, other), (first, second)
    bars = [each for each in axes.patches if isinstance(each, Rectangle)]
    for label in found:
        behind = label.get_bbox_patch()
        assert behind is not None, label
        assert behind.get_facecolor() == to_rgba(axes.get_facecolor())
        assert all(label.get_zorder() > bar.get_zorder() for bar in bars), label


@both
@pytest.mark.parametrize(
    "unexplained",
    [
        NEIGHBOURS,
        [*reversed(NEIGHBOURS)],
        [770_950_000, 770_950_001],
        [-BILLION, -BILLION - 1, BILLION],
        [BILLION + each for each in range(12)],
        [1_000, -1_000, 999],
    ],
)
def test_the_figures_of_neighbouring_rests_are_read_whole(
    unexplained: Sequence[int], look: Look
) -> None:
    given = rests(*unexplained)
    for made in drawn_in_sizes(charts.wallet_rollforward, given, look):
        assert_legible(made.axes[1])


@both
def test_neighbours_of_different_height_have_both_figures_beside_the_bars(
    look: Look,
) -> None:
    made = drawn(charts.wallet_rollforward, rests(*NEIGHBOURS), look, slide=False)
    axes = made.axes[1]
    assert shown(made, 1) == [in_rials(each, look) for each in NEIGHBOURS]
    bars = [bar.get_window_extent() for bar in axes.patches]
    for label in labels(axes):
        box = label.get_window_extent()
        assert not any(
            min(box.x1, bar.x1) > max(box.x0, bar.x0)
            and min(box.y1, bar.y1) > max(box.y0, bar.y0)
            for bar in bars
        ), label


@both
@pytest.mark.parametrize("rest", [10**12 + 7, 10**13 + 7, 10**15 + 7])
def test_no_figure_ends_beyond_the_picture(rest: int, look: Look) -> None:
    """The last one makes way for its neighbour, and there is little room beside it."""
    given = rests(of=40)
    given["unexplained"] = [*[0] * 38, 2 * rest, rest]
    for made in drawn_in_sizes(charts.wallet_rollforward, given, look):
        assert labels(made.axes[1])
        for box, figure in boxed(labels(made.axes[1])):
            assert made.bbox.x0 <= box.x0, figure
            assert box.x1 <= made.bbox.x1, figure


def test_of_two_figures_without_room_the_larger_is_written() -> None:
    given = rests(*[BILLION] * 3, BILLION + 7, *[BILLION] * 3)
    made = drawn(charts.wallet_rollforward, given, Look(), slide=False)
    assert "1,000,000,007\nrials" in shown(made, 1)
    assert len(shown(made, 1)) < 7


@both
def test_a_figure_stands_over_the_middle_of_no_other_bar(look: Look) -> None:
    """It would be read as that one's."""
    given = rests(*[BILLION + each for each in range(12)])
    axes = drawn(charts.wallet_rollforward, given, look, slide=False).axes[1]
    for label in labels(axes):
        at, _ = axes.transData.transform(label.xy)
        box = label.get_window_extent()
        assert (box.x0 + box.x1) / 2 == pytest.approx(at, abs=2)


def test_a_figure_that_has_no_room_on_a_page_has_it_on_a_wide_sheet() -> None:
    """It is measured at each drawing, so that no size is the one that was meant."""
    made = charts.wallet_rollforward(rests(*[BILLION] * 4))
    FigureCanvasAgg(made)
    counts = []
    for width in (6, 60, 6):
        made.set_size_inches(width, 6)
        made.draw_without_rendering()
        counts.append(len(shown(made, 1)))
    assert counts[0] == counts[2] < counts[1] == 4


@both
def test_the_figure_of_the_last_rest_leaves_the_names_beside_it_whole(
    look: Look,
) -> None:
    given = rests(*[0] * 21, 1_234_567_890)
    for made in drawn_in_sizes(charts.wallet_rollforward, given, look):
        axes = made.axes[1]
        (figure,) = labels(axes)
        names = [text for text in axes.texts if text is not figure and text.get_text()]
        assert len(names) == 2
        for name in names:
            assert not overlap(figure, name), name


def test_a_rest_of_nothing_has_no_figure() -> None:
    made = drawn(charts.wallet_rollforward, rests(0, 0), Look(), slide=False)
    assert shown(made, 1) == []


def steep() -> pd.DataFrame:
    """One interval whose rest is written to the rial between tall neighbours."""
    given = intervals(1)
    for name in ("payments", "gateway", "hosted", "deposits", "adjustments"):
        given[name] = 0
    given["opening"] = given["closing"] = 98_765_432_101_234
    given["explained"], given["unexplained"] = 1_000, -1_000_000_000_007
    return given


@both
@pytest.mark.parametrize("times", [10**3, 10**6, 10**9])
@pytest.mark.parametrize(
    ("draw", "at"), [(charts.wallet_waterfall, 0), (charts.wallet_rollforward, 1)]
)
def test_a_rest_to_the_rial_names_them_where_the_axis_has_another_unit(
    draw: Any, at: int, times: int, look: Look
) -> None:
    rest = -8_773_347 * times
    axes = drawn(draw, rests(rest), look, slide=False).axes[at]
    assert in_rials(rest, look) in [label.get_text() for label in labels(axes)]


@pytest.mark.parametrize("draw", [charts.wallet_waterfall, charts.wallet_rollforward])
def test_a_rest_on_an_axis_of_rials_is_a_figure_alone(draw: Any) -> None:
    made = drawn(draw, rests(-8_773, of=1), Look(), slide=False)
    assert "-8,773" in shown(made, len(made.axes) - 1)


def millionfold() -> pd.DataFrame:
    """A busy wallet, all of whose steps have eight digits in billions of rials."""
    given = steep()
    steps = ["opening", "payments", "deposits", "explained", "closing"]
    given[steps] = 12_345_678 * BILLION
    given["adjustments"] = -37_037_034 * BILLION
    given["unexplained"] = -8_773_347_000_000
    return given


@both
@pytest.mark.parametrize("draw", [charts.wallet_waterfall, charts.wallet_rollforward])
@pytest.mark.parametrize("given", [millionfold(), rests(*[-BILLION, BILLION] * 11)])
def test_figures_keep_apart_from_one_another_and_from_those_of_the_axis(
    draw: Any, given: pd.DataFrame, look: Look
) -> None:
    for made in drawn_in_sizes(draw, given, look):
        axes = made.axes[-1]
        found = boxed(labels(axes))
        assert found
        for (one, first), (other, second) in itertools.combinations(found, 2):
            assert not meet(one, other, slack=-APART_PIXELS), (first, second)
        ticks = boxed([each for each in axes.get_yticklabels() if each.get_visible()])
        for (one, figure), (other, tick) in itertools.product(found, ticks):
            assert not meet(one, other), (figure, tick)


def many_ends() -> pd.DataFrame:
    """Ten thousands of mandates that end in each of the next 26 weeks, unevenly."""
    one = mandate_rows(1).assign(is_usable=True)
    weeks = pd.date_range("2026-01-03", periods=26, freq="7D").date
    counts = [(1_100 if week % 2 else 2_345) for week in range(26)]
    rows = one.loc[[0] * sum(counts)].reset_index(drop=True)
    rows["expiry_date"] = [
        week for week, count in zip(weeks, counts, strict=True) for _ in range(count)
    ]
    return rows


@both
@pytest.mark.parametrize(
    ("draw", "given"),
    [
        (charts.wallet_waterfall, steep()),
        (charts.wallet_waterfall, intervals(40)),
        (charts.mandate_expiry, many_ends()),
        (charts.breaks_by_age, break_rows(40)),
    ],
    ids=["waterfall", "waterfall-plain", "mandates", "breaks"],
)
def test_the_figures_of_every_chart_of_upright_bars_are_read_whole(
    draw: Any, given: pd.DataFrame, look: Look
) -> None:
    for made in drawn_in_sizes(draw, given, look):
        assert_legible(made.axes[0])
