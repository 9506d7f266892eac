"""The tables of report.html: of each report, what a reader needs to see first."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from recon.setting_values import SEVERITIES

_INTERVAL_COLUMNS = (
    *("from_at", "to_at", "expected_closing", "closing"),
    *("difference", "unexplained", "detail"),
)
_BREAK_COLUMNS = (
    *("severity", "check", "record_id", "business_date", "difference"),
    *("detail", "age_days", "break_id"),
)
_HELD_COLUMNS = ("tracking_code", "state", "paid_date", "held", "held_days")
_MANDATE_COLUMNS = (
    *("mandate_id", "payment_method", "used_this_month", "monthly_count"),
    *("largest_withdrawal", "withdrawal_limit", "expiry_date"),
)


@dataclass(frozen=True)
class Digest:
    """The table of a chapter: how it is made of a view, and where the rest is.

    `file` has all rows, where no report of the view's name does.
    """

    view: str
    made: Callable[[pa.Table], pa.Table]
    note: str = ""
    file: str = ""

    @property
    def whole(self) -> str:
        """Return the name of the file that has all rows."""
        return self.file or f"{self.view}.csv"


def open_breaks(breaks: pa.Table) -> pa.Table:
    """Return the open breaks in their main columns.

    The loudest come first, of these the oldest, of these the most rials: a long table
    is cut.
    """
    rows = [row for row in breaks.to_pylist() if row["status"] == "open"]
    rows.sort(
        key=lambda row: (
            -SEVERITIES.index(row["severity"]),
            -row["age_days"],
            -abs(row["difference"] or 0),
        )
    )
    found = pa.Table.from_pylist(rows, breaks.schema)
    return found.select(list(_BREAK_COLUMNS))


def odd_intervals(intervals: pa.Table) -> pa.Table:
    """Return the intervals with a difference and what explains it, the newest first."""
    names = [name.removesuffix("_rial") for name in intervals.schema.names]
    told = intervals.rename_columns(names).select(list(_INTERVAL_COLUMNS))
    return told.sort_by([("to_at", "descending")])


def summed_flows(flows: pa.Table) -> pa.Table:
    """Sum the flows of the period by product and method, the most frequent first."""
    return _sums(flows, ("product", "payment_method"))


def summed_failures(failures: pa.Table) -> pa.Table:
    """Sum what failed in the period by product, method and code."""
    failed = failures.filter(pc.greater(failures["failed"], 0))
    return _sums(failed, ("product", "payment_method", "code"))


def held_trades(escrow: pa.Table) -> pa.Table:
    """Return the trades with money held, the longest held first.

    Those of which more went out than came in are last, below zero, as in the charts.
    """
    found = escrow.filter(pc.not_equal(escrow["held"], 0)).select(list(_HELD_COLUMNS))
    order = [("held_days", "descending"), ("tracking_code", "ascending")]
    return found.sort_by(order)


def narrow_mandates(mandates: pa.Table) -> pa.Table:
    """Return the usable mandates without a withdrawal left, or near their limit."""
    used_up = pc.greater_equal(mandates["used_this_month"], mandates["monthly_count"])
    tenfold = pc.multiply(mandates["largest_withdrawal"], 10)
    near = pc.greater(tenfold, pc.multiply(mandates["withdrawal_limit"], 9))
    narrow = pc.or_kleene(used_up, near)
    kept = pc.fill_null(pc.and_kleene(mandates["is_usable"], narrow), False)
    return mandates.filter(kept).select(list(_MANDATE_COLUMNS)).sort_by("mandate_id")


def as_it_is(table: pa.Table) -> pa.Table:
    """Return a report whole."""
    return table


DIGESTS: Mapping[str, Digest] = {
    "02_breaks": Digest(
        "breaks",
        open_breaks,
        "The loudest first. recon breaks show ID gives the evidence of each.",
    ),
    "03_wallet": Digest(
        "differences",
        odd_intervals,
        "Only the intervals with a difference; rollforward.csv has all.",
        "rollforward.csv",
    ),
    "04_flows": Digest(
        "flows",
        summed_flows,
        "Sums of the period, deposits and adjustments too; flows.csv has each day.",
    ),
    "05_failures": Digest(
        "failures",
        summed_failures,
        "Sums of the period; failures.csv has each day and all attempts.",
    ),
    "06_fees": Digest("fees", as_it_is),
    "07_escrow": Digest(
        "escrow",
        held_trades,
        "What is held now, whatever the period.",
        "notebooks/07_escrow.ipynb",
    ),
    "08_mandates": Digest(
        "mandates",
        narrow_mandates,
        "Usable mandates without a withdrawal left this month, or near their limit.",
        "notebooks/08_mandates.ipynb",
    ),
}
"""The table of each chapter, by its notebook."""


def _sums(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Sum a report's figures over its days, the largest first."""
    figures = [
        field.name
        for field in table.schema
        if pa.types.is_integer(field.type) and field.name != "attempts"
    ]
    sums = table.group_by(list(keys)).aggregate([(name, "sum") for name in figures])
    named = sums.rename_columns({f"{name}_sum": name for name in figures})
    order = [(figures[0], "descending"), *((key, "ascending") for key in keys)]
    return named.select([*keys, *figures]).sort_by(order)
