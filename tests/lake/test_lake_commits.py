import errno
import os
import shutil
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

import recon.lake.commits
from recon.errors import CorruptLake, LakeError, UsageError
from recon.lake import Commit, Lake
from recon.lake.commits import CommitLog
from recon.lake.folder import Folder
from tests.lake.lake_cases import committed, ids, mandate, page

SECOND = timedelta(seconds=1)
NOON = datetime(2026, 10, 1, 12, tzinfo=UTC)


class Clock(datetime):
    """A clock that tests set; only `now` differs from a datetime."""

    present = NOON

    @classmethod
    def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
        return cls.present


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> type[Clock]:
    Clock.present = NOON
    for module in (recon.lake.commits, recon.lake.lake, recon.lake.writing):
        monkeypatch.setattr(module, "datetime", Clock)
    return Clock


def empty_log(root: Path) -> CommitLog:
    folder = Folder(root)
    folder.prepare()
    return CommitLog(folder)


def append(log: CommitLog, kind: str = "pull", as_of: datetime | None = None) -> Commit:
    commit = Commit(
        id=f"{len(log.all())}",
        sequence=0,
        kind=kind,
        source="x",
        started_at=NOON,
        committed_at=NOON,
        as_of=as_of,
    )
    return log.append(commit)


def test_an_empty_lake_is_read_without_being_made(lake: Lake) -> None:
    assert lake.commits() == []
    assert lake.files("mandates") == []
    assert lake.versions("mandates").num_rows == 0
    assert lake.current("mandates", ["id"]).num_rows == 0
    assert lake.last_whole_sweep("mandates") is None
    assert not lake.root.exists()


def test_nothing_is_visible_before_the_commit_and_all_after(lake: Lake) -> None:
    with lake.begin("pull", "mandates") as writing:
        number = writing.page(page(b"[1]"))
        writing.rows("mandates", [mandate("a", page_no=number, position=0)])
        assert Lake(lake.root).commits() == []
        assert ids(Lake(lake.root)) == []
        commit = writing.commit(counts={"records": 1})
    assert Lake(lake.root).commits() == [commit]
    (row,) = lake.versions("mandates").to_pylist()
    assert (row["id"], row["pull_id"], row["page_no"]) == ("a", writing.id, 1)
    assert lake.page(writing.id, 1).body == b"[1]"


def test_a_writing_left_without_commit_leaves_no_file(lake: Lake) -> None:
    with lake.begin("pull", "mandates") as writing:
        writing.page(page())
        writing.rows("mandates", [mandate("a")])
        writing.seen("mandates", ["a"])
    assert [path for path in lake.root.rglob("*") if path.is_file()] == []


def test_an_interrupt_after_the_link_leaves_a_whole_commit(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C between "visible" and "returned" must not delete what is visible."""

    def interrupted(*paths: object) -> None:
        link(*paths)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    link = os.link
    monkeypatch.setattr(os, "link", interrupted)
    with pytest.raises(KeyboardInterrupt):
        committed(lake, ["a"])
    assert ids(Lake(lake.root)) == ["a"]


def test_a_full_disk_is_told_as_such_and_leaves_no_file(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(LakeError, match=r"cannot be written.*No space left"):
        committed(lake, ["a"])
    assert list(lake.root.rglob("*.parquet")) == []
    assert lake.commits() == []


def test_a_disk_that_became_read_only_is_told_as_such(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written so far cannot be removed either."""

    def read_only(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    committed(lake, ["a"])
    monkeypatch.setattr(os, "fsync", read_only)
    monkeypatch.setattr(Path, "unlink", read_only)
    with pytest.raises(LakeError, match=r"cannot be written.*Read-only file system"):
        committed(lake, ["b"])
    monkeypatch.undo()
    assert ids(Lake(lake.root)) == ["a"]


def test_only_the_owner_may_read_a_lake(lake: Lake) -> None:
    committed(lake, ["a"])
    assert stat.S_IMODE(lake.root.stat().st_mode) == 0o700


def test_a_lake_that_cannot_be_written_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LakeError, match="cannot be written"):
        Lake(tmp_path / "file" / "lake").begin("pull", "mandates")


def test_a_missing_commit_record_is_named_and_nothing_goes_on(lake: Lake) -> None:
    for name in ("a", "b", "c"):
        committed(lake, [name])
    (lake.root / "commits" / "00000002.json").unlink()
    with pytest.raises(CorruptLake, match=r"00000002\.json.*missing"):
        Lake(lake.root).commits()
    with pytest.raises(CorruptLake, match="missing"):
        committed(Lake(lake.root), ["d"])


@pytest.mark.parametrize("name", ["00000003 (copy).json", "0000003.json", "x.json"])
def test_a_record_whose_name_is_none_is_named(lake: Lake, name: str) -> None:
    """As a file manager or somebody's copy leaves it: is it a commit, or is it none?"""
    committed(lake, ["a"])
    folder = lake.root / "commits"
    shutil.copy(folder / "00000001.json", folder / name)
    with pytest.raises(CorruptLake) as error:
        Lake(lake.root).commits()
    assert str(error.value) == f"{folder / name}: no commit record has this name"


def test_a_cut_file_is_named(lake: Lake) -> None:
    commit = committed(lake, ["a"])
    stored = next(file for file in commit.files if file.folder == "records")
    path = lake.root / stored.path
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(CorruptLake, match=f"{path.name}.* bytes instead of"):
        lake.versions(stored.table)


def test_an_address_is_no_folder() -> None:
    with pytest.raises(UsageError, match="s3://bucket is not a folder"):
        Lake("s3://bucket")


def test_commits_are_told_apart_by_kind_source_and_time(
    lake: Lake, clock: type[Clock]
) -> None:
    first = committed(lake, ["a"])
    clock.present += SECOND
    second = committed(lake, ["b"], kind="import", source="books")
    assert lake.commits(kind="pull") == [first]
    assert lake.commits(source="books") == [second]
    assert lake.commits(kind="pull", source="books") == []
    assert lake.commits(NOON) == [first]
    assert lake.commits(NOON - SECOND) == []


def test_as_of_shows_the_lake_as_it_was(lake: Lake, clock: type[Clock]) -> None:
    committed(lake, ["a"], status="active")
    clock.present += SECOND
    committed(lake, ["a"], status="revoked")
    then = lake.current("mandates", ["status"], NOON).to_pylist()
    now = lake.current("mandates", ["status"]).to_pylist()
    assert (then, now) == ([{"status": "active"}], [{"status": "revoked"}])
    assert ids(lake, NOON - SECOND) == []


def test_a_clock_that_goes_back_reorders_nothing(
    lake: Lake, clock: type[Clock]
) -> None:
    first = committed(lake, ["a"], status="old")
    clock.present -= timedelta(days=1)
    second = committed(lake, ["a"], status="new")
    assert second.committed_at == first.committed_at == NOON
    clock.present -= timedelta(days=1)
    third = committed(lake, ["b"])
    begun = [each.id.rpartition("-")[0] for each in (first, second, third)]
    assert begun == sorted({*begun})
    assert lake.now() == NOON
    newest = lake.current("mandates", ["status"], where="id = 'a'")
    assert newest.to_pylist() == [{"status": "new"}]


def test_commit_times_are_whole_seconds(lake: Lake, clock: type[Clock]) -> None:
    clock.present = NOON.replace(microsecond=999_999)
    assert committed(lake, ["a"]).committed_at == NOON
    assert lake.now() == NOON


def test_what_follows_a_run_is_later_than_what_the_run_spoke_of(
    tmp_path: Path, clock: type[Clock]
) -> None:
    log = empty_log(tmp_path)
    append(log)
    run = append(log, "run", as_of=NOON)
    later = append(log)
    assert (run.committed_at, later.committed_at) == (NOON, NOON + SECOND)
    assert append(log, "run", as_of=NOON).committed_at == NOON + SECOND


def test_a_run_goes_not_ahead_of_the_clock(tmp_path: Path, clock: type[Clock]) -> None:
    log = empty_log(tmp_path)
    runs = [append(log, "run", as_of=NOON) for _ in range(3)]
    assert [run.committed_at for run in runs] == [NOON] * 3


def test_a_run_of_an_earlier_night_moves_no_later_commit(
    tmp_path: Path, clock: type[Clock]
) -> None:
    log = empty_log(tmp_path)
    append(log, "run", as_of=NOON - timedelta(days=30))
    assert append(log).committed_at == NOON


def test_an_orphan_file_is_never_read(lake: Lake) -> None:
    commit = committed(lake, ["a"])
    (stored,) = lake.files("mandates")
    orphan = stored.with_name("20990101T000000.000000Z-00000000.parquet")
    orphan.write_bytes(stored.read_bytes())
    assert ids(lake) == ["a"]
    assert lake.current("mandates").num_rows == 1
    assert lake.files("mandates") == [stored]
    assert stored.stem == commit.id


def test_a_draft_that_a_crash_left_is_no_commit(lake: Lake) -> None:
    committed(lake, ["a"])
    (lake.root / "commits" / ".torn.draft").write_bytes(b'{"id": "to')
    assert len(Lake(lake.root).commits()) == 1


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b'{"id": "x"}'])
def test_a_damaged_commit_record_is_named(lake: Lake, content: bytes) -> None:
    committed(lake, ["a"])
    (lake.root / "commits" / "00000001.json").write_bytes(content)
    with pytest.raises(CorruptLake, match=r"00000001\.json: the commit record is dam"):
        Lake(lake.root).commits()


def test_a_commit_record_in_the_place_of_another_counts_no_row_twice(
    lake: Lake,
) -> None:
    for name in ("a", "b"):
        committed(lake, [name])
    folder = lake.root / "commits"
    shutil.copy(folder / "00000001.json", folder / "00000002.json")
    with pytest.raises(CorruptLake, match=r"00000002\.json: .* is number 1$"):
        ids(Lake(lake.root))


def test_a_commit_record_knows_each_file_by_its_hash(lake: Lake) -> None:
    committed(lake, ["a", "b"])
    (record,) = (lake.root / "commits").iterdir()
    commit = msgspec.json.decode(record.read_bytes(), type=Commit)
    by_folder = {file.folder: file for file in commit.files}
    assert set(by_folder) == {"pages", "records"}
    assert by_folder["records"].rows == 2
    for file in commit.files:
        assert (lake.root / file.path).stat().st_size == file.size


def test_a_missing_file_is_named(lake: Lake) -> None:
    committed(lake, ["a"])
    (stored,) = lake.files("mandates")
    stored.unlink()
    with pytest.raises(
        CorruptLake, match=f"{stored.name}: a committed file is missing"
    ):
        lake.files("mandates")


def test_the_newest_whole_and_complete_sweep_counts(lake: Lake) -> None:
    def swept(*found: str, complete: bool = True) -> Commit:
        with lake.begin("pull", "mandates") as writing:
            writing.seen("mandates", found)
            return writing.commit(complete=complete)

    swept("a", "b")
    newest = swept("a")
    swept(complete=False)
    committed(lake, ["c"])
    found = lake.last_whole_sweep("mandates")
    assert found is not None
    assert found[0] == newest
    assert lake.last_whole_sweep("checkouts") is None


def test_a_table_without_a_file_is_read_as_one_whose_rows_are_left_out(
    lake: Lake,
) -> None:
    """Nobody who reads it can tell the difference, by no type either."""
    empty = lake.current("mandates")
    with lake.begin("pull", "mandates") as pull:
        pull.rows("mandates", [{"id": "m1", "page_no": 1, "position": 0}])
        pull.commit()
    none_left = lake.current("mandates", where="id <> 'm1'")
    assert (empty.num_rows, none_left.num_rows) == (0, 0)
    assert empty.schema.equals(none_left.schema)
