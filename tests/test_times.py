"""Instants, business dates and Jalali dates."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from persiantools.jdatetime import JalaliDate

from recon import times

TEHRAN = ZoneInfo("Asia/Tehran")


def test_a_local_time_is_the_business_s() -> None:
    found = times.parse_instant("2026-10-01 00:00", TEHRAN)
    assert found == datetime(2026, 9, 30, 20, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        *("2026-10-01T10:00:00Z", "2026-10-01T13:30:00+03:30", "1790848800"),
        *("۱۷۹۰۸۴۸۸۰۰", "2026-10-01T10:00:00z", "20261001T100000Z", "20261001T133000"),
        *("20261001T1330+0330", "2026-10-01T10:00Z"),
    ],
)
def test_iso_and_unix_times_name_the_same_instant(text: str) -> None:
    assert times.parse_instant(text, TEHRAN) == datetime(2026, 10, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "jalali"), [("20261001", False), ("14050709", True), ("۱۴۰۵۰۷۰۹", True)]
)
def test_a_date_may_be_written_without_signs_between(text: str, jalali: bool) -> None:
    found = times.parse_instant(text, TEHRAN, jalali=jalali)
    assert found == datetime(2026, 9, 30, 20, 30, tzinfo=UTC)
    assert times.typed_instant(text, TEHRAN) == found
    assert not times.has_clock(text)


@given(st.dates(min_value=date(1990, 1, 1), max_value=date(2060, 1, 1)))
def test_a_jalali_date_is_its_gregorian_day(day: date) -> None:
    jalali = JalaliDate(day)
    text = f"{jalali.year:04d}/{jalali.month:02d}/{jalali.day:02d}"
    found = times.parse_instant(text, TEHRAN, jalali=True)
    assert times.business_date(found, TEHRAN) == day


def test_the_leap_day_of_1403_exists_and_that_of_1404_does_not() -> None:
    leap = times.parse_instant("1403-12-30", TEHRAN, jalali=True)
    assert times.business_date(leap, TEHRAN) == date(2025, 3, 20)
    with pytest.raises(ValueError, match="Jalali"):
        times.parse_instant("1404-12-30", TEHRAN, jalali=True)


@pytest.mark.parametrize(
    "text", ["1405070914", "۱۴۰۵۰۷۰۹۱۴", "140507091", "1599999999"]
)
def test_a_number_that_may_be_a_jalali_hour_is_no_unix_seconds(text: str) -> None:
    with pytest.raises(ValueError, match="may be Unix seconds or a Jalali date and"):
        times.parse_instant(text, TEHRAN, jalali=True)
    found = times.parse_instant(text, TEHRAN)
    assert found.timestamp() == int(times.plain_digits(text))


@pytest.mark.parametrize("text", ["1759485600", "1600000000", "1299999999"])
def test_unix_seconds_that_are_no_jalali_date_are_taken_beside_jalali_ones(
    text: str,
) -> None:
    found = times.parse_instant(text, TEHRAN, jalali=True)
    assert found.timestamp() == int(text)


def test_nowruz_begins_a_jalali_month_and_year() -> None:
    assert times.calendar_month(date(2026, 3, 20), "jalali") == "1404-12"
    assert times.calendar_month(date(2026, 3, 21), "jalali") == "1405-01"
    assert times.calendar_month(date(2026, 3, 21), "gregorian") == "2026-03"


def test_a_time_that_the_clocks_skipped_is_refused_but_its_date_is_not() -> None:
    # On 2022-03-22 Iran's clocks went from 00:00 to 01:00.
    with pytest.raises(ValueError, match="skipped"):
        times.parse_instant("2022-03-22 00:30", TEHRAN)
    for midnight in ("2022-03-22", "2022-03-22 00:00:00"):  # as sheets export a date
        found = times.parse_instant(midnight, TEHRAN)
        assert found == datetime(2022, 3, 21, 20, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        *("", "yesterday", "2026-13-01", "12", "2026-10-01T25", "20261301", "2026101"),
        *("20261001T10000", "20261001 100000"),
    ],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a"):
        times.parse_instant(text, TEHRAN)


@pytest.mark.parametrize(
    ("text", "jalali", "reason"),
    [
        ("2026-10-04 24:00", False, "not a time: after the date, HH:MM or HH:MM:SS up"),
        ("1405/07/12 ساعت 12:30", True, "not a Jalali time: after the date, HH:MM or"),
        ("05/07/12", True, "not a Jalali time: write 1405/07/12 or"),
        ("1404/12/30", True, "not a Jalali time: day must be in 1..29"),
    ],
)
def test_what_a_time_must_be_is_told_in_the_readers_terms(
    text: str, jalali: bool, reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        times.parse_instant(text, TEHRAN, jalali=jalali)


@pytest.mark.parametrize("text", ["1405/07/12 8:05", "۱۴۰۵/۷/۱۲ ۸:۰۵:۰۰"])
def test_an_hour_as_sheets_write_it_is_read(text: str) -> None:
    found = times.parse_instant(text, TEHRAN, jalali=True)
    assert found == datetime(2026, 10, 4, 4, 35, tzinfo=UTC)


@pytest.mark.parametrize(
    "clock",
    [
        *("10:30 - 12:00", "10:30-12:00", "10:30 -12:00", "10:30 – 12:00", "08-05"),
        *("1 2", "1 2:30", "10", "10 : 30", "10: 30", "10:30  +03:30", "10:30 + 03:30"),
        *("0800-1000", "10:30:00-12:00:00", "10:30 +3", "10:30 Z Z", "10:30 11:30"),
    ],
)
@pytest.mark.parametrize("day", ["2026-10-01", "۱۴۰۵/۰۷/۰۹"])
def test_two_times_are_no_time_with_an_offset(day: str, clock: str) -> None:
    with pytest.raises(ValueError, match="after the date, HH:MM or HH:MM:SS up to"):
        times.parse_instant(f"{day} {clock}", TEHRAN, jalali=day != "2026-10-01")


@pytest.mark.parametrize(
    "text",
    [
        *("2026-10-01 13:30", "2026-10-01 13:30 +03:30", "2026-10-01 13:30+0330"),
        *("2026-10-01 10:00Z", "2026-10-01 10:00 Z", "2026-10-01 10:00:00+00"),
        *("2026-10-01T05:00-05:00", "2026-10-01 05:00:00-05:00", "2026-10-01 1330"),
        *("2026-10-01 05:00:00 -0500", "2026-10-01  13:30", "2026-10-01T13:30:00.000"),
        *("2026-10-01 10:00:00.000000+00:00", "2026-10-01T10:00:00,000000000Z"),
        *("2026-10-01T10Z", "2026-10-01T05-05", "2026-10-01T14+04"),
    ],
)
def test_an_offset_stands_at_the_time_or_after_one_space(text: str) -> None:
    assert times.parse_instant(text, TEHRAN) == datetime(2026, 10, 1, 10, tzinfo=UTC)


def test_durations_are_a_number_with_a_unit() -> None:
    assert times.parse_duration("90") == timedelta(seconds=90)
    assert times.parse_duration(90) == timedelta(seconds=90)
    assert times.parse_duration("5m") == timedelta(minutes=5)
    assert times.parse_duration("168h") == times.parse_duration("7d")
    for wrong in ("5w", "-5m", "", "1.5h"):
        with pytest.raises(ValueError, match="duration"):
            times.parse_duration(wrong)


@pytest.mark.parametrize("zone", ["Asia/Tehran", "America/New_York"])
@pytest.mark.parametrize("year", [1, 9999])
def test_an_instant_at_an_end_of_the_calendar_has_a_date(year: int, zone: str) -> None:
    instant = datetime(year, 12 if year > 1 else 1, 31 if year > 1 else 1, tzinfo=UTC)
    instant += timedelta(hours=23, minutes=59) if year > 1 else timedelta()
    found = times.business_date(instant, ZoneInfo(zone))
    assert abs((found - instant.date()).days) <= 1
    assert found.year == year


@pytest.mark.parametrize(
    ("instant", "day"),
    [
        (datetime(2026, 10, 4, 20, 30, tzinfo=UTC), date(2026, 10, 4)),
        (datetime(2026, 10, 4, 20, 30, 0, 1, tzinfo=UTC), date(2026, 10, 5)),
        (datetime(2026, 10, 4, 20, 29, 59, tzinfo=UTC), date(2026, 10, 4)),
        (times.EARLIEST, date(1, 1, 1)),
        (times.LATEST, date(9999, 12, 31)),
    ],
)
def test_midnight_ends_the_day_before(instant: datetime, day: date) -> None:
    assert times.ended_date(instant, TEHRAN) == day


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Sun, 04 Oct 2026 20:30:00 GMT", datetime(2026, 10, 4, 20, 30, tzinfo=UTC)),
        ("Sun, 04 Oct 2026 20:30:00 -0000", datetime(2026, 10, 4, 20, 30, tzinfo=UTC)),
        ("Mon, 05 Oct 2026 00:00:00 +0330", datetime(2026, 10, 4, 20, 30, tzinfo=UTC)),
        ("", None),
        ("soon", None),
        (f"Sun, 04 Oct {10**20} 20:30:00 GMT", None),
        (f"Sun, 04 Oct 2026 {10**20}:30:00 GMT", None),
        (f"Sun, 04 Oct 2026 20:30:00 +{10**20}", None),
        ("Fri, 31 Dec 9999 23:59:59 -2359", None),
    ],
)
def test_a_date_of_http_is_an_instant_or_none(
    text: str, found: datetime | None
) -> None:
    assert times.http_date(text) == found
