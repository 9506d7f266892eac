"""Nobody else on a machine may look into a lake or a journal, whatever the umask."""

import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recon.journal.deliveries import Arrival, Deliveries
from recon.journal.journal import Journal
from recon.lake import Lake
from recon.lake.healing import heal
from recon.lake.health import examine
from recon.lake.lock import run_lock
from recon.lake.private_files import make_folder, write_private
from recon.records.requests import Outcome
from tests.lake.lake_cases import committed


@pytest.fixture(params=[0o000, 0o022, 0o177, 0o777], ids=oct)
def umask(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def modes(root: Path) -> dict[str, int]:
    return {
        path.relative_to(root.parent).as_posix(): stat.S_IMODE(path.lstat().st_mode)
        for path in [root, *root.rglob("*")]
    }


def assert_private(root: Path) -> None:
    found = modes(root)
    folders = {name for name in found if (root.parent / name).is_dir()}
    wrong = {
        name: oct(mode)
        for name, mode in found.items()
        if mode != (0o700 if name in folders else 0o600)
    }
    assert wrong == {}


def test_a_lake_is_its_owners_alone(umask: int, tmp_path: Path) -> None:
    lake = Lake(tmp_path / "data" / "lake")
    with run_lock(lake), lake.begin("pull", "mandates") as writing:
        writing.seen("mandates", ["a"])
        writing.commit()
    commit = committed(lake, ["a"])
    lake.begin("pull", "mandates")  # and what a killed writer leaves
    copies = tmp_path / "copies"
    for file in commit.files:
        make_folder((copies / file.path).parent)
        write_private(copies / file.path, (lake.root / file.path).read_bytes())
        (lake.root / file.path).unlink()
    healed = heal(lake, examine(lake).damages, copies)
    assert [each.healed for each in healed] == [True, True]
    assert_private(tmp_path / "data")
    assert len(modes(tmp_path / "data")) > 12


def test_a_draft_that_a_kill_leaves_is_private_too(
    umask: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = Lake(tmp_path / "lake")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "link", killed)
    monkeypatch.setattr(lake.storage, "end_draft", lambda _: None)
    with pytest.raises(KeyboardInterrupt):
        committed(lake, ["a"])
    assert len(list((lake.root / "commits").glob(".*.draft"))) == 1
    assert_private(tmp_path / "lake")


def test_a_journal_is_its_owners_alone(umask: int, tmp_path: Path) -> None:
    path = tmp_path / "data" / "journal.sqlite3"
    with Journal(path) as journal, Deliveries(path) as deliveries:
        number = journal.begin("deposit", "one", {})
        deliveries.add([Arrival(event="e", received_at=datetime.now(UTC), body=b"{}")])
        names = {name.rpartition("/")[2] for name in modes(tmp_path / "data")}
        assert {"journal.sqlite3-wal", "journal.sqlite3-shm"} <= names
        assert any(name.endswith(".lock") for name in names)
        assert_private(tmp_path / "data")
        journal.end(number, Outcome.DONE)
    assert_private(tmp_path / "data")


def test_a_folder_that_is_there_keeps_the_mode_that_somebody_gave_it(
    tmp_path: Path,
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o750)
    committed(Lake(shared), ["a"])
    assert stat.S_IMODE(shared.stat().st_mode) == 0o750
    assert stat.S_IMODE((shared / "commits").stat().st_mode) == 0o700


def test_a_file_in_a_folders_place_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        make_folder(tmp_path / "file")
