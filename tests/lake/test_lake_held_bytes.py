"""A lake's files may be as long as its history: nothing holds one of them whole."""

import tracemalloc
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from recon.lake import Lake
from recon.lake.healing import heal
from recon.lake.health import Damage, Kind, examine
from recon.lake.schema import TABLES
from recon.lake.verifying import file_hash
from tests.lake.lake_cases import page

MIB = 2**20
ROWS = 600_000
SOME = 50_000


def test_a_file_is_restored_a_piece_at_a_time(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    name = "records/checkouts/20261001T000000.000000Z-0.parquet"
    copy = tmp_path / "copies" / name
    copy.parent.mkdir(parents=True)
    with copy.open("wb") as file:
        file.truncate(64 * MIB)  # on the disk it takes nothing
    damage = Damage(Kind.RECORDS, name, "it is missing", sha256=file_hash(copy))
    tracemalloc.start()
    try:
        (healing,) = heal(lake, [damage], tmp_path / "copies")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert healing.healed
    assert file_hash(lake.root / name) == damage.sha256
    assert peak < 8 * MIB


def test_rows_are_held_against_their_pages_some_at_a_time(
    lake_of_many_rows: Lake,
) -> None:
    usual = pa.default_memory_pool()
    watched = pa.proxy_memory_pool(usual)
    pa.set_memory_pool(watched)
    try:
        health = examine(lake_of_many_rows, deep=True)
    finally:
        pa.set_memory_pool(usual)
    assert health.whole
    (commit,) = lake_of_many_rows.commits()
    assert watched.max_memory() < ROWS * len(commit.id) / 2


@pytest.fixture
def lake_of_many_rows(tmp_path: Path) -> Lake:
    lake = Lake(tmp_path / "lake")
    kept = TABLES["mandates"].columns
    columns = {field.name: pa.nulls(ROWS, field.type) for field in kept}
    columns["id"] = pa.array(map(str, range(ROWS)))
    columns["seen_at"] = pa.repeat(datetime(2026, 10, 1, tzinfo=UTC), ROWS)
    with lake.begin("pull", "mandates") as writing:
        columns["page_no"] = pa.repeat(writing.page(page()), ROWS)
        for start in range(0, ROWS, SOME):
            writing.table("mandates", pa.table(columns).slice(start, SOME))
        writing.commit()
    return lake
