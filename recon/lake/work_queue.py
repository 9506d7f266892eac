"""Work that one thread does in its order while whoever hands it over goes on."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

_MOST_WAITING = 2  # what it holds takes memory


class WorkQueue:
    """A queue of a few pieces of work; after one that failed none is done.

    What a piece raises is raised by every later `put` and `finish`. The thread begins
    with the first piece. It is for work that leaves the interpreter to others
    meanwhile: packing, hashing, writing.
    """

    def __init__(self) -> None:
        self._thread: ThreadPoolExecutor | None = None
        self._waiting: deque[Future[None]] = deque()
        self._error: BaseException | None = None

    def put(self, work: Callable[[], None]) -> None:
        """Hand over a piece, once few wait."""
        self._wait(_MOST_WAITING - 1)
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="recon-lake")
        self._waiting.append(self._thread.submit(self._do, work))

    def finish(self) -> None:
        """Wait until all is done."""
        self._wait(0)

    def close(self) -> None:
        """End the thread once what it is at is done; what waits is dropped."""
        if self._thread is not None:
            self._thread.shutdown(cancel_futures=True)
            self._thread = None
        self._waiting.clear()

    def _wait(self, most: int) -> None:
        while len(self._waiting) > most:
            self._waiting[0].result()
            self._waiting.popleft()
        if self._error is not None:
            raise self._error

    def _do(self, work: Callable[[], None]) -> None:
        if self._error is not None:
            return
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - raised where it can be seen
            self._error = error
