"""What a period may be, and where it begins and ends."""

from datetime import UTC, date, datetime

import pytest

from recon.close.periods import parse
from recon.errors import UsageError
from recon.times import zone


@pytest.mark.parametrize(
    ("text", "name", "first", "last"),
    [
        ("2026-10", "2026-10", date(2026, 10, 1), date(2026, 10, 31)),
        ("2026-12", "2026-12", date(2026, 12, 1), date(2026, 12, 31)),
        ("2024-2", "2024-02", date(2024, 2, 1), date(2024, 2, 29)),
        ("1405-07", "1405-07", date(2026, 9, 23), date(2026, 10, 22)),
        ("۱۴۰۵-۰۷", "1405-07", date(2026, 9, 23), date(2026, 10, 22)),
        ("1403-12", "1403-12", date(2025, 2, 19), date(2025, 3, 20)),
        (
            "2026-10-01..2026-10-05",
            "2026-10-01..2026-10-05",
            date(2026, 10, 1),
            date(2026, 10, 5),
        ),
        (
            "1405-07-01..1405-07-01",
            "1405-07-01..1405-07-01",
            date(2026, 9, 23),
            date(2026, 9, 23),
        ),
    ],
)
def test_a_period_is_a_month_of_either_calendar_or_dates(
    text: str, name: str, first: date, last: date
) -> None:
    found = parse(text)
    assert (found.name, found.first, found.last) == (name, first, last)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026",
        "2026-13",
        "1405-00",
        "2026-10-01",
        "2026-10-05..2026-10-01",
        "2026-10-01..",
        "..",
        "2026-10-01..2026-10-32",
        "../../etc",
        "9999-12",
    ],
)
def test_what_is_no_period_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="period"):
        parse(text)


def test_a_period_ends_with_the_day_of_the_business() -> None:
    tehran = zone("Asia/Tehran")
    found = parse("2026-10")
    assert found.begins(tehran) == datetime(2026, 9, 30, 20, 30, tzinfo=UTC)
    assert found.ends(tehran) == datetime(2026, 10, 31, 20, 30, tzinfo=UTC)


def test_periods_overlap_where_they_share_a_date() -> None:
    found = parse("2026-10")
    assert found.overlaps(date(2026, 9, 1), date(2026, 10, 1))
    assert found.overlaps(date(2026, 10, 31), date(2026, 11, 30))
    assert not found.overlaps(date(2026, 9, 1), date(2026, 9, 30))
    assert not found.overlaps(date(2026, 11, 1), date(2026, 11, 30))
