"""Many deliveries share one write: who went away costs no other an answer."""

import asyncio
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import cast

import pytest

from recon.errors import LakeError
from recon.journal.deliveries import Arrival, Deliveries
from recon.webhooks import pace
from recon.webhooks.pace import UNIT_BYTES, Allowance
from recon.webhooks.storing import Store

NOW = datetime(2026, 10, 1, tzinfo=UTC)


class Slow:
    """A journal that waits to be let go, and may fail then."""

    def __init__(self, error: LakeError | None) -> None:
        self.go = threading.Event()
        self._error = error

    def add(self, arrivals: Sequence[Arrival]) -> list[bool]:
        self.go.wait(10)
        if self._error:
            raise self._error
        return [True] * len(arrivals)


def arrival(event: str) -> Arrival:
    return Arrival(event=event, received_at=NOW, body=b"{}")


@pytest.mark.parametrize("error", [None, LakeError("the disk is full")])
def test_a_sender_that_went_away_costs_no_other_its_answer(
    error: LakeError | None,
) -> None:
    async def go() -> list[bool | BaseException]:
        slow = Slow(error)
        store = Store(cast("Deliveries", slow))
        waiting = [asyncio.create_task(store.add(arrival(each))) for each in "abc"]
        await asyncio.sleep(0.01)
        for gone in waiting[:2]:  # one is being written, one is next
            gone.cancel()
        slow.go.set()
        await asyncio.wait_for(store.close(), 10)
        done = asyncio.gather(*waiting, return_exceptions=True)
        return await asyncio.wait_for(done, 10)

    *gone, answer = asyncio.run(go())
    assert [type(each) for each in gone] == [asyncio.CancelledError] * 2
    assert answer == (error or True)


def test_a_stop_while_others_wait_stores_them_and_ends() -> None:
    async def go() -> list[bool]:
        slow = Slow(None)
        store = Store(cast("Deliveries", slow))
        waiting = [asyncio.create_task(store.add(arrival("a")))]
        await asyncio.sleep(0.01)  # it is being written
        waiting += [asyncio.create_task(store.add(arrival(each))) for each in "bc"]
        await asyncio.sleep(0.01)
        end = asyncio.create_task(store.close())
        await asyncio.sleep(0.01)
        slow.go.set()
        await asyncio.wait_for(end, 5)
        return await asyncio.gather(*waiting)

    assert asyncio.run(go()) == [True] * 3


def test_what_is_allowed_at_once_does_not_grow_in_idle_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [1000.0]
    monkeypatch.setattr(pace.time, "monotonic", lambda: now[0])
    allowance = Allowance(rate=0.5, burst=3)
    for idle in (0.0, 3600.0):
        now[0] += idle
        assert [allowance.take(UNIT_BYTES) for _ in range(4)] == [0, 0, 0, 2]
