"""Ids of a long list are laid aside while it is read, and come back as they were."""

import errno
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recon.api import spool
from recon.api.ids import IdTexts
from recon.api.spool import Spool
from recon.errors import LakeError
from recon.lake import Lake
from recon.pull import runner
from recon.settings import Secret, Settings
from tests.pull.killed_pulls import COUNT, long_shop
from tests.pull.provider_stub import all_products

BLOCKS = [bytes([number]) * (number + 1) for number in range(40)]


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "MOST_HELD", 100)


def filled(folder: Path | None) -> Spool:
    made = Spool(folder)
    for block in BLOCKS:
        made.add(block)
    return made


def held(made: Spool) -> int:
    return sum(len(block) for block in made._blocks if isinstance(block, bytes))


def test_blocks_come_back_in_their_order_from_a_file_without_a_name(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "drafts"
    made = filled(folder)
    assert list(made) == list(made) == BLOCKS
    assert held(made) < 100 + len(BLOCKS[-1])
    assert folder.stat().st_mode & 0o777 == 0o700
    assert list(folder.iterdir()) == []


WITHOUT_INPUT = """
import os, sys
from pathlib import Path
from recon.api import spool
spool.MOST_HELD = 1
os.close(0)
made, blocks = spool.Spool(Path(sys.argv[1])), [b"a", b"bc", b"def", b"ghij"]
for block in blocks:
    made.add(block)
sys.exit(list(made) != blocks)
"""


def test_the_file_may_take_the_place_of_an_input_that_was_closed(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-c", WITHOUT_INPUT, str(tmp_path)]
    assert subprocess.run(command, check=False).returncode == 0


def test_without_a_folder_all_is_in_memory() -> None:
    made = filled(None)
    assert list(made) == BLOCKS
    assert held(made) == sum(map(len, BLOCKS))


def full(*_: Any) -> int:
    raise OSError(errno.ENOSPC, "No space left on device")


def short(handle: int, content: bytes, at: int) -> int:
    return PWRITE(handle, content[:5], at)


PWRITE = os.pwrite


@pytest.mark.parametrize("write", [full, short])
@pytest.mark.parametrize("after", [0, 3])
def test_a_disk_that_is_full_costs_memory_and_no_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Any, after: int
) -> None:
    made = Spool(tmp_path)
    for number, block in enumerate(BLOCKS):
        if number == 20 + after:
            monkeypatch.setattr(os, "pwrite", write)
        made.add(block)
    assert list(made) == BLOCKS


def test_a_folder_that_cannot_be_made_costs_memory_and_no_id(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    made = filled(tmp_path / "file" / "drafts")
    assert list(made) == BLOCKS
    assert held(made) == sum(map(len, BLOCKS))


@pytest.mark.parametrize("given", [b"", b"other"])
def test_what_does_not_come_back_whole_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: bytes
) -> None:
    made = filled(tmp_path)
    monkeypatch.setattr(os, "pread", lambda *_: given)
    with pytest.raises(LakeError, match="did not come back whole"):
        list(made)


def test_texts_of_ids_are_the_same_from_memory_and_from_a_file(tmp_path: Path) -> None:
    here, there = IdTexts(), IdTexts(tmp_path)
    for start in range(0, 4_000, 500):
        some = [f"id-{number}" for number in range(start, start + 700)]
        here.take(some)
        there.take(some)
    assert there._packed._handle
    assert [each.to_pylist() for each in there.texts()] == [
        each.to_pylist() for each in here.texts()
    ]


@pytest.mark.parametrize("key", [None, "ab" * 32])
def test_a_pull_lays_ids_aside_where_the_lake_is_not_encrypted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str | None
) -> None:
    opened: list[Path] = []
    usual = Spool._opened

    def noted(self: Spool, folder: Path) -> int:
        opened.append(folder)
        return usual(self, folder)

    monkeypatch.setattr(spool, "MOST_HELD", 0)
    monkeypatch.setattr(Spool, "_opened", noted)
    settings: Settings = all_products(tmp_path)
    if key:
        more = replace(settings.lake, encryption_key=Secret(key))
        settings = replace(settings, lake=more)
    lake = Lake.of(settings)
    report = runner.pull(settings, lake, ["checkouts"], transport=long_shop().transport)
    assert opened == ([] if key else [lake.root / "drafts"])
    ((_, path),) = [lake.last_whole_sweep("checkouts")]
    assert lake.read(path).num_rows == report.sources[0].counts.records == COUNT
