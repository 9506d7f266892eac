from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recon.errors import CorruptLake
from recon.lake import Lake, Page
from recon.lake.schema import TABLES
from recon.lake.writing import record_hash
from tests.lake.lake_cases import MORNING, committed, mandate, page


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


@given(bodies=st.lists(st.binary(max_size=300), min_size=1, max_size=4))
@settings(
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_bodies_come_back_to_the_byte(bodies: list[bytes], tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    with lake.begin("pull", "mandates") as writing:
        numbers = [writing.page(page(body)) for body in bodies]
        writing.commit()
    assert numbers == list(range(1, len(bodies) + 1))
    assert [lake.page(writing.id, number).body for number in numbers] == bodies


def test_a_page_is_that_of_its_own_commit(lake: Lake) -> None:
    made = []
    for body in (b"[1]", b"[2]", b"[3]"):
        with lake.begin("pull", "mandates") as writing:
            writing.page(page(body))
            made.append(writing.commit())
    found = [lake.page(commit.id, 1).body for commit in made]
    assert found == [b"[1]", b"[2]", b"[3]"]


def test_a_page_keeps_its_circumstances(lake: Lake) -> None:
    given_page = Page(
        method="POST",
        url="https://provider.example/balance",
        status=503,
        headers={"date": "today"},
        received_at=MORNING,
        body=b"<html>",
    )
    with lake.begin("pull", "balances") as writing:
        number = writing.page(given_page)
        writing.commit()
    assert lake.page(writing.id, number) == given_page


def test_bodies_larger_than_the_buffer_are_written_as_they_come(lake: Lake) -> None:
    with lake.begin("pull", "mandates") as writing:
        for number in range(3):
            writing.page(page(bytes([number]) * 17 * 2**20))
        writing.commit()
    assert lake.page(writing.id, 3).body[:1] == b"\x02"


@pytest.mark.parametrize("number", [0, 2])
def test_a_page_that_is_not_there_is_named(lake: Lake, number: int) -> None:
    commit = committed(lake, ["a"])
    with pytest.raises(CorruptLake, match=f"page {number} of {commit.id} is not in"):
        lake.page(commit.id, number)


def test_a_page_of_an_unknown_commit_is_named(lake: Lake) -> None:
    with pytest.raises(CorruptLake, match="page 1 of nowhere is not in the lake"):
        lake.page("nowhere", 1)


def test_a_damaged_page_is_named_wherever_the_damage_is(lake: Lake) -> None:
    """One byte changed anywhere: the page comes back as it was, or as damaged."""
    body = bytes(range(256)) * 4
    with lake.begin("pull", "mandates") as writing:
        writing.page(page(body))
        commit = writing.commit()
    path = lake.root / commit.files[0].path
    sound = path.read_bytes()
    refusals = []
    for at in range(0, len(sound), 7):
        path.write_bytes(sound[:at] + bytes([sound[at] ^ 0x55]) + sound[at + 1 :])
        try:
            found = lake.page(writing.id, 1)
        except CorruptLake as error:
            refusals.append(str(error))
        else:
            assert found.body == body
    assert len(refusals) > 20
    assert all(path.name in each or writing.id in each for each in refusals)


def test_a_page_cut_short_is_named(lake: Lake) -> None:
    commit = committed(lake, ["a"])
    stored = next(file for file in commit.files if file.folder == "pages")
    path = lake.root / stored.path
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(CorruptLake, match=path.name):
        lake.page(commit.id, 1)


def test_a_row_gets_its_hash_from_its_own_columns_only(lake: Lake) -> None:
    first = committed(lake, ["a"])
    second = committed(lake, ["a", "b"])
    rows = lake.versions("mandates").to_pylist()
    hashes = [row["record_hash"] for row in rows]
    assert hashes[0] == hashes[1] != hashes[2]
    assert [row["pull_id"] for row in rows] == [first.id, second.id, second.id]
    own = [rows[0][name] for name in TABLES["mandates"].columns.names]
    assert record_hash(own) == hashes[0]


@given(
    st.lists(st.none() | st.text() | st.integers(-(2**63), 2**63 - 1), max_size=4),
    st.lists(st.none() | st.text() | st.integers(-(2**63), 2**63 - 1), max_size=4),
)
def test_hashes_are_equal_exactly_where_records_are(
    one: list[object], other: list[object]
) -> None:
    assert (record_hash(one) == record_hash(other)) == (one == other)


def test_a_hash_tells_a_text_from_a_number_and_nothing_from_empty() -> None:
    values: list[list[object]] = [["1"], [1], [None], [""], [], [MORNING]]
    assert len({record_hash(value) for value in values}) == len(values)


def test_rows_keep_the_time_at_which_they_were_seen(lake: Lake) -> None:
    with lake.begin("pull", "mandates") as writing:
        count = writing.rows("mandates", [mandate("a"), mandate("b")], seen_at=MORNING)
        writing.rows("mandates", [mandate("c", seen_at=MORNING)])
        writing.commit()
    seen = lake.versions("mandates")["seen_at"].to_pylist()
    assert (count, seen) == (2, [MORNING] * 3)


def test_a_commit_without_rows_has_no_file_of_records(lake: Lake) -> None:
    with lake.begin("pull", "mandates") as writing:
        assert writing.rows("mandates", []) == 0
        commit = writing.commit(complete=False, error="cut")
    assert commit.files == ()
    assert (commit.complete, commit.error) == (False, "cut")
