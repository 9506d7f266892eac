"""Work that is handed over is done in its order, and a failure is never lost."""

import threading
from collections.abc import Iterator

import pytest

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


def test_a_closed_queue_drops_what_waits() -> None:
    queue, held, done = WorkQueue(), threading.Event(), []
    queue.put(lambda: held.wait(10) and None)
    queue.put(lambda: done.append(1))
    threading.Timer(0.05, held.set).start()
    queue.close()
    queue.finish()
    assert done == []
