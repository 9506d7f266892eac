"""bank_matches.csv: which debit of the bank stands for which deposit."""

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
        ("track_id", TEXT),
        ("record_ids", TEXT),
        ("requested_at", INSTANT),
        ("booked_at", INSTANT),
    ]
)


def table(result: Results, settings: Settings, period: Period) -> pa.Table:  # noqa: ARG001 - all reports are called alike
    """Return the bank's debits and the deposits of the period; `amount` in rials.

    One row a debit: `matched` with a deposit request, or `unexplained` where it names
    the provider and no deposit accounts for it. One row a deposit without a debit:
    `missing`, or `awaited` while the bank may yet book it; only of days that a
    statement of the account covers. `business_date` is that of the debit, else that of
    the request; `record_ids` are the deposit's entries, with spaces between them. A
    deposit without a `track_id`, an account or the time of its request has no row.
    """
    return period.of_dates(shaped(result.table("report_bank_matches"), COLUMNS))
