"""A damaged run, or a decision, without a copy is given up, and the nights go on."""

import errno
import itertools
import os
import shutil
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from recon.doctor import Diagnosis, Level
from recon.errors import CorruptLake, ExitCode
from recon.lake import Lake
from recon.lake.folder import Folder
from recon.reconcile import decisions
from recon.reconcile.breaks import break_id
from recon.reconcile.run import last_result, reconcile
from tests.doctor.doctor_cases import config, examined, of, told
from tests.lake.barred import bar
from tests.lake.lake_cases import committed
from tests.reconcile.lake_history import History, at, only, unpaid

CHECK = "checkout_paid_without_payment"
A, B = (break_id(CHECK, "unified", each) for each in "ab")
FOUND = "its breaks count as known since the runs that are left"
DECIDED = "what it decided is to be decided again"


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    """Two unpaid checkouts, found by the runs of two nights."""
    made = History(tmp_path / "data" / "lake", monkeypatch)
    made.settings = replace(made.settings, checks=only(CHECK))
    made.clock(at(1))
    made.pull("checkouts", unpaid("a", "b"))
    for day in (1, 2):
        night(made, day)
    return made


def night(history: History, day: int) -> dict[str, dict[str, Any]]:
    history.clock(at(day, 20))
    with reconcile(history.lake, history.settings) as result:
        return {row["break_id"]: row for row in result.breaks.to_pylist()}


def decide(history: History, *ids: str) -> None:
    made = [decisions.decision(each, "acknowledge") for each in ids]
    decisions.record(history.lake, made, by="sara")


def damage(lake: Lake, kind: str, table: str, number: int = -1) -> Path:
    """Damage the file of a table that the last commit of a kind has."""
    (file,) = [f for f in lake.commits(kind=kind)[number].files if f.table == table]
    path = lake.root / file.path
    path.write_bytes(b"x" + path.read_bytes()[1:])
    return path


def written_off(folder: Path, **wishes: Any) -> Diagnosis:
    return examined(config(folder), write_off=True, **wishes)


@pytest.mark.parametrize("table", ["runs", "run_breaks"])
def test_a_run_is_given_up_and_the_next_one_goes_on(
    tmp_path: Path, history: History, table: str
) -> None:
    damage(history.lake, "run", table)
    if table == "run_breaks":
        with pytest.raises(CorruptLake):
            night(history, 3)
    (problem,) = of(examined(config(tmp_path)), "lake", Level.PROBLEM)
    assert problem.do.endswith(f"recon doctor --write-off gives it up: {FOUND}")
    found = written_off(tmp_path)
    assert found.exit_code is ExitCode.CLEAN
    assert told(found, "lake")[0] == (
        f"the run of 2026-10-02T20:00:00Z: written off; {FOUND}"
    )
    (left,) = of(found, "lake", Level.WARNING)
    assert left.told.endswith("it was written off, and nothing reads it as of now")
    later = night(history, 3)
    assert {row["first_seen"] for row in later.values()} == {at(1, 20)}
    assert {row["status"] for row in later.values()} == {"open"}


def test_the_last_result_is_that_of_the_last_run_that_is_left(
    tmp_path: Path, history: History
) -> None:
    damage(history.lake, "run", "run_breaks")
    written_off(tmp_path)
    with last_result(history.lake, history.settings) as result:
        assert result.as_of == at(1, 20)
        assert result.breaks.num_rows == 2


def test_the_last_result_needs_no_earlier_run_that_was_written_off_since(
    tmp_path: Path, history: History
) -> None:
    """Until the next night its breaks could not be listed, decided nor shown."""
    night(history, 3)
    damage(history.lake, "run", "run_breaks", 1)
    with (
        pytest.raises(CorruptLake),
        last_result(history.lake, history.settings) as result,
    ):
        assert result.breaks
    history.clock(at(4))
    written_off(tmp_path)
    with last_result(history.lake, history.settings) as result:
        assert result.as_of == at(3, 20)
        assert set(result.breaks["first_seen"].to_pylist()) == {at(1, 20)}


def test_a_break_that_only_the_lost_run_had_is_new(
    tmp_path: Path, history: History
) -> None:
    history.clock(at(2, 22))
    history.pull("checkouts", unpaid("c"))
    night(history, 3)
    damage(history.lake, "run", "run_breaks")
    written_off(tmp_path)
    later = {row["record_id"]: row["first_seen"] for row in night(history, 5).values()}
    assert later == {"a": at(1, 20), "b": at(1, 20), "c": at(5, 20)}


def test_decisions_are_given_up_and_their_breaks_are_open(
    tmp_path: Path, history: History
) -> None:
    history.clock(at(2, 21))
    decide(history, A)
    decide(history, B)
    damage(history.lake, "decision", "decisions")
    with pytest.raises(CorruptLake):
        night(history, 3)
    found = written_off(tmp_path)
    assert told(found, "lake")[0] == (
        f"the decision of 2026-10-02T21:00:00Z: written off; {DECIDED}"
    )
    later = night(history, 3)
    assert {each: row["status"] for each, row in later.items()} == {
        A: "acknowledged",
        B: "open",
    }
    assert set(decisions.standings(history.lake, at(4))) == {A}


def test_what_a_copy_brings_back_is_not_given_up(
    tmp_path: Path, history: History
) -> None:
    copies = shutil.copytree(history.lake.root, tmp_path / "copies")
    damage(history.lake, "run", "run_breaks")
    before = len(history.lake.commits())
    for is_tried in (True, False):
        found = written_off(tmp_path, restore=copies, dry_run=is_tried)
        assert not any("written off" in each for each in told(found, "lake"))
    assert len(history.lake.commits()) == before
    assert set(night(history, 3)) == {A, B}


def test_it_is_said_before_it_is_done_and_done_once(
    tmp_path: Path, history: History
) -> None:
    damage(history.lake, "run", "run_breaks")
    before = len(history.lake.commits())
    planned = written_off(tmp_path, dry_run=True)
    assert planned.exit_code is ExitCode.INCOMPLETE
    assert told(planned, "lake")[0].endswith(f"would be written off; {FOUND}")
    assert len(history.lake.commits()) == before
    for _ in range(2):
        again = written_off(tmp_path)
        assert len(history.lake.commits()) == before + 1
    assert len(told(again, "lake", Level.OK)) == 0


def test_a_reading_of_an_earlier_time_wants_the_file_as_before(
    tmp_path: Path, history: History
) -> None:
    until: datetime = at(2, 23)
    damage(history.lake, "run", "run_breaks")
    history.clock(at(3))
    written_off(tmp_path)
    with (
        pytest.raises(CorruptLake),
        last_result(history.lake, history.settings, as_of=until) as result,
    ):
        assert result.breaks


@pytest.mark.parametrize("folder", ["records", "pages"])
def test_a_pull_is_not_written_off(tmp_path: Path, lake: Lake, folder: str) -> None:
    (file,) = [each for each in lake.commits()[0].files if each.folder == folder]
    (lake.root / file.path).write_bytes(b"x")
    found = written_off(tmp_path)
    assert found.exit_code is ExitCode.INCOMPLETE
    assert len(lake.commits()) == 1
    (problem,) = of(found, "lake", Level.PROBLEM)
    assert "--write-off" not in problem.do


@pytest.mark.parametrize(
    ("number", "do"),
    [
        (errno.EACCES, "let this user read it, or run recon as its owner"),
        (errno.EIO, "it may be whole: see that its disk is well, and try again; else "),
        (errno.ESTALE, "it may be whole: see that its disk is well, and try again; "),
    ],
)
def test_what_is_whole_or_cannot_be_read_is_not_written_off(
    tmp_path: Path,
    history: History,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    do: str,
) -> None:
    before = len(history.lake.commits())
    assert written_off(tmp_path).exit_code is ExitCode.CLEAN
    (file, _) = history.lake.commits(kind="run")[-1].files
    refuse(monkeypatch, file.path, number)
    found = written_off(tmp_path)
    assert found.exit_code is ExitCode.INCOMPLETE
    assert len(history.lake.commits()) == before
    (problem,) = of(found, "lake", Level.PROBLEM)
    assert problem.told == f"{file.path}: it cannot be read: {os.strerror(number)}"
    assert problem.do.startswith(do)


def test_what_can_never_be_read_again_is_given_up_once_it_is_moved_away(
    tmp_path: Path, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file, _) = history.lake.commits(kind="run")[-1].files
    with monkeypatch.context() as patch:
        refuse(patch, file.path, errno.EIO)
        (problem,) = of(written_off(tmp_path), "lake", Level.PROBLEM)
    way = "move it out of the lake: then recon doctor --write-off gives it up: "
    assert problem.do.endswith(way + FOUND)
    (history.lake.root / file.path).unlink()
    found = written_off(tmp_path)
    assert found.exit_code is ExitCode.CLEAN
    assert "written off" in told(found, "lake")[0]


def test_what_failed_to_be_read_once_is_whole(
    tmp_path: Path, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file, _) = history.lake.commits(kind="run")[-1].files
    refuse(monkeypatch, file.path, errno.EIO, times=1)
    assert written_off(tmp_path).exit_code is ExitCode.CLEAN


def test_what_a_copy_may_have_that_cannot_be_read_is_not_given_up(
    tmp_path: Path, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies = shutil.copytree(history.lake.root, tmp_path / "copies")
    path = damage(history.lake, "run", "run_breaks").relative_to(history.lake.root)
    before = len(history.lake.commits())
    with monkeypatch.context() as patch:
        bar(patch, copies / path, number=errno.EIO)
        (problem,) = of(written_off(tmp_path, restore=copies), "lake", Level.PROBLEM)
    assert "the copy cannot be read: Input/output error" in problem.do
    assert len(history.lake.commits()) == before


def refuse(
    monkeypatch: pytest.MonkeyPatch, path: str, number: int, times: int = 2**31
) -> None:
    """Let the system refuse to open a file of the lake, so many times."""
    left = itertools.count(1)
    opened = Folder.fresh

    def fresh(self: Folder, name: str) -> Any:
        if name == path and next(left) <= times:
            raise OSError(number, os.strerror(number))
        return opened(self, name)

    monkeypatch.setattr(Folder, "fresh", fresh)


@pytest.mark.parametrize("dry_run", [True, False])
@pytest.mark.parametrize("is_its_own", [True, False])
def test_nothing_is_written_off_beside_a_damaged_record(
    tmp_path: Path, history: History, is_its_own: bool, dry_run: bool
) -> None:
    """Where that is another one it may be the void, and both damages are told."""
    run = damage(history.lake, "run", "run_breaks")
    committed(history.lake, ["z"])
    *_, own, other = sorted((history.lake.root / "commits").iterdir())
    record = own if is_its_own else other
    record.write_bytes(b"{}")
    found = written_off(tmp_path, dry_run=dry_run)
    assert found.exit_code is ExitCode.INCOMPLETE
    lines = told(found, "lake")
    assert not any("written off" in each for each in lines)
    assert any(record.name in each for each in lines)
    assert any(run.name in each for each in lines) is not is_its_own


def test_a_lost_run_made_again_as_of_its_time_is_kept_again(
    tmp_path: Path, history: History
) -> None:
    damage(history.lake, "run", "run_breaks")
    history.clock(at(3))
    written_off(tmp_path)
    for _ in range(2):
        with reconcile(history.lake, history.settings, as_of=at(2, 20)) as result:
            assert result.is_kept
    with last_result(history.lake, history.settings) as result:
        assert result.as_of == at(2, 20)
        assert {row["break_id"] for row in result.breaks.to_pylist()} == {A, B}
    assert len(history.lake.commits(kind="run")) == 3
