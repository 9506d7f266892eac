"""What earlier reports tell of the lake, and of what was told already."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recon.lake import Lake
from recon.reports import earlier
from recon.settings import Business, Reports, Settings
from recon.times import format_instant
from tests.lake.lake_cases import MORNING, committed

NOON = datetime(2026, 10, 9, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    reports = Reports(path=str(tmp_path / "reports"))
    return Settings(business=Business(name="tea-house"), reports=reports)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = Lake(tmp_path / "lake")
    committed(lake, ["a"])
    return lake


def report(settings: Settings, at: datetime, **said: Any) -> Path:
    folder = settings.reports_path / at.date().isoformat()
    folder.mkdir(parents=True)
    summary = {"as_of": format_instant(at), "sources": {}} | said
    (folder / "summary.json").write_text(json.dumps(summary), "utf-8")
    return folder


def test_what_was_told_before_a_time_is_that_of_the_newest_whole_report_before_it(
    settings: Settings, lake: Lake
) -> None:
    """To a night as of an earlier time, later reports told nothing."""
    assert earlier.told_until(settings, lake, NOON) == ""
    for days in (-3, 0, 1):
        report(settings, NOON + days * DAY)
    report(settings, NOON - 2 * DAY, period={"from": "2026-10-01", "to": None})
    report(settings, NOON - DAY, newest_commit="of another lake")
    told = format_instant(NOON - 3 * DAY)
    assert earlier.told_until(settings, lake, NOON) == told
    later = NOON + timedelta(seconds=1)
    assert earlier.told_until(settings, lake, later) == format_instant(NOON)


def test_the_run_of_a_report_is_missed_by_nights_after_it(
    settings: Settings, lake: Lake
) -> None:
    with lake.begin("run", "reconcile") as writing:
        writing.commit(certificate={"run_id": "kept"}, as_of=MORNING)
    report(settings, NOON - DAY, run_id="kept", run_kept=True)
    report(settings, NOON, run_id="lost", run_kept=True)
    assert earlier.without_run(settings, lake, NOON) is None
    told = earlier.without_run(settings, lake, NOON + timedelta(seconds=1))
    assert told
    assert "is of the run lost, which" in told


def test_a_report_that_is_repeated_is_kept_aside_only_where_it_told_more(
    settings: Settings, lake: Lake
) -> None:
    """One of a period told less than any whole one, and takes nothing away."""
    folder = report(settings, NOON)
    assert not earlier.keep(settings, lake, NOON)
    assert earlier.keep(settings, lake, NOON - timedelta(hours=1))
    assert earlier.keep(settings, lake, NOON, of_period=True)
    assert len(list(folder.glob("summary-*.json"))) == 1
    report(settings, NOON - DAY, period={"from": None, "to": "2026-10-01"})
    assert not earlier.keep(settings, lake, NOON - DAY, of_period=True)


def test_of_very_many_reports_the_newest_days_are_looked_at(
    settings: Settings, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    for days in range(3):
        report(settings, NOON + days * DAY, newest_commit=f"lost-{days}")
    monkeypatch.setattr(earlier, "_MOST", 1)
    told = earlier.unknown(settings, lake)
    assert told
    assert told.endswith("rests on the commit lost-2, which this lake does not hold")
