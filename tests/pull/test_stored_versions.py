"""What a pull reads of stored versions is what the lake says of the newest ones."""

import tracemalloc
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from recon.lake import Lake, Writing
from recon.lake.voids import VOID, certificate
from recon.pull.known import Known, hashes_of
from recon.pull.versions import _add, ids_since, newest_hashes
from tests.lake.compaction_cases import compacted
from tests.lake.lake_cases import mandate

IDS = [f"mandate-{number}" for number in range(6)]


def version(chance: Random, number: int) -> dict[str, object]:
    """Return a mandate of its own amount; one in three came from no page."""
    place = {"page_no": chance.randrange(4), "position": chance.randrange(3)}
    return mandate(chance.choice(IDS), limit=number) | (
        place if chance.random() < 0.7 else {}
    )


def write(chance: Random, writing: Writing) -> None:
    made = [version(chance, number) for number in range(chance.randrange(1, 9))]
    places = {(row["id"], row.get("page_no"), row.get("position")): row for row in made}
    writing.rows("mandates", places.values())
    writing.commit()


def assert_known(lake: Lake) -> None:
    newest = lake.current("mandates").to_pylist()
    expected = {
        row["id"]: int(hashes_of([bytes.fromhex(row["record_hash"])])[0])
        for row in newest
    }
    known = newest_hashes(lake, "mandates")
    assert known.get(IDS) == [expected.get(each) for each in IDS]
    for commit in [None, *lake.commits(kind="pull")]:
        since = "" if commit is None else commit.id
        after = {row["id"] for row in newest if row["pull_id"] > since}
        found = ids_since(lake, "mandates", commit)
        assert {each for some in found for each in some} == after


@pytest.mark.parametrize("seed", range(4))
def test_the_newest_hash_of_each_key_is_found_in_whatever_order_versions_lie(
    tmp_path: Path, seed: int
) -> None:
    chance, lake = Random(seed), Lake(tmp_path / "lake")
    with ExitStack() as stack:
        early = stack.enter_context(lake.begin("pull", "mandates"))
        for _ in range(3):
            with lake.begin("pull", "mandates") as writing:
                write(chance, writing)
        assert_known(lake)
        compacted(lake, "mandates")
        assert_known(lake)
        with lake.begin("pull", "mandates") as writing:
            write(chance, writing)
        assert_known(lake)
        write(chance, early)  # it began before what the compaction covers
    assert_known(lake)


@pytest.mark.parametrize("late", [False, True])
def test_what_was_taken_back_is_not_known(late: bool, tmp_path: Path) -> None:
    """Else what a pull reads of it again counts as known, and is not written."""
    lake = Lake(tmp_path / "lake")
    with ExitStack() as stack:
        early = stack.enter_context(lake.begin("pull", "mandates"))
        for kind, rows in (("pull", {0: 1, 1: 1}), ("import", {1: 2, 2: 2})):
            with lake.begin(kind, "mandates") as writing:
                made = [mandate(IDS[each], limit=rows[each]) for each in rows]
                writing.rows("mandates", made)
                gone = writing.commit()
        with lake.begin(VOID, "mandates") as writing:
            writing.commit(certificate=certificate([gone.id]))
        compacted(lake, "mandates")
        if late:  # it began before what the compaction covers
            early.rows("mandates", [mandate(IDS[3])])
            early.commit()
    assert_known(lake)


def test_a_file_is_read_without_keeping_what_was_read_of_it(tmp_path: Path) -> None:
    path = tmp_path / "long.parquet"
    texts = Random(1).randbytes(8_000_000).hex()
    column = [texts[at : at + 400] for at in range(0, len(texts), 400)]
    pq.write_table(pa.table({"id": column}), path, row_group_size=1_000)
    before, most = pa.total_allocated_bytes(), 0
    for batch in Lake(tmp_path).read_batches(path, ["id"]):
        del batch
        most = max(most, pa.total_allocated_bytes() - before)
    assert 0 < most < 4_000_000


def test_what_is_known_of_a_file_takes_no_more_while_it_is_read(
    tmp_path: Path,
) -> None:
    count, some = 900_000, 10_000
    path = tmp_path / "long.parquet"
    column = pa.array(map(str, range(count)))
    hashes = pa.repeat("0" * 32, count)
    rows = pa.table({"id": column, "record_hash": hashes})
    pq.write_table(rows, path, row_group_size=some)
    tracemalloc.start()
    try:
        known = Known()
        _add(known, Lake(tmp_path), "mandates", path)
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held > 16 * count
    assert peak < 32 * count
