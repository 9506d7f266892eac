from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from persiantools.jdatetime import JalaliDateTime

from recon.imports import columns
from recon.imports.checksums import iban_holds, national_code_holds
from recon.imports.columns import Terms
from recon.times import zone

TEHRAN = zone("Asia/Tehran")
RIAL = Terms(rials=1, jalali=False, zone=TEHRAN)
TOMAN = Terms(rials=10, jalali=False, zone=TEHRAN)
JALALI = Terms(rials=1, jalali=True, zone=TEHRAN)
AMOUNT = columns.amount("amount", signed=True)
AT = columns.instant("at")

ENDS = 10**18 - 1
SCRIPTS = st.sampled_from(["0123456789", "۰۱۲۳۴۵۶۷۸۹", "٠١٢٣٤٥٦٧٨٩"])
SEPARATORS = st.sampled_from(["", ",", "٬", " ", "_"])


@given(
    st.integers(-ENDS, ENDS), SCRIPTS, SEPARATORS, st.sampled_from(["", ".0", ".00"])
)
def test_an_amount_is_read_in_every_script(
    value: int, script: str, separator: str, fraction: str
) -> None:
    text = f"{value:,}{fraction}".replace(",", separator)
    written = text.translate(str.maketrans("0123456789", script))
    assert AMOUNT.read(written, RIAL) == value


@given(st.integers(-ENDS, ENDS))
def test_toman_are_ten_rials_up_to_18_digits_of_rials(value: int) -> None:
    if abs(value) * 10 <= ENDS:
        assert AMOUNT.read(str(value), TOMAN) == value * 10
    else:
        with pytest.raises(ValueError, match="more than 18 digits"):
            AMOUNT.read(str(value), TOMAN)


@given(st.text(max_size=30) | st.floats().map(str) | st.decimals().map(str))
def test_an_amount_is_an_integer_or_a_value_error(text: str) -> None:
    try:
        value = AMOUNT.read(text, RIAL)
    except ValueError:
        return
    assert type(value) is int
    assert abs(value) <= ENDS


@pytest.mark.parametrize(
    "text", ["1.5", "1e6", "1E6", "0x10", "1/2", "+1", "--1", "1" * 19, "½", "٫5", "1-"]
)
def test_what_is_no_amount_says_what_is_allowed(text: str) -> None:
    with pytest.raises(ValueError, match=r"\(allowed: a minus, up to 18 digits"):
        AMOUNT.read(text, RIAL)


def test_an_endless_amount_is_not_shown_whole() -> None:
    with pytest.raises(ValueError) as caught:
        AMOUNT.read("1" * 100_000, RIAL)
    assert len(str(caught.value)) < 200


FIRST = datetime.fromisoformat("1974-01-01")
LAST = datetime.fromisoformat("2199-12-30")
local_times = st.datetimes(FIRST, LAST)
instants = st.datetimes(FIRST, LAST, timezones=st.just(UTC))


@given(instants)
def test_an_instant_comes_back_from_iso_8601(moment: datetime) -> None:
    assert AT.read(moment.isoformat(), RIAL) == moment
    assert AT.read(moment.astimezone(TEHRAN).isoformat(), RIAL) == moment


@given(instants)
def test_an_instant_comes_back_from_unix_seconds(moment: datetime) -> None:
    seconds = int(moment.timestamp())
    assert AT.read(str(seconds), RIAL) == moment.replace(microsecond=0)


@given(local_times)
def test_a_jalali_day_is_its_gregorian_one(local: datetime) -> None:
    local = local.replace(hour=12, microsecond=0)
    written = JalaliDateTime(local).strftime("%Y/%m/%d %H:%M:%S")  # type: ignore[no-untyped-call]
    expected = local.replace(tzinfo=TEHRAN).astimezone(UTC)
    assert AT.read(written, JALALI) == expected


def test_a_time_without_a_zone_is_the_businesss() -> None:
    assert AT.read("2026-10-01 00:30", RIAL) == datetime(2026, 9, 30, 21, tzinfo=UTC)


def test_a_typed_date_is_gregorian_whatever_the_row_says() -> None:
    local = datetime.fromisoformat("2026-10-01")
    expected = datetime(2026, 9, 30, 20, 30, tzinfo=UTC)
    assert AT.read(local, RIAL) == AT.read(local, JALALI) == expected


def test_a_typed_instant_keeps_its_own_zone() -> None:
    moment = datetime(2026, 10, 1, tzinfo=UTC)
    assert AT.read(moment, RIAL) == moment


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("1405-07-01", RIAL),  # a Jalali date whose row does not say so
        ("2026-10-01", JALALI),  # and the other way round
        ("0001-01-01", RIAL),
        ("9999-12-31T23:59:59-12:00", RIAL),
        ("1969-12-31T00:00:00Z", RIAL),
        ("2200-01-01T00:00:00Z", RIAL),
    ],
)
def test_a_time_far_from_ours_is_refused(text: str, terms: Terms) -> None:
    with pytest.raises(ValueError, match=r"calendar = jalali|out of range"):
        AT.read(text, terms)


@given(st.text(max_size=30), st.booleans())
def test_a_time_is_an_instant_in_utc_or_a_value_error(text: str, jalali: bool) -> None:
    try:
        moment = AT.read(text, Terms(rials=1, jalali=jalali, zone=TEHRAN))
    except ValueError:
        return
    assert moment.utcoffset() == timedelta(0)


@pytest.mark.parametrize(
    ("iban", "holds"),
    [
        ("IR820540102680020817909002", True),
        ("IR820540102680020817909003", False),
        ("IR82054010268002081790900", False),
        ("DE89370400440532013000", True),
        ("DE89370400440532013001", False),
        ("", False),
        ("wallet", False),
    ],
)
def test_the_checksum_of_an_iban(iban: str, holds: bool) -> None:
    assert iban_holds(iban) is holds


@pytest.mark.parametrize(
    ("code", "holds"),
    [
        ("0499370899", True),
        ("0499370898", False),
        ("0790419904", True),
        ("1111111111", False),
        ("049937089", False),
        ("04993708٩9", False),
    ],
)
def test_the_checksum_of_a_national_code(code: str, holds: bool) -> None:
    assert national_code_holds(code) is holds


@given(st.text("0123456789", min_size=9, max_size=9))
def test_a_national_code_holds_with_one_last_digit_at_most(start: str) -> None:
    assert sum(national_code_holds(f"{start}{last}") for last in range(10)) <= 1


@pytest.mark.parametrize(
    ("cell", "terms", "year"),
    [
        ("1404-01-01", RIAL, 1404),
        ("1404-01-01 12:00", RIAL, 1404),
        ("2026-01-01", JALALI, 2647),
        ("1970-01-01", RIAL, 1969),  # of UTC: that of Tehran is allowed elsewhere
        ("2200-01-01 12:00", RIAL, 2200),
    ],
)
def test_a_refused_year_is_the_one_that_is_written(
    cell: str, terms: Terms, year: int
) -> None:
    """Midnight in Tehran is of the day before in UTC, and so may be its year."""
    with pytest.raises(ValueError, match=f"is in the year {year}[ ,;]"):
        AT.read(cell, terms)
