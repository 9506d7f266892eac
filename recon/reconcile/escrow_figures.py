"""What a period's journal says of money held in escrow for others, by business date.

A closing keeps these as a page of its commit, as it does its other figures.
"""

import pyarrow as pa

from recon.lake.schema import RIALS, TEXT, WHOLE
from recon.reconcile.result import Result

HELD = "memo:escrow:held"
"""The account of what is held in escrow for others."""

ESCROW_FIGURES = pa.schema(
    {
        "business_date": pa.date32(),
        "product": TEXT,
        "moves": WHOLE,
        "received": RIALS,
        "released": RIALS,
    }
)
"""One row a business date on which the account moved, amounts in rials.

`moves` is the number of its entries, `received` came from buyers, `released` went back
to buyers and out to sellers.
"""


def escrow_figures(result: Result) -> pa.Table:
    """Return the figures of escrow on every date, sorted."""
    return (
        result.sql(
            "select business_date, 'escrow' as product, count(*) as moves, "
            "cast(sum(debit) as bigint) as received, "
            "cast(sum(credit) as bigint) as released "
            "from report_journal where account = $held "
            "and business_date is not null group by business_date",
            held=HELD,
        )
        .cast(ESCROW_FIGURES)
        .sort_by("business_date")
    )
