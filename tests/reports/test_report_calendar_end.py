"""Times at the ends of the calendar, which some write for `never`, stop no report.

In a zone east of Greenwich the last lies in the year 10000, in one west of it the first
in the year 0: of neither a date can be read.
"""

from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from recon.charts import Look
from recon.reconcile.engines import DuckEngine
from recon.reports.cells import table_lines
from recon.reports.tables import INSTANT
from recon.settings import Business, Settings
from tests.builders import AS_OF, lake_tables

SETTINGS = Settings(business=Business(name="shop"))
WEST = Settings(business=Business(name="shop", timezone=ZoneInfo("America/New_York")))
FIRST = datetime(1, 1, 1, tzinfo=UTC)
LAST = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
PAID = {"type": "buyer_paid_agreement", "amount": 5, "created": LAST}


@pytest.mark.parametrize(
    ("model", "column", "given"),
    [
        ("report_mandates", "expiry_date", {"mandates": [{"expires_at": LAST}]}),
        ("report_escrow", "paid_date", {"agreements": [{}], "events": [PAID]}),
        ("report_journal", "business_date", {"agreements": [{}], "events": [PAID]}),
        ("report_flows", "business_date", {"adjustments": [{"at": LAST}]}),
        ("report_fees", "business_date", {"payments": [{"paid_at": LAST}]}),
        ("report_failures", "business_date", {"payments": [{"created_at": LAST}]}),
        (
            "report_bank_matches",
            "business_date",
            {
                "deposits": [{"requested_at": LAST}],
                "bank_statement": [{"booked_at": LAST}],
            },
        ),
        (
            "report_duplicate_payments",
            "business_date",
            {
                "checkouts": [{"created_at": LAST}],
                "payments": [{}, {"checkout_id": "checkout-1"}],
            },
        ),
        (
            "report_settlements",
            "business_date",
            {
                "adjustments": [{"at": LAST, "amount": -5, "kind": "settlement"}],
                "bank_statement": [{"booked_at": LAST, "amount": 5}],
            },
        ),
    ],
)
def test_a_time_at_the_end_of_the_calendar_has_its_last_date(
    model: str, column: str, given: dict[str, Any]
) -> None:
    if "payments" in given:
        given = {"checkouts": [{}], **given}
    with DuckEngine.open(lake_tables(given), SETTINGS, AS_OF) as engine:
        dates = engine.table(model)[column].to_pylist()
    assert set(dates) == {date(9999, 12, 31)}


def test_a_time_at_the_beginning_of_the_calendar_has_its_first_date() -> None:
    given = {"adjustments": [{"at": FIRST}], "mandates": [{"expires_at": FIRST}]}
    with DuckEngine.open(lake_tables(given), WEST, AS_OF) as engine:
        dates = engine.table("report_journal")["business_date"].to_pylist()
        dates += engine.table("report_mandates")["expiry_date"].to_pylist()
    assert set(dates) == {date(1, 1, 1)}


def test_a_deposit_at_the_end_of_the_calendar_stops_no_matching() -> None:
    tables = {"deposits": [{"requested_at": LAST}], "bank_statement": [{}]}
    with DuckEngine.open(lake_tables(tables), SETTINGS, AS_OF) as engine:
        assert engine.table("int_bank_matches").num_rows == 0


def test_an_instant_beyond_the_zones_calendar_is_shown_with_its_date_in_utc() -> None:
    times = pa.table({"expires_at": pa.array([LAST], INSTANT)})
    zone = SETTINGS.business.timezone
    page = "".join(
        table_lines("mandates", times, Look("jalali", "en"), zone, "a_title")
    )
    assert "9999-12-31T23:59:59Z" in page
