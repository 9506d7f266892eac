"""Reads of a bucket whose answers break off or come damaged: they are repeatable."""

import errno
import os

import pytest

from recon.errors import CorruptLake, ExitCode, LakeError
from recon.lake import bucket, objects
from recon.lake.health import examine
from tests.lake.bucket_cases import PREFIX, Opener, bucket_of, record_key
from tests.lake.lake_cases import committed, ids
from tests.lake.s3_server import Fault, Store

RECORD = record_key(1)


def first(count: int, part: str, what: str) -> Fault:
    """Do the first reads of such an object wrong; a list has no name."""
    left = [what] * count

    def fault(method: str, key: str) -> str:
        wanted = part in key if part else not key
        return left.pop() if method == "GET" and wanted and left else ""

    return fault


@pytest.mark.parametrize("part", ["", RECORD, "/records/", "/pages/"])
@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("what", ["cut", "slow"])
def test_what_breaks_off_is_asked_for_again(
    opener: Opener, store: Store, part: str, count: int, what: str
) -> None:
    commit = committed(opener("one"), ["a"])
    store.fault = first(count, part, what)
    two = opener("two")
    assert ids(two) == ["a"]
    assert two.page(commit.id, 1).body == b"{}"


def test_a_look_that_breaks_off_is_made_again(opener: Opener, store: Store) -> None:
    lake = opener("one")
    committed(lake, ["a"])
    store.fault = first(1, RECORD, "cut")
    seen = bucket_of(lake).objects.look("commits/00000001.json")
    assert seen.content == store.objects[RECORD].content


def test_a_part_that_breaks_off_is_asked_for_again(
    opener: Opener, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = opener("one")
    content = bytes(range(256)) * 5
    bucket_of(lake).objects.put("clock", content)
    monkeypatch.setattr(objects, "_PART_BYTES", 500)
    store.fault = first(3, "clock", "cut")
    assert b"".join(bucket_of(lake).objects.stream("clock")) == content


@pytest.mark.parametrize("part", ["", RECORD, "/records/"])
def test_answers_that_break_off_for_good_are_told_as_such(
    opener: Opener, store: Store, part: str
) -> None:
    committed(opener("one"), ["a"])
    store.fault = first(10_000, part, "cut")
    two, before = opener("two"), len(store.requests)
    with pytest.raises(LakeError, match=r"^s3://\S+: its answers break off half way$"):
        ids(two)
    assert len(store.requests) - before < 20
    with pytest.raises(LakeError) as caught:
        ids(two)
    assert caught.value.exit_code == ExitCode.USAGE


def test_a_store_that_requests_do_not_reach_whole_is_told_as_such(
    opener: Opener, store: Store
) -> None:
    committed(opener("one"), ["a"])
    store.fault = first(10_000, "/records/", "slow")
    told = r"^s3://\S+: requests break off half way \(RequestTimeout\)$"
    with pytest.raises(LakeError, match=told):
        ids(opener("two"))


def test_a_read_that_took_long_is_not_begun_for_ever(
    opener: Opener, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = opener("one")
    committed(lake, ["a"])
    monkeypatch.setattr(objects, "_WHOLE_SECONDS", -1.0)
    store.fault = first(1, RECORD, "cut")
    with pytest.raises(LakeError, match="break off"):
        bucket_of(lake).objects.get("commits/00000001.json")


@pytest.mark.parametrize("what", ["flipped", "short"])
@pytest.mark.parametrize("part", [RECORD, "/records/"])
def test_what_comes_damaged_is_read_once_more(
    opener: Opener, store: Store, what: str, part: str
) -> None:
    committed(opener("one"), ["a"])
    store.fault = first(1, part, what)
    assert ids(opener("two")) == ["a"]
    store.fault = first(1, part, what)
    assert examine(opener("three"), deep=True).whole


def test_a_record_behind_the_list_that_comes_damaged_is_read_once_more(
    opener: Opener, store: Store
) -> None:
    committed(opener("one"), ["a"])
    store.hidden.add(RECORD)
    store.fault = first(1, RECORD, "flipped")
    assert ids(opener("two")) == ["a"]


@pytest.mark.parametrize("part", [RECORD, "/records/"])
def test_what_comes_damaged_twice_is_damaged(
    opener: Opener, store: Store, part: str
) -> None:
    committed(opener("one"), ["a"])
    store.fault = first(10_000, part, "flipped")
    with pytest.raises(CorruptLake, match="damaged"):
        ids(opener("two"))
    (damage,) = examine(opener("three")).damages[:1]
    assert part in f"{PREFIX}/{damage.path}"


def test_an_object_that_is_gone_is_told_as_missing(
    opener: Opener, store: Store
) -> None:
    committed(opener("one"), ["a"])
    (key,) = [each for each in store.objects if "/records/" in each]
    del store.objects[key]
    with pytest.raises(CorruptLake, match="a committed file is missing"):
        ids(opener("two"))
    assert [each.told for each in examine(opener("two")).damages] == ["it is missing"]


def test_a_cache_without_room_is_told_and_is_no_damage(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed(opener("one"), ["a"])

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    lake = opener("two")
    monkeypatch.setattr(bucket, "opened", full)
    with pytest.raises(LakeError, match=r"fresh/\w+ cannot be written: No space left"):
        ids(lake)
