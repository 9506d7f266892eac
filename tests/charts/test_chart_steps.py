"""The steps of an axis stay few, whatever the dates."""

from datetime import date

import pytest

from recon.charts.steps import steps_of

DAY = date(2026, 10, 1)


@pytest.mark.parametrize("calendar", ["gregorian", "jalali"])
@pytest.mark.parametrize("far", [date(1, 1, 1), date(9999, 12, 31)])
def test_a_date_of_another_age_fills_no_axis_with_months(
    far: date, calendar: str
) -> None:
    steps = steps_of([DAY, far], calendar)
    assert steps.name == "month"
    assert len(steps.firsts) == 2
    assert list(steps.firsts) == sorted(steps.firsts)
    assert steps.place([far, DAY]) == sorted(steps.place([far, DAY]), reverse=far > DAY)


def test_a_period_of_years_keeps_its_gaps() -> None:
    steps = steps_of([DAY, DAY.replace(year=2036)], "gregorian")
    assert steps.name == "month"
    assert len(steps.firsts) == 121


@pytest.mark.parametrize(
    ("first", "last", "begins_at", "ends_at"),
    [
        (date(2026, 1, 3), date(2026, 10, 2), None, None),  # Saturday to Friday
        (date(2026, 1, 2), date(2026, 10, 3), date(2026, 1, 2), date(2026, 10, 3)),
        (date(2026, 1, 4), date(2026, 10, 2), date(2026, 1, 4), None),
        (date(2026, 1, 3), date(2026, 10, 1), None, date(2026, 10, 1)),
    ],
)
def test_a_week_at_an_end_that_lacks_days_is_known(
    first: date, last: date, begins_at: date | None, ends_at: date | None
) -> None:
    steps = steps_of([first, last], "gregorian")
    assert steps.name == "week"
    assert (steps.begins_at, steps.ends_at) == (begins_at, ends_at)


@pytest.mark.parametrize(
    ("calendar", "ends_at"), [("jalali", None), ("gregorian", date(2026, 9, 22))]
)
def test_a_month_at_an_end_is_that_of_the_calendar(
    calendar: str, ends_at: date | None
) -> None:
    """22 September 2026 is the last of Shahrivar."""
    steps = steps_of([date(2016, 3, 20), date(2026, 9, 22)], calendar)
    assert (steps.name, steps.ends_at) == ("month", ends_at)


def test_no_day_lacks_days_and_no_date_follows_the_last() -> None:
    days = steps_of([DAY, DAY], "gregorian")
    assert (days.begins_at, days.ends_at) == (None, None)
    assert steps_of([date.max], "gregorian", name="week").ends_at is None
