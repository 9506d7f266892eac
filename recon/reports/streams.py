"""A report of more rows than memory may hold, read from the engine in parts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from recon.reports.periods import Period
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

    def tables(self) -> Iterator[pa.Table]:
        """Yield the rows in their order, some thousands at a time."""
        yield from self._read(self.columns.names, self.order)

    def texts(self) -> Iterator[pa.Table]:
        """Yield the columns that hold text, in no order."""
        yield from self._read([each.name for each in self.columns if each.type == TEXT])

    def table(self) -> pa.Table:
        """Return all rows at once, in their order."""
        return pa.concat_tables([self.columns.empty_table(), *self.tables()])

    def _read(
        self, names: Sequence[str], order: Sequence[str] = ()
    ) -> Iterator[pa.Table]:
        columns = pa.schema([self.columns.field(name) for name in names])
        listed = ", ".join(f'"{name}"' for name in names)
        when = self.period.condition()
        if self.instant:
            when += f" and {self.period.near(self.instant)}"
        query = f'select {listed} from "{self.model}" where {when}'
        for rows in self.result.stream(query, order):
            yield shaped(rows, columns, sort=False)
