"""Times that are still to come: what a row tells of has happened, so they are told."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recon.imports import columns
from recon.lake import Lake
from tests.imports.import_cases import (
    VALID,
    changed,
    stored,
    taken,
    write_csv,
    write_json_lines,
)

NOW = datetime(2026, 10, 5, 12, tzinfo=UTC)
TOLD = "lies in the future"
TIMES = [
    ("books", "occurred_at"),
    ("balances", "at"),
    ("deposits", "requested_at"),
    ("deposits", "settled_at"),
    ("adjustments", "at"),
    ("bank_statement", "booked_at"),
    ("gateway_tokens", "sent_at"),
    ("gateway_tokens", "verified_at"),
    ("hosted_checkouts", "sent_at"),
]


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


@pytest.fixture
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_now", lambda: NOW)


def told(lake: Lake, kind: str, path: Path) -> list[str]:
    return [each for each in taken(lake, kind, path).files[0].warnings if TOLD in each]


@pytest.mark.usefixtures("_clock")
@pytest.mark.parametrize(("kind", "column"), TIMES)
def test_a_time_more_than_a_day_after_now_is_told_and_taken(
    lake: Lake, tmp_path: Path, kind: str, column: str
) -> None:
    late = (NOW + timedelta(days=1, seconds=1)).isoformat()
    rows = [VALID[kind], changed(kind, **{column: late}), VALID[kind]]
    found = told(lake, kind, write_csv(tmp_path / "a.csv", rows))
    assert found == [f"column {column} {TOLD}: 1 row, first at line 3"]
    assert len(stored(lake, kind)) == 3


@pytest.mark.usefixtures("_clock")
@pytest.mark.parametrize(("kind", "column"), TIMES)
def test_a_time_within_a_day_of_now_is_not_told(
    lake: Lake, tmp_path: Path, kind: str, column: str
) -> None:
    """A clock may be fast, and a day's end is the first instant of the next."""
    row = changed(kind, **{column: (NOW + timedelta(days=1)).isoformat()})
    assert told(lake, kind, write_csv(tmp_path / "a.csv", [row])) == []


@pytest.mark.usefixtures("_clock")
def test_a_time_that_is_left_empty_is_not_told(lake: Lake, tmp_path: Path) -> None:
    row = changed("deposits", settled_at="")
    assert told(lake, "deposits", write_csv(tmp_path / "a.csv", [row])) == []


@pytest.mark.usefixtures("_clock")
def test_a_day_whose_time_is_beside_it_is_told_by_both(
    lake: Lake, tmp_path: Path
) -> None:
    days = [("2026-10-06", "15:29"), ("2026-10-06", "24:00"), ("1405/07/14", "15:31")]
    rows = [
        changed("balances", at=day, at_time=clock, calendar=calendar)
        for (day, clock), calendar in zip(days, ("", "", "jalali"), strict=True)
    ]
    found = told(lake, "balances", write_csv(tmp_path / "a.csv", rows))
    assert found == [f"column at {TOLD}: 2 rows, first at line 3"]


@pytest.mark.usefixtures("_clock")
def test_a_tariff_may_be_valid_from_a_time_to_come(lake: Lake, tmp_path: Path) -> None:
    row = changed("tariff", valid_from="2027-01-01")
    assert (
        taken(lake, "tariff", write_csv(tmp_path / "a.csv", [row])).files[0].warnings
        == ()
    )


def test_an_event_of_a_time_to_come_is_told(lake: Lake, tmp_path: Path) -> None:
    """By the clock of whoever imports it."""
    ahead = int((datetime.now(UTC) + timedelta(days=400)).timestamp())
    events = [
        {"created": created, "type": "state_changed", "data": {}}
        for created in (1_790_000_000, ahead)
    ]
    path = write_json_lines(tmp_path / "e.jsonl", events)
    assert told(lake, "events", path) == [
        f"column created {TOLD}: 1 row, first at line 2"
    ]
