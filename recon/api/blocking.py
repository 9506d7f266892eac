"""The same clients without `await`, for notebooks and scripts.

Nothing is written twice: a `Face` passes each call to the asynchronous object, on an
event loop in a thread of its own, so that it works inside a notebook's loop too.
"""

import asyncio
import functools
import inspect
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import httpx

from recon.api.provider import Provider
from recon.api.sending import Journal
from recon.settings import Settings

Value = TypeVar("Value")

_LAST_WORDS_SECONDS = 5.0  # for an interrupted call to write down how it ended


class BackgroundLoop:
    """An event loop in a thread of its own, until `close`."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="recon-api", daemon=True
        )
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, Value]) -> Value:
        """Run a coroutine and return its result; an interrupt cancels it first."""
        ended = threading.Event()

        async def followed() -> Value:
            try:
                return await work
            finally:
                ended.set()

        future = asyncio.run_coroutine_threadsafe(followed(), self._loop)
        try:
            return future.result()
        except BaseException:
            if future.cancel():
                ended.wait(_LAST_WORDS_SECONDS)
            raise

    def close(self) -> None:
        """Stop the loop and its thread."""
        self.run(self._loop.shutdown_default_executor())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class Face:
    """An object whose asynchronous methods are called like any other.

    Coroutines return their result, asynchronous iterators become plain ones, and
    attributes that are clients themselves get a face too.
    """

    def __init__(self, behind: Any, loop: BackgroundLoop) -> None:
        self._behind = behind
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)

        async def fetched() -> Any:
            # Within the loop: clients are made when they are first asked for.
            return getattr(self._behind, name)

        found = self._loop.run(fetched())
        if inspect.iscoroutinefunction(found):
            return self._plain_call(found)
        if inspect.isasyncgenfunction(found):
            return self._plain_iteration(found)
        return Face(found, self._loop) if _is_asynchronous(found) else found

    def __dir__(self) -> list[str]:
        return [name for name in dir(self._behind) if not name.startswith("_")]

    def __repr__(self) -> str:
        return f"<{type(self._behind).__name__}, without await>"

    def _plain_call(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def call(*args: Any, **kwargs: Any) -> Any:
            return self._loop.run(method(*args, **kwargs))

        return call

    def _plain_iteration(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def iterate(*args: Any, **kwargs: Any) -> Iterator[Any]:
            source: AsyncIterator[Any] = method(*args, **kwargs)
            end = object()

            async def following() -> Any:
                return await anext(source, end)

            while (item := self._loop.run(following())) is not end:
                yield item

        return iterate


@contextmanager
def blocking(
    settings: Settings,
    journal: Journal,
    *,
    gateway_domain: str = "",
    hosted_domain: str = "",
    transport: httpx.AsyncBaseTransport | None = None,
) -> Iterator[Any]:
    """Open every product's clients without `await`: the face of a `Provider`.

    `with blocking(settings, journal) as provider: provider.gateway.send(…)`.
    """
    loop = BackgroundLoop()
    try:
        provider = Provider(
            settings,
            journal,
            gateway_domain=gateway_domain,
            hosted_domain=hosted_domain,
            transport=transport,
        )
        try:
            yield Face(provider, loop)
        finally:
            loop.run(provider.aclose())
    finally:
        loop.close()


def _is_asynchronous(value: Any) -> bool:
    methods = vars(type(value)).values()
    return any(
        inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method)
        for method in methods
    )
