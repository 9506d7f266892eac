"""settlements.csv: which credit of the bank is which settlement of the wallet."""

import pyarrow as pa

from recon.reports.periods import Period
from recon.reports.results import Results
from recon.reports.tables import DATE, INSTANT, RIALS, TEXT, shaped
from recon.settings import Settings

COLUMNS = pa.schema(
    [
        ("business_date", DATE),
        ("iban", TEXT),
        ("amount", RIALS),
        ("status", TEXT),
        ("kind", TEXT),
        ("description", TEXT),
        ("settled_at", INSTANT),
        ("booked_at", INSTANT),
    ]
)


def table(result: Results, settings: Settings, period: Period) -> pa.Table:  # noqa: ARG001 - all reports are called alike
    """Return the wallet's settlements and the bank's credits; `amount` in rials.

    One row an adjustment that took money out of the wallet: `matched` with a credit of
    its amount (from a day before it to four after), else, of the kind settlement,
    `awaited`, or `missing` where the statements cover all those days: a withdrawal may
    have paid somebody else. One row a credit that names the provider and that no
    adjustment accounts for: `unexplained`. `business_date` is that of the settlement,
    else of the credit; `iban` is the account of the credit. Nothing without a bank
    statement.
    """
    return period.of_dates(shaped(result.table("report_settlements"), COLUMNS))
