"""The doctor looks at the disk: room, whether it can be written, who may read it."""

import errno
import os
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recon.database import _kept
from recon.doctor import Level, disk
from recon.lake import Lake
from recon.times import business_date, zone
from tests.doctor.doctor_cases import config, examined, of, told


def test_the_disk_is_looked_at_and_left_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "data" / "reports").mkdir(parents=True)
    lake, reports = told(examined(config(tmp_path)), "disk", Level.OK)
    assert lake.startswith(f"lake.path: {tmp_path / 'data' / 'lake'} has ")
    assert lake.endswith(" free; the folder will be made")
    assert reports.startswith("reports.path: ")
    assert reports.endswith(" free")
    assert sorted(path.name for path in tmp_path.rglob("*")) == [
        "data",
        "recon.toml",
        "reports",
    ]


@pytest.mark.parametrize(
    ("free", "level"),
    [
        (disk.LEAST_BYTES - 1, Level.PROBLEM),
        (disk.LEAST_BYTES, Level.WARNING),
        (disk.AMPLE_BYTES - 1, Level.WARNING),
        (disk.AMPLE_BYTES, Level.OK),
    ],
)
def test_little_room_is_told_before_it_is_too_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, level: Level
) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=free)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    assert {each.level for each in of(examined(config(tmp_path)), "disk")} == {level}


def test_a_folder_that_cannot_be_written_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    found = of(examined(config(tmp_path)), "disk", Level.PROBLEM)
    assert len(found) == 2
    assert all("cannot be written" in each.told for each in found)


@pytest.mark.parametrize(
    ("number", "do"),
    [
        (errno.ENOSPC, "make room"),
        (errno.EDQUOT, "make room"),
        (errno.EROFS, "let this user write there"),
    ],
)
def test_a_disk_that_takes_nothing_is_told_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, do: str
) -> None:
    def full(**_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    monkeypatch.setattr(os, "access", lambda *_: False)  # says no more than that
    lake, reports = of(examined(config(tmp_path)), "disk", Level.PROBLEM)
    assert lake.told.endswith(f" cannot be written to: {os.strerror(number)}")
    assert lake.do == f"{do}, or set lake.path to another folder"
    assert reports.do == f"{do}, or set reports.path to another folder"


def test_a_lake_that_others_may_read_is_a_warning(tmp_path: Path, lake: Lake) -> None:
    path = config(tmp_path)
    assert not of(examined(path), "disk", Level.WARNING)
    lake.root.chmod(0o750)
    (finding,) = of(examined(path), "disk", Level.WARNING)
    assert finding.do == f"chmod 700 {lake.root}"


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 bytes"), (9_999, "9,999 bytes"), (10_000, "10 kB")]
)
def test_sizes_read_well(size: int, text: str) -> None:
    assert disk.readable(size) == text
    assert disk.readable(82 * 10**9) == "82 GB"


def test_what_another_user_made_in_the_lake_is_told(
    tmp_path: Path, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a night does that was once run by root."""
    path = config(tmp_path)
    assert of(examined(path), "disk", Level.PROBLEM) == []
    (lake.root / "run.lock").touch()
    table = lake.root / "records" / "mandates"
    for barred in (lake.root / "commits", table, lake.root / "run.lock"):
        with monkeypatch.context() as patch:
            patch.setattr(os, "access", lambda place, _, barred=barred: place != barred)
            found = examined(path)
        (finding,) = of(found, "disk", Level.PROBLEM)
        assert finding.told == f"lake.path: this user may not write to {barred}"
        assert found.exit_code == 1


@pytest.mark.parametrize("needed", [os.R_OK, os.W_OK, os.X_OK])
@pytest.mark.parametrize("name", ["commits", "run.lock"])
def test_a_folder_must_be_read_written_and_entered_and_the_lock_not_entered(
    tmp_path: Path, lake: Lake, monkeypatch: pytest.MonkeyPatch, name: str, needed: int
) -> None:
    (lake.root / "run.lock").touch()

    def access(place: Path, mode: int) -> bool:
        return place != lake.root / name or not mode & needed

    monkeypatch.setattr(os, "access", access)
    found = of(examined(config(tmp_path)), "disk", Level.PROBLEM)
    assert len(found) == (name == "commits" or needed != os.X_OK)


def test_what_another_user_made_in_the_reports_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a night or a closing does that was once run by root: the next one fails."""
    path = config(tmp_path)
    today = business_date(datetime.now(UTC), zone("Asia/Tehran"))
    for name, count in ((today.isoformat(), 1), ("closed", 1), ("2020-01-01", 0)):
        barred = tmp_path / "data" / "reports" / name
        barred.mkdir(parents=True)
        with monkeypatch.context() as patch:
            patch.setattr(os, "access", lambda place, _, barred=barred: place != barred)
            found = of(examined(path), "disk", Level.PROBLEM)
        told = f"reports.path: this user may not write to {barred}"
        assert [each.told for each in found] == [told] * count


def test_what_is_in_the_place_of_a_folder_that_a_night_writes_to_is_told(
    tmp_path: Path, lake: Lake
) -> None:
    """It would end the night, as would a folder in the place of the lock's file."""
    path = config(tmp_path)
    today = business_date(datetime.now(UTC), zone("Asia/Tehran")).isoformat()
    reports = tmp_path / "data" / "reports"
    reports.mkdir()
    (reports / "closed").write_text("x", "utf-8")
    (reports / today).symlink_to(tmp_path / "gone")
    (reports / "2020-01-01").write_text("x", "utf-8")  # no night writes there
    (lake.root / "drafts").write_text("x", "utf-8")
    (lake.root / "run.lock").mkdir()
    found = of(examined(path), "disk", Level.PROBLEM)
    odd = "something else is in the place of"
    assert [each.told for each in found] == [
        f"lake.path: {odd} {lake.root / 'drafts'}, {lake.root / 'run.lock'}",
        f"reports.path: {odd} {reports / today}, {reports / 'closed'}",
    ]
    assert all(each.do.startswith("move it away") for each in found)


def test_a_file_in_the_place_of_the_reports_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "reports").write_text("x", "utf-8")
    (finding,) = of(examined(config(tmp_path)), "disk", Level.PROBLEM)
    assert finding.told.endswith("reports cannot be written to: Not a directory")
    assert finding.do == "move it away, or set reports.path to another folder"


def test_a_temporary_folder_that_takes_nothing_is_a_finding_and_no_defect(
    tmp_path: Path, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs and questions spill there, and the doctor asks some of its own."""
    assert lake.commits()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    _kept.cache_clear()
    found = examined(config(tmp_path))
    (finding,) = of(found, "disk", Level.PROBLEM)
    assert "which TMPDIR names, cannot be written: " in finding.told
    assert "set TMPDIR" in finding.do
    assert any("all as committed" in each for each in told(found, "lake"))
