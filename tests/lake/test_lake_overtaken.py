"""A commit is undone where another came first, or where it surely is not visible."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from recon.errors import LakeError
from recon.lake import Commit, Lake, Overtaken
from recon.lake.health import examine
from recon.lake.storage import NotPlaced
from tests.lake.bucket_cases import Opener, record_key
from tests.lake.lake_cases import committed, ids, page
from tests.lake.s3_server import Store


@pytest.fixture(params=["folder", "bucket"])
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Lake:
    if request.param == "folder":
        return Lake(tmp_path / "lake")
    opener: Opener = request.getfixturevalue("opener")
    return opener()


def attempt(lake: Lake, overtakes: Callable[[Commit], bool]) -> None:
    """Commit a row, while another commit comes first."""
    with lake.begin("pull", "mandates") as writing:
        writing.page(page())
        writing.rows("mandates", [{"id": "late"}])
        committed(lake, ["first"])
        writing.commit(overtakes=overtakes)


def test_what_was_overtaken_leaves_nothing(lake: Lake) -> None:
    with pytest.raises(Overtaken):
        attempt(lake, lambda commit: commit.source == "mandates")
    assert ids(lake) == ["first"]
    (commit,) = lake.commits()
    assert set(lake.storage.stored()) == {file.path for file in commit.files}


def test_what_was_overtaken_as_it_took_its_number_leaves_nothing(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = lake.storage.create_record

    def late(name: str, content: bytes, commit_id: str) -> bool:
        monkeypatch.setattr(lake.storage, "create_record", create)
        committed(lake, ["first"])
        return create(name, content, commit_id)

    with lake.begin("pull", "mandates") as writing:
        writing.page(page())
        monkeypatch.setattr(lake.storage, "create_record", late)
        with pytest.raises(Overtaken):
            writing.commit(overtakes=lambda commit: commit.source == "mandates")
    assert ids(lake) == ["first"]
    assert beside(lake) == set()


def test_what_other_commits_do_is_no_concern(lake: Lake) -> None:
    attempt(lake, lambda commit: commit.source == "agreements")
    assert ids(lake) == ["first", "late"]


@pytest.mark.parametrize("overtakes", [False, True])
def test_a_record_that_came_through_though_it_seemed_refused_is_not_made_twice(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, overtakes: bool
) -> None:
    """A store may be at work on a put that was cut, and refuse its repetition.

    So may a network's file system refuse the link that it made itself.
    """
    create = lake.storage.create_record

    def seemingly_refused(name: str, content: bytes, commit_id: str) -> bool:
        monkeypatch.setattr(lake.storage, "create_record", create)
        assert create(name, content, commit_id)
        return False

    monkeypatch.setattr(lake.storage, "create_record", seemingly_refused)
    with lake.begin("pull", "mandates") as writing:
        writing.page(page())
        writing.rows("mandates", [{"id": "a"}])
        made = writing.commit(overtakes=lambda _: overtakes)
    assert lake.commits() == [made]
    assert ids(lake) == ["a"]
    assert examine(lake).whole
    assert beside(lake) == set()


def test_a_number_that_stays_free_and_is_refused_ends_the_commit(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a store refuses without end may yet be made: its files stay."""
    monkeypatch.setattr(lake.storage, "create_record", lambda *_: False)
    with pytest.raises(LakeError, match=r"00000001\.json is neither there nor can it"):
        committed(lake, ["a"])
    monkeypatch.undo()
    assert lake.commits() == []
    assert {"pages", "records"} <= {path.partition("/")[0] for path in beside(lake)}


def test_a_full_disk_behind_a_refusal_in_doubt_leaves_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first link may have been made, and the file system not show it yet."""
    lake = Lake(tmp_path / "lake")
    answers = iter([False])

    def refuse(*_: object) -> bool:
        for answer in answers:
            return answer
        raise NotPlaced("the disk is full")

    monkeypatch.setattr(lake.storage, "create_record", refuse)
    with pytest.raises(LakeError, match="the disk is full"):
        committed(lake, ["a"])
    assert {path.partition("/")[0] for path in beside(lake)} == {"pages", "records"}


def beside(lake: Lake) -> set[str]:
    """Return what is stored and no commit names."""
    named = {file.path for commit in lake.commits() for file in commit.files}
    return set(lake.storage.stored()) - named


@pytest.mark.parametrize("step", ["link", "fsync"])
@pytest.mark.parametrize(
    ("number", "leaves"),
    [(errno.ENOSPC, False), (errno.EROFS, False), (errno.EIO, True)],
)
def test_a_record_that_a_full_disk_refused_leaves_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    number: int,
    leaves: bool,
) -> None:
    """Whole files that nobody names would look like those of a lost record.

    But after an error that tells nothing, a link may be made yet by a server.
    """
    lake = Lake(tmp_path / "lake")
    committed(lake, ["first"])

    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    def publish(*_: object) -> None:
        monkeypatch.setattr(os, step, refuse)

    monkeypatch.setattr(lake.storage, "publish", publish)
    with pytest.raises(LakeError, match="cannot be written"):
        committed(lake, ["second"])
    monkeypatch.undo()
    assert ids(Lake(lake.root)) == ["first"]
    assert bool(beside(lake)) == leaves


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EACCES])
def test_a_record_that_could_not_be_flushed_may_be_visible_and_keeps_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    lake = Lake(tmp_path / "lake")
    committed(lake, ["first"])

    def refuse(_: Path) -> None:
        raise OSError(number, os.strerror(number))

    def publish(*_: object) -> None:
        monkeypatch.setattr("recon.lake.folder.sync_folder", refuse)

    monkeypatch.setattr(lake.storage, "publish", publish)
    with pytest.raises(LakeError, match="cannot be written"):
        committed(lake, ["second"])
    monkeypatch.undo()
    assert ids(Lake(lake.root)) == ["first", "second"]


def test_a_bucket_that_is_away_before_the_record_leaves_nothing(
    opener: Opener, store: Store
) -> None:
    committed(opener(), ["first"])
    lake = opener()
    lake.commits()

    def away(method: str, key: str) -> str:
        sent = any(asked == "PUT" and "/pages/" in to for asked, to in store.requests)
        is_next = method == "GET" and key == record_key(2)
        return "denied" if sent and is_next else ""

    with lake.begin("pull", "mandates") as writing:
        writing.page(page())
        store.requests.clear()
        store.fault = away
        with pytest.raises(LakeError, match="refuses"):
            writing.commit()
    store.fault = lambda *_: ""
    assert ids(opener("two")) == ["first"]
    assert beside(opener("two")) == set()


@pytest.mark.parametrize("fault", ["denied", "failed"])
def test_a_first_record_that_a_store_refused_leaves_no_lake_that_seems_lost(
    opener: Opener, store: Store, fault: str
) -> None:
    """Files without any record are those of a lost lake, but for an upload's note."""

    def refuse(method: str, key: str) -> str:
        return fault if (method, key) == ("PUT", record_key(1)) else ""

    store.fault = refuse
    with pytest.raises(LakeError):
        committed(opener(), ["a"])
    store.fault = lambda *_: ""
    lake = opener("two")
    assert lake.commits() == []
    committed(lake, ["b"])
    assert ids(opener("three")) == ["b"]
    found = examine(lake)
    assert found.whole
    assert [each.doubtful for each in found.leftovers] == [False] * 3
