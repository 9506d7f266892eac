"""The period that is closed: a month of either calendar, or a range of dates."""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from recon.errors import UsageError
from recon.times import jalali_day, midnight, plain_digits

_MONTH = re.compile(r"(\d{4})-(\d{1,2})")
_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_FIRST_GREGORIAN_YEAR = 1600
_MONTHS = 12
_DAY_LENGTH = timedelta(days=1)


@dataclass(frozen=True)
class ClosingPeriod:
    """Business dates from `first` to `last`, both included; `name` as people say it."""

    name: str
    first: date
    last: date

    def begins(self, zone: tzinfo) -> datetime:
        """Return the first instant of the period (UTC)."""
        return midnight(self.first, zone)

    def ends(self, zone: tzinfo) -> datetime:
        """Return the first instant after the period (UTC)."""
        return midnight(self.last + _DAY_LENGTH, zone)

    def overlaps(self, first: date, last: date) -> bool:
        """Tell whether the period shares a business date with other ones."""
        return self.first <= last and first <= self.last


def parse(text: str) -> ClosingPeriod:
    """Read `2026-10`, the Jalali `1405-07`, or `2026-10-01..2026-10-31`.

    A year before 1600 is a Jalali one: no payment is that old, and no Jalali year
    from 1600 on is near. Persian and Arabic digits are taken. Raises UsageError on
    anything else.
    """
    plain = plain_digits(text)
    first_text, dots, last_text = plain.partition("..")
    try:
        if dots:
            first, last = _day(first_text), _day(last_text)
            if last < first:
                raise UsageError(f"the period {text} ends before it begins")
            name = f"{first_text.strip()}..{last_text.strip()}"
            return ClosingPeriod(name, first, last)
        found = _MONTH.fullmatch(plain)
        if not found:
            raise ValueError("it must be a month or two dates")  # noqa: TRY301 - one place words all of them
        return _month(int(found[1]), int(found[2]))
    except (ValueError, OverflowError) as error:
        reason = error.args[0] if error.args else error  # some have the value besides
        raise UsageError(
            f"{text!r} is no period: 2026-10, 1405-07 or 2026-10-01..2026-10-31 "
            f"({reason})"
        ) from None


def _month(year: int, month: int) -> ClosingPeriod:
    after = (year + 1, 1) if month == _MONTHS else (year, month + 1)
    first, next_first = _date(year, month, 1), _date(*after, 1)
    return ClosingPeriod(f"{year:04d}-{month:02d}", first, next_first - _DAY_LENGTH)


def _day(text: str) -> date:
    found = _DAY.fullmatch(text.strip())
    if not found:
        raise ValueError(f"{text!r} is not a date")
    return _date(*map(int, found.groups()))


def _date(year: int, month: int, day: int) -> date:
    is_jalali = year < _FIRST_GREGORIAN_YEAR
    return (jalali_day if is_jalali else date)(year, month, day)
