"""Reports and raw tables of a lake are the same with and without compaction."""

import shutil
from collections.abc import Iterator
from copy import copy
from datetime import timedelta
from pathlib import Path

import pytest

from recon.lake import Lake
from recon.lake.encryption import Key
from recon.reconcile.opening import open_engine
from recon.reconcile.run import counted_commits
from recon.settings import Secret
from tests.engines.history_lakes import HistoryLake, compact_twice, different
from tests.lake.compaction_cases import compacted, counted
from tests.reconcile.lake_history import MovingClock


@pytest.fixture(scope="module")
def pulled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HistoryLake]:
    """A lake as it was pulled; not to be touched."""
    with pytest.MonkeyPatch.context() as patch:
        yield HistoryLake(tmp_path_factory.mktemp("pulled"), patch, seed=5, days=14)


@pytest.fixture
def made(pulled: HistoryLake) -> HistoryLake:
    """The same lake just after its last pull; a copy may be used in its place."""
    MovingClock.present = pulled.ends_at + timedelta(hours=20)
    return copy(pulled)


def copied(made: HistoryLake, folder: Path) -> Lake:
    """Use a copy of the lake from now on, with other files and the same commits."""
    shutil.copytree(made.lake.root, folder)
    made.lake = Lake(folder, key=made.lake.key)
    return made.lake


def test_every_report_has_the_same_bytes(made: HistoryLake, tmp_path: Path) -> None:
    before = made.report(tmp_path / "before", "duckdb")
    lake = copied(made, tmp_path / "compacted")
    compact_twice(made)
    assert lake.parts("checkouts", lake.commits()).made_by
    after = made.report(tmp_path / "after", "duckdb")
    assert different(before, after) == []
    compacted(lake)
    assert not lake.parts("checkouts", lake.commits()).later
    whole = made.report(tmp_path / "whole", "duckdb")
    assert different(before, whole) == []


@pytest.mark.parametrize("key", ["", "5e" * 32])
def test_every_raw_table_has_the_same_rows(
    made: HistoryLake, tmp_path: Path, key: str
) -> None:
    if key:
        made.lake = encrypted(made.lake, tmp_path / "encrypted", key)
    tables = raw_tables(made)
    copied(made, tmp_path / "compacted")
    compact_twice(made)
    assert raw_tables(made) == tables


def raw_tables(made: HistoryLake) -> dict[str, object]:
    """Return the rows of every table that has some, commits and sweeps included."""
    commits = counted_commits(made.lake, made.as_of)
    with open_engine(made.lake, made.settings, made.as_of, commits) as engine:
        names = [*made_tables(made.lake), "commits", "seen_ids"]
        return {
            name: counted(engine.query(f"select * from raw_{name}").to_pylist())
            for name in names
        }


def made_tables(lake: Lake) -> list[str]:
    return sorted(
        {
            file.table
            for commit in lake.commits()
            for file in commit.files
            if file.folder == "records"
        }
    )


def encrypted(lake: Lake, folder: Path, key: str) -> Lake:
    """Return a lake with the same versions, encrypted."""
    made = Lake(folder, key=Key.of(Secret(key)))
    for commit in lake.commits():
        with made.begin(commit.kind, commit.source) as writing:
            for file in commit.files:
                found = lake.read(lake.file(file))
                if file.folder == "seen":
                    writing.seen(file.table, found["id"].to_pylist())
                else:
                    writing.table(file.table, found.drop_columns(["pull_id"]))
            writing.commit()
    return made
