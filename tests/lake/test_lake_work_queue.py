"""Work that is handed over is done in its order, and a failure is never lost."""

import errno
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from recon.errors import LakeError
from recon.lake import Lake, open_files
from recon.lake.work_queue import WorkQueue


@pytest.fixture
def queue() -> Iterator[WorkQueue]:
    queue = WorkQueue()
    yield queue
    queue.close()


def test_work_is_done_in_its_order_by_one_thread(queue: WorkQueue) -> None:
    done: list[tuple[int, int]] = []

    def work(number: int) -> None:
        done.append((number, threading.get_ident()))

    for number in range(20):
        queue.put(lambda number=number: work(number))  # type: ignore[misc]
    queue.finish()
    assert [number for number, _ in done] == list(range(20))
    assert len({thread for _, thread in done} - {threading.get_ident()}) == 1


def test_whoever_hands_over_waits_while_much_waits(queue: WorkQueue) -> None:
    held, done = threading.Event(), []
    queue.put(lambda: held.wait(10) and None)
    queue.put(lambda: done.append(1))
    threading.Timer(0.05, held.set).start()
    queue.put(lambda: done.append(2))
    assert held.is_set()
    queue.finish()
    assert done == [1, 2]


def test_a_failure_comes_up_each_time_and_nothing_is_done_after_it(
    queue: WorkQueue,
) -> None:
    done: list[int] = []

    def fail() -> None:
        raise OSError("the disk is full")

    queue.put(fail)
    for _ in range(2):
        with pytest.raises(OSError, match="full"):
            queue.finish()
        with pytest.raises(OSError, match="full"):
            queue.put(lambda: done.append(1))
    assert done == []


def test_what_waited_behind_a_failure_is_not_done(queue: WorkQueue) -> None:
    held, done = threading.Event(), []

    def fail() -> None:
        held.wait(10)
        raise OSError("the disk is full")

    queue.put(fail)
    queue.put(lambda: done.append(1))
    held.set()
    with pytest.raises(OSError, match="full"):
        queue.finish()
    assert done == []


def test_a_closed_queue_drops_what_waits() -> None:
    queue, held, done = WorkQueue(), threading.Event(), []
    queue.put(lambda: held.wait(10) and None)
    queue.put(lambda: done.append(1))
    threading.Timer(0.05, held.set).start()
    queue.close()
    queue.finish()
    assert done == []


def threads() -> list[str]:
    """Return the threads of queues that are alive."""
    names = (thread.name for thread in threading.enumerate())
    return [name for name in names if name.startswith("recon-lake")]


def test_a_disk_that_fills_up_beside_reading_ends_the_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writers = []

    def full(*_: Any) -> None:
        writers.append(threading.current_thread().name)
        raise OSError(errno.ENOSPC, "the disk is full")

    monkeypatch.setattr(open_files, "_GROUP_ROWS", 1)
    monkeypatch.setattr(open_files, "_BUFFERED_ROWS", 1)
    monkeypatch.setattr(pq.ParquetWriter, "write_table", full)
    lake = Lake(tmp_path)

    def write() -> None:
        with lake.begin("pull", "mandates") as made:
            made.rows("mandates", [{"id": "m-1"}])
            made.commit()

    with pytest.raises(LakeError, match="full"):
        write()
    assert writers[0].startswith("recon-lake")
    assert threads() == []
    assert lake.commits() == []
    assert not list(tmp_path.rglob("*.parquet"))


def test_a_commit_that_is_given_up_leaves_no_thread_and_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_files, "_GROUP_ROWS", 1)
    monkeypatch.setattr(open_files, "_BUFFERED_ROWS", 1)
    lake = Lake(tmp_path)

    def write() -> None:
        with lake.begin("pull", "mandates") as made:
            made.rows("mandates", [{"id": "m-1"}])
            assert threads()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert threads() == []
    assert not list(tmp_path.rglob("*.parquet"))
