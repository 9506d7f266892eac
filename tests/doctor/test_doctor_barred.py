"""What this user may not look into is a finding, and hides no other finding."""

import errno
import shutil
from pathlib import Path

import pytest

from recon import workspace
from recon.doctor import Level
from recon.errors import ExitCode
from recon.lake import Lake
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
