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
