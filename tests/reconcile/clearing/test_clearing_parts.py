"""What a clearing reckons for itself, each part alone."""

from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest

from recon.reconcile.clearing import clearing, narrowing
from recon.reconcile.engines.duckdb import DuckEngine
from recon.reconcile.findings import Findings
from recon.reconcile.rollforward import EXPLANATIONS, ROLLFORWARD
from recon.settings import Business, Checks, Settings
from tests.builders import AS_OF, lake_tables
from tests.raw_rows import AT
from tests.reconcile.lake_history import at

SKEW = timedelta(minutes=5)
EVER = datetime(2900, 1, 1, tzinfo=UTC) + SKEW
Span = tuple[datetime, datetime]


def spans(
    difference: int, unexplained: int, last: datetime | None = None
) -> list[Span]:
    """Return what stays open of the second of October, to two rials."""
    row = {
        "from_at": at(2),
        "to_at": at(3),
        "difference_rial": difference,
        "unexplained_rial": unexplained,
    }
    findings = Findings(
        breaks=pa.table({}),
        rollforward=pa.Table.from_pylist([row], ROLLFORWARD),
        explanations=EXPLANATIONS.empty_table(),
    )
    settings = Settings(
        business=Business(name="shop"), checks=Checks(tolerance=2, clock_skew=SKEW)
    )
    with DuckEngine.open(lake_tables({}), settings, AS_OF) as engine:
        found = clearing._open_spans(engine, findings, last)
    return [tuple(row.values()) for row in found.to_pylist()]


ALL_OF_IT = [(at(2) - SKEW, at(3) + SKEW)]
ITS_ENDS = [(each - SKEW, each + SKEW) for each in (at(2), at(3))]


@pytest.mark.parametrize(
    ("difference", "unexplained", "open_spans"),
    [
        *((0, 0, []), (2, 0, []), (-2, 2, [])),
        *((3, 0, ITS_ENDS), (-3, 0, ITS_ENDS), (9, -2, ITS_ENDS)),
        *((3, 3, ALL_OF_IT), (-3, -3, ALL_OF_IT), (9, -3, ALL_OF_IT)),
    ],
)
def test_an_interval_stays_open_as_far_as_its_money_may_be_asked_for(
    difference: int, unexplained: int, open_spans: list[Span]
) -> None:
    """Of an explained one only what may have moved over an end, of a plain one none."""
    assert spans(difference, unexplained) == open_spans


def test_what_is_after_the_last_snapshot_or_just_before_it_stays_open() -> None:
    assert spans(0, 0, last=at(3)) == [(at(3) - SKEW, EVER)]


def test_every_id_and_number_that_a_break_names_is_known() -> None:
    breaks = pa.table(
        {
            "record_id": ["mandate-1:2026-10", "payment:p-1", " n 1 ", "receipt"],
            "related_id": [None, "p-2 p-3", "IR1:2026:5", "receipt"],
        }
    )
    names = clearing._break_names(breaks)["name"].to_pylist()
    assert names == sorted(set(names))
    assert {"mandate-1", "p-1", "n 1", "n", "p-2", "p-3", "IR1:2026"} <= set(names)
    assert {"mandate-1:2026-10", "receipt"} <= set(names)
    assert "" not in names


def test_a_reopened_payment_is_taken_out_of_what_the_cleared_ones_moved() -> None:
    """One that is not done, or was at no known time, is in none of those sums."""
    given = [
        {"affected_amount": 7, "paid_at": AT},
        {"affected_amount": 5, "status": "failed"},
        {"affected_amount": 3, "paid_at": None},
        {"affected_amount": 2, "status": None},
    ]
    moved = narrowing._taken_back(lake_tables({"payments": given})["payments"])
    assert moved.to_pylist() == [{"occurred_at": AT, "amount": -7}]
