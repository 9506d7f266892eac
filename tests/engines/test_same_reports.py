"""Every report of a lake is the same, byte for byte, whichever engine computed it."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple

import pytest

from recon.reconcile.engines import duckdb
from tests.engines.history_lakes import HistoryLake, compact_twice, different


class Reported(NamedTuple):
    """A lake, and the folder of its reports as the engine at home wrote them."""

    lake: HistoryLake
    here: Path


@pytest.fixture(scope="module")
def today(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reported]:
    """A lake of today as it was pulled; not to be touched."""
    folder = tmp_path_factory.mktemp("today")
    with pytest.MonkeyPatch.context() as patch:
        made = HistoryLake(folder, patch, seed=5, days=14)
        yield Reported(made, made.report(folder / "duckdb", "duckdb"))


@pytest.fixture
def summer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reported:
    """A lake of a spring with summer time in Iran, compacted since its report."""
    made = HistoryLake(tmp_path, monkeypatch, seed=6, until=date(2022, 3, 28), days=10)
    here = made.report(tmp_path / "duckdb", "duckdb")
    compact_twice(made)
    return Reported(made, here)


@pytest.mark.parametrize("name", ["today", "summer"])
def test_every_report_has_the_same_bytes_on_both_engines(
    name: str, request: pytest.FixtureRequest, tmp_path: Path, sail: str
) -> None:
    made, here = request.getfixturevalue(name)
    there = made.report(tmp_path / "spark", "spark", sail)
    assert different(here, there) == []
    assert len((here / "breaks.csv").read_text().splitlines()) > 30
    assert len((here / "rollforward.csv").read_text().splitlines()) > 2


def test_a_large_lake_is_read_as_a_light_one_is(
    today: Reported, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is stored of a light lake is computed anew by each reader of a large one."""
    monkeypatch.setattr(duckdb, "LIGHT_LAKE", 0)
    large = today.lake.report(tmp_path / "large", "duckdb")
    assert different(today.here, large) == []
    assert len((large / "breaks.csv").read_text().splitlines()) > 30


def test_a_difference_would_be_seen(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder, text in ((one, "a"), (other, "b")):
        folder.mkdir()
        (folder / "breaks.csv").write_text(text)
        (folder / "same.csv").write_text("same")
    (one / "more.csv").touch()
    assert different(one, other) == ["breaks.csv", "more.csv"]
