from datetime import UTC, datetime
from typing import Any

import pytest

from recon.reconcile.engines import DuckEngine
from recon.settings import Business, Settings
from tests.builders import AS_OF, lake_tables

LATER = "20261031T203000.000000Z-00000003"


@pytest.mark.parametrize(
    ("commit", "usable"),
    [
        ({}, {"mandate-2"}),
        ({"complete": False}, {"mandate-1", "mandate-2"}),
        ({"source": "checkouts"}, {"mandate-1", "mandate-2"}),
    ],
)
def test_a_mandate_that_vanished_is_not_usable(
    commit: dict[str, Any], usable: set[str]
) -> None:
    """A later complete list has the second alone."""
    given = {
        "mandates": [{}, {}],
        "commits": [{"source": "mandates", "pull_id": LATER} | commit],
        "seen_ids": [{"source_table": "mandates", "id": "mandate-2"}],
    }
    settings = Settings(business=Business(name="shop"))
    with DuckEngine.open(lake_tables(given), settings, AS_OF) as engine:
        rows = engine.table("report_mandates").to_pylist()
    assert {row["mandate_id"] for row in rows} == {"mandate-1", "mandate-2"}
    assert {row["mandate_id"] for row in rows if row["is_usable"]} == usable


@pytest.mark.parametrize(
    ("attempted_at", "ages"),
    [
        ((2026, 9, 30, 20, 29), []),  # the evening before in Tehran
        ((2026, 9, 24, 12, 0), []),
        ((2026, 9, 30, 20, 31), [0]),
        ((2026, 10, 7, 20, 29), [0]),
        ((2026, 10, 7, 20, 31), [1]),
    ],
)
def test_a_mandate_ages_by_business_dates_from_its_own_on(
    attempted_at: tuple[int, ...], ages: list[int]
) -> None:
    """It was granted on the first of October there, on the last of September in UTC."""
    given = {
        "mandates": [{"created_at": datetime(2026, 9, 30, 21, 0, tzinfo=UTC)}],
        "checkouts": [{}],
        "payments": [{"created_at": datetime(*attempted_at, tzinfo=UTC)}],
    }
    settings = Settings(business=Business(name="shop"))
    with DuckEngine.open(lake_tables(given), settings, AS_OF) as engine:
        rows = engine.table("report_mandate_ages").to_pylist()
    assert [row["age_weeks"] for row in rows] == ages
