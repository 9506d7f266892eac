"""What is visible survives a power cut: it was flushed whole, and so was its name."""

import shutil
from pathlib import Path

import pytest

from recon.lake import Lake
from recon.lake.healing import heal
from recon.lake.health import examine
from tests.flushes import Flushes
from tests.lake.full_lakes import data_file, full_lake, record
from tests.lake.lake_cases import mandate, page


def test_a_commit_is_flushed_before_its_record_stands_and_the_record_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = Lake(tmp_path / "lake")
    done = Flushes(monkeypatch)
    with lake.begin("pull", "mandates") as writing:
        number = writing.page(page(b"x" * 100_000))
        writing.rows("mandates", [mandate("a", page_no=number)])
        writing.seen("mandates", ["a"])
        commit = writing.commit()
    visible = done.named(record(lake, 1))
    for file in commit.files:
        path = lake.root / file.path
        for each in (path, path.parent, path.parent.parent, lake.root):
            assert any(step < visible for step in done.when(each)), each
        assert min(done.when(path)) < max(done.when(path.parent))
    assert any(step < visible for step in done.when(record(lake, 1)))
    assert any(step > visible for step in done.when(lake.root / "commits"))


def test_a_restored_file_is_flushed_before_it_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake, copies = full_lake(tmp_path / "lake"), tmp_path / "copies"
    shutil.copytree(lake.root, copies)
    path = data_file(lake, "records")
    path.write_bytes(b"x")
    damages = examine(lake).damages
    done = Flushes(monkeypatch)
    assert [each.healed for each in heal(lake, damages, copies)] == [True]
    placed = done.named(path)
    assert any(step < placed for step in done.when(path))
    assert any(step > placed for step in done.when(path.parent))
