"""breaks.csv: one row a break, open or decided upon, or gone since the last run."""

import pyarrow as pa

from recon.reports.periods import Period
from recon.reports.results import Results
from recon.reports.tables import COUNT, DATE, INSTANT, RIALS, TEXT, shaped
from recon.settings import Settings

COLUMNS = pa.schema(
    [
        ("break_id", TEXT),
        ("check", TEXT),
        ("severity", TEXT),
        ("product", TEXT),
        ("record_id", TEXT),
        ("related_id", TEXT),
        ("occurred_at", INSTANT),
        ("business_date", DATE),
        ("expected", RIALS),
        ("actual", RIALS),
        ("difference", RIALS),
        ("detail", TEXT),
        ("first_seen", INSTANT),
        ("age_days", COUNT),
        ("status", TEXT),
    ]
)


def table(result: Results, settings: Settings, period: Period) -> pa.Table:  # noqa: ARG001 - all reports are called alike
    """Return the breaks of the period, in the order of the run; amounts in rials.

    A break that has no business date may belong to any period and is in each. One of
    the wallet has the date that its snapshot ends, as its interval does.
    """
    return period.of_dates(shaped(result.breaks, COLUMNS, sort=False))
