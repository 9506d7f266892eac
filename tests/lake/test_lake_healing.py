"""What was lost or damaged is healed from a copy, where that proves itself."""

import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recon.errors import CorruptLake, UsageError
from recon.lake import Lake, commits, healing
from recon.lake.commits import sealed
from recon.lake.healing import heal
from recon.lake.health import examine
from tests.lake.full_lakes import data_file, full_lake, record
from tests.lake.lake_cases import committed, ids
from tests.reconcile.lake_history import MovingClock


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return full_lake(tmp_path / "lake")


@pytest.mark.parametrize("folder", ["pages", "records", "seen"])
def test_a_damaged_file_is_healed_from_a_copy(
    lake: Lake, tmp_path: Path, folder: str
) -> None:
    copies = tmp_path / "copies"
    shutil.copytree(lake.root, copies)
    path = data_file(lake, folder)
    content = path.read_bytes()
    path.write_bytes(content[::-1])
    damages = examine(lake).damages
    (planned,) = heal(lake, damages, copies, dry_run=True)
    assert (planned.healed, path.read_bytes()) == (False, content[::-1])
    (done,) = heal(lake, damages, copies)
    assert (done.healed, path.read_bytes()) == (True, content)
    assert examine(lake, deep=True).whole
    assert examine(lake).leftovers == []


def test_a_copy_that_is_not_the_lost_file_heals_nothing(
    lake: Lake, tmp_path: Path
) -> None:
    copies = tmp_path / "copies"
    shutil.copytree(lake.root, copies)
    path = data_file(lake, "records")
    other = copies / path.relative_to(lake.root)
    other.write_bytes(data_file(lake, "records", 2).read_bytes())
    path.unlink()
    (kept,) = heal(lake, examine(lake).damages, copies)
    assert (kept.proven, kept.healed, path.exists()) == (False, False, False)
    other.unlink()
    (kept,) = heal(lake, examine(lake).damages, copies)
    assert kept.told == "the copy does not have it"


def test_lost_records_are_healed_after_the_files_that_prove_them(
    lake: Lake, tmp_path: Path
) -> None:
    copies = tmp_path / "copies"
    shutil.copytree(lake.root, copies)
    data_file(lake, "records").unlink()
    record(lake, 2).unlink()
    done = heal(lake, examine(lake).damages, copies)
    assert [each.healed for each in done] == [True, True]
    assert examine(Lake(lake.root)).whole
    assert len(Lake(lake.root).commits()) == 3


def test_lost_newest_records_come_back_while_their_files_prove_them(
    tmp_path: Path,
) -> None:
    lake, copies = Lake(tmp_path / "lake"), tmp_path / "copies"
    for name in ("a", "b", "c", "d"):
        committed(lake, [name])
    shutil.copytree(lake.root, copies)
    data_file(lake, "records", 4).unlink()
    for number in (2, 3, 4):
        record(lake, number).unlink()
    assert examine(Lake(lake.root)).whole  # nothing tells of them but their files
    assert heal(lake, [], copies, dry_run=True)[0].healed is False
    assert [each.damage.path for each in heal(lake, [], copies)] == [
        "commits/00000002.json",
        "commits/00000003.json",
    ]
    assert len(Lake(lake.root).commits()) == 3
    assert examine(lake).whole


def test_a_rehearsal_tells_each_lost_record_once(tmp_path: Path) -> None:
    """Those before a record that stands are none of the newest, which no gap tells."""
    lake, copies = Lake(tmp_path / "lake"), tmp_path / "copies"
    for name in ("a", "b", "c", "d"):
        committed(lake, [name])
    shutil.copytree(lake.root, copies)
    for number in (2, 3):
        record(lake, number).unlink()
    told = heal(lake, examine(lake).damages, copies, dry_run=True)
    assert [each.damage.path for each in told] == [
        "commits/00000002.json",
        "commits/00000003.json",
    ]
    assert all(each.proven and not each.healed for each in told)


def test_a_number_that_another_commit_took_is_not_taken_from_it(
    lake: Lake, tmp_path: Path
) -> None:
    copies = tmp_path / "copies"
    shutil.copytree(lake.root, copies)
    record(lake, 3).unlink()
    record(lake, 2).unlink()
    committed(Lake(lake.root), ["new"])
    before = record(lake, 2).read_bytes()
    assert heal(lake, [], copies) == []
    assert record(lake, 2).read_bytes() == before


def test_a_commit_that_comes_while_a_record_is_proven_keeps_its_number(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All files that a lost record names are read for it, which may take minutes."""
    copies = tmp_path / "copies"
    shutil.copytree(lake.root, copies)
    for number in (3, 2):
        record(lake, number).unlink()
    read, coming = healing.file_hash, [True]

    def slowly(path: Path) -> str:
        found = read(path)
        if coming and coming.pop():
            committed(Lake(lake.root), ["new"])
        return found

    monkeypatch.setattr(healing, "file_hash", slowly)
    (kept,) = heal(lake, [], copies)
    assert (kept.healed, kept.told) == (
        False,
        "another commit took its number meanwhile",
    )
    assert len(Lake(lake.root).commits()) == 2
    assert ids(Lake(lake.root))[-1] == "new"
    assert not [*(lake.root / "commits").glob(".*")]


def test_no_record_follows_a_commit_that_came_while_one_was_proven(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one is of the history in which the lost one stood before it."""
    lake, copies = Lake(tmp_path / "lake"), tmp_path / "copies"
    for name in ("a", "b", "c"):
        committed(lake, [name])
    shutil.copytree(lake.root, copies)
    for number in (3, 2):
        record(lake, number).unlink()
    place, coming = healing._is_placed, [True]

    def late(*given: Any) -> bool:
        if coming and coming.pop():
            committed(Lake(lake.root), ["new"])
        return place(*given)

    monkeypatch.setattr(healing, "_is_placed", late)
    (kept,) = heal(lake, [], copies)
    assert (kept.proven, kept.healed) == (False, False)
    assert ids(Lake(lake.root)) == ["a", "new"]


@pytest.mark.parametrize("clock", [timedelta(days=1), -timedelta(days=1)])
def test_what_followed_a_lost_record_does_not_follow_one_that_took_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: timedelta
) -> None:
    """A day later the lake would be refused as mixed; with a clock that is set back
    it would hold two histories at once, and nobody could tell."""
    lake, copies = Lake(tmp_path / "lake"), tmp_path / "copies"
    for name in ("a", "b", "c", "d"):
        committed(lake, [name])
    shutil.copytree(lake.root, copies)
    lost = [record(lake, number).read_bytes() for number in (3, 4)]
    for number in (3, 4):
        record(lake, number).unlink()
    with monkeypatch.context() as later:
        MovingClock.present = datetime.now(UTC) + clock
        later.setattr(commits, "datetime", MovingClock)
        committed(Lake(lake.root), ["new"])
    known = Lake(lake.root).commits()
    for rehearsed in (True, False):
        assert heal(lake, examine(lake).damages, copies, dry_run=rehearsed) == []
    assert Lake(lake.root).commits() == known
    assert examine(Lake(lake.root)).whole
    record(lake, 3).write_bytes(lost[0])  # as if nothing had been committed since
    (done,) = heal(lake, [], copies)
    assert (done.healed, record(lake, 4).read_bytes()) == (True, lost[1])


def test_a_record_that_nothing_proves_is_left_to_people(
    lake: Lake, tmp_path: Path
) -> None:
    copies = tmp_path / "copies"
    shutil.copytree(lake.root, copies)
    record(lake, 3).write_bytes(b"{")
    (kept,) = heal(lake, examine(lake).damages, copies)
    assert (kept.healed, record(lake, 3).read_bytes()) == (False, b"{")
    assert "by hand" in kept.told


def mixed_in(lake: Lake, number: int) -> None:
    """Let a record be as that of a lake that was written a day later."""
    commit = lake.commits()[number - 1]
    later = commit.committed_at + timedelta(days=1)
    made = sealed(msgspec.structs.replace(commit, committed_at=later))
    content = msgspec.json.format(msgspec.json.encode(made))
    record(lake, number).write_bytes(content)


def _with_pulls_of_nothing(folder: Path) -> Lake:
    """Make a lake of five commits, of which the second and the fourth have no file."""
    for name in ("a", "", "c", "", "e"):
        if name:
            committed(Lake(folder), [name])
        else:
            with Lake(folder).begin("pull", "gateway_transactions") as writing:
                writing.commit(whole=False)
    return Lake(folder)


def test_a_record_without_files_is_proven_by_those_around_it(tmp_path: Path) -> None:
    lake, copies = _with_pulls_of_nothing(tmp_path / "lake"), tmp_path / "copies"
    shutil.copytree(lake.root, copies)
    whole = record(lake, 2).read_bytes()
    record(lake, 2).write_bytes(b"{")
    (done,) = heal(lake, examine(lake).damages, copies)
    assert (done.healed, record(lake, 2).read_bytes()) == (True, whole)
    other = _with_pulls_of_nothing(tmp_path / "other")
    record(lake, 2).unlink()
    for numbers in ((1, 3), (1,), (3,)):
        mixed = tmp_path / f"mixed{numbers}"
        shutil.copytree(other.root, mixed)
        for number in {1, 3} - {*numbers}:  # one side alone proves nothing
            shutil.copy(record(lake, number), mixed / "commits")
        (kept,) = heal(lake, examine(lake).damages, mixed)
        assert (kept.healed, record(lake, 2).exists()) == (False, False)


@pytest.mark.parametrize("first", [1, 2, 4])
def test_lost_newest_records_come_back_over_those_without_files(
    tmp_path: Path, first: int
) -> None:
    lake, copies = _with_pulls_of_nothing(tmp_path / "lake"), tmp_path / "copies"
    shutil.copytree(lake.root, copies)
    for number in range(first, 6):
        record(lake, number).unlink()
    planned = heal(lake, [], copies, dry_run=True)
    assert [each.proven for each in planned] == [True] * (6 - first)
    assert [each.healed for each in heal(lake, [], copies)] == [True] * (6 - first)
    assert len(Lake(lake.root).commits()) == 5


def test_records_whose_folder_is_lost_come_back(tmp_path: Path) -> None:
    lake, copies = _with_pulls_of_nothing(tmp_path / "lake"), tmp_path / "copies"
    shutil.copytree(lake.root, copies)
    shutil.rmtree(lake.root / "commits")
    damages = examine(Lake(lake.root)).damages
    assert [each.path for each in damages] == ["commits"]
    strange = _with_pulls_of_nothing(tmp_path / "strange")
    (kept,) = heal(lake, damages, strange.root)
    assert (kept.healed, kept.told) == (
        False,
        "the copy has no record whose files are in the lake",
    )
    assert [each.healed for each in heal(lake, damages, copies)] == [True] * 5
    assert examine(Lake(lake.root)).whole
    assert heal(Lake(tmp_path / "new"), [], copies) == []  # it is another lake


def test_a_record_is_proven_though_a_file_that_it_names_is_lost_too(
    tmp_path: Path,
) -> None:
    lake, copies = _with_pulls_of_nothing(tmp_path / "lake"), tmp_path / "copies"
    shutil.copytree(lake.root, copies)
    data_file(lake, "records", 3).unlink()
    record(lake, 3).unlink()
    (done,) = heal(lake, examine(lake).damages, copies)
    assert done.healed
    (done,) = heal(lake, examine(lake).damages, copies)
    assert (done.healed, examine(Lake(lake.root)).whole) == (True, True)


def test_a_record_that_the_copy_has_alike_is_not_healed_by_it(
    lake: Lake, tmp_path: Path
) -> None:
    """Two lakes are mixed: the one before it is later, and of the other lake."""
    copies = tmp_path / "copies"
    shutil.copytree(lake.root, copies)
    mixed_in(lake, 2)
    with pytest.raises(CorruptLake, match=r"00000003\.json: .* two lakes may be mixed"):
        Lake(lake.root).commits()
    damages = examine(lake).damages
    assert [each.path for each in damages] == ["commits/00000003.json"]
    (kept,) = heal(lake, damages, copies)
    assert (kept.healed, kept.told) == (False, "the lake has the same")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (lambda copies: (copies / "commits" / "00000001.json").read_bytes(), "another"),
        (lambda _: b"{", "damaged too"),
    ],
)
def test_a_copy_in_which_the_record_is_none_heals_nothing(
    lake: Lake, tmp_path: Path, content: Callable[[Path], bytes], told: str
) -> None:
    copies = tmp_path / "copies"
    shutil.copytree(lake.root, copies)
    record(lake, 2).unlink()
    (copies / "commits" / record(lake, 2).name).write_bytes(content(copies))
    (kept,) = heal(lake, examine(lake).damages, copies)
    assert (kept.healed, record(lake, 2).exists()) == (False, False)
    assert told in kept.told


def test_a_changed_record_of_another_lake_heals_nothing(
    lake: Lake, tmp_path: Path
) -> None:
    other = full_lake(tmp_path / "other")
    record(lake, 2).unlink()
    (kept,) = heal(lake, examine(lake).damages, other.root)
    assert not kept.healed
    assert not record(lake, 2).exists()


def test_a_lake_is_no_copy_of_itself(lake: Lake, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        heal(lake, [], lake.root)
    with pytest.raises(UsageError):
        heal(lake, [], tmp_path / "nowhere")
