"""The tables of report.html: of each report, what a reader needs to see first."""

from datetime import date
from typing import Any

import pyarrow as pa
import pytest

from recon.reports import breaks, failures, flows, rollforward
from recon.reports.digests import (
    narrow_mandates,
    odd_intervals,
    open_breaks,
    summed_failures,
    summed_flows,
)
from tests.reconcile.lake_history import at

Row = dict[str, Any]
DAYS = (date(2026, 3, 1), date(2026, 3, 2))


def test_open_breaks_are_shown_the_loudest_oldest_and_dearest_first() -> None:
    def found(
        name: str,
        severity: str,
        age: int,
        status: str = "open",
        difference: int | None = None,
    ) -> Row:
        return {
            "record_id": name,
            "severity": severity,
            "age_days": age,
            "status": status,
            "difference": difference,
        }

    rows = [
        found("new, of no sum", "error", 1),
        found("new and cheap", "error", 1, difference=5),
        found("new and dear", "error", 1, difference=-7),
        found("old", "error", 5, difference=1),
        found("quiet", "info", 9, difference=9),
        found("loud", "critical", 0),
        found("loud before", "critical", 7, "resolved"),
        found("known", "critical", 8, "acknowledged"),
        found("over", "critical", 9, "gone"),
    ]
    shown = open_breaks(pa.Table.from_pylist(rows, breaks.COLUMNS))
    assert shown["record_id"].to_pylist() == [
        *("loud", "old", "new and dear", "new and cheap", "new, of no sum", "quiet"),
    ]


@pytest.mark.parametrize("suffix", ["", "_rial"])
def test_intervals_are_shown_the_newest_first(suffix: str) -> None:
    """As a report has them, and as their model does."""
    schema = pa.schema([*rollforward.COLUMNS, ("detail", pa.string())])
    rows = [
        {"to_at": at(2), "difference": 5, "unexplained": 0, "detail": "an item"},
        {"to_at": at(4), "difference": -7, "unexplained": -7, "detail": "none"},
    ]
    given = pa.Table.from_pylist(rows, schema)
    names = [
        f"{each.name}{suffix}" if each.type == pa.int64() else each.name
        for each in schema
    ]
    shown = odd_intervals(given.rename_columns(names)).to_pylist()
    assert [row["to_at"] for row in shown] == [at(4), at(2)]
    assert [row["difference"] for row in shown] == [-7, 5]
    assert [row["unexplained"] for row in shown] == [-7, 0]


def test_flows_are_summed_over_their_days_the_most_frequent_first() -> None:
    def flow(day: date, method: str, count: int, rials: int) -> Row:
        figures = {"count": count, "amount": rials, "wage": 1, "affected": rials - 1}
        named = {"business_date": day, "product": "unified", "payment_method": method}
        return named | figures

    rows = [
        flow(DAYS[0], "rare", 2, 900),
        flow(DAYS[0], "usual", 2, 100),
        flow(DAYS[1], "usual", 3, 200),
    ]
    shown = summed_flows(pa.Table.from_pylist(rows, flows.COLUMNS))
    assert [tuple(row.values()) for row in shown.to_pylist()] == [
        ("unified", "usual", 5, 300, 2, 298),
        ("unified", "rare", 2, 900, 1, 899),
    ]


def test_failures_are_summed_by_code_and_what_did_not_fail_is_left_out() -> None:
    """Attempts are those of a date and method, and no sum over codes."""

    def failed(day: date, code: str, count: int, rials: int) -> Row:
        named = {"business_date": day, "product": "unified", "payment_method": "debit"}
        figures = {"attempts": 9, "failed": count, "amount_failed": rials}
        return named | {"code": code} | figures

    rows = [
        failed(DAYS[0], "A", 1, 10),
        failed(DAYS[0], "B", 2, 20),
        failed(DAYS[1], "B", 2, 30),
        failed(DAYS[1], "", 0, 0),
    ]
    shown = summed_failures(pa.Table.from_pylist(rows, failures.COLUMNS))
    assert [tuple(row.values()) for row in shown.to_pylist()] == [
        ("unified", "debit", "B", 4, 50),
        ("unified", "debit", "A", 1, 10),
    ]


@pytest.mark.parametrize(
    ("changed", "shown"),
    [
        ({}, False),
        ({"used_this_month": 4}, True),
        ({"used_this_month": 5}, True),
        ({"largest_withdrawal": 900}, False),
        ({"largest_withdrawal": 901}, True),
        ({"largest_withdrawal": 1_001}, True),
        ({"used_this_month": 4, "is_usable": False}, False),
        ({"used_this_month": 9, "monthly_count": None}, False),
        ({"largest_withdrawal": 999, "withdrawal_limit": None}, False),
        ({"used_this_month": 4, "largest_withdrawal": None}, True),
        ({"monthly_count": None, "largest_withdrawal": 901}, True),
        ({"monthly_count": None, "withdrawal_limit": None}, False),
    ],
)
def test_a_mandate_is_narrow_where_no_withdrawal_is_left_or_nine_tenths_are_reached(
    changed: Row, shown: bool
) -> None:
    schema = pa.schema(
        {
            **dict.fromkeys(("mandate_id", "payment_method"), pa.string()),
            **dict.fromkeys(("used_this_month", "monthly_count"), pa.int64()),
            **dict.fromkeys(("largest_withdrawal", "withdrawal_limit"), pa.int64()),
            "expiry_date": pa.date32(),
            "is_usable": pa.bool_(),
        }
    )
    usual = {
        "used_this_month": 3,
        "monthly_count": 4,
        "largest_withdrawal": 100,
        "withdrawal_limit": 1_000,
        "is_usable": True,
    }
    rows = [usual | changed | {"mandate_id": name} for name in ("b", "a")]
    found = narrow_mandates(pa.Table.from_pylist(rows, schema))
    assert found["mandate_id"].to_pylist() == (["a", "b"] if shown else [])
