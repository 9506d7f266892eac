"""The disk that is struck: it must lose what a real one may lose, and nothing else."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from recon.durability import sync_folder
from tests.campaign.disk import KILLED, Blow, Disk
from tests.campaign.forks import Ending, in_child


def save(path: Path, *, flush: bool = True, sync: bool = True) -> None:
    with path.open("wb") as file:
        file.write(b"x" * 100)
        file.flush()
        if flush:
            os.fsync(file.fileno())
    if sync:
        sync_folder(path.parent)
    (path.parent / "last").mkdir()


def struck(root: Path, work: Callable[[], None], blow: Blow) -> Ending:
    return in_child(lambda _: work(), root, blow)


def steps_of(work: Callable[[], None], root: Path) -> list[str]:
    return in_child(lambda _: work(), root).steps


def test_every_change_is_a_step(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()

    def work() -> None:
        folder = tmp_path / "there"
        save(folder / "file")
        (folder / "file").replace(folder / "other")
        os.link(folder / "other", folder / "third")
        (folder / "third").unlink()
        (folder / "last").rmdir()

    assert steps_of(work, tmp_path) == [
        "create there/file",
        "write there/file",
        "fsync there/file",
        "fsync there",
        "mkdir there/last",
        "rename there/other",
        "link there/third",
        "unlink there/third",
        "rmdir there/last",
    ]


@pytest.mark.parametrize("seed", range(8))
def test_a_power_cut_keeps_what_was_flushed(tmp_path: Path, seed: int) -> None:
    file = tmp_path / "file"
    ending = struck(tmp_path, lambda: save(file), Blow(5, "power", seed=seed))
    assert ending.code == KILLED
    assert file.read_bytes() == b"x" * 100


def left(folder: Path, seed: int, *, flush: bool, sync: bool) -> int | None:
    """Return how much of a file is left by a power cut; None where it is gone."""
    folder.mkdir()
    file = folder / "file"
    at = 3 + flush + sync
    struck(
        folder,
        lambda: save(file, flush=flush, sync=sync),
        Blow(at, "power", seed=seed),
    )
    return file.stat().st_size if file.exists() else None


def test_a_power_cut_may_take_what_was_not_flushed(tmp_path: Path) -> None:
    bytes_left = [
        left(tmp_path / f"bytes-{seed}", seed, flush=False, sync=True)
        for seed in range(8)
    ]
    assert any(size is not None and size < 100 for size in bytes_left)
    names = [
        left(tmp_path / f"names-{seed}", seed, flush=True, sync=False)
        for seed in range(8)
    ]
    assert None in names
    assert 100 in names


def test_a_kill_keeps_what_the_system_was_given(tmp_path: Path) -> None:
    file = tmp_path / "file"
    struck(tmp_path, lambda: save(file, flush=False, sync=False), Blow(2, "kill"))
    assert file.stat().st_size == 100


def test_a_torn_write_gets_half_through(tmp_path: Path) -> None:
    file = tmp_path / "file"
    struck(tmp_path, lambda: save(file), Blow(2, "kill", torn=True))
    assert file.stat().st_size == 50


def test_a_full_disk_stays_full(tmp_path: Path) -> None:
    def work() -> None:
        for name in ("one", "two"):
            with pytest.raises(OSError, match="No space left"):
                (tmp_path / name).mkdir()

    disk = Disk(tmp_path, Blow(1, "full", number=errno.ENOSPC))
    with disk.working():
        work()
    (tmp_path / "one").mkdir()


def test_what_lies_elsewhere_is_no_step(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    with Disk(tmp_path / "in").working() as disk:
        (tmp_path / "outside").mkdir()
        (tmp_path / "outside" / "file").write_text("text")
    assert disk.steps == []
