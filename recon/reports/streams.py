"""A report of more rows than memory may hold, read from the engine in parts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

import pyarrow as pa

from recon.reports.periods import Period, between
from recon.reports.results import Results
from recon.reports.tables import TEXT, shaped


@dataclass(frozen=True)
class Stream:
    """The rows of a model in a period, read anew by each method.

    `columns` are the report's; `order` are those by which rows are sorted, null last.
    `instant` is the column that `business_date` is of, where there is one.
    """

    result: Results
    model: str
    columns: pa.Schema
    order: Sequence[str]
    period: Period
    instant: str | None = None

    def tables(self, cuts: Sequence[date] = ()) -> Iterator[pa.Table]:
        """Yield the rows in their order, some thousands at a time.

        `cuts` are dates, the earliest first, where `instant` leads the order: what lies
        between two of them, by UTC, is read and sorted by itself. All of a large lake
        at once would be spilled as it is read, and again as it is sorted.
        """
        for since, until in pairwise([None, *cuts, None]):
            when = self._between(since, until)
            yield from self._read(self.columns.names, self.order, when)

    def texts(self) -> Iterator[pa.Table]:
        """Yield the columns that hold text, in no order."""
        yield from self._read([each.name for each in self.columns if each.type == TEXT])

    def table(self) -> pa.Table:
        """Return all rows at once, in their order."""
        return pa.concat_tables([self.columns.empty_table(), *self.tables()])

    def _between(self, since: date | None, until: date | None) -> str:
        """Return the SQL condition of what lies so; what has no instant is last."""
        inside = between(str(self.instant), since, until)
        is_last = since is not None and until is None
        return f"({inside} or {self.instant} is null)" if is_last else inside or "true"

    def _read(
        self, names: Sequence[str], order: Sequence[str] = (), which: str = "true"
    ) -> Iterator[pa.Table]:
        columns = pa.schema([self.columns.field(name) for name in names])
        listed = ", ".join(f'"{name}"' for name in names)
        when = f"{which} and {self.period.condition()}"
        if self.instant:
            when += f" and {self.period.near(self.instant)}"
        query = f'select {listed} from "{self.model}" where {when}'
        for rows in self.result.stream(query, order):
            yield shaped(rows, columns, sort=False)
