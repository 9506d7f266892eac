"""A lake's files may be as long as its history: nothing holds one of them whole."""

import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from recon.lake import Lake
from recon.lake.healing import heal
from recon.lake.health import Damage, Kind, examine
from recon.lake.verifying import file_hash
from tests.lake.full_lakes import full_lake

MIB = 2**20


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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = full_lake(tmp_path / "lake")
    batches: list[pa.RecordBatch] = []
    usual = Lake.read_batches

    def watched(self: Lake, *asked: Any) -> Iterator[pa.RecordBatch]:
        for batch in usual(self, *asked):
            batches.append(batch)
            yield batch

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a file is read whole")

    monkeypatch.setattr(Lake, "read_batches", watched)
    monkeypatch.setattr(Lake, "read", refuse)
    assert examine(lake, deep=True).whole
    assert [batch.num_rows for batch in batches] == [2, 1]
