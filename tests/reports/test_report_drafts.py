"""What a run that was killed left of its reports goes with the next run."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from recon.reports.drafts import draft_beside

HOLDING = """
import sys, time
from pathlib import Path
from recon.reports.drafts import draft_beside
with draft_beside(Path(sys.argv[1])) as draft:
    (draft / "flows.csv").write_text("half")
    print(draft, flush=True)
    time.sleep(60)
"""


def holding(day: Path) -> tuple[subprocess.Popen[str], Path]:
    """Start a run that writes the reports of a day and stops in the middle."""
    run = subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(day)], stdout=subprocess.PIPE, text=True
    )
    assert run.stdout
    return run, Path(run.stdout.readline().strip())


def names(reports: Path) -> list[str]:
    return sorted(path.name for path in reports.iterdir())


def of_another_run(reports: Path, draft: str = ".2026-03-01.0123abcd") -> Path:
    folder = reports / draft
    folder.mkdir(parents=True)
    (folder / "flows.csv").write_text("half")
    return folder


@pytest.mark.parametrize("day", ["2026-03-02", "2026-03-01"])
def test_the_draft_of_a_killed_run_goes_with_the_next(tmp_path: Path, day: str) -> None:
    run, draft = holding(tmp_path / day)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    assert draft.is_dir()
    with draft_beside(tmp_path / "2026-03-02"):
        pass
    assert names(tmp_path) == []


def test_the_draft_of_a_run_that_still_writes_stays(tmp_path: Path) -> None:
    run, draft = holding(tmp_path / "2026-03-02")
    try:
        os.utime(draft, (0, 0))  # it writes for very long
        with draft_beside(tmp_path / "2026-03-02") as own:
            assert own != draft
        assert names(tmp_path) == [draft.name]
        assert (draft / "flows.csv").read_text() == "half"
    finally:
        run.kill()
        run.communicate()


def test_two_drafts_of_one_process_are_two(tmp_path: Path) -> None:
    with draft_beside(tmp_path / "2026-03-02") as first:
        with draft_beside(tmp_path / "2026-03-02") as second:
            assert first != second
        assert names(tmp_path) == [first.name]
    assert names(tmp_path) == []


def test_a_draft_goes_when_its_writing_fails(tmp_path: Path) -> None:
    of_another_run(tmp_path)
    with pytest.raises(OSError, match="full"), draft_beside(tmp_path / "2026-03-02"):
        raise OSError(errno.ENOSPC, "the disk is full")
    assert names(tmp_path) == []


@pytest.mark.parametrize(("age", "stays"), [(3_500, True), (3_700, False)])
def test_without_locks_a_draft_is_nobodys_after_an_hour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, age: int, stays: bool
) -> None:
    def refuse(handle: int, operation: int) -> None:
        raise OSError(errno.ENOTSUP, "no locks here")

    monkeypatch.setattr("recon.scratch.fcntl.flock", refuse)
    then = time.time() - age
    os.utime(of_another_run(tmp_path), (then, then))
    with draft_beside(tmp_path / "2026-03-02"):
        pass
    assert names(tmp_path) == ([".2026-03-01.0123abcd"] if stays else [])


def test_what_is_no_draft_stays(tmp_path: Path) -> None:
    of_another_run(tmp_path, ".git")
    of_another_run(tmp_path, ".2026-03-02")
    of_another_run(tmp_path, "2026-03-01")
    (tmp_path / ".2026-03-01.0123abcd").write_text("a file")
    before = names(tmp_path)
    with draft_beside(tmp_path / "2026-03-02"):
        pass
    assert names(tmp_path) == before
