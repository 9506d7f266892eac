"""Days, weeks and months along an axis: few enough to be told apart."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from recon.times import parts_of

_MOST_DAYS = 120
_MOST_WEEKS = 160
_MOST_FILLED_DAYS = 50 * 366
_DAYS_A_WEEK = 7
_SATURDAY = 5
_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Steps:
    """The steps of a period, `name` each (day, week, month) by its first day.

    `begins_at` is the first date where the first step has earlier ones, `ends_at` the
    last one where the last step has later ones: such a step looks smaller than it is.
    """

    name: str
    firsts: tuple[date, ...]
    of_day: dict[date, date]
    begins_at: date | None = None
    ends_at: date | None = None

    def place(self, dates: Iterable[Any]) -> list[date]:
        """Return the first day of the step that each date lies in."""
        return [self.of_day[day] for day in days_of(dates)]


def days_of(dates: Iterable[Any]) -> list[date]:
    """Return dates as Python dates, however the frame holds them."""
    return [each.date() if isinstance(each, datetime) else each for each in list(dates)]


def steps_of(dates: Iterable[Any], calendar: str, *, name: str = "") -> Steps:
    """Divide a period, gaps included, into days, weeks (from Saturday) or months.

    Months are those of the calendar; `name` asks for one kind of step whatever the
    length. Gaps are left out of a period of more than fifty years: one of its dates is
    then no date of business. The dates must not be empty.
    """
    known = set(days_of(dates))
    first, last = min(known), max(known)
    count = (last - first).days + 1
    days = sorted(known)
    if count <= _MOST_FILLED_DAYS:
        days = [first + timedelta(days=index) for index in range(count)]
    if not name:
        fits_weeks = count <= _DAYS_A_WEEK * _MOST_WEEKS
        name = "day" if count <= _MOST_DAYS else "week" if fits_weeks else "month"

    def first_of(day: date) -> date:
        if name == "week":
            return _week(day)
        return _month(day, calendar) if name == "month" else day

    of_day = {day: first_of(day) for day in days}
    goes_on = last < date.max and first_of(last + _DAY) == of_day[last]
    return Steps(
        name,
        tuple(dict.fromkeys(of_day.values())),
        of_day,
        begins_at=first if of_day[first] != first else None,
        ends_at=last if goes_on else None,
    )


def weekday(day: date) -> int:
    """Return where a day stands in its week, from 0: weeks begin on Saturday."""
    return (day.weekday() - _SATURDAY) % _DAYS_A_WEEK


def _week(day: date) -> date:
    return day - timedelta(days=weekday(day))


def _month(day: date, calendar: str) -> date:
    _, _, number = parts_of(day, calendar)
    return day - timedelta(days=number - 1)
