"""Storing deliveries: many that come at once share one write to the disk.

A thread of its own takes what waits, writes it in one transaction, and only then lets
each request answer. So the disk's flush, not the number of requests, sets the pace.
"""

import asyncio
import threading
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TypeAlias

from recon.errors import LakeError
from recon.journal.deliveries import Arrival, Deliveries

_MOST_AT_ONCE = 256

Waiting: TypeAlias = "tuple[Arrival, asyncio.Future[bool]]"


@dataclass
class Tally:
    """What became of the deliveries since the start; `error` is the last write's."""

    stored: int = 0
    repeated: int = 0
    error: str = ""


class Store:
    """The way into the journal; made and closed on one event loop."""

    def __init__(self, deliveries: Deliveries) -> None:
        self.tally = Tally()
        self._deliveries = deliveries
        self._loop = asyncio.get_running_loop()
        self._waiting: SimpleQueue[Waiting | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="deliveries")
        self._thread.start()

    async def add(self, arrival: Arrival) -> bool:
        """Store a delivery durably; tells whether its event is new.

        Raises LakeError when it could not be stored.
        """
        done: asyncio.Future[bool] = self._loop.create_future()
        self._waiting.put((arrival, done))
        return await done

    def is_replaced(self) -> bool:
        """Tell whether another journal is in the place of the one written to."""
        return self._deliveries.is_replaced()

    async def close(self) -> None:
        """Store what still waits, and end the thread."""
        self._waiting.put(None)
        await asyncio.to_thread(self._thread.join)

    def _write(self) -> None:
        batch: list[Waiting] = []
        while (first := self._waiting.get()) is not None:
            batch = [first]
            while len(batch) < _MOST_AT_ONCE and not self._waiting.empty():
                following = self._waiting.get()
                if following is None:
                    self._waiting.put(None)
                    break
                batch.append(following)
            self._store(batch)

    def _store(self, batch: list[Waiting]) -> None:
        outcome: list[bool] | LakeError
        try:
            outcome = self._deliveries.add([arrival for arrival, _ in batch])
        except LakeError as error:
            outcome = error
        except Exception as error:  # noqa: BLE001 - else no later one would be stored
            outcome = LakeError(type(error).__name__)
        self._loop.call_soon_threadsafe(self._tell, batch, outcome)

    def _tell(self, batch: list[Waiting], outcome: list[bool] | LakeError) -> None:
        if isinstance(outcome, LakeError):
            self.tally.error = str(outcome)
            for _, done in batch:
                if not done.done():
                    done.set_exception(outcome)
            return
        self.tally.error = ""
        for (_, done), is_new in zip(batch, outcome, strict=True):
            self.tally.stored += is_new
            self.tally.repeated += not is_new
            if not done.done():
                done.set_result(is_new)
