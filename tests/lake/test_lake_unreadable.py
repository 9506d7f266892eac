"""What may not be read is told: never taken for what is not there."""

import errno
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from recon.errors import CorruptLake, LakeError
from recon.lake import Lake
from recon.lake.health import examine
from recon.lake.leftovers import sweep_orphans
from tests.lake.barred import bar
from tests.lake.lake_cases import committed


@pytest.fixture
def again(tmp_path: Path) -> Lake:
    """A lake with two commits, opened anew."""
    lake = Lake(tmp_path / "lake")
    committed(lake, ["a"])
    committed(lake, ["b"])
    return Lake(lake.root)


def test_commits_that_may_not_be_listed_are_no_empty_lake(
    again: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    bar(monkeypatch, again.root / "commits")
    told = f"{again.root}/commits cannot be read: Permission denied"
    for read in (again.commits, again.now, lambda: again.begin("pull", "mandates")):
        with pytest.raises(LakeError) as error:
            read()
        assert str(error.value) == told


def test_a_lake_that_may_not_be_entered_is_no_empty_lake(
    again: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    bar(monkeypatch, again.root)
    with pytest.raises(LakeError, match="cannot be read: Permission denied"):
        again.commits()


def test_a_commit_record_that_may_not_be_read_is_not_called_damaged(
    again: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    bar(monkeypatch, again.root / "commits" / "00000002.json")
    with pytest.raises(CorruptLake) as error:
        again.commits()
    told = "00000002.json: the commit record cannot be read: Permission denied"
    assert str(error.value).endswith(told)
    (damage,) = [each for each in examine(again).damages if each.commit is None]
    assert damage.barred
    assert damage.told == "it cannot be read: Permission denied"


@pytest.mark.parametrize("folder", [True, False])
def test_a_committed_file_that_may_not_be_read_is_not_called_missing(
    again: Lake, monkeypatch: pytest.MonkeyPatch, folder: bool
) -> None:
    (path,) = again.files("mandates")[1:]
    fresh = Lake(again.root)
    bar(monkeypatch, path.parent if folder else path)
    with pytest.raises(CorruptLake) as error:
        fresh.versions("mandates")
    told = "a committed file cannot be read: Permission denied"
    assert str(error.value).endswith(told)
    damages = examine(fresh).damages
    assert len(damages) == (2 if folder else 1)
    assert all(each.barred for each in damages)


@pytest.mark.parametrize("record", [True, False])
def test_what_the_system_opens_no_more_is_not_called_damaged(
    again: Lake, monkeypatch: pytest.MonkeyPatch, record: bool
) -> None:
    """The process has too many files open, of which a lake that is whole knows none."""
    (path,) = again.files("mandates")[1:]
    place = again.root / "commits" / "00000002.json" if record else path
    bar(monkeypatch, place, number=errno.EMFILE)
    for use in (lambda: Lake(again.root).versions("mandates"), lambda: examine(again)):
        with pytest.raises(LakeError, match="raise its limit") as error:
            use()
        assert not isinstance(error.value, CorruptLake)


def test_a_file_that_is_missing_is_called_so(again: Lake) -> None:
    path = again.files("mandates")[1]
    path.unlink()
    with pytest.raises(CorruptLake, match="a committed file is missing"):
        Lake(again.root).versions("mandates")
    (damage,) = examine(again).damages
    assert (damage.told, damage.barred) == ("it is missing", False)


def test_lost_commit_records_end_every_reading_and_writing(again: Lake) -> None:
    shutil.rmtree(again.root / "commits")
    lake = Lake(again.root)
    for use in (
        lake.commits,
        lambda: lake.begin("run", "x"),
        lambda: sweep_orphans(lake),
    ):
        with pytest.raises(
            CorruptLake, match="/commits: the commit records are missing"
        ):
            use()
    assert not (again.root / "commits").exists()


def test_an_emptied_folder_of_commit_records_is_no_new_lake(tmp_path: Path) -> None:
    """Whole files of several commits tell: killed writers leave those of one each."""
    root = tmp_path / "lake"
    for name in "abcdefgh":
        made = committed(Lake(root), [name])
    for record in (root / "commits").iterdir():
        record.unlink()
    with pytest.raises(CorruptLake, match="/commits: the commit records are missing"):
        Lake(root).begin("run", "x")
    (damage,) = examine(Lake(root)).damages
    assert damage.path == "commits"
    draft = root / "commits" / f".{made.id}.draft"
    draft.touch()  # its writer was killed before it committed
    assert Lake(root).commits() == []
    draft.unlink()
    for path in root.rglob(f"{made.id}.parquet"):
        path.write_bytes(path.read_bytes()[:-1])  # as one that is not yet whole
    assert Lake(root).commits() == []


def test_a_folder_that_holds_no_data_yet_is_an_empty_lake(tmp_path: Path) -> None:
    root = tmp_path / "lake"
    assert Lake(root).commits() == []
    (root / "pages").mkdir(parents=True)
    assert Lake(root).commits() == []
    committed(Lake(root), ["a"])
    assert len(Lake(root).commits()) == 1


def test_a_file_that_may_not_be_read_is_never_swept(
    again: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = again.root / "records" / "mandates" / "20200101T000000.000000Z-x.parquet"
    path.write_bytes(b"cut")
    os.utime(path, (0, 0))
    assert [each.path for each in sweep_orphans(again, dry_run=True)] == [
        path.relative_to(again.root).as_posix()
    ]
    bar(monkeypatch, path)
    assert sweep_orphans(again) == []
    assert path.exists()


def test_a_draft_that_may_not_be_read_may_be_a_lost_record(
    again: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows what it says, so the files beside it stay."""
    made = again.commits()[-1]
    draft = again.root / "commits" / f".{made.id}.draft"
    draft.hardlink_to(again.root / "commits" / f"{made.sequence:08d}.json")
    assert [each.doubtful for each in examine(again).leftovers] == [False]
    bar(monkeypatch, draft)
    assert [each.doubtful for each in examine(again).leftovers] == [True]


def test_a_leftover_that_cannot_be_removed_is_told(
    again: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = again.root / "records" / "mandates" / "20200101T000000.000000Z-x.parquet"
    path.write_bytes(b"cut")
    os.utime(path, (0, 0))

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(LakeError, match=r"x\.parquet cannot be removed: .*ead-only"):
        sweep_orphans(again)
