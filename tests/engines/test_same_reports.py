"""Every report of a lake is the same, byte for byte, whichever engine computed it."""

from datetime import date
from pathlib import Path

import pytest

from tests.engines.history_lakes import HistoryLake

HISTORIES = {
    "of today": {"seed": 5},
    "with summer time in Iran": {"seed": 6, "until": date(2022, 3, 28), "days": 10},
}


@pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES)
def test_every_report_has_the_same_bytes_on_both_engines(
    history: dict[str, object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    sail: str,
) -> None:
    made = HistoryLake(tmp_path, monkeypatch, **history)
    here = made.report(tmp_path / "duckdb", "duckdb")
    there = made.report(tmp_path / "spark", "spark", sail)
    names = sorted(path.name for path in here.iterdir())
    assert sorted(path.name for path in there.iterdir()) == names
    assert {"breaks.csv", "rollforward.csv", "journal.beancount"} < set(names)
    different = [
        name
        for name in names
        if (here / name).read_bytes() != (there / name).read_bytes()
    ]
    assert different == []
    assert len((here / "breaks.csv").read_text().splitlines()) > 30
    assert len((here / "rollforward.csv").read_text().splitlines()) > 2
