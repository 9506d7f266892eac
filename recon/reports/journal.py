"""journal.csv: a double-entry general journal of the wallet and of escrow."""

import pyarrow as pa

from recon.reports.periods import Period
from recon.reports.results import Results
from recon.reports.tables import DATE, INSTANT, RIALS, TEXT, shaped
from recon.settings import Settings

COLUMNS = pa.schema(
    [
        ("entry_id", TEXT),
        ("posted_at", INSTANT),
        ("business_date", DATE),
        ("account", TEXT),
        ("debit", RIALS),
        ("credit", RIALS),
        ("currency", TEXT),
        ("product", TEXT),
        ("record_id", TEXT),
        ("narration", TEXT),
    ]
)
_ORDER = ("posted_at", "entry_id", "account", "debit", "credit")


def table(result: Results, settings: Settings, period: Period) -> pa.Table:  # noqa: ARG001 - all reports are called alike
    """Return the entries posted in the period; amounts in rials.

    One row a leg; of `debit` and `credit` one is 0. Every `entry_id` balances. The
    clearing accounts are settled by the business's own entries of its sales.
    """
    legs = shaped(result.table("report_journal"), COLUMNS, sort=False)
    return period.of_dates(legs.sort_by([(name, "ascending") for name in _ORDER]))


def by_day(journal: pa.Table) -> pa.Table:
    """Return what each account was debited and credited on each business date.

    One row a date, account and product; as balanced as the entries. Amounts in rials.
    """
    keys = ["business_date", "account", "product", "currency"]
    sums = journal.group_by(keys).aggregate([("debit", "sum"), ("credit", "sum")])
    named = sums.rename_columns({"debit_sum": "debit", "credit_sum": "credit"})
    order = ["business_date", "account", "product", "debit", "credit", "currency"]
    return named.select(order).sort_by([(name, "ascending") for name in order])
