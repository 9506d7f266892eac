"""What the books say of a period, and what of it is another figure than at its closing.

A closing keeps these as a page of its commit, as it does its other figures.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

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
_MEASURES = BOOK_FIGURES.names[2:]

_Figures = Mapping[tuple[date, str], Mapping[str, int]]
"""Measures by business date and product."""


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


def of_period(figures: pa.Table, first: date, last: date) -> pa.Table:
    """Return those of a period, both dates included, as a closing keeps them."""
    days = figures["business_date"]
    return figures.filter(
        pc.and_(pc.greater_equal(days, first), pc.less_equal(days, last))
    )


def restated(page: bytes, now: pa.Table) -> Iterator[dict[str, Any]]:
    """Yield the figures that a closing kept, as CSV, and that are other ones now.

    Both tables are of the closed period. Without orders there are none: 0 in all.
    """
    closed = _kept(page)
    found = _keyed(now.to_pylist())
    nothing = dict.fromkeys(_MEASURES, 0)
    for key in sorted(closed.keys() | found.keys()):
        before, after = closed.get(key, nothing), found.get(key, nothing)
        for measure in _MEASURES:
            if before[measure] != after[measure]:
                yield {
                    "business_date": key[0],
                    "product": key[1],
                    "measure": measure,
                    "closed": before[measure],
                    "now": after[measure],
                    "difference": after[measure] - before[measure],
                }


def _kept(page: bytes) -> _Figures:
    """Read what a closing kept."""
    rows = csv.DictReader(io.StringIO(page.decode("utf-8-sig")))
    return _keyed(
        {
            "business_date": date.fromisoformat(row["business_date"]),
            "product": row["product"],
            **{name: int(row[name]) for name in _MEASURES},
        }
        for row in rows
    )


def _keyed(rows: Iterable[Mapping[str, Any]]) -> _Figures:
    return {
        (row["business_date"], row["product"]): {name: row[name] for name in _MEASURES}
        for row in rows
    }
