"""rollforward.csv: the wallet from one balance snapshot to the next."""

import pyarrow as pa

from recon.reports.periods import Period
from recon.reports.results import Results
from recon.reports.tables import INSTANT, RIALS, TEXT, shaped
from recon.settings import Settings

COLUMNS = pa.schema(
    [
        ("wallet", TEXT),
        ("from_at", INSTANT),
        ("to_at", INSTANT),
        ("opening", RIALS),
        ("payments", RIALS),
        ("gateway", RIALS),
        ("hosted", RIALS),
        ("deposits", RIALS),
        ("adjustments", RIALS),
        ("expected_closing", RIALS),
        ("closing", RIALS),
        ("difference", RIALS),
        ("explained", RIALS),
        ("unexplained", RIALS),
    ]
)


def table(result: Results, settings: Settings, period: Period) -> pa.Table:
    """Return the intervals that end in the period; amounts in rials.

    An interval belongs to the business date that its closing snapshot ends: taken at
    midnight, that is the day before, whose flows the interval holds.
    """
    zone = settings.business.timezone
    return period.of_ends(shaped(result.rollforward, COLUMNS), "to_at", zone)
