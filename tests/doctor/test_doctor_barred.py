"""What this user may not look into is a finding, and hides no other finding."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from recon import workspace
from recon.doctor import Level
from recon.errors import CorruptLake, ExitCode
from recon.lake import Lake, folder
from recon.reports import earlier
from tests.doctor.doctor_cases import config, examined, of
from tests.lake.barred import bar
from tests.lake.lake_cases import committed


def test_a_folder_above_the_lake_is_told_with_what_is_below_it(
    tmp_path: Path, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed(lake, ["a"])
    path = config(tmp_path)
    assert examined(path).exit_code is ExitCode.CLEAN
    bar(monkeypatch, lake.root.parent)
    found = examined(path)
    kept, reports = of(found, "disk", Level.PROBLEM)
    assert kept.told == f"lake.path: {lake.root} cannot be reached: Permission denied"
    assert kept.do.endswith("or set lake.path to another folder")
    assert reports.told.startswith("reports.path: ")
    assert len(of(found, "lake", Level.PROBLEM)) == 1
    assert of(found, "versions")
    assert found.exit_code is ExitCode.INCOMPLETE


def test_commits_that_cannot_be_listed_are_no_matter_of_a_setting(
    tmp_path: Path, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed(lake, ["a"])
    bar(monkeypatch, lake.root / "commits")
    found = examined(config(tmp_path))
    (finding,) = of(found, "lake", Level.PROBLEM)
    assert finding.told.endswith("commits cannot be read: Permission denied")
    assert found.exit_code is ExitCode.INCOMPLETE


@pytest.mark.parametrize(
    ("barred", "names"), [("", "01_first_look, "), ("02_breaks.ipynb", "02_breaks: ")]
)
def test_notebooks_that_may_not_be_read_are_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, barred: str, names: str
) -> None:
    workspace.write(tmp_path)
    path = config(tmp_path)
    bar(monkeypatch, tmp_path / "notebooks" / barred)
    found = examined(path)
    (finding,) = of(found, "notebooks", Level.WARNING)
    assert finding.told.startswith(names)
    assert finding.told.endswith(": cannot be read by this user")
    assert found.exit_code is ExitCode.CLEAN


@pytest.mark.parametrize("folder", [True, False])
def test_a_settings_file_that_may_not_be_read_is_no_wrong_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: bool
) -> None:
    path = config(tmp_path)
    bar(monkeypatch, tmp_path if folder else path)
    found = examined(path, environment={})
    (finding,) = of(found, "settings")
    assert finding.told == f"{path} cannot be read: Permission denied"
    assert finding.do.startswith("let this user read it")
    assert found.exit_code is ExitCode.USAGE


def test_a_limit_of_open_files_is_no_damage(
    tmp_path: Path, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed(lake, ["a"])
    copy = shutil.copytree(lake.root, tmp_path / "copy")
    bar(monkeypatch, lake.files("mandates")[-1], number=errno.EMFILE)
    for wishes in ({}, {"restore": copy}, {"write_off": True}):
        (found,) = of(examined(config(tmp_path), **wishes), "lake", Level.PROBLEM)
        assert found.told.startswith("the system lets this process open no further")
        assert found.do == "raise its limit (ulimit -n, LimitNOFILE)"


@pytest.mark.parametrize(
    "error", [CorruptLake("pages/a.parquet: it is cut"), OSError("the bucket is away")]
)
def test_what_ends_the_look_into_a_lake_is_told_as_it_stands(
    tmp_path: Path, lake: Lake, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """Damage, too, that came to a lake which was whole a moment ago."""

    def fail(*_: object) -> None:
        raise error

    assert lake.commits()
    monkeypatch.setattr(earlier, "unknown", fail)
    found = examined(config(tmp_path))
    (problem,) = of(found, "lake", Level.PROBLEM)
    assert problem.told == str(error)
    assert found.exit_code is ExitCode.INCOMPLETE


def test_what_cannot_be_written_keeps_nothing_else_from_coming_back(
    tmp_path: Path, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is it given up: a copy has it."""
    for name in "abc":
        committed(lake, [name])
    copies = shutil.copytree(lake.root, tmp_path / "copies")
    lost = [path.relative_to(lake.root) for path in lake.files("mandates")]
    for path in lost:
        (lake.root / path).unlink()
    write = folder.write_private

    def refusing(path: Path, content: bytes | Path) -> None:
        if lost[1].name in path.name:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        write(path, content)

    monkeypatch.setattr(folder, "write_private", refusing)
    found = examined(config(tmp_path), restore=copies, write_off=True)
    assert [path for path in lost if not (lake.root / path).exists()] == [lost[1]]
    (problem,) = of(found, "lake", Level.PROBLEM)
    place = lake.root / lost[1]
    told = f"{lost[1]}: it is missing; {place} cannot be written: Read-only file system"
    assert problem.told == told
    assert problem.do.startswith("make lake.path readable and writable")
    assert found.exit_code is ExitCode.INCOMPLETE
    restored = [each for each in of(found, "lake", Level.OK) if "restored" in each.told]
    assert len(restored) == len(lost) - 1


def test_a_newest_record_that_cannot_be_written_is_told(
    tmp_path: Path, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No gap in the lake tells that it is lost."""
    committed(lake, ["a"])
    copies = shutil.copytree(lake.root, tmp_path / "copies")
    record = max((lake.root / "commits").iterdir())
    record.unlink()

    def refusing(path: Path, content: bytes | Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(folder, "write_private", refusing)
    found = examined(config(tmp_path), restore=copies)
    (problem,) = of(found, "lake", Level.PROBLEM)
    assert problem.told.startswith(f"commits/{record.name}: it is missing; ")
    assert problem.told.endswith("cannot be written: No space left on device")


def test_a_record_that_the_disk_does_not_read_is_not_called_damaged(
    tmp_path: Path, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed(lake, ["a"])
    record = max((lake.root / "commits").iterdir())
    bar(monkeypatch, record, number=errno.EIO)
    (problem,) = of(examined(config(tmp_path)), "lake", Level.PROBLEM)
    told = f"commits/{record.name}: it cannot be read: Input/output error"
    assert problem.told == told
    assert problem.do.startswith("it may be whole: see that its disk is well")
