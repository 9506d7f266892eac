"""When people pay: the rhythm of weekdays, hours and paydays in Iran."""

from bisect import bisect
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import accumulate
from random import Random

from recon.times import calendar_month

_WEEKDAY = (1.05, 1.1, 1.25, 0.9, 0.65, 1.0, 1.05)  # Monday first; Friday is off
_HOUR = (
    9, 5, 3, 2, 2, 3, 6, 14, 28, 44, 56, 62,
    58, 46, 38, 36, 40, 48, 56, 64, 72, 70, 48, 24,
)  # fmt: skip
_HOURS = tuple(accumulate(_HOUR))
_PAYDAY = (1.7, 1.5, 1.3, 1.15)  # the first days of a Jalali month
QUIET_SECONDS = 600  # nothing happens so close to midnight, retries included
_LAST_START_SECONDS = 1500


class Days:
    """The days of a history and their local midnights, as Unix seconds."""

    def __init__(self, until: date, count: int, zone: tzinfo) -> None:
        """Take the last day, how many days there are, and the business's zone."""
        self.zone = zone
        self.first = until - timedelta(days=count - 1)
        self.all = [self.first + timedelta(days=day) for day in range(count)]
        midnights = [*self.all, until + timedelta(days=1)]
        self.midnights = [
            int(datetime(day.year, day.month, day.day, tzinfo=zone).timestamp())
            for day in midnights
        ]
        self.starts_at, self.ends_at = self.midnights[0], self.midnights[-1]
        self.months = [
            (calendar_month(day, "gregorian"), calendar_month(day, "jalali"))
            for day in self.all
        ]

    def __len__(self) -> int:
        """Return the number of days."""
        return len(self.all)

    def index_of(self, at: int) -> int:
        """Return the number of the day (from 0) in which an instant falls."""
        return bisect(self.midnights, at) - 1

    def local(self, at: int) -> datetime:
        """Return an instant on the business's clock."""
        return datetime.fromtimestamp(at, self.zone)

    @staticmethod
    def utc(at: int) -> datetime:
        """Return an instant in UTC."""
        return datetime.fromtimestamp(at, UTC)

    def moment(self, index: int, share: float) -> int:
        """Return the instant at that share (0 to 1) of a day, clear of midnight."""
        start, end = self.midnights[index], self.midnights[index + 1]
        open_seconds = end - start - QUIET_SECONDS - _LAST_START_SECONDS
        return start + QUIET_SECONDS + int(share * open_seconds)

    def place(self, share: float, rng: Random) -> int:
        """Return an instant in working hours of the day at that share of the days."""
        index = min(int(share * len(self)), len(self) - 1)
        return self.moment(index, rng.uniform(0.38, 0.8))


def _payday(day: date) -> float:
    for since, weight in enumerate(_PAYDAY):
        eve = day - timedelta(days=since + 1)
        if calendar_month(eve, "jalali") != calendar_month(day, "jalali"):
            return weight
    return 1.0


def volumes(days: Days, daily: float, rng: Random) -> list[int]:
    """Return how many things happen on each day, `daily` of them on the mean day."""
    weights = [_WEEKDAY[day.weekday()] * _payday(day) for day in days.all]
    mean = sum(weights) / len(weights)
    counts = []
    for weight in weights:
        expected = daily * weight / mean
        counts.append(max(0, round(rng.gauss(expected, expected**0.5))))
    return counts


def moments(days: Days, index: int, count: int, rng: Random) -> Sequence[int]:
    """Return that many instants of a day in order, by the rhythm of its hours."""
    instants = []
    for _ in range(count):
        hour = bisect(_HOURS, rng.random() * _HOURS[-1])
        instants.append(days.moment(index, (hour + rng.random()) / 24))
    return sorted(instants)
