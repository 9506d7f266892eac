"""What a reader sees: every text whole, none over another, marks where the data is."""

import itertools
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

from recon import charts
from recon.charts import Look, wallet_rollforward
from recon.reports import flows
from tests.charts.drawing import CHARTS, Draw
from tests.charts.frames import FIRST, fee_rows, frame, hour_rows, intervals
from tests.reports.stand_in import a_flow

LOOKS = [Look(), Look("jalali", "fa")]
SLIDE_INCHES = (12.8, 7.2)  # 1280 by 720 at 100 dots an inch
SLACK = 1.0  # pixels
SMALLEST_POINTS = 8
GAP = 4.0  # pixels between two dates
LONG = "direct-debit-of-a-bank-with-a-long-name"

each = pytest.mark.parametrize(
    ("draw", "rows"), CHARTS, ids=[draw.__name__ for draw, _ in CHARTS]
)
both = pytest.mark.parametrize("look", LOOKS, ids=["en", "fa"])


def drawn(draw: Draw, given: Any, look: Look, *, slide: bool) -> Figure:
    """A chart with all in its place, as a drawing puts it, but no pixels."""
    made = draw(given, look=look)
    if slide:
        made.set_size_inches(*SLIDE_INCHES)
        made.set_dpi(100)
    FigureCanvasAgg(made)
    made.draw_without_rendering()
    return made


def drawn_in_sizes(draw: Draw, given: Any, look: Look) -> Iterator[Figure]:
    """One chart as it stands on a page, and then the same one on a slide."""
    made = drawn(draw, given, look, slide=False)
    yield made
    made.set_size_inches(*SLIDE_INCHES)
    made.set_dpi(100)
    made.draw_without_rendering()
    yield made


def shown_texts(made: Figure) -> list[Text]:
    ticks = {
        id(label)
        for axes in made.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks())
        for label in (tick.label1, tick.label2)
    }
    free = [
        text
        for text in made.findobj(Text)
        if id(text) not in ticks and text.get_visible() and text.get_text()
    ]
    return free + [label for group in tick_labels(made) for label in group]


def tick_labels(made: Figure) -> list[list[Text]]:
    """The labels that are drawn along each axis."""
    groups = []
    for axes in made.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            groups.append(
                [
                    label
                    for tick in axis.get_major_ticks()
                    if low <= tick.get_loc() <= high
                    for label in (tick.label1, tick.label2)
                    if label.get_visible() and label.get_text() and axis.get_visible()
                ]
            )
    return groups


def overlap(first: Text, second: Text, slack: float = SLACK) -> bool:
    return meet(first.get_window_extent(), second.get_window_extent(), slack)


def meet(one: Bbox, other: Bbox, slack: float = SLACK) -> bool:
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    upright = min(one.y1, other.y1) - max(one.y0, other.y0)
    return across > slack and upright > slack


def boxed(texts: list[Text]) -> list[tuple[Bbox, Text]]:
    """Texts with the place of each, which takes long to find."""
    return [(text.get_window_extent(), text) for text in texts]


def assert_neighbours_apart(texts: list[Text]) -> None:
    for (one, first), (other, second) in itertools.pairwise(boxed(texts)):
        assert not meet(one, other), (first, second)


def marks_of(made: Figure) -> int:
    return sum(
        len(axes.patches) + len(axes.lines) + len(axes.collections) + len(axes.images)
        for axes in made.axes
    )


@each
@both
def test_every_text_is_whole_large_enough_and_apart_from_others(
    draw: Draw, rows: Any, look: Look
) -> None:
    """So it is on a page and on a slide; a chart without marks would pass all else."""
    for made in drawn_in_sizes(draw, rows(40), look):
        assert marks_of(made)
        for box, text in boxed(shown_texts(made)):
            assert box.x0 >= made.bbox.x0 - SLACK, text
            assert box.x1 <= made.bbox.x1 + SLACK, text
            assert box.y0 >= made.bbox.y0 - SLACK, text
            assert box.y1 <= made.bbox.y1 + SLACK, text
            assert text.get_fontsize() >= SMALLEST_POINTS
        for labels in tick_labels(made):
            assert_neighbours_apart(labels)
        for axes in made.axes:
            inner = [text for text in axes.texts if text.get_visible()]
            assert_neighbours_apart([text for text in inner if text.get_text()])


def assert_whole(made: Figure) -> None:
    for box, text in boxed(shown_texts(made)):
        assert made.bbox.x0 - SLACK <= box.x0 <= box.x1 <= made.bbox.x1 + SLACK, text


@both
@pytest.mark.parametrize("days", [61, 371])
def test_dates_have_room_beside_the_longest_names(days: int, look: Look) -> None:
    given = frame(
        flows.COLUMNS,
        [
            a_flow(business_date=FIRST + timedelta(days=day), payment_method=LONG)
            for day in range(days)
        ],
    )
    for made in drawn_in_sizes(charts.flows_by_day, given.assign(amount=10**15), look):
        assert_whole(made)
        boxes = [box for box, _ in boxed(tick_labels(made)[0])]
        assert len(boxes) > 1
        for one, other in itertools.pairwise(boxes):
            assert one.x1 + GAP <= other.x0


@both
def test_the_dates_of_few_balances_are_apart(look: Look) -> None:
    """Nine in a row stood as one number: the axis is wider than they are apart."""
    for count in (7, 8, 9, 10):
        made = drawn(wallet_rollforward, intervals(count), look, slide=False)
        for labels in tick_labels(made):
            for first, second in itertools.pairwise(labels):
                apart = not overlap(first, second, slack=-GAP)
                assert apart, (count, first.get_text(), second.get_text())


@both
def test_a_figure_beside_a_mark_is_whole_however_long(look: Look) -> None:
    paid = a_flow(payment_method=LONG, amount=10**17, wage=10**15, count=10**6)
    given = frame(flows.COLUMNS, [paid, paid | {"payment_method": "b", "amount": 1}])
    assert_whole(drawn(charts.flows_by_method, given, look, slide=False))
    off = fee_rows(1).assign(
        payment_method=LONG, amount=10**15, wage=10**15, expected_wage=0
    )
    off["difference"] = pd.array([10**15], "Int64")
    assert_whole(drawn(charts.effective_rates, off, look, slide=False))


@both
@pytest.mark.parametrize("power", [12, 15])
def test_the_amounts_of_neighbouring_hours_are_apart(power: int, look: Look) -> None:
    """Four digits are the most that a unit leaves, of which these are the last two."""
    given = hour_rows(7 * 24).assign(done_amount=9 * 10**power)
    for made in drawn_in_sizes(charts.payments_by_hour, given, look):
        axes = made.axes[0]
        assert len(axes.texts) == 7 * 24
        assert {len(text.get_text()) for text in axes.texts} == {5}
        assert_neighbours_apart(list(axes.texts))


@both
def test_a_bar_is_as_long_as_its_figure(look: Look) -> None:
    given = frame(
        flows.COLUMNS,
        [
            a_flow(payment_method=name, amount=n * 10**6)
            for name, n in (("a", 1), ("b", 3))
        ],
    )
    bars = drawn(charts.flows_by_method, given, look, slide=False).axes[0].patches
    long, short = (bar.get_window_extent().width for bar in bars)
    assert long == pytest.approx(3 * short, rel=0.01)


@both
def test_a_day_stands_as_high_as_its_sum(look: Look) -> None:
    given = frame(flows.COLUMNS, [a_flow(amount=7 * 10**6), a_flow(amount=2 * 10**6)])
    axes = drawn(charts.flows_by_day, given, look, slide=False).axes[0]
    top = max(bar.get_y() + bar.get_height() for bar in axes.patches)
    assert top == 9 * 10**6


def test_the_mark_of_a_rest_stands_on_its_interval_and_balance() -> None:
    given = intervals(15)
    upper = drawn(wallet_rollforward, given, Look(), slide=False).axes[0]
    marks = upper.lines[2]
    places = [place for place in range(15) if int(given["unexplained"][place])]
    assert list(marks.get_xdata()) == places
    assert list(marks.get_ydata()) == [int(given["closing"][p]) for p in places]


def test_the_figure_of_a_rest_is_at_its_bar() -> None:
    made = drawn(wallet_rollforward, intervals(15), Look(), slide=False)
    notes = [text for text in made.axes[1].texts if isinstance(text, Annotation)]
    assert {note.get_text() for note in notes} == {"-70,000", "-140,000"}
    assert {round(note.xy[0]) for note in notes} == {7, 14}


def test_of_two_rests_soon_after_one_another_both_are_seen() -> None:
    given = intervals(8)
    given.loc[6, "to_at"] = given.loc[7, "to_at"] - timedelta(minutes=5)
    given.loc[7, "from_at"] = given.loc[6, "to_at"]
    given["unexplained"] = pd.array([0] * 6 + [-10_000, -70_000], "Int64")
    bars = drawn(wallet_rollforward, given, Look(), slide=False).axes[1].patches
    assert [bar.get_height() for bar in bars] == [-70_000, -10_000]
    widths = [bar.get_window_extent().width for bar in bars]
    assert widths[0] == pytest.approx(widths[1])
    assert min(widths) > 4  # pixels
