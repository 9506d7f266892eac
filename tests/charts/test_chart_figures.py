"""What every chart holds to: none to many rows, no warning, a title with its unit."""

import io
import itertools
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pandas as pd
import pytest
from matplotlib.figure import Figure

from recon.charts import failure_matrix, flows_by_day, style, wallet_rollforward
from recon.reports import failures, flows, rollforward
from tests.charts.frames import frame, texts
from tests.reports.stand_in import a_failure, a_flow, an_interval

FIRST = date(2026, 1, 1)


def intervals(count: int) -> pd.DataFrame:
    start = datetime(2026, 1, 1, 20, 30, tzinfo=UTC)
    return frame(
        rollforward.COLUMNS,
        [
            an_interval(
                from_at=start + timedelta(days=day),
                to_at=start + timedelta(days=day + 1),
                unexplained=0 if day % 7 else -10_000 * day,
            )
            for day in range(count)
        ],
    )


def flow_rows(count: int) -> pd.DataFrame:
    return frame(
        flows.COLUMNS,
        [
            a_flow(
                business_date=FIRST + timedelta(days=row // 9),
                payment_method=f"method-{row % 9}",
                amount=10**17 // (row % 9 + 1),
            )
            for row in range(count)
        ],
    )


def failure_rows(count: int) -> pd.DataFrame:
    return frame(
        failures.COLUMNS,
        [
            a_failure(
                business_date=FIRST + timedelta(days=row // 400),
                payment_method=f"method-{row % 20}",
                code=f"CODE_{row % 400 // 20}",
            )
            for row in range(count)
        ],
    )


Draw = Callable[[pd.DataFrame], Figure]
CHARTS: list[tuple[Draw, Callable[[int], pd.DataFrame]]] = [
    (wallet_rollforward, intervals),
    (flows_by_day, flow_rows),
    (failure_matrix, failure_rows),
]
charts = pytest.mark.parametrize(
    ("draw", "rows"), CHARTS, ids=[draw.__name__ for draw, _ in CHARTS]
)


def png(figure: Figure) -> bytes:
    out = io.BytesIO()
    figure.savefig(out, format="png")
    return out.getvalue()


@charts
@pytest.mark.parametrize("count", [1, 2, 5_000])
def test_a_chart_of_any_size_is_drawn_and_has_a_title(
    draw: Draw, rows: Any, count: int
) -> None:
    made = draw(rows(count))
    assert png(made).startswith(b"\x89PNG")
    assert made.get_suptitle()


@charts
def test_a_chart_of_nothing_says_what_is_missing(draw: Draw, rows: Any) -> None:
    made = draw(rows(0))
    assert png(made)
    assert any(text.startswith("No ") for text in texts(made))


@charts
def test_the_same_frame_gives_the_same_picture(draw: Draw, rows: Any) -> None:
    assert png(draw(rows(50))) == png(draw(rows(50)))


@charts
def test_a_chart_leaves_its_frame_as_it_was(draw: Draw, rows: Any) -> None:
    given = rows(50)
    before = given.copy(deep=True)
    draw(given)
    pd.testing.assert_frame_equal(given, before)


def test_the_wallet_chart_marks_the_unexplained_rest_to_the_rial() -> None:
    shown = texts(wallet_rollforward(intervals(8)))
    assert "-70,000" in shown
    assert "● 1 of 8 intervals end with an unexplained rest" in shown
    assert "Wallet: expected and actual balance, rials" in shown


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
    moved = style.spread(places, 0.2, low=0.0, high=1.0)
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
    assert "1405/01/01" in texts(flows_by_day(nowruz, calendar="jalali"))
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
    assert png(flows_by_day(given))
    failed = frame(failures.COLUMNS, [a_failure(payment_method=name, code=name or "A")])
    assert png(failure_matrix(failed))
    assert all(
        len(line) < 40
        for text in texts(flows_by_day(given))
        for line in text.split("\n")
        if "Payments by" not in text
    )


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
