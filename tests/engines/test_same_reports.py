"""Every report of a lake is the same, byte for byte, whichever engine computed it."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from recon.reconcile.engines import duckdb
from tests.engines.history_lakes import HistoryLake, different

HISTORIES = {
    "of today": {"seed": 5, "days": 14},
    "with summer time in Iran": {"seed": 6, "until": date(2022, 3, 28), "days": 10},
}


@pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES)
def test_every_report_has_the_same_bytes_on_both_engines(
    history: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    sail: str,
) -> None:
    made = HistoryLake(tmp_path, monkeypatch, **history)
    here = made.report(tmp_path / "duckdb", "duckdb")
    there = made.report(tmp_path / "spark", "spark", sail)
    assert different(here, there) == []
    assert len((here / "breaks.csv").read_text().splitlines()) > 30
    assert len((here / "rollforward.csv").read_text().splitlines()) > 2


def test_a_large_lake_is_read_as_a_light_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is stored of a light lake is computed anew by each reader of a large one."""
    made = HistoryLake(tmp_path, monkeypatch, **HISTORIES["of today"])
    light = made.report(tmp_path / "light", "duckdb")
    monkeypatch.setattr(duckdb, "LIGHT_LAKE", 0)
    large = made.report(tmp_path / "large", "duckdb")
    assert different(light, large) == []
    assert len((light / "breaks.csv").read_text().splitlines()) > 30


def test_a_difference_would_be_seen(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder, text in ((one, "a"), (other, "b")):
        folder.mkdir()
        (folder / "breaks.csv").write_text(text)
        (folder / "same.csv").write_text("same")
    (one / "more.csv").touch()
    assert different(one, other) == ["breaks.csv", "more.csv"]
