"""The chart of the week's clock: what its means are over, and how small ones show."""

from datetime import date, timedelta

import pandas as pd
import pytest

from recon import charts
from tests.charts.frames import texts

SATURDAY = date(2026, 1, 3)
PERSIAN = charts.Look("jalali", "fa")


def payments(*sums: tuple[date, int, int]) -> pd.DataFrame:
    """Return done payments by their business date and hour, in rials."""
    one = {"attempts": 1, "failed": 0, "done": 1}
    return pd.DataFrame(
        [
            one | {"business_date": day, "business_hour": hour, "done_amount": rials}
            for day, hour, rials in sums
        ]
    )


def test_a_week_without_any_attempt_counts_in_the_mean() -> None:
    """Ten million on two Saturdays that are nine weeks apart are two of ten."""
    later = SATURDAY + timedelta(weeks=9)
    given = payments((SATURDAY, 12, 10_000_000), (later, 12, 10_000_000))
    assert "2,000" in texts(charts.payments_by_hour(given))


def test_a_date_that_is_none_of_business_does_not_make_the_means_vanish() -> None:
    given = payments((date(1970, 1, 3), 12, 0), (SATURDAY, 12, 10_000_000))
    assert "5,000" in texts(charts.payments_by_hour(given))


@pytest.mark.parametrize(
    ("look", "told"), [(charts.Look(), "<0.1"), (PERSIAN, "\u200e<۰٫۱")]
)
def test_what_is_small_beside_others_is_not_told_as_nothing(
    look: charts.Look, told: str
) -> None:
    given = payments((SATURDAY, 12, 5_000_000_000), (SATURDAY, 13, 40_000))
    shown = texts(charts.payments_by_hour(given, look=look))
    assert told in shown
    assert look.written("0.0") not in shown


def test_less_than_a_rial_a_week_is_no_empty_chart() -> None:
    given = payments(*((SATURDAY + timedelta(days=n), 12, n == 0) for n in range(15)))
    assert "0.3" in texts(charts.payments_by_hour(given))
