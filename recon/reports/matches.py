"""matches.csv: which order of the books stands for which record of the provider."""

import pyarrow as pa

from recon.reports.periods import Period
from recon.reports.results import Results
from recon.reports.streams import Stream
from recon.reports.tables import RIALS, TEXT
from recon.settings import Settings

COLUMNS = pa.schema(
    [
        ("reference", TEXT),
        ("product", TEXT),
        ("record_id", TEXT),
        ("method", TEXT),
        ("confidence", TEXT),
        ("book_amount", RIALS),
        ("record_amount", RIALS),
        ("difference", RIALS),
    ]
)


def table(result: Results, settings: Settings, period: Period) -> pa.Table:  # noqa: ARG001 - all reports are called alike
    """Return the matches of orders in the period; amounts in rials.

    One row an order and a record; the period is that of the order. `difference` is
    the order's amount less the record's. An order without a record, and a record
    without an order, are no matches: they are breaks.
    """
    return stream(result, period).table()


def stream(result: Results, period: Period) -> Stream:
    """Return what `table` does in parts: there is a match for nearly every order."""
    order = COLUMNS.names
    return Stream(result, "report_matches", COLUMNS, order, period, "occurred_at")
