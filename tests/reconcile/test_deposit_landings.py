"""When a deposit landed at the earliest, and by when at the latest, as it was met."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from recon.reconcile.engines import DuckEngine
from recon.settings import Business, CashIn, Settings
from tests.builders import AS_OF, lake_tables
from tests.raw_rows import AT

SETTINGS = Settings(
    business=Business(name="shop"),
    cash_in=CashIn(settled_statuses=("DONE", "SETTLED")),
)
MIDNIGHT = datetime.fromisoformat("2026-10-10T20:30:00+00:00")  # of Tehran
SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)


def hour(number: int) -> datetime:
    return AT + timedelta(hours=number)


def met(at: int, **changed: Any) -> dict[str, Any]:
    """One version of a deposit without `settled_at`, as it was met after so many hours.

    The first of them has the first `pull_id`.
    """
    usual = {"track_id": "t", "gateway_transaction_id": "7", "settled_at": None}
    return {**usual, "seen_at": hour(at), "pull_id": f"pull-{at:04}", **changed}


def landed(*versions: dict[str, Any]) -> list[tuple[datetime | None, datetime | None]]:
    with DuckEngine.open(
        lake_tables({"deposits": versions}), SETTINGS, AS_OF
    ) as engine:
        rows = engine.table("int_deposit_landings").to_pylist()
    return [(row["landed_at"], row["latest_at"]) for row in rows]


@pytest.mark.parametrize(
    ("versions", "latest_at"),
    [
        ([met(1)], hour(1)),
        ([met(167)], hour(167)),
        ([met(169)], hour(168)),  # a week at most
        ([met(1, status="INIT"), met(5)], hour(5)),  # queued till then
        ([met(5), met(9, status="SETTLED")], hour(5)),  # one is as good as the other
        ([met(2, status="X"), met(4, status="Y"), met(6, status="Y")], hour(4)),
        ([met(2, status="X"), met(4), met(6, status="X")], hour(2)),
        ([met(2, status=None), met(4, status="X"), met(6, status="")], hour(2)),
        ([met(2, status=""), met(4), met(6, status=None)], hour(2)),
        ([met(2, status=None), met(4)], hour(4)),
        ([met(2, status="DONE"), met(4, status=None)], hour(4)),
        ([met(2), met(4, gateway_transaction_id=" 7")], hour(2)),
        ([met(2, gateway_transaction_id="8"), met(4)], hour(4)),
    ],
)
def test_without_settled_at_it_landed_between_its_request_and_when_it_was_met_so(
    versions: list[dict[str, Any]], latest_at: datetime
) -> None:
    assert (AT, latest_at) in landed(*versions)


def test_an_entry_without_an_id_is_met_by_itself() -> None:
    blank = {"gateway_transaction_id": " "}
    found = landed(met(2, **blank), met(4, gateway_transaction_id=None))
    assert sorted(found, key=str) == [(AT, hour(2)), (AT, hour(4))]


@pytest.mark.parametrize(
    ("settled_at", "latest_at"),
    [
        (hour(2), None),
        (MIDNIGHT + SECOND, None),
        (MIDNIGHT, MIDNIGHT + DAY - SECOND),
    ],
)
def test_settled_at_is_when_it_landed_or_the_day_on_which_it_did(
    settled_at: datetime, latest_at: datetime | None
) -> None:
    assert landed(met(1, settled_at=settled_at)) == [(settled_at, latest_at)]


def test_of_one_that_tells_no_time_it_is_known_only_when_it_was_met() -> None:
    assert landed(met(3, requested_at=None)) == [(None, hour(3))]


@pytest.mark.parametrize("requested_at", [AT, AT + SECOND, None])
def test_one_deposit_under_two_requests_landed_once_since_the_earlier(
    requested_at: datetime | None,
) -> None:
    other = met(1, track_id="s", requested_at=requested_at)
    assert landed(other, met(1)) == [(AT, hour(1))]
