"""Figures of a date and product that a closing keeps, and what of them is another.

Their tables begin with `business_date` and `product`; every further column is a
measure, a number of records or rials. A closing keeps each as a page of its commit.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_KEYS = 2  # columns before the measures

_Figures = Mapping[tuple[date, str], Mapping[str, int]]
"""Measures by business date and product."""


def of_period(figures: pa.Table, first: date, last: date) -> pa.Table:
    """Return those of a period, both dates included, as a closing keeps them."""
    days = figures["business_date"]
    return figures.filter(
        pc.and_(pc.greater_equal(days, first), pc.less_equal(days, last))
    )


def restated(page: bytes, now: pa.Table) -> Iterator[dict[str, Any]]:
    """Yield the figures that a closing kept, as CSV, and that are other ones now.

    Both are of the closed period. Without records there are none: 0 in all.
    """
    measures = now.column_names[_KEYS:]
    closed = _kept(page, measures)
    found = _keyed(now.to_pylist(), measures)
    nothing = dict.fromkeys(measures, 0)
    for key in sorted(closed.keys() | found.keys()):
        before, after = closed.get(key, nothing), found.get(key, nothing)
        for measure in measures:
            if before[measure] != after[measure]:
                yield {
                    "business_date": key[0],
                    "product": key[1],
                    "measure": measure,
                    "closed": before[measure],
                    "now": after[measure],
                    "difference": after[measure] - before[measure],
                }


def _kept(page: bytes, measures: Sequence[str]) -> _Figures:
    """Read what a closing kept."""
    rows = csv.DictReader(io.StringIO(page.decode("utf-8-sig")))
    return _keyed(
        (
            {
                "business_date": date.fromisoformat(row["business_date"]),
                "product": row["product"],
                **{name: int(row[name]) for name in measures},
            }
            for row in rows
        ),
        measures,
    )


def _keyed(rows: Iterable[Mapping[str, Any]], measures: Sequence[str]) -> _Figures:
    return {
        (row["business_date"], row["product"]): {name: row[name] for name in measures}
        for row in rows
    }
