"""What killed runs left, and what only looks so: that is told, and stays."""

import os
import shutil
import time
from pathlib import Path

import pytest

from recon.doctor import Level
from recon.errors import ExitCode
from recon.lake import Lake
from recon.lake.folder import Folder
from recon.lake.storage import COMMITS, draft_path, record_name
from tests.doctor.doctor_cases import config, examined, of, told
from tests.lake.lake_cases import committed


def age(*paths: Path) -> None:
    """Let files be two days old."""
    then = time.time() - 2 * 86_400
    for path in paths:
        os.utime(path, (then, then))


@pytest.mark.parametrize("sweep", [False, True])
def test_the_files_of_a_damaged_record_are_not_told_as_left_over(
    tmp_path: Path, lake: Lake, sweep: bool
) -> None:
    made = committed(lake, ["a"])
    paths = [lake.root / file.path for file in made.files]
    age(*paths)
    record = f"{COMMITS}/{record_name(made.sequence)}"
    (lake.root / record).write_bytes(b"{")
    found = examined(config(tmp_path), sweep=sweep)
    (finding,) = of(found, "lake", Level.PROBLEM)
    assert finding.told.startswith(f"{record}: ")
    assert found.exit_code is ExitCode.INCOMPLETE
    assert of(found, "lake", Level.WARNING) == []
    assert all(path.exists() for path in paths)


def test_files_of_a_record_that_may_be_lost_are_told_and_never_swept(
    tmp_path: Path, lake: Lake
) -> None:
    """Nothing but a copy tells the newest record, lost, from one never written."""
    path = config(tmp_path)
    committed(lake, ["a"])
    copy = shutil.copytree(lake.root, tmp_path / "copy")
    last = committed(lake, ["b"])
    files = [lake.root / file.path for file in last.files]
    record = lake.root / COMMITS / record_name(last.sequence)
    record.unlink()
    for wished in ({}, {"sweep": True}):  # it may be of a run at work
        found = examined(path, **wished)
        assert of(found, "lake", Level.WARNING) == []
        assert f"{len(files)} files (" in told(found, "lake")[-1]
        assert "not committed: a run at work" in told(found, "lake")[-1]
    age(*files)
    for wished in ({}, {"sweep": True}, {"restore": copy}):
        (finding,) = of(examined(path, **wished), "lake", Level.WARNING)
        assert finding.told.startswith(f"{len(files)} files (")
        assert f"named by no commit ({last.files[0].path})" in finding.told
        assert "recon doctor --restore FOLDER" in finding.do
        assert "move them out of the lake" in finding.do
    assert all(file.exists() for file in files)


def test_a_draft_whose_record_stands_is_swept(
    tmp_path: Path, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its run was killed once it had linked the record into place."""
    with monkeypatch.context() as killed:
        killed.setattr(Folder, "end_draft", lambda *_: None)
        made = committed(lake, ["a"])
    draft = lake.root / draft_path(made.id)
    age(draft)
    (finding,) = of(examined(config(tmp_path)), "lake", Level.WARNING)
    assert finding.told.startswith("killed runs left 1 file (")
    swept = examined(config(tmp_path), sweep=True)
    assert of(swept, "lake", Level.WARNING) == []
    assert not draft.exists()
    assert lake.commits()[-1].id == made.id
