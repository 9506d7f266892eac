"""duplicate_payments.csv: orders for which more than one payment came in."""

import pyarrow as pa

from recon.reports.periods import Period
from recon.reports.results import Results
from recon.reports.tables import DATE, INSTANT, RIALS, TEXT, shaped
from recon.settings import Settings

COLUMNS = pa.schema(
    [
        ("business_date", DATE),
        ("reference", TEXT),
        ("order_amount", RIALS),
        ("received", RIALS),
        ("excess", RIALS),
        ("count", pa.int64()),
        ("records", TEXT),
        ("first_at", INSTANT),
        ("last_at", INSTANT),
    ]
)


def table(result: Results, settings: Settings, period: Period) -> pa.Table:  # noqa: ARG001 - all reports are called alike
    """Return the orders that several payments came in for, beyond what they cost.

    One row an order of the books, with the records of every product that have its
    reference; or a number that the books lack, with the records of one product. Rials:
    `received` is what came in by `count` payments, `order_amount` what the books have
    (else the dearest record of the number), `excess` the one less the other, which is
    more than `checks.tolerance`; empty where an amount is unknown. `records` are
    product:id, parted by spaces; `business_date` is that of the last. Refunded trades
    count for nothing, nor do orders that stand twice in the books.
    """
    return period.of_dates(shaped(result.table("report_duplicate_payments"), COLUMNS))
