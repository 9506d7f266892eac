"""The charts of mandates: what they leave out, and that they say so."""

from datetime import date, timedelta

import pandas as pd
import pytest

from recon import charts
from tests.charts.frames import age_rows, mandate_rows, texts

PERSIAN = charts.Look("jalali", "fa")


@pytest.mark.parametrize(
    ("look", "told"),
    [
        (charts.Look(), "No week of a mandate's age has three withdrawals or more."),
        (PERSIAN, "هیچ هفته‌ای از عمر مجوزها سه برداشت یا بیشتر ندارد."),
    ],
    ids=["en", "fa"],
)
def test_ages_of_few_withdrawals_are_told_instead_of_an_empty_chart(
    look: charts.Look, told: str
) -> None:
    few = age_rows(6).assign(attempts=2, done=1)
    assert told in texts(charts.mandate_success(few, look=look))


def methods(count: int) -> pd.DataFrame:
    """Return as many methods, each with more withdrawals than the one before."""
    rows = pd.concat([age_rows(1)] * count, ignore_index=True)
    rows["payment_method"] = [f"debit-{row}" for row in range(count)]
    return rows.assign(attempts=[10 + row for row in range(count)])


@pytest.mark.parametrize(
    ("look", "told"),
    [
        (charts.Look(), "6 of 9 methods: those with the most withdrawals"),
        (PERSIAN, "\u200f۶ روش از ۹: آن‌ها که بیشترین برداشت را دارند"),
    ],
    ids=["en", "fa"],
)
def test_of_many_methods_the_chart_says_how_many_it_shows(
    look: charts.Look, told: str
) -> None:
    made = charts.mandate_success(methods(9), look=look)
    assert made.axes[0].get_title(loc="right" if look.is_persian else "left") == told
    assert {"debit-8", "debit-3"} <= set(texts(made))
    assert "debit-2" not in texts(made)


def test_of_few_methods_the_chart_says_nothing_more() -> None:
    made = charts.mandate_success(methods(6))
    assert made.axes[0].get_title(loc="left") == ""


def test_a_method_of_few_withdrawals_at_each_age_takes_no_other_ones_place() -> None:
    """The one with the most withdrawals had at most two in each week."""
    many = pd.concat([age_rows(1)] * 60, ignore_index=True)
    many = many.assign(payment_method="debit-rare", age_weeks=range(60), attempts=2)
    shown = texts(charts.mandate_success(pd.concat([methods(6), many.assign(done=1)])))
    assert {f"debit-{row}" for row in range(6)} <= set(shown)
    assert "debit-rare" not in shown


@pytest.mark.parametrize(
    ("look", "told"),
    [
        (charts.Look(), "2 of 4 mandates: the others end later, or have no end"),
        (PERSIAN, "\u200f۲ مجوز از ۴: بقیه دیرتر پایان می‌یابند یا پایانی ندارند"),
    ],
    ids=["en", "fa"],
)
def test_mandates_that_end_later_are_counted(look: charts.Look, told: str) -> None:
    rows = mandate_rows(4).assign(is_usable=True)
    soon = date(2026, 11, 1)
    late = soon + timedelta(weeks=40)
    rows["expiry_date"] = [soon, soon + timedelta(weeks=1), late, None]
    made = charts.mandate_expiry(rows, look=look)
    assert made.axes[0].get_title(loc="right" if look.is_persian else "left") == told


def test_where_all_mandates_are_shown_nothing_more_is_said() -> None:
    made = charts.mandate_expiry(mandate_rows(3).assign(is_usable=True))
    assert made.axes[0].get_title(loc="left") == ""
