"""Instants are UTC; a business date is an instant's date in the business's zone."""

import re
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from email.utils import parsedate_to_datetime
from zoneinfo import ZoneInfo

from persiantools import digits
from persiantools.jdatetime import JalaliDate

EARLIEST = datetime.min.replace(tzinfo=UTC)
LATEST = datetime.max.replace(tzinfo=UTC)
"""The ends of the calendar: since ever, and for ever."""

_MOMENT = timedelta(microseconds=1)

_DURATION = re.compile(r"(\d+)\s*([smhd]?)")
_UNIT_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_LOCAL_DATE = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:([T ]+)(\S.*))?")
_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d{4}|\d{6})(Z|[+-]\d\d:?\d\d)?)?")
_COMPACT_DATE = 8  # digits
_OF_DAY = re.compile(
    r"(?:\d\d?:\d\d(?P<seconds>:\d\d(?:[.,]\d+)?)?|\d{4}|\d{6}|(?P<hour>\d\d))"
    r"(?: ?(?:Z|\+\d\d(?::?\d\d)?|(?P<west>-\d\d(?::?\d\d)?)))?",
    re.ASCII,
)
_SHORT_HOUR = re.compile(r"^(?=\d:)")  # sheets write 8:05
_CLOCK = "after the date, HH:MM or HH:MM:SS up to 23:59:59, and at most an offset"
_LONGEST_ZONE = 80  # characters that an error repeats
_OF_THIS_MACHINE = re.compile(r"(?:localtime|posixrules)$|(?:posix|right)/")
_FIRST_UNIX_SECONDS = 9  # digits: from 1973 on; shorter numbers are no times
_LAST_UNIX_SECONDS = 10
JALALI_CENTURIES = ("13", "14", "15")
"""How a year begins that is a Jalali one, since no payment is that old."""


def parse_duration(text: str | int) -> timedelta:
    """Read `90`, `90s`, `5m`, `24h` or `7d`; a bare number is seconds."""
    found = _DURATION.fullmatch(str(text).strip())
    if isinstance(text, bool) or not found:
        raise ValueError(f"{text!r} is not a duration: a number with s, m, h or d")
    return timedelta(seconds=int(found[1]) * _UNIT_SECONDS[found[2]])


def plain_digits(text: str) -> str:
    """Return a text without spaces around it, Persian and Arabic digits as ASCII."""
    return digits.fa_to_en(digits.ar_to_fa(text.strip()))


def parse_instant(text: str, zone: tzinfo, *, jalali: bool = False) -> datetime:
    """Read ISO 8601, Unix seconds or, with `jalali`, a Jalali date and time, as UTC.

    Persian and Arabic digits are taken. A time without an offset is local to `zone`;
    a date alone, or its midnight, is its first instant; 8:05 is 08:05, and 20261001 and
    20261001T100000Z are written in ISO 8601, too. Raises
    ValueError on anything else, on a local time that its zone skipped, and, with
    `jalali`, on Unix seconds that may be meant as a Jalali date and hour: 1405070914.
    """
    plain = spelled(text)
    if plain.isdigit() and _FIRST_UNIX_SECONDS <= len(plain) <= _LAST_UNIX_SECONDS:
        if jalali and plain.startswith(JALALI_CENTURIES):
            raise ValueError(
                f"{text!r} may be Unix seconds or a Jalali date and hour: write "
                "1405/07/12 or 1405/07/12 23:59"
            )
        return datetime.fromtimestamp(int(plain), UTC)
    kind = "Jalali time" if jalali else "time"
    found = _LOCAL_DATE.fullmatch(plain)
    if not found:
        allowed = (
            "write 1405/07/12 or 1405/07/12 23:59"
            if jalali
            else "ISO 8601 or Unix seconds"
        )
        raise ValueError(f"{text!r} is not a {kind}: {allowed}")
    try:
        day = (jalali_day if jalali else date)(*map(int, found.group(1, 2, 3)))
    except ValueError as error:
        reason = error.args[0] if error.args else error  # some have the value besides
        raise ValueError(f"{text!r} is not a {kind}: {reason}") from None
    try:
        clock = _clock(found[5] or "00:00", has_sign="T" in (found[4] or ""))
        moment = datetime.fromisoformat(f"{day.isoformat()}T{clock}")
    except ValueError:
        raise ValueError(f"{text!r} is not a {kind}: {_CLOCK}") from None
    try:
        instant = moment.replace(tzinfo=moment.tzinfo or zone).astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{text!r} is out of range") from None
    if moment.tzinfo is not None:
        return instant
    skipped = instant.astimezone(zone).replace(tzinfo=None) != moment
    if skipped and moment.time() != time():
        raise ValueError(f"{text!r} does not exist in {zone}: its clocks skipped it")
    return instant


def _clock(told: str, *, has_sign: bool) -> str:
    """Return a time of day and its offset in ISO 8601; ValueError where it is none.

    10:30-12:00 are two times, unless the sign of ISO 8601 stands before it or it has
    seconds; so are 10:30 - 12:00 and 08-10. An hour alone needs that sign, too.
    """
    found = _OF_DAY.fullmatch(told)
    is_odd = found and (found["hour"] or (found["west"] and not found["seconds"]))
    if not found or (is_odd and not has_sign):
        raise ValueError(f"{told!r} is no time of day")
    return _SHORT_HOUR.sub("0", told.replace(" ", ""))


def has_clock(text: str) -> bool:
    """Tell whether a text that is a time says more than its day."""
    plain = spelled(text)
    found = _LOCAL_DATE.fullmatch(plain)
    return plain.isdigit() or bool(found and found[5])


def spelled(text: str) -> str:
    """Return a time in plain digits, with signs between its parts if it has none."""
    plain = plain_digits(text)
    plain = f"{plain[:-1]}Z" if plain.endswith("z") else plain
    found = _COMPACT.fullmatch(plain)
    if not found:
        return plain
    day, clock = "-".join(found.group(1, 2, 3)), found[4]
    return f"{day}T{clock}{found[5] or ''}" if clock else day


def http_date(text: str) -> datetime | None:
    """Read a date as HTTP writes it (RFC 9110), as UTC; None where it is none.

    One that does not say its zone is in UTC.
    """
    try:
        said = parsedate_to_datetime(text)
        return said.replace(tzinfo=said.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):  # of years and zones that no calendar has
        return None


def typed_instant(text: str, zone: tzinfo) -> datetime:
    """Read an instant as people type it, of either calendar: `parse_instant` says how.

    A year of the 13th to 15th century is a Jalali one: no payment is that old.
    """
    plain = plain_digits(text)
    is_date = not plain.isdigit() or len(plain) == _COMPACT_DATE
    jalali = plain.startswith(JALALI_CENTURIES) and is_date
    return parse_instant(plain, zone, jalali=jalali)


def jalali_day(year: int, month: int, day: int) -> date:
    """Return the day of a Jalali date; ValueError where there is none."""
    converted: date = JalaliDate(year, month, day).to_gregorian()  # type: ignore[no-untyped-call]
    return converted


def format_instant(instant: datetime) -> str:
    """Write an instant as reports do: `YYYY-MM-DDTHH:MM:SSZ`."""
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def business_date(instant: datetime, zone: tzinfo) -> date:
    """Return the date of an instant in the business's zone.

    At either end of the calendar, where the zone's date does not exist, it is UTC's.
    """
    return local_time(instant, zone).date()


def ended_date(instant: datetime, zone: tzinfo) -> date:
    """Return the business date that an instant ends: at midnight, the day before.

    So the intervals of the wallet and its breaks have theirs, by their snapshots.
    """
    before = instant if instant <= EARLIEST else instant - _MOMENT
    return business_date(before, zone)


def local_time(instant: datetime, zone: tzinfo) -> datetime:
    """Return an instant in a zone; in UTC where the zone's calendar does not reach."""
    try:
        return instant.astimezone(zone)
    except OverflowError:
        return instant.astimezone(UTC)


def midnight(day: date, zone: tzinfo) -> datetime:
    """Return the first instant of a business date, as UTC."""
    return datetime.combine(day, time(), zone).astimezone(UTC)


def parts_of(day: date, calendar: str) -> tuple[int, int, int]:
    """Return a day's year, month and number in the `gregorian` or `jalali` calendar.

    A day that the Jalali calendar does not reach has those of the Gregorian one.
    """
    if calendar == "jalali":
        with suppress(ValueError):
            found = JalaliDate(day)  # type: ignore[no-untyped-call]
            return found.year, found.month, found.day
    return day.year, day.month, day.day


def calendar_month(day: date, calendar: str) -> str:
    """Return a day's month as `YYYY-MM` in the `gregorian` or `jalali` calendar."""
    year, month, _ = parts_of(day, calendar)
    return f"{year:04d}-{month:02d}"


def zone(name: str) -> ZoneInfo:
    """Return the time zone of that IANA name; ValueError if there is none.

    What only this machine calls so is no such name: the engine does not know it.
    """
    if not _OF_THIS_MACHINE.match(name):
        with suppress(Exception):  # zoneinfo raises several kinds for a bad key
            return ZoneInfo(name)
    shown = repr(name if len(name) < _LONGEST_ZONE else f"{name[:_LONGEST_ZONE]}…")
    raise ValueError(f"an IANA time zone, not {shown}")
