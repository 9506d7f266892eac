"""What every chart holds to: none to many rows, no warning, a title with its unit."""

import io
import itertools
from datetime import date, timedelta
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from recon import charts
from recon.charts import failure_matrix, flows_by_day, style, wallet_rollforward
from recon.charts.series_names import spread
from recon.reports import failures, flows, rollforward
from recon.reports.views import look_of
from recon.settings import Business, Settings
from tests.charts.drawing import CHARTS, Draw, drawn, picture, png
from tests.charts.frames import (
    escrow_rows,
    frame,
    hour_rows,
    intervals,
    mandate_rows,
    texts,
)
from tests.reports.stand_in import a_failure, a_flow, an_interval

MOST_SHADES = 40  # of 255: anti-aliasing differs a little from machine to machine
MOST_CHANGED = 0.0005  # of all pixels
MANY = 3_000  # rows
FEW_DOTS = 45  # an inch: a chart of one row or two has nothing that more would show

each = pytest.mark.parametrize(
    ("draw", "rows"), CHARTS, ids=[draw.__name__ for draw, _ in CHARTS]
)


@each
@pytest.mark.parametrize("count", [1, 2, MANY])
def test_a_chart_of_any_size_is_drawn_has_a_title_and_leaves_its_frame_as_it_was(
    draw: Draw, rows: Any, count: int
) -> None:
    given = rows(count)
    before = given.copy(deep=True)
    made = draw(given)
    pd.testing.assert_frame_equal(given, before)
    if count < MANY:
        made.set_dpi(FEW_DOTS)
    assert png(made).startswith(b"\x89PNG")
    assert made.get_suptitle()


@each
def test_a_chart_of_nothing_says_what_is_missing(draw: Draw, rows: Any) -> None:
    made = draw(rows(0))
    assert any(text.startswith(("No ", "Nothing ")) for text in texts(made))
    assert png(made)


def test_every_chart_is_tried() -> None:
    assert {draw.__name__ for draw, _ in CHARTS} == set(charts.__all__) - {"Look"}


drawn_once = cache(drawn)


@each
def test_a_chart_looks_as_it_did(draw: Draw, rows: Any) -> None:
    """Drawn anew by `python -m tests.charts.drawing`, and then looked at."""
    now, before = (
        np.asarray(Image.open(io.BytesIO(content)).convert("RGB"), dtype=np.int16)
        for content in (drawn_once(draw, rows), picture(draw).read_bytes())
    )
    assert now.shape == before.shape
    changed = (np.abs(now - before).max(axis=2) > MOST_SHADES).mean()
    assert changed < MOST_CHANGED


def test_a_mandate_that_never_ends_is_left_out_and_no_gap_is() -> None:
    """Between the two that end soon are nine weeks, whatever ends after them."""
    rows = mandate_rows(3).assign(is_usable=True)
    rows["expiry_date"] = [date(2026, 11, 1), date(2027, 1, 3), date(9999, 12, 31)]
    axes = charts.mandate_expiry(rows).axes[0]
    heights = [bar.get_height() for bar in axes.patches]
    assert heights == [1, *[0] * 8, 1]


@pytest.mark.parametrize("days", [3, 7, 8, 27, 28])
def test_an_hour_is_averaged_over_as_many_days_as_there_were_of_its_name(
    days: int,
) -> None:
    """Eight million on every Saturday are so on average, wherever a period ends."""
    one = {"business_hour": 11, "attempts": 1, "failed": 0, "done": 1}
    rows = [
        one
        | {"business_date": date(2026, 10, 10) + timedelta(days=n)}
        | {"done_amount": 8_000_000 if n % 7 == 0 else 0}
        for n in range(days)
    ]
    made = charts.payments_by_hour(pd.DataFrame(rows))
    assert "8,000" in [text.get_text() for text in made.axes[0].texts]
    assert ": thousand rials in a week" in made.get_suptitle()


@each
def test_the_same_frame_gives_the_same_picture(draw: Draw, rows: Any) -> None:
    assert drawn(draw, rows) == drawn_once(draw, rows)


def test_the_wallet_chart_marks_the_unexplained_rest_to_the_rial() -> None:
    shown = texts(wallet_rollforward(intervals(8)))
    assert "-70,000" in shown
    assert "● 1 of 8 intervals ends with an unexplained rest" in shown
    shown = texts(wallet_rollforward(intervals(16)))
    assert "● 2 of 16 intervals end with an unexplained rest" in shown
    assert "Wallet: expected and actual balance, rials" in shown


@pytest.mark.parametrize(
    ("minutes_later", "date"), [(0, "2026-01-01"), (90, "2026-01-02")]
)
def test_an_interval_stands_at_the_business_date_that_it_ends(
    minutes_later: int, date: str
) -> None:
    look = look_of(Settings(business=Business(name="shop")))  # of Tehran
    given = intervals(1)
    given["to_at"] += timedelta(minutes=minutes_later) - timedelta(days=1)
    assert date in texts(wallet_rollforward(given, look=look))


def test_a_long_interval_is_as_long_as_it_was() -> None:
    """The last balance of many is of now, and has its date."""
    given = intervals(30)
    given.loc[29, "to_at"] += timedelta(days=25)
    upper, lower = wallet_rollforward(given).axes
    labels = [tick.get_text() for tick in lower.get_xticklabels()]
    assert list(upper.lines[0].get_xdata())[-2:] == [28, 54]
    assert lower.get_xticks()[-1] == 54
    assert labels[-1] == "2026-02-25"


def test_balances_of_one_day_share_its_date() -> None:
    given = intervals(4)
    hours = [1, 2, 3, 24 + 3]
    for column, later in (("from_at", [0, *hours[:-1]]), ("to_at", hours)):
        given[column] = [given["from_at"][0] + timedelta(hours=each) for each in later]
    lower = wallet_rollforward(given).axes[1]
    labels = [tick.get_text() for tick in lower.get_xticklabels()]
    assert labels == ["2026-01-01", "2026-01-02"]
    assert list(lower.get_xticks()) == pytest.approx([2 / 24, 26 / 24])


def test_a_clean_wallet_has_no_mark() -> None:
    clean = intervals(8).assign(unexplained=pd.array([0] * 8, "Int64"))
    assert not any("●" in text for text in texts(wallet_rollforward(clean)))


def test_flows_name_each_method_with_its_total_and_fold_the_rest() -> None:
    given = frame(
        flows.COLUMNS,
        [a_flow(payment_method=f"m{n}", amount=(9 - n) * 1_000_000) for n in range(8)]
        + [a_flow(product="gateway", payment_method="", amount=10_000_000)]
        + [a_flow(product="cash_in", payment_method="", amount=10**12)]
        + [a_flow(product="wallet", payment_method="settlement", amount=-(10**12))],
    )
    shown = texts(flows_by_day(given))
    assert "gateway\n10 (19%)" in shown
    assert "m0\n9 (17%)" in shown
    assert "all others\n9 (17%)" in shown
    assert not any("settlement" in text or "cash_in" in text for text in shown)
    assert "Payments by day and method: gross amount, million rials" in shown


def test_no_method_and_no_code_is_left_out_of_what_the_bars_come_to() -> None:
    methods = [a_flow(payment_method=f"m{n}", amount=10 - n // 4) for n in range(17)]
    shown = texts(charts.flows_by_method(frame(flows.COLUMNS, methods)))
    assert "all others" in shown
    assert "13   wage 60,000   net 5,940,000   6 payments" in shown
    codes = [a_failure(code=f"C{n}", amount_failed=20 - n) for n in range(17)]
    shown = texts(charts.failure_cost(frame(failures.COLUMNS, codes)))
    assert {"all others", "C14"} <= set(shown)
    assert "9 in 4" in shown


def test_one_payment_and_one_attempt_are_told_as_one() -> None:
    one = frame(flows.COLUMNS, [a_flow(count=1, amount=10, wage=1, affected=9)])
    assert "10   wage 1   net 9   1 payment" in texts(charts.flows_by_method(one))
    failed = frame(failures.COLUMNS, [a_failure(attempts=1, failed=1)])
    assert "debit-north\n1 attempt" in texts(failure_matrix(failed))


@pytest.mark.parametrize(
    ("days", "step"), [(120, "day"), (121, "week"), (1120, "week"), (1121, "month")]
)
def test_a_long_period_is_drawn_in_steps_that_can_be_told_apart(
    days: int, step: str
) -> None:
    given = frame(
        flows.COLUMNS,
        [a_flow(), a_flow(business_date=date(2026, 3, 1) + timedelta(days=days - 1))],
    )
    assert flows_by_day(given).get_suptitle().startswith(f"Payments by {step} ")


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ([], []),
        ([0.5], [0.5]),
        ([0.9, 0.1], [0.9, 0.1]),
        ([0.5, 0.5], [0.7, 0.5]),
        ([0.0, 0.0, 0.0], [0.0, 0.2, 0.4]),
        ([1.0, 1.0, 1.0], [0.6, 0.8, 1.0]),
        ([0.0] * 11, [step / 10 for step in range(11)]),
    ],
)
def test_labels_are_moved_apart_between_their_bounds(
    places: list[float], expected: list[float]
) -> None:
    moved = spread(places, 0.2, low=0.0, high=1.0)
    assert sorted(moved) == pytest.approx(sorted(expected))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("LIMIT", "LIMIT"),
        ("WITHDRAWAL_TIMEOUT", "WITHDRAWAL_\nTIMEOUT"),
        ("INSUFFICIENT_FUNDS_NOW", "INSUFFICIENT_\nFUNDS_NOW"),
        ("4 failed", "4 failed"),
    ],
)
def test_a_code_is_broken_where_it_may_be(text: str, shown: str) -> None:
    assert style.wrapped(text, 13) == shown


def test_dates_are_jalali_where_the_calendar_is() -> None:
    nowruz = frame(flows.COLUMNS, [a_flow(business_date=date(2026, 3, 21))])
    assert "1405/01/01" in texts(flows_by_day(nowruz, look=charts.Look("jalali")))
    assert "2026-03-21" in texts(flows_by_day(nowruz))


def test_shares_are_of_all_attempts_of_the_method_in_the_period() -> None:
    given = frame(
        failures.COLUMNS,
        [
            a_failure(code="A", attempts=10, failed=2),
            a_failure(code="B", attempts=10, failed=1),
            a_failure(code="", attempts=30, failed=0, business_date=date(2026, 3, 2)),
        ],
    )
    shown = texts(failure_matrix(given))
    assert "2   5.0%" in shown
    assert "1   2.5%" in shown
    assert "debit-north\n40 attempts" in shown


NAMES = ["$x$ and $y$", "روش پرداخت", "long " * 30, "two\nlines\t", "汉字 💳", ""]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_drawn_plainly_and_short(name: str) -> None:
    given = frame(flows.COLUMNS, [a_flow(payment_method=name)])
    made = flows_by_day(given)
    lines = [line for text in texts(made) for line in text.split("\n")]
    assert all(len(line) < 40 for line in lines if "Payments by" not in line)
    assert png(made)
    failed = frame(failures.COLUMNS, [a_failure(payment_method=name, code=name or "A")])
    assert png(failure_matrix(failed))


def test_many_long_codes_do_not_run_into_each_other() -> None:
    given = frame(
        failures.COLUMNS,
        [a_failure(code=f"A_RATHER_LONG_CODE_OF_KIND_{n}") for n in range(7)],
    )
    made = failure_matrix(given)
    made.canvas.draw()
    boxes = sorted(
        (tick.get_window_extent() for tick in made.axes[0].get_xticklabels()),
        key=lambda box: box.x0,
    )
    assert all(left.x1 <= right.x0 for left, right in itertools.pairwise(boxes))


def test_the_waterfall_ends_at_the_closing_balance() -> None:
    given = frame(
        rollforward.COLUMNS,
        [
            an_interval(
                opening=100,
                payments=50,
                adjustments=-20,
                closing=137,
                explained=0,
                unexplained=7,
            )
        ],
    )
    shown = texts(charts.wallet_waterfall(given))
    assert {"100", "50", "-20", "7", "137"} <= set(shown)


def test_the_rate_of_a_day_counts_its_attempts_once() -> None:
    given = frame(
        failures.COLUMNS,
        [
            a_failure(code="A", attempts=10, failed=2),
            a_failure(code="B", attempts=10, failed=3),
        ],
    )
    line = charts.failure_rate_by_day(given).axes[0].get_lines()[-1]
    assert list(line.get_ydata()) == [0.5]


def test_an_hour_with_few_attempts_has_no_share() -> None:
    few = hour_rows(1).assign(attempts=4, failed=4)
    assert not any("%" in text for text in texts(charts.failures_by_hour(few)))
    assert "80%" in texts(charts.failures_by_hour(few.assign(attempts=5)))


def test_the_rate_of_a_single_day_is_seen() -> None:
    """Neither a day alone nor one between two without attempts had any line."""
    days = [date(2026, 3, day) for day in (1, 3, 4)]
    given = frame(
        failures.COLUMNS,
        [a_failure(business_date=day, attempts=10, failed=2) for day in days],
    )
    assert _dots(given.head(1)) == [[0], [0]]
    assert _dots(given) == [[0], [0]]
    assert _dots(given.tail(2)) == [[], []]


def _dots(given: pd.DataFrame) -> list[list[int]]:
    lines = charts.failure_rate_by_day(given).axes[0].get_lines()
    return [list(line.get_xdata()) for line in lines if line.get_marker() == "o"]


def test_an_axis_of_no_differences_has_one_label() -> None:
    given = intervals(3).assign(explained=0, unexplained=0)
    axes = wallet_rollforward(given).axes[1]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["0"]


def test_what_was_overpaid_is_a_bar_below_zero() -> None:
    given = escrow_rows(2).assign(held=[4_000_000, -750_000], held_days=[9, None])
    made = charts.escrow_ageing(given)
    widths = [bar.get_width() for bar in made.axes[0].patches]
    assert widths == [4_000_000, -750_000]
    assert "more went out than came in" in texts(made)


def test_a_chart_of_hours_without_any_share_says_so() -> None:
    few = hour_rows(1).assign(attempts=4, failed=4)
    told = "No hour of the week with five attempts or more has a failure."
    assert told in texts(charts.failures_by_hour(few))


@pytest.mark.parametrize(
    ("rials", "text", "unit"),
    [
        (9_999, "9,999", "rials"),
        (1_056_666, "1,057", "thousand rials"),
        (9_999_999, "10,000", "thousand rials"),
        (10_000_000, "10", "million rials"),
        (5 * 10**10, "50", "billion rials"),
        (10**13 - 10**9, "9,999", "billion rials"),
        (10**13, "10", "thousand billion rials"),
        (49_572 * 10**9, "50", "thousand billion rials"),
        (9_999 * 10**12, "9,999", "thousand billion rials"),
    ],
)
def test_an_amount_of_an_hour_fits_its_cell(rials: int, text: str, unit: str) -> None:
    drawn = charts.payments_by_hour(hour_rows(1).assign(done_amount=rials))
    assert text in texts(drawn)
    assert f": {unit} in a week" in drawn.get_suptitle()


@pytest.mark.parametrize(
    ("used", "name"),
    [(0, "unused"), (5, "up to half"), (9, "up to 90%"), (10, "all"), (11, "beyond")],
)
def test_a_mandate_stands_where_its_use_is(used: int, name: str) -> None:
    given = mandate_rows(1).assign(used_this_month=used)
    assert name in texts(charts.mandate_headroom(given))
