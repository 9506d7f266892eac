"""The period of a report: whole business dates, either end open."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from recon.errors import UsageError
from recon.times import midnight

if TYPE_CHECKING:
    from recon.charts import Look

_MOMENT = pa.scalar(1, pa.duration("us"))
_DAY = timedelta(days=1)
_MARGIN = timedelta(days=2)  # a day, and what a zone may be away from UTC


def ended_dates(instants: pa.ChunkedArray, zone: tzinfo) -> pa.ChunkedArray:
    """Return the business date that each instant ends: at midnight, the day before."""
    local = pc.subtract(instants, _MOMENT).cast(pa.timestamp("us", str(zone)))
    return pc.local_timestamp(local).cast(pa.date32(), safe=False)


def between(column: str, since: date | None, until: date | None) -> str:
    """Return the SQL condition of instants from one day on and before another, by UTC.

    Empty where both ends are open.
    """
    bounds = [(">=", since), ("<", until)]
    return " and ".join(
        f"{column} {sign} timestamptz '{day.isoformat()} 00:00:00+00'"
        for sign, day in bounds
        if day is not None
    )


@dataclass(frozen=True)
class Period:
    """Business dates from `first` to `last`, both included; None is open."""

    first: date | None = None
    last: date | None = None

    def __post_init__(self) -> None:
        if self.first and self.last and self.last < self.first:
            raise UsageError(f"the period ends {self.last}, before it begins")

    def __bool__(self) -> bool:
        return self.first is not None or self.last is not None

    def said(self, look: "Look") -> str:
        """Return the period as a sentence; nothing where both ends are open."""
        if not self:
            return ""
        return look.say(
            "Business dates from {first} to {last}.",
            first=look.day(self.first) if self.first else look.say("the beginning"),
            last=look.day(self.last) if self.last else look.say("the end"),
        )

    def ends(self, zone: tzinfo) -> datetime | None:
        """Return the first instant after the period, UTC; None where it is open."""
        after = _shifted(self.last, _DAY) if self.last else None
        return midnight(after, zone) if after else None

    def holds(self, day: date) -> bool:
        """Tell whether a business date lies in the period."""
        early = self.first is not None and day < self.first
        return not early and (self.last is None or day <= self.last)

    def condition(self) -> str:
        """Return what `of_dates` keeps as an SQL condition on `business_date`."""
        bounds = [(">=", self.first), ("<=", self.last)]
        inside = [
            f"business_date {sign} date '{day.isoformat()}'"
            for sign, day in bounds
            if day is not None
        ]
        within = " and ".join(inside)
        return f"(business_date is null or {within})" if within else "true"

    def near(self, column: str) -> str:
        """Return a looser SQL condition, on the instants that the dates are of.

        It holds for all of the period in every zone, and for little else: an engine
        need not read files in which it holds nowhere.
        """
        within = between(
            column,
            self.first and _shifted(self.first, -_MARGIN),
            self.last and _shifted(self.last, _MARGIN),
        )
        return f"({column} is null or {within})" if within else "true"

    def of_dates(self, table: pa.Table) -> pa.Table:
        """Keep the rows of the period; a row without a date may belong to it."""
        return self.where(table, table["business_date"])

    def of_ends(self, table: pa.Table, column: str, zone: tzinfo) -> pa.Table:
        """Keep the rows whose instant ends something of the period.

        Midnight ends the day before, as where a period is closed.
        """
        return self.where(table, ended_dates(table[column], zone))

    def where(self, table: pa.Table, dates: pa.ChunkedArray) -> pa.Table:
        """Keep the rows whose date, in the same order, is of the period or null."""
        kept = pc.is_null(dates)
        if not self:
            return table
        inside = pc.is_valid(dates)
        if self.first is not None:
            inside = pc.and_(inside, pc.greater_equal(dates, self.first))
        if self.last is not None:
            inside = pc.and_(inside, pc.less_equal(dates, self.last))
        return table.filter(pc.or_(kept, pc.fill_null(inside, False)))


def _shifted(day: date, by: timedelta) -> date | None:
    """Return a day so far away; None where no calendar goes."""
    try:
        return day + by
    except OverflowError:
        return None
