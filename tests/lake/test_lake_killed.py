"""A commit is visible whole or not at all, wherever its writer was killed."""

import subprocess
import sys
from pathlib import Path

from recon.lake import Lake
from tests.lake.lake_cases import committed, ids

PROJECT = Path(__file__).parents[2]


def run_writers(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.lake.lake_writers", *words],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_writer_killed_at_any_step_leaves_all_or_nothing(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    committed(lake, ["a"])
    shown = run_writers("kill", str(lake.root)).splitlines()
    found = [tuple(map(int, line.split())) for line in shown]
    assert len(found) > 20, "the kills must reach every step"
    rows_of = {commits: rows for _, commits, rows in found}
    assert set(rows_of) > {1}, "some were killed after their commit was visible"
    for _, commits, rows in found:
        assert rows == 1 + 2 * (commits - 1)
    before = [commits for _, commits, _ in found]
    assert before == sorted(before)
    committed(lake, ["z"])  # and the next writer goes on as if nothing had been
    assert ids(lake)[0] == "a"
    assert ids(lake)[-1] == "z"
    times = [commit.committed_at for commit in lake.commits()]
    assert times == sorted(times)


def test_writers_at_once_lose_nothing_and_take_each_number_once(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    run_writers("race", str(lake.root), "4", "8")
    commits = lake.commits()
    assert [commit.sequence for commit in commits] == list(range(1, 33))
    assert len({commit.id for commit in commits}) == 32
    times = [commit.committed_at for commit in commits]
    assert times == sorted(times)
    expected = {f"{writer}-{number}" for writer in range(4) for number in range(8)}
    assert sorted(ids(lake)) == sorted(expected)
    assert list((lake.root / "commits").glob(".*")) == []
