from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pandas as pd
import pyarrow as pa
import pytest

from recon.charts import Look
from recon.reports.frames import frame, jalali, with_jalali

INSTANT = pa.timestamp("us", "UTC")
TEHRAN = ZoneInfo("Asia/Tehran")


@pytest.mark.parametrize(
    ("day", "written"),
    [
        (date(2024, 3, 19), "1402-12-29"),  # the year had no thirtieth
        (date(2024, 3, 20), "1403-01-01"),
        (date(2025, 3, 20), "1403-12-30"),  # a leap year
        (date(2025, 3, 21), "1404-01-01"),
        (date(2026, 3, 20), "1404-12-29"),
        (date(2026, 3, 21), "1405-01-01"),
    ],
)
def test_nowruz_comes_a_day_later_after_a_leap_year(day: date, written: str) -> None:
    assert jalali(day) == written


@pytest.mark.parametrize("day", [date(1, 1, 1), date(622, 3, 21), date(9999, 12, 31)])
def test_a_date_beyond_the_jalali_calendar_stays_as_it_is(day: date) -> None:
    assert jalali(day) == day.isoformat()
    shown = Look("jalali", "en")
    assert shown.day(day) == day.isoformat().replace("-", "/")
    assert shown.month_of(day) == day.isoformat()[:7]


def test_each_date_and_instant_gets_its_twin_beside_it() -> None:
    at = datetime(2026, 3, 20, 20, 30, tzinfo=UTC)  # midnight in Tehran: Nowruz
    table = pa.table(
        {
            "business_date": pa.array([date(2026, 3, 21), None, date(2026, 3, 21)]),
            "amount": [1, 2, 3],
            "paid_at": pa.array(
                [at, at.replace(minute=29), None], pa.timestamp("us", "UTC")
            ),
        }
    )
    found = with_jalali(table, TEHRAN)
    assert found.column_names == [
        *("business_date", "business_date_jalali", "amount", "paid_at"),
        "paid_at_jalali",
    ]
    dates, instants = found["business_date_jalali"], found["paid_at_jalali"]
    assert dates.to_pylist() == ["1405-01-01", None, "1405-01-01"]
    assert instants.to_pylist() == ["1405-01-01 00:00", "1404-12-29 23:59", None]


def test_a_table_without_rows_has_its_twins_too() -> None:
    table = pa.table(
        {"day": pa.array([], pa.date32()), "word": pa.array([], pa.string())}
    )
    assert with_jalali(table, TEHRAN).column_names == ["day", "day_jalali", "word"]


def test_a_large_amount_stays_whole() -> None:
    assert frame(pa.table({"amount": [2**62 + 1, None]}))["amount"][0] == 2**62 + 1


def test_a_length_of_time_is_a_timedelta_unless_it_counts_months() -> None:
    spans = pa.month_day_nano_interval()
    table = pa.table(
        {
            "took": pa.array([(0, 1, 139_000_000_000), None], spans),
            "since": pa.array([(1, 0, 0), (0, 1, 0)], spans),
            "none": pa.array([None, None], spans),
        }
    )
    found = frame(table)
    assert found["took"].dtype == "timedelta64[us]"
    assert found["took"][0] == timedelta(days=1, minutes=2, seconds=19)
    assert found["took"][1] is pd.NaT
    assert found["since"][0] == pd.DateOffset(months=1, days=0, nanoseconds=0)
    assert found["none"].isna().all()
