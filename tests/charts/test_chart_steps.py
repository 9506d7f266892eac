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
