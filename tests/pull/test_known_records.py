"""What is known stays exact, whatever number of runs it is spread over."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon.api import ids
from recon.api.ids import IdSet, IdTexts, numbers_of
from recon.pull.known import Known, hashes_of

HASHES = st.binary(min_size=16, max_size=16)
BATCHES = st.lists(st.dictionaries(st.integers(0, 40), HASHES), max_size=12)


def number(digest: bytes | None) -> int | None:
    """Return how a hash is held."""
    return None if digest is None else int(hashes_of([digest])[0])


@given(batches=BATCHES)
def test_the_newest_hash_of_each_key_is_known(
    batches: list[dict[int, bytes]],
) -> None:
    model: dict[int, bytes] = {}
    held = Known()
    for batch in batches:
        held.put(numbers_of(batch), hashes_of(batch.values()))
        model.update(batch)
        assert held.get(range(41)) == [number(model.get(key)) for key in range(41)]


@given(batches=BATCHES, lists=st.lists(st.lists(st.integers(0, 60)), max_size=12))
def test_long_runs_that_stay_apart_are_searched_alike(
    batches: list[dict[int, bytes]], lists: list[list[int]]
) -> None:
    longest, ids.LONGEST_RUN = ids.LONGEST_RUN, 5
    try:
        model: dict[int, bytes] = {}
        held = Known()
        for batch in batches:
            held.renew(numbers_of(batch), hashes_of(batch.values()))
            model.update(batch)
            assert held.get(range(41)) == [number(model.get(key)) for key in range(41)]
        every = IdSet()
        for some in lists:
            every.add(some)
        assert len(every) == len({each for some in lists for each in some})
        assert every.lacks(range(61)) == 61 - len(every)
    finally:
        ids.LONGEST_RUN = longest


@given(batches=BATCHES)
def test_what_is_renewed_is_what_was_unknown_or_other(
    batches: list[dict[int, bytes]],
) -> None:
    model: dict[int, bytes] = {}
    held = Known()
    for batch in batches:
        other = [at for at, key in enumerate(batch) if model.get(key) != batch[key]]
        new_count = len(batch.keys() - model.keys())
        renewed = held.renew(numbers_of(batch), hashes_of(batch.values()))
        assert (renewed[0].tolist(), renewed[1]) == (other, new_count)
        model.update(batch)
        assert held.get(range(41)) == [number(model.get(key)) for key in range(41)]


@given(
    batches=st.lists(
        st.lists(st.tuples(st.integers(0, 3), st.sampled_from([b"a" * 16, b"b" * 16]))),
        max_size=6,
    )
)
def test_a_key_that_comes_twice_is_taken_one_after_the_other(
    batches: list[list[tuple[int, bytes]]],
) -> None:
    model: dict[int, bytes] = {}
    held = Known()
    for batch in batches:
        places, new_count = [], 0
        for place, (key, each) in enumerate(batch):
            if model.get(key) != each:
                new_count += key not in model
                places.append(place)
            model[key] = each
        hashes = hashes_of(each for _, each in batch)
        found = held.renew(numbers_of([key for key, _ in batch]), hashes)
        assert (found[0].tolist(), found[1]) == (places, new_count)
        assert held.get(range(4)) == [number(model.get(key)) for key in range(4)]


@given(batches=BATCHES, kept=st.lists(st.integers(0, 40)))
def test_what_is_kept_are_the_keys_that_are_among_the_ids(
    batches: list[dict[int, bytes]], kept: list[int]
) -> None:
    longest, ids.LONGEST_RUN = ids.LONGEST_RUN, 5
    try:
        model: dict[int, bytes] = {}
        held, among = Known(), IdSet()
        for batch in batches:
            held.put(numbers_of(batch), hashes_of(batch.values()))
            model.update(batch)
        among.note(kept)
        held.keep(among)
        assert held.get(range(41)) == [
            number(model.get(key)) if key in kept else None for key in range(41)
        ]
        found, new_count = held.renew(numbers_of(model), hashes_of(model.values()))
        assert (len(found), new_count) == (len(model.keys() - set(kept)),) * 2
    finally:
        ids.LONGEST_RUN = longest


def test_a_hash_of_zeros_is_a_hash() -> None:
    held = Known()
    held.put(numbers_of([0, 1]), hashes_of([bytes(16)] * 2))
    assert held.get([0, 1, -5]) == [number(bytes(16)), number(bytes(16)), None]


@given(digest=HASHES, other=HASHES)
def test_a_change_to_any_part_of_a_hash_shows(digest: bytes, other: bytes) -> None:
    halves = (digest[:8] + other[8:], other[:8] + digest[8:])
    for changed in halves:
        assert (number(changed) == number(digest)) == (changed == digest)


def test_versions_are_told_apart_by_all_bits_of_their_hashes() -> None:
    """Each bit of 128, alone and with any other."""
    singles = [1 << bit for bit in range(128)]
    bits = [0, *singles, *(a | b for a in singles for b in singles if a < b)]
    hashes = hashes_of(each.to_bytes(16, "big") for each in bits)
    assert len(set(hashes.tolist())) == len(bits)


def test_what_is_known_takes_16_bytes_a_record() -> None:
    held = Known()
    for start in range(0, 5_000, 500):
        some = range(start, start + 1_000)
        hashes = hashes_of(each.to_bytes(16, "big") for each in some)
        held.renew(numbers_of(some), hashes)
    assert sum(part.nbytes for run in held._runs for part in run) == 16 * 5_500


def test_what_changes_takes_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ids, "LONGEST_RUN", 500)
    held, keys = Known(), numbers_of(range(2_000))
    for version in range(3):
        hashes = hashes_of(
            (version << 64 | each).to_bytes(16, "big") for each in keys.tolist()
        )
        assert held.renew(keys, hashes)[1] == (0 if version else 2_000)
        assert held.get(range(2_000)) == hashes.tolist()
    assert sum(part.nbytes for run in held._runs for part in run) == 16 * 2_000


def test_keys_that_share_their_bits_look_changed_never_the_same() -> None:
    held = Known()
    alike = 2**61 - 1  # Python gives 0 and this number one hash
    held.put(numbers_of([alike]), hashes_of([b"a" * 16]))
    assert held.get([0]) == [number(b"a" * 16)] != [number(b"b" * 16)]


@given(batches=st.lists(st.lists(st.integers(0, 60)), max_size=12))
def test_a_set_of_ids_counts_as_a_set(batches: list[list[int]]) -> None:
    most, ids._MOST_NOTED = ids._MOST_NOTED, 4
    try:
        model: set[int] = set()
        held, other = IdSet(), IdSet()
        for batch in batches:
            assert held.add(batch) == len(set(batch) - model)
            model |= set(batch)
            assert len(held) == len(model)
            assert held.lacks(range(61)) == 61 - len(model)
        half = [each for each in model if each % 2]
        other.add(half)
        assert other <= held
        assert held.equals(other) == (len(half) == len(model))
        other.add([99])
        assert not other <= held
    finally:
        ids._MOST_NOTED = most


@given(batches=st.lists(st.lists(st.sampled_from("abcdefghijklmno")), max_size=12))
def test_texts_of_ids_come_back_once_each(batches: list[list[str]]) -> None:
    most, ids._MOST_NOTED = ids._MOST_NOTED, 4
    try:
        model: set[str] = set()
        held, vowels = IdTexts(), IdSet()
        vowels.add("aeiou")
        for batch in batches:
            assert held.take(batch) == len(set(batch) - model)
            model |= set(batch)
        every = [each for some in held.texts() for each in some.to_pylist()]
        some = [each for part in held.texts(vowels) for each in part.to_pylist()]
        assert (len(held), sorted(every)) == (len(model), sorted(model))
        assert sorted(some) == sorted(model & set("aeiou"))
    finally:
        ids._MOST_NOTED = most


def test_ids_that_are_noted_count_as_those_that_are_added() -> None:
    noted, added = IdTexts(), IdSet()
    for start in range(0, 9_000, 700):
        ids = [f"id-{number}" for number in range(start, start + 1_000)]
        noted.note(ids)
        added.add(ids)
    assert len(noted) == len(added) == 9_100 + 300
    assert added.equals(noted)
    texts = [each for some in noted.texts() for each in some.to_pylist()]
    assert sorted(texts) == sorted(f"id-{number}" for number in range(9_400))


def test_what_a_set_lacks_of_another_is_counted_and_named() -> None:
    here, there = IdSet(), IdSet()
    here.note(["a", "b"])
    there.note(["b", "c", "d", "d"])
    assert here.lacks_of(there) == 2
    assert there.lacks_of(here) == 1
    assert here.missing(["a", "c", "d"]) == {"c", "d"}


def test_a_set_as_it_was_takes_no_later_ids() -> None:
    ids = IdTexts()
    ids.note(["a", "b"])
    before = ids.numbers_alone()
    ids.note(["b", "c"])
    assert (len(before), len(ids)) == (2, 3)
    assert before <= ids
    assert before.lacks(["a", "b", "c"]) == 1
