"""The doctor holds the reports against the lake."""

import json
from pathlib import Path

import pytest

from recon.doctor import Level
from recon.lake import Lake
from recon.times import format_instant
from tests.doctor.doctor_cases import config, examined, of


def report(folder: Path, swept: object) -> None:
    day = folder / "data" / "reports" / "2026-10-09"
    day.mkdir(parents=True)
    sources = {"mandates": {"last_whole_sweep": swept}, "webhooks": {}}
    said = {"as_of": "2026-10-09T00:00:00Z", "sources": sources}
    (day / "summary.json").write_text(json.dumps(said))


def test_a_report_of_a_pull_that_the_lake_lacks_is_a_warning(
    tmp_path: Path, lake: Lake
) -> None:
    assert lake.commits()
    report(tmp_path, "2026-10-08T23:59:00Z")
    told = [each.told for each in of(examined(config(tmp_path)), "lake", Level.WARNING)]
    assert len(told) == 1
    assert "rests on a pull of mandates of 2026-10-08T23:59:00Z" in told[0]


@pytest.mark.parametrize("is_known", [True, False])
def test_a_report_of_what_the_lake_holds_is_none(
    tmp_path: Path, lake: Lake, is_known: bool
) -> None:
    """Nor is one of a source that was never read whole, or one that is torn."""
    (pull,) = lake.commits()
    report(tmp_path, format_instant(pull.committed_at) if is_known else None)
    torn = tmp_path / "data" / "reports" / "2026-10-10"
    torn.mkdir()
    for text in ("{", "[]", '{"as_of": 1, "sources": {"mandates": 2}}'):
        (torn / "summary.json").write_text(text)
        assert of(examined(config(tmp_path)), "lake", Level.WARNING) == []
