"""Any damage to what was committed is found and named; nothing else is."""

import json
import os
import shutil
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.errors import CorruptLake, UsageError
from recon.lake import Lake
from recon.lake.health import Kind, examine
from recon.lake.leftovers import sweep_orphans
from recon.lake.storage import Measure
from tests.lake.full_lakes import HOUR, data_file, full_lake, record, rewrite
from tests.lake.lake_cases import committed, mandate, page
from tests.lake.lake_writers import killed_at


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return full_lake(tmp_path / "lake")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a lake that no test damages: each copies it."""
    return full_lake(tmp_path_factory.mktemp("whole") / "lake").root


def aged(path: Path, hours: int = 48) -> Path:
    then = time.time() - hours * 3600
    os.utime(path, (then, then))
    return path


def orphan(
    lake: Lake, name: str = "20260101T000000.000000Z-0", hours: int = 48
) -> Path:
    """Leave half a file, as a writer does that was killed."""
    path = lake.root / "records" / "mandates" / f"{name}.parquet"
    path.write_bytes(b"PAR1 and then nothing")
    return aged(path, hours)


def paths(lake: Lake, *, deep: bool = False) -> list[str]:
    return [damage.path for damage in examine(lake, deep=deep).damages]


@pytest.mark.parametrize("deep", [False, True])
def test_an_untouched_lake_is_whole(lake: Lake, deep: bool) -> None:
    health = examine(lake, deep=deep)
    assert (health.damages, health.leftovers) == ([], [])
    assert (health.commit_count, health.file_count) == (3, 5)
    assert health.page_count == (3 if deep else 0)
    assert health.newest == lake.commits()[-1].committed_at


def test_a_lake_that_was_never_written_to_is_whole_and_is_not_made(
    tmp_path: Path,
) -> None:
    health = examine(Lake(tmp_path / "none"), deep=True)
    assert (health.whole, health.commit_count, health.leftovers) == (True, 0, [])
    assert not (tmp_path / "none").exists()


@settings(max_examples=60)
@given(which=st.integers(0, 2**16), where=st.integers(0, 2**20), bit=st.integers(0, 7))
def test_any_flipped_bit_of_a_data_file_is_found(
    whole: Path,
    tmp_path_factory: pytest.TempPathFactory,
    which: int,
    where: int,
    bit: int,
) -> None:
    root = tmp_path_factory.mktemp("flipped") / "lake"
    shutil.copytree(whole, root)
    files = sorted(root.rglob("*.parquet"))
    path = files[which % len(files)]
    content = bytearray(path.read_bytes())
    content[where % len(content)] ^= 1 << bit
    path.write_bytes(content)
    (damage,) = examine(Lake(root), deep=True).damages
    assert damage.path == path.relative_to(root).as_posix()
    assert "SHA-256" in damage.told
    assert damage.commit is not None
    shutil.rmtree(root.parent)


@pytest.mark.parametrize("folder", ["pages", "records", "seen"])
@pytest.mark.parametrize("harm", ["missing", "cut", "longer", "empty"])
def test_a_file_that_is_not_as_committed_is_named(
    lake: Lake, folder: str, harm: str
) -> None:
    path = data_file(lake, folder)
    content = path.read_bytes()
    changed = {"cut": content[:-1], "longer": content + b"x", "empty": b""}
    if harm == "missing":
        path.unlink()
    else:
        path.write_bytes(changed[harm])
    (damage,) = examine(lake, deep=True).damages
    assert damage.path == path.relative_to(lake.root).as_posix()
    assert (damage.kind, damage.table) == (Kind(folder), "mandates")
    assert damage.told == (
        "it is missing"
        if harm == "missing"
        else f"it has {len(changed[harm]):,} bytes instead of {len(content):,}"
    )


def test_each_of_several_damages_is_named(lake: Lake) -> None:
    first, second = data_file(lake, "pages"), data_file(lake, "records", 2)
    first.unlink()
    second.unlink()
    record(lake, 3).write_bytes(b"{")
    assert len(paths(lake)) == 3


def test_a_missing_record_is_named_and_the_rest_still_checked(lake: Lake) -> None:
    record(lake, 2).unlink()
    assert paths(lake) == ["commits/00000002.json"]
    health = examine(lake)
    assert health.commit_count == 2
    assert [each.doubtful for each in health.leftovers] == [True, True]


@pytest.mark.parametrize(
    ("number", "content", "told"),
    [
        (1, b"", "damaged"),
        (2, b"{", "damaged"),
        (2, b"[]", "damaged"),
        (3, b"\xff", "damaged"),
    ],
)
def test_a_record_that_is_no_record_is_named(
    lake: Lake, number: int, content: bytes, told: str
) -> None:
    record(lake, number).write_bytes(content)
    damages = examine(lake).damages
    assert [each.path for each in damages] == [f"commits/{number:08d}.json"]
    assert told in damages[0].told
    assert damages[0].kind is Kind.RECORD


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda found: found.update(sequence=7), "number 7"),
        (lambda found: found.update(as_og=found.pop("as_of")), "'as_og'"),
        (lambda found: found["files"][0].update(rowz=1), "'rowz'"),
        (lambda found: found.update(id="other"), "instead of"),
        (lambda found: found.update(committed_at="2001-01-01T00:00:00Z"), "older"),
        (
            lambda found: found.update(committed_at="2101-01-01T00:00:00.5Z"),
            "whole seconds",
        ),
        (lambda found: found["files"][0].update(path="../../etc"), "instead of"),
        (lambda found: found["files"][0].update(folder="queries"), "instead of"),
    ],
)
def test_a_record_that_contradicts_itself_is_named(
    lake: Lake, change: Callable[[dict[str, object]], object], told: str
) -> None:
    rewrite(record(lake, 2), change)
    (damage,) = examine(lake).damages
    assert damage.path == "commits/00000002.json"
    assert told in damage.told


def test_a_record_that_was_spaced_otherwise_is_named(lake: Lake) -> None:
    """Its digest says nothing of that: a program wrote it that is none of recon's."""
    found = json.loads(record(lake, 2).read_bytes())
    record(lake, 2).write_text(json.dumps(found), encoding="utf-8")
    assert len(lake.commits()) == 3
    (damage,) = examine(lake).damages
    assert damage.path == "commits/00000002.json"
    assert "spacing" in damage.told


def test_two_records_of_one_id_are_named(lake: Lake) -> None:
    first = json.loads(record(lake, 1).read_text("utf-8"))
    rewrite(record(lake, 3), lambda found: found.update(id=first["id"]))
    assert "another's" in examine(lake).damages[0].told


def test_rows_that_are_not_as_many_as_committed_are_named(lake: Lake) -> None:
    rewrite(record(lake, 2), lambda found: found["files"][1].update(rows=9))  # type: ignore[index]
    assert examine(lake).damages[0].told == "it has 1 rows instead of 9"


def test_lost_commit_records_are_no_empty_lake(lake: Lake) -> None:
    shutil.rmtree(lake.root / "commits")
    assert paths(lake) == ["commits"]
    with pytest.raises(CorruptLake):
        sweep_orphans(lake)


def test_only_a_deep_look_finds_a_page_that_was_written_wrong(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    with lake.begin("pull", "mandates") as writing:
        given = page(b"[3]")
        monkeypatch.setattr(type(given), "sha256", "0" * 64)
        writing.page(given)
        writing.commit()
    assert paths(lake) == []
    (damage,) = examine(lake, deep=True).damages
    assert (damage.kind, damage.sha256) == (Kind.PAGES, "")
    assert "page 1" in damage.told


def test_only_a_deep_look_finds_a_row_without_its_page(lake: Lake) -> None:
    with lake.begin("pull", "mandates") as writing:
        writing.page(page())
        writing.rows("mandates", [mandate("a", page_no=1), mandate("b", page_no=2)])
        writing.commit()
    assert paths(lake) == []
    (damage,) = examine(lake, deep=True).damages
    assert damage.told == "a row stands on page 2, which is not there"


def test_damaged_pages_are_not_told_again_for_each_row(lake: Lake) -> None:
    data_file(lake, "pages").unlink()
    assert len(paths(lake, deep=True)) == 1


def test_a_commit_that_comes_while_one_looks_is_no_leftover(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = lake.storage.stored

    def listed_then_committed() -> dict[str, Measure]:
        found = listed()
        committed(Lake(lake.root), ["z"])
        return found

    monkeypatch.setattr(lake.storage, "stored", listed_then_committed)
    health = examine(lake, deep=True)
    assert (health.damages, health.leftovers, health.commit_count) == ([], [], 4)


def test_a_listing_that_lacks_a_record_for_a_moment_is_made_again(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside quick writers one may have a later record and not the one before it."""
    names = lake.storage.record_names()
    listings = iter([[names[0], *names[2:]], names])
    monkeypatch.setattr(lake.storage, "record_names", lambda _=0: next(listings))
    assert examine(lake).whole


def test_the_watch_gets_every_byte(lake: Lake) -> None:
    seen: list[tuple[int, int]] = []
    examine(lake, watch=lambda done, total: seen.append((done, total)))
    assert len(seen) == 5
    assert seen[-1][0] == seen[-1][1] > 0


def test_what_a_killed_writer_left_is_swept_once_it_is_old(lake: Lake) -> None:
    old, young = orphan(lake), orphan(lake, "20260102T000000.000000Z-1", hours=2)
    draft = lake.root / "commits" / ".20260101T000000.000000Z-0.draft"
    draft.write_bytes(b"{}")
    aged(draft)
    assert not any(each.doubtful for each in examine(lake).leftovers)
    assert len(sweep_orphans(lake, dry_run=True)) == 2
    assert old.exists()
    swept = sweep_orphans(lake)
    assert {each.path for each in swept} == {
        old.relative_to(lake.root).as_posix(),
        draft.relative_to(lake.root).as_posix(),
    }
    assert (old.exists(), draft.exists(), young.exists()) == (False, False, True)
    assert examine(lake).whole
    assert [each.age > HOUR for each in examine(lake).leftovers] == [True]


def test_whole_files_that_no_commit_names_are_never_swept(lake: Lake) -> None:
    last = lake.commits()[1]
    record(lake, 3).unlink()
    record(lake, 2).unlink()  # lost from the end: no gap tells of it
    for file in last.files:
        aged(lake.root / file.path)
    fresh = Lake(lake.root)
    assert examine(fresh).whole
    assert sweep_orphans(fresh) == []
    left = examine(fresh).leftovers
    assert [each.path for each in left] == sorted(file.path for file in last.files)
    assert all(each.doubtful for each in left)


def test_the_draft_of_a_killed_restoring_makes_no_commit_uncommitted(
    lake: Lake,
) -> None:
    last = lake.commits()[1]
    place = data_file(lake, "records", 2)
    half = place.with_name(f".{place.name}.0a1b2c3d.draft")
    half.write_bytes(place.read_bytes()[:-9])
    for path in (half, *(lake.root / file.path for file in last.files)):
        aged(path)
    record(lake, 3).unlink()
    record(lake, 2).unlink()  # lost since
    swept = sweep_orphans(Lake(lake.root))
    assert [each.path for each in swept] == [half.relative_to(lake.root).as_posix()]
    left = examine(Lake(lake.root)).leftovers
    assert [each.path for each in left] == sorted(file.path for file in last.files)
    assert all(each.doubtful for each in left)


@pytest.mark.parametrize("lost", [True, False])
def test_a_draft_that_was_linked_makes_no_commit_uncommitted(
    lake: Lake, lost: bool
) -> None:
    """A writer that is killed after its link leaves the draft of what it committed."""
    last = lake.commits()[1]
    draft = lake.root / "commits" / f".{last.id}.draft"
    draft.hardlink_to(record(lake, 2))
    for path in (draft, *(lake.root / file.path for file in last.files)):
        aged(path)
    if lost:
        record(lake, 3).unlink()
        record(lake, 2).unlink()
    swept = sweep_orphans(Lake(lake.root))
    assert len(swept) == (0 if lost else 1)
    assert draft.exists() is lost
    assert all((lake.root / file.path).exists() for file in last.files)


def test_nothing_is_swept_beside_a_lost_record(lake: Lake) -> None:
    path = orphan(lake)
    record(lake, 1).unlink()
    with pytest.raises(CorruptLake):
        sweep_orphans(Lake(lake.root))
    assert path.exists()


def test_files_that_may_be_at_work_are_not_swept(lake: Lake) -> None:
    with pytest.raises(UsageError):
        sweep_orphans(lake, timedelta(minutes=59))


def test_after_a_kill_at_any_step_the_lake_is_whole_and_can_be_swept(
    tmp_path: Path,
) -> None:
    lake = Lake(tmp_path / "lake")
    committed(lake, ["a"])
    for step in range(1, 60, 6):
        if not killed_at(str(lake.root), step):
            break
    for path in lake.root.rglob("*"):
        if path.is_file():
            aged(path)
    fresh = Lake(lake.root)
    rows = fresh.versions("mandates").num_rows
    health = examine(fresh, deep=True)
    assert health.whole
    assert health.leftovers
    sweep_orphans(fresh)
    after = examine(fresh, deep=True)
    assert after.whole
    assert all(each.doubtful for each in after.leftovers)
    assert fresh.versions("mandates").num_rows == rows
