"""The synchronous face: the same calls, results, errors and signatures."""

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from recon.api.blocking import BackgroundLoop, Face, blocking
from recon.api.gateway import Gateway
from recon.errors import Refused
from recon.journal import Journal
from recon.records.limits import WrongInput
from tests.api_writes.stand_in_provider import Desk, settings

CALLBACK = "https://shop.example/back"


@pytest.fixture
def d(tmp_path: Path) -> Iterator[Desk]:
    opened = Desk(tmp_path)
    yield opened
    opened.journal.close()


def test_a_call_returns_its_result_and_is_journaled(d: Desk) -> None:
    d.app.put("POST /api/v3/send", (200, {"status": 1, "token": "tok"}))
    with blocking(settings(), d.journal, transport=d.transport()) as provider:
        assert provider.gateway.send(1_000, CALLBACK) == "tok"
        assert provider.gateway.page_address("tok").endswith("/v3/tok")
    assert d.outcomes() == ["answered"]


def test_an_error_is_the_same_error(d: Desk) -> None:
    d.app.put("POST /api/v3/send", (422, {"status": 0, "errors": ["no"]}))
    with blocking(settings(), d.journal, transport=d.transport()) as provider:
        with pytest.raises(Refused):
            provider.gateway.send(1_000, CALLBACK)
        with pytest.raises(WrongInput):
            provider.gateway.send(1, CALLBACK)
        with pytest.raises(AttributeError):
            _ = provider.gateway.sendd


def test_it_works_within_a_running_loop_as_in_a_notebook(d: Desk) -> None:
    d.app.put("POST /api/v3/send", (200, {"status": 1, "token": "tok"}))

    async def cell() -> str:
        with blocking(settings(), d.journal, transport=d.transport()) as provider:
            return str(provider.gateway.send(1_000, CALLBACK))

    assert asyncio.run(cell()) == "tok"


def test_help_and_completion_show_the_asynchronous_methods(d: Desk) -> None:
    with blocking(settings(), d.journal, transport=d.transport()) as provider:
        assert {"gateway", "hosted", "deposits", "agreements"} <= set(dir(provider))
        assert {"send", "verify", "transaction"} <= set(dir(provider.gateway))
        plain = inspect.signature(provider.gateway.verify)
        parameters = list(inspect.signature(Gateway.verify).parameters.values())
        assert list(plain.parameters.values()) == parameters[1:]
        assert provider.gateway.verify.__doc__ == Gateway.verify.__doc__


def test_asynchronous_iterators_become_plain_ones() -> None:
    class Rows:
        async def pages(self, most: int) -> AsyncIterator[int]:
            for number in range(most):
                await asyncio.sleep(0)
                yield number

    loop = BackgroundLoop()
    try:
        assert list(Face(Rows(), loop).pages(3)) == [0, 1, 2]
        assert list(Face(Rows(), loop).pages(most=0)) == []
    finally:
        loop.close()


def test_an_interrupt_leaves_an_unknown_outcome(
    d: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrived = threading.Event()

    async def never(_: Any) -> Any:
        arrived.set()
        await asyncio.sleep(60)

    d.app.put("POST /pay-with/v1/verify", never)
    schedule = asyncio.run_coroutine_threadsafe

    def interrupted(work: Any, loop: Any) -> Any:
        future = schedule(work, loop)
        result = future.result

        def wait(timeout: float | None = None) -> Any:
            if work.__qualname__.endswith("followed") and not arrived.is_set():
                arrived.wait(0.5)
                if arrived.is_set():
                    raise KeyboardInterrupt
            return result(timeout)

        monkeypatch.setattr(future, "result", wait)
        return future

    with blocking(settings(), d.journal, transport=d.transport()) as provider:
        verify = provider.hosted.verify
        monkeypatch.setattr(asyncio, "run_coroutine_threadsafe", interrupted)
        with pytest.raises(KeyboardInterrupt):
            verify("h-1")
        monkeypatch.undo()
        assert d.outcomes() == ["unknown"]


def test_no_thread_is_left_behind(tmp_path: Path) -> None:
    before = threading.active_count()
    with Journal(tmp_path / "j.sqlite3") as journal, blocking(settings(), journal):
        assert threading.active_count() == before + 1
    assert threading.active_count() == before
