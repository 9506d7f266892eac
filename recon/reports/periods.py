"""The period of a report: whole business dates, either end open."""

from dataclasses import dataclass
from datetime import date, tzinfo

import pyarrow as pa
import pyarrow.compute as pc

from recon.errors import UsageError


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

    def holds(self, day: date) -> bool:
        """Tell whether a business date lies in the period."""
        early = self.first is not None and day < self.first
        return not early and (self.last is None or day <= self.last)

    def of_dates(self, table: pa.Table, column: str = "business_date") -> pa.Table:
        """Keep the rows of the period; a row without a date may belong to it."""
        return self._of(table, table[column])

    def of_instants(self, table: pa.Table, column: str, zone: tzinfo) -> pa.Table:
        """Keep the rows whose instant has a business date in the period."""
        local = table[column].cast(pa.timestamp("us", str(zone)))
        return self._of(table, pc.local_timestamp(local).cast(pa.date32(), safe=False))

    def _of(self, table: pa.Table, dates: pa.ChunkedArray) -> pa.Table:
        kept = pc.is_null(dates)
        if not self:
            return table
        inside = pc.is_valid(dates)
        if self.first is not None:
            inside = pc.and_(inside, pc.greater_equal(dates, self.first))
        if self.last is not None:
            inside = pc.and_(inside, pc.less_equal(dates, self.last))
        return table.filter(pc.or_(kept, pc.fill_null(inside, False)))
