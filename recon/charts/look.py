"""How texts, numbers and dates are shown: the language and the calendar of a report.

English texts stand in the code, and are the keys of the Persian ones: a phrase is
written once in each language. What comes from the data (names of methods, codes,
identifiers) is never translated.
"""

import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo

from persiantools import digits

from recon.charts.columns import SHEETS
from recon.charts.persian import MONTHS, PHRASES
from recon.times import ended_date, format_instant, parts_of

_PERSIAN_MARKS = str.maketrans({",": "٬", ".": "٫", "%": "٪"})
_LEFT_TO_RIGHT = "\u200e"  # keeps a sign at the left of its number
_RIGHT_TO_LEFT = "\u200f"  # a filled phrase is Persian, whatever it begins with
_FROM_RIGHT = {"R", "AL"}  # as Unicode names how Hebrew's and Arabic's signs run
_MONTH = re.compile(r"(\d{4})-(\d{2})")
_RTL_ISOLATE, _OWN_ISOLATE, _END_OF_ISOLATE = "\u2067", "\u2068", "\u2069"


@dataclass(frozen=True)
class Look:
    """The `reports.language` (`en`, `fa`) of a reader, and the business's clock.

    `calendar` and `timezone` are those of the section `business`.
    """

    calendar: str = "gregorian"
    language: str = "en"
    timezone: tzinfo = UTC

    @property
    def is_persian(self) -> bool:
        """Tell whether texts are Persian, and so run from right to left."""
        return self.language == "fa"

    def say(self, text: str, /, **values: object) -> str:
        """Return a phrase in the language, with its places filled."""
        if not self.is_persian:
            return text.format(**values) if values else text
        known = PHRASES.get(text, text)
        return f"{_RIGHT_TO_LEFT}{known.format(**values)}" if values else known

    def sheet(self, name: str) -> str:
        """Return the name of a report as that of a sheet."""
        return SHEETS.get(name, name) if self.is_persian else name

    def written(self, number: str) -> str:
        """Return a number, written in ASCII, as the language writes it."""
        if not self.is_persian:
            return number
        persian: str = digits.en_to_fa(number.translate(_PERSIAN_MARKS))
        return (
            f"{_LEFT_TO_RIGHT}{persian}" if number.startswith(("-", "+")) else persian
        )

    def from_left(self, text: str) -> str:
        """Return a text whose parts stand from left to right, as beside a mark."""
        return f"{_LEFT_TO_RIGHT}{text}" if self.is_persian else text

    def apart(self, phrase: str) -> str:
        """Return a phrase that runs its own way within a text from left to right."""
        return f"{_RTL_ISOLATE}{phrase}{_END_OF_ISOLATE}" if self.is_persian else phrase

    def quoted(self, text: str) -> str:
        """Return a text of any language that runs its own way within a phrase."""
        return f"{_OWN_ISOLATE}{text}{_END_OF_ISOLATE}" if self.is_persian else text

    def named(self, name: str) -> str:
        """Return a name of any script that stands before a number on a line.

        In English the line runs from the left even where the name does not, and so do
        the parts of a date after it. In Persian the month is no part of such a name.
        """
        if not _has_signs_from_right(name):
            return name
        if self.is_persian:
            return self.quoted(name)
        return f"{_LEFT_TO_RIGHT}{name}{_LEFT_TO_RIGHT}"

    def count(self, number: int) -> str:
        """Write a whole number with thousands separators."""
        return self.written(f"{number:,}")

    def share(self, part: float, digits: int = 0) -> str:
        """Write a share of one as a percentage."""
        return self.written(f"{part:.{digits}%}")

    def day(self, day: date) -> str:
        """Write a date in numbers: ISO, or Jalali with slashes."""
        year, month, number = parts_of(day, self.calendar)
        if self.calendar == "jalali":
            return self.written(f"{year:04d}/{month:02d}/{number:02d}")
        return self.from_left(self.written(f"{year:04d}-{month:02d}-{number:02d}"))

    def clock(self, instant: datetime) -> dict[str, str]:
        """Return an instant's `day` and `time` at the business, and it in UTC."""
        local = instant.astimezone(self.timezone)
        return {
            "day": self.day(local.date()),
            "time": self.written(f"{local:%H:%M}"),
            "instant": self.from_left(format_instant(instant)),
        }

    def ended(self, instant: datetime) -> date:
        """Return the business date that an instant ends: midnight, the day before."""
        return ended_date(instant, self.timezone)

    def month(self, month: str) -> str:
        """Write a month (`YYYY-MM`, of the calendar) with its name, or as it is."""
        found = _MONTH.fullmatch(month)
        if not found or not self.is_persian:
            return month
        return f"{self._month_name(int(found[2]))} {self.written(found[1])}"

    def month_of(self, day: date) -> str:
        """Write the month that a day lies in."""
        year, month, _ = parts_of(day, self.calendar)
        return self.month(f"{year:04d}-{month:02d}")

    def tick(self, day: date, before: date | None) -> str:
        """Write a date below an axis; Persian ones name the month.

        The year stands where it begins or changes from that of the date `before`.
        """
        if not self.is_persian:
            return self.day(day)
        year, month, number = parts_of(day, self.calendar)
        text = f"{self.written(str(number))} {self._month_name(month)}"
        same = before is not None and parts_of(before, self.calendar)[0] == year
        return text if same else f"{text}\n{self.written(str(year))}"

    def _month_name(self, month: int) -> str:
        return MONTHS[self.calendar][month - 1]


def language_of(text: str) -> str:
    """Return whether a text from the data is Persian (`fa`) or English (`en`)."""
    return "fa" if _has_signs_from_right(text) else "en"


def _has_signs_from_right(text: str) -> bool:
    return any(unicodedata.bidirectional(sign) in _FROM_RIGHT for sign in text)


ENGLISH = Look()
"""What charts take where nobody says otherwise."""
