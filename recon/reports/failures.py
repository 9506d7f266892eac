"""failures.csv: payments that did not happen, by date, product, method and code."""

import pyarrow as pa

from recon.reports.periods import Period
from recon.reports.results import Results
from recon.reports.tables import COUNT, DATE, RIALS, TEXT, shaped
from recon.settings import Settings

COLUMNS = pa.schema(
    [
        ("business_date", DATE),
        ("product", TEXT),
        ("payment_method", TEXT),
        ("code", TEXT),
        ("attempts", COUNT),
        ("failed", COUNT),
        ("amount_failed", RIALS),
    ]
)


def table(result: Results, settings: Settings, period: Period) -> pa.Table:  # noqa: ARG001 - all reports are called alike
    """Return the failures of the period; `amount_failed` in rials.

    One row a date (of the attempt), product, method and code. `attempts` counts all
    attempts of that date, product and method, whatever became of them, so it stands
    again on the row of each code; a date without failures has one row, its code empty
    and `failed` 0, so that rates over a period can be taken from this file alone.
    """
    return period.of_dates(shaped(result.table("report_failures"), COLUMNS))
