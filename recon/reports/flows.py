"""flows.csv: what certainly moved the wallet, by business date, product and method."""

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
        ("count", COUNT),
        ("amount", RIALS),
        ("wage", RIALS),
        ("affected", RIALS),
    ]
)


def table(result: Results, settings: Settings, period: Period) -> pa.Table:  # noqa: ARG001 - all reports are called alike
    """Return the flows of the period; amounts in rials.

    One row a date, product and method. `affected` is the signed effect on the wallet
    and sums to the movements of the roll-forward. Products without methods leave the
    method empty; adjustments (product `wallet`) name their kind there.
    """
    return period.of_dates(shaped(result.table("report_flows"), COLUMNS))
