"""What stands at the axes of amounts and shares, and how much of it all is drawn."""

from collections.abc import Callable
from datetime import date
from itertools import pairwise

import pandas as pd
import pytest
from matplotlib.axes import Axes

from recon import charts
from recon.charts import Look, style, wallet_rollforward
from tests.charts.drawing import Draw
from tests.charts.frames import failure_rows, flow_rows, intervals


@pytest.mark.parametrize("draw", [wallet_rollforward, charts.wallet_waterfall])
def test_the_axes_of_a_wallet_of_nothing_have_one_label(draw: Draw) -> None:
    given = intervals(3)
    names = given.columns.drop(["wallet", "from_at", "to_at"])
    made = draw(given.assign(**dict.fromkeys(names, 0)))
    made.canvas.draw()
    for axes in made.axes:
        assert tick_texts(axes) == ["0"]


@pytest.mark.parametrize(
    ("rials", "expected"), [(1, ["1"]), (-1, ["-1"]), (2, ["2"]), (0, ["0"])]
)
def test_no_part_of_a_rial_stands_at_an_axis(rials: int, expected: list[str]) -> None:
    given = intervals(2).assign(closing=rials, expected_closing=rials)
    made = wallet_rollforward(given)
    made.canvas.draw()
    assert tick_texts(made.axes[0]) == expected


@pytest.mark.parametrize(
    ("failed", "attempts", "tick"),
    [(1, 5, "17.5%"), (2, 5, "40%"), (1, 1_000, "0.08%"), (0, 5, "0%")],
)
def test_shares_at_an_axis_have_the_digits_of_its_ticks(
    failed: int, attempts: int, tick: str
) -> None:
    given = failure_rows(1).assign(failed=failed, attempts=attempts)
    made = charts.failure_rate_by_day(given)
    made.canvas.draw()
    texts = tick_texts(made.axes[0])
    assert tick in texts
    assert len(set(texts)) == len(texts)
    steps = [float(text.rstrip("%")) for text in texts]
    apart = {round(after - before, 9) for before, after in pairwise(steps)}
    assert len(apart) == 1


@pytest.mark.parametrize(
    ("count", "look", "told"),
    [
        (5, Look(), "4 of 5 methods: those with the most attempts"),
        (5, Look("jalali", "fa"), "\u200f۴ روش از ۵: آن‌ها که بیشترین تلاش را دارند"),
        (4, Look(), ""),
    ],
)
def test_the_rates_say_that_not_each_method_has_a_line(
    count: int, look: Look, told: str
) -> None:
    """A fifth method that failed each time was not drawn, and nothing said so."""
    made = charts.failure_rate_by_day(failure_rows(count), look=look)
    place = "right" if look.is_persian else "left"
    assert made.axes[0].get_title(loc=place) == told


def tick_texts(axes: Axes) -> list[str]:
    """The labels along the upright axis that are in sight."""
    low, high = axes.get_ylim()
    ticks = zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)
    return [label.get_text() for at, label in ticks if low <= at <= high]


@pytest.mark.parametrize("rials", [-1, -4_999_999, -0.0])
def test_what_is_rounded_to_nothing_has_no_sign(rials: float) -> None:
    assert style.Unit(10**9, "billion rials").text(rials).strip(".0") == ""


@pytest.mark.parametrize(
    ("opening", "move", "tick"),
    [
        (50 * 10**9, 3_000_000, "50.005"),
        (50 * 10**9, 1, "50.000000001"),
        (2_000 * 10**9, 200_000_000, "2,001.0"),
        (10**15, 10_000_000, "1,000,000.01"),
        (10**15, 2 * 10**13, "1,060,000"),
        (20_000_000, 500_000, "21.5"),
    ],
)
def test_a_balance_that_hardly_moves_has_labels_that_differ(
    opening: int, move: int, tick: str
) -> None:
    """Of fifty billion rials and some millions each label said `50.0`."""
    closing = [opening + move * row for row in range(1, 6)]
    given = intervals(5).assign(closing=closing, expected_closing=closing)
    made = wallet_rollforward(given)
    made.canvas.draw()
    texts = tick_texts(made.axes[0])
    assert tick in texts
    assert len(set(texts)) == len(texts) > 1


@pytest.mark.parametrize(
    ("draw", "rows"),
    [(charts.flows_by_day, flow_rows), (charts.failure_rate_by_day, failure_rows)],
)
def test_a_week_that_lacks_days_is_told_below_the_axis(
    draw: Draw, rows: Callable[[int], pd.DataFrame]
) -> None:
    """Its bar is low for that alone, and looks like a fall."""
    given = rows(1)
    days = (date(2026, 5, 2), date(2026, 9, 30))  # a Saturday and a Wednesday
    given = pd.concat([given.assign(business_date=day) for day in days])
    for look, told in [
        (Look(), "The last week ends already on 2026-09-30."),
        (Look("jalali", "fa"), "\u200fهفته پایانی تا ۱۴۰۵/۰۷/۰۸ بیشتر نیست."),
    ]:
        assert draw(given, look=look).axes[0].get_xlabel() == told
    whole = given.assign(business_date=[days[0], date(2026, 10, 2)])
    assert not draw(whole).axes[0].get_xlabel()
    assert not draw(rows(30)).axes[0].get_xlabel()
