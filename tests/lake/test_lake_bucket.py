"""A lake in a bucket: commits as safe as in a folder, whatever the store answers."""

import os
import random
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from recon.errors import CorruptLake, LakeError
from recon.lake import Lake, objects
from recon.lake.healing import heal
from recon.lake.health import examine
from recon.lake.leftovers import sweep_orphans
from tests.lake.bucket_cases import PREFIX, Opener, record_key
from tests.lake.lake_cases import committed, ids, page
from tests.lake.s3_server import Fault, Store


def once(method: str, part: str, what: str) -> Fault:
    """Do one thing wrong, the first time that such a request comes."""
    left = [what]

    def fault(asked: str, key: str) -> str:
        if asked == method and part in key and left:
            return left.pop()
        return ""

    return fault


def test_what_one_machine_commits_every_other_reads(opener: Opener) -> None:
    first, second = opener("one"), opener("two")
    commit = committed(first, ["a", "b"])
    assert second.commits() == [commit]
    assert ids(second) == ["a", "b"]
    committed(second, ["c"])
    assert ids(first) == ["a", "b", "c"]
    assert first.current("mandates").num_rows == 3
    assert second.page(commit.id, 1).body == b"{}"


def test_as_of_reads_show_the_lake_as_it_was(opener: Opener, store: Store) -> None:
    lake = opener()
    first = committed(lake, ["a"])
    time.sleep(1.1)  # commits are told apart by whole seconds
    committed(lake, ["b"])
    assert ids(opener("two"), first.committed_at) == ["a"]
    assert ids(opener("three")) == ["a", "b"]


@pytest.mark.parametrize("library_tries", [0, 3])
@pytest.mark.parametrize("what", ["lost", "done 500"])
def test_a_lost_answer_to_a_commit_is_no_second_commit(
    opener: Opener,
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    what: str,
    library_tries: int,
) -> None:
    """The store's library repeats some requests by itself, and is then refused."""
    monkeypatch.setattr(objects, "_LIBRARY_TRIES", library_tries)
    lake = opener()
    store.fault = once("PUT", ".json", what)
    commit = committed(lake, ["a"])
    assert commit.sequence == 1
    assert opener("two").commits() == [commit]
    assert ids(opener("two")) == ["a"]


def test_a_repetition_that_is_refused_by_its_own_first_try_is_ours(
    opener: Opener, store: Store
) -> None:
    lake = opener()
    trouble = {"PUT": ["lost"], "GET": ["failed"]}

    def fault(method: str, key: str) -> str:
        if key != record_key(1) or (key not in store.objects and method == "GET"):
            return ""
        return trouble[method].pop() if trouble[method] else ""

    store.fault = fault
    commit = committed(lake, ["a"])
    assert trouble == {"PUT": [], "GET": []}
    assert commit.sequence == 1
    assert opener("two").commits() == [commit]


def test_a_lost_answer_and_then_silence_is_told_as_doubt(
    opener: Opener, store: Store
) -> None:
    """The commit may be there, so its files stay; a later look shows it."""
    lake = opener()

    def silent(method: str, key: str) -> str:
        if method == "PUT" and ".json" in key:
            return "lost"
        return "failed" if "0000" in key and record_key(1) in store.objects else ""

    store.fault = silent
    with pytest.raises(LakeError, match="nobody knows yet whether"):
        committed(lake, ["a"])
    store.fault = lambda *_: ""
    assert ids(opener("two")) == ["a"]
    assert examine(opener("three")).whole


def test_a_store_that_fails_before_the_commit_leaves_nothing(
    opener: Opener, store: Store
) -> None:
    lake = opener()
    committed(lake, ["a"])
    store.fault = lambda method, key: (
        "denied" if method == "PUT" and "records" in key else ""
    )
    with pytest.raises(LakeError, match=r"refuses these credentials \(AccessDenied"):
        committed(lake, ["b"])
    store.fault = lambda *_: ""
    assert ids(opener("two")) == ["a"]
    assert examine(opener("three")).leftovers == []
    assert len(list(lake.root.rglob("*.parquet"))) == 2


@pytest.mark.parametrize("what", ["failed", "conflict", "slow"])
@pytest.mark.parametrize("where", [".json", "probe"])
def test_a_passing_failure_is_repeated(
    opener: Opener, store: Store, where: str, what: str
) -> None:
    lake = opener()
    store.fault = once("PUT", where, what)
    assert committed(lake, ["a"]).sequence == 1
    assert ids(opener("two")) == ["a"]


@pytest.mark.parametrize("where", ["/records/", "/pages/"])
def test_a_file_that_does_not_arrive_whole_is_sent_again(
    opener: Opener, store: Store, where: str
) -> None:
    left = ["slow"] * 3
    store.fault = lambda method, key: (
        left.pop() if method == "PUT" and where in key and left else ""
    )
    committed(opener(), ["a"])
    assert not left
    assert ids(opener("two")) == ["a"]


def test_the_loser_of_a_number_takes_the_next(opener: Opener) -> None:
    lakes = [opener(str(number)) for number in range(4)]

    def commit(number: int) -> None:
        for again in range(3):
            committed(lakes[number], [f"{number}-{again}"])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(commit, range(4)))
    found = opener("last").commits()
    assert [each.sequence for each in found] == list(range(1, 13))
    assert len({each.id for each in found}) == 12
    assert sorted(ids(opener("other"))) == sorted(
        f"{number}-{again}" for number in range(4) for again in range(3)
    )


def test_a_store_without_conditions_is_refused(opener: Opener, store: Store) -> None:
    store.ignores_conditions = True
    with pytest.raises(LakeError, match="ignores If-None-Match"):
        committed(opener(), ["a"])
    assert store.objects == {}


@pytest.mark.parametrize("hidden", [{1}, {2}, {3}, {2, 3}, {1, 2, 3}])
def test_a_list_that_lags_hides_no_commit(
    opener: Opener, store: Store, hidden: set[int]
) -> None:
    for name in ("a", "b", "c"):
        committed(opener(name), [name])
    store.hidden = {record_key(number) for number in hidden}
    assert ids(opener("late")) == ["a", "b", "c"]
    assert committed(opener("later"), ["d"]).sequence == 4


def test_a_missing_record_is_named(opener: Opener, store: Store) -> None:
    for name in ("a", "b", "c"):
        committed(opener(), [name])
    del store.objects[record_key(2)]
    with pytest.raises(CorruptLake, match=r"00000002\.json: the commit record is miss"):
        opener("two").commits()
    assert [each.path for each in examine(opener("three")).damages] == [
        "commits/00000002.json"
    ]


def test_a_copy_damaged_on_disk_is_noticed_and_fetched_again(opener: Opener) -> None:
    committed(opener("one"), ["a"])
    for attempt in ("same process", "next process"):
        lake = opener("two")
        (path,) = lake.files("mandates")
        content = path.read_bytes()
        place = content.index(b"mandate") if b"mandate" in content else 40
        path.write_bytes(content[:place] + b"\x55" + content[place + 1 :])
        again = lake if attempt == "same process" else opener("two")
        assert ids(again) == ["a"]
        assert path.read_bytes() == content


def test_a_damaged_copy_of_a_commit_record_is_fetched_again(opener: Opener) -> None:
    committed(opener("one"), ["a"])
    lake = opener("two")
    lake.commits()
    (copy,) = (lake.root / "commits").glob("*.copy")
    copy.write_bytes(copy.read_bytes().replace(b'"pull"', b'"bull"'))
    assert [each.kind for each in opener("two").commits()] == ["pull"]


def test_copies_of_another_lake_of_the_same_name_are_not_used(
    opener: Opener, store: Store
) -> None:
    committed(opener("one"), ["a"])
    assert ids(opener("two")) == ["a"]
    store.objects.clear()  # the bucket is begun anew
    committed(opener("one"), ["b"])
    assert ids(opener("two")) == ["b"]


def test_known_records_and_files_are_not_fetched_again(
    opener: Opener, store: Store
) -> None:
    for name in ("a", "b", "c"):
        committed(opener("one"), [name])
    assert ids(opener("two")) == ["a", "b", "c"]
    store.requests.clear()
    assert ids(opener("two")) == ["a", "b", "c"]
    assert [key for _, key in store.requests] == ["", record_key(4)]


def test_a_lost_cache_loses_nothing(opener: Opener) -> None:
    lake = opener()
    committed(lake, ["a"])
    shutil.rmtree(lake.root)
    committed(opener(), ["b"])
    assert ids(opener()) == ["a", "b"]


@pytest.mark.parametrize("harm", ["missing", "cut", "changed"])
def test_a_damaged_object_is_named_by_reads_and_by_the_doctor(
    opener: Opener, store: Store, harm: str
) -> None:
    committed(opener("one"), ["a"])
    (key,) = [each for each in store.objects if "/records/" in each]
    content = store.objects[key].content
    if harm == "missing":
        del store.objects[key]
    else:
        changed = {"cut": content[:-1], "changed": content[:40] + b"x" + content[41:]}
        store.objects[key].content = changed[harm]
    with pytest.raises(CorruptLake, match=key.rpartition("/")[2]):
        opener("two").current("mandates")
    (damage,) = examine(opener("three"), deep=True).damages
    assert f"{PREFIX}/{damage.path}" == key


def test_an_answer_that_is_cut_is_never_taken_for_a_file(
    opener: Opener, store: Store
) -> None:
    committed(opener("one"), ["a"])
    store.fault = lambda method, key: (
        "cut" if method == "GET" and "/records/" in key else ""
    )
    with pytest.raises(LakeError):
        ids(opener("two"))
    store.fault = lambda *_: ""
    assert ids(opener("two")) == ["a"]
    assert not list((opener("two").root / "fresh").iterdir())


def test_a_bucket_is_healed_from_a_copy(opener: Opener, store: Store) -> None:
    """The copy is a folder: a lake's names are the same everywhere."""
    one = opener("one")
    for name in ("a", "b"):
        committed(one, [name])
    copies = one.root.parent / "copies"
    for key, stored in store.objects.items():
        place = copies / key.removeprefix(f"{PREFIX}/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(stored.content)
    lost = next(each for each in store.objects if "/records/" in each)
    del store.objects[lost]
    del store.objects[record_key(2)]
    lake = opener("two")
    assert [each.healed for each in heal(lake, examine(lake).damages, copies)] == [
        True,
        True,
    ]
    assert examine(opener("three"), deep=True).whole
    assert ids(opener("four")) == ["a", "b"]


def uploaded_and_killed(lake: Lake) -> None:
    """Leave what a writer leaves that dies between its uploads and its record."""
    writing = lake.begin("pull", "mandates")
    writing.page(page())
    paths = [file.close().path for file in writing._files.values()]
    lake.storage.publish(writing.id, paths)


def test_what_a_killed_writer_sent_is_not_read_and_swept_once_it_is_old(
    opener: Opener, store: Store
) -> None:
    committed(opener(), ["a"])
    uploaded_and_killed(opener("dead"))
    lake = opener("two")
    assert lake.commits() == opener().commits()
    assert sweep_orphans(lake) == []
    store.age(hours=48)
    assert len(sweep_orphans(lake, dry_run=True)) == 2
    assert not any(each.doubtful for each in examine(lake).leftovers)
    swept = sweep_orphans(lake)
    assert [each.path.split("/")[0] for each in swept] == ["commits", "pages"]
    assert examine(opener("three")).leftovers == []
    assert ids(opener("four")) == ["a"]


def test_files_whose_record_was_lost_are_never_swept(
    opener: Opener, store: Store
) -> None:
    committed(opener(), ["a"])
    committed(opener(), ["b"])
    del store.objects[record_key(2)]
    store.age(hours=48)
    assert sweep_orphans(opener("two")) == []
    assert all(each.doubtful for each in examine(opener("two")).leftovers)
    del store.objects[record_key(1)]
    with pytest.raises(CorruptLake, match="the commit records are missing"):
        sweep_orphans(opener("three"))


def test_age_is_taken_by_the_clock_of_the_store(opener: Opener, store: Store) -> None:
    """A machine whose clock is a week ahead sweeps nobody's files."""
    committed(opener(), ["a"])
    store.ahead = -timedelta(days=7)
    uploaded_and_killed(opener("dead"))
    assert sweep_orphans(opener("two")) == []
    store.ahead = timedelta(days=7)
    assert len(sweep_orphans(opener("two"))) == 2


@pytest.mark.parametrize("place", ["records/mandates/dead.parquet", "fresh/dead"])
def test_local_copies_that_no_commit_names_are_swept_too(
    opener: Opener, place: str
) -> None:
    lake = opener()
    committed(lake, ["a"])
    left = lake.root / place
    left.parent.mkdir(exist_ok=True)
    left.write_bytes(b"PAR1")
    left.touch()
    sweep_orphans(lake)
    assert left.exists()
    old = time.time() - 48 * 3600
    os.utime(left, (old, old))
    sweep_orphans(lake)
    assert not left.exists()
    assert ids(opener()) == ["a"]


def test_a_file_of_several_parts_arrives_whole(
    opener: Opener, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(objects, "_PART_BYTES", 2**19)
    bodies = [random.Random(number).randbytes(2**19) for number in range(4)]
    with opener().begin("pull", "mandates") as writing:
        for body in bodies:
            writing.page(page(body))
        commit = writing.commit()
    assert commit.files[0].size > 4 * 2**19
    assert ("POST", f"{PREFIX}/{commit.files[0].path}") in store.requests
    assert [opener("two").page(commit.id, each + 1).body for each in range(4)] == bodies
    assert examine(opener("three"), deep=True).whole
