"""What the books say of a period, by business date.

A closing keeps these as a page of its commit, as it does its other figures.
"""

import pyarrow as pa

from recon.lake.schema import RIALS, TEXT, WHOLE
from recon.reconcile.result import Result

BOOK_FIGURES = pa.schema(
    {
        "business_date": pa.date32(),
        "product": TEXT,
        "paid_orders": WHOLE,
        "paid_amount": RIALS,
        "unpaid_orders": WHOLE,
        "unpaid_amount": RIALS,
        "refunded_orders": WHOLE,
        "refunded_amount": RIALS,
        "matched_orders": WHOLE,
        "matched_amount": RIALS,
    }
)
"""One row a business date and product of the orders in the books, amounts in rials.

`product` is as the books name it, `books` where they name none. `matched` are orders
that a reference links to one record for certain; their amount is that of the books.
"""

_UNNAMED = "books"


def book_figures(result: Result) -> pa.Table:
    """Return the figures of the books on every date, sorted.

    Orders without an instant have no date, and are of no period.
    """
    rows = [
        row | {"product": row["product"] or _UNNAMED}
        for row in result.table("int_book_figures").to_pylist()
    ]
    return pa.Table.from_pylist(rows, BOOK_FIGURES).sort_by(
        [("business_date", "ascending"), ("product", "ascending")]
    )
