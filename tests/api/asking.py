"""Asking once of a provider that answers with a plain function."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx

from recon.api.answers import Answer, any_json
from recon.api.client import Client
from recon.api.redaction import Redaction
from recon.errors import (
    ProviderError,
)
from recon.settings import (
    USUAL_LIMITS,
    Http,
    Limits,
    Secret,
    Unified,
)

CANARY = "canary-key-0123456789"
Handler = Callable[[httpx.Request], httpx.Response]


class Provider(httpx.AsyncBaseTransport):
    """A provider that answers with a plain function."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self.requests: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        self.requests.append(request)
        return self.handler(request)


class Clock:
    """Sleeps in no time and remembers for how long it should have."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0)


def unified(**changes: Any) -> Unified:
    given = {"base_url": "https://provider.test", "api_key": Secret(CANARY)}
    return Unified(**{**given, **changes})


def ask(
    handler: Handler,
    *,
    product: Any = None,
    verb: str = "read",
    clock: Clock | None = None,
    capture: Callable[[Answer[None]], int | None] | None = None,
    limits: Limits = USUAL_LIMITS,
    redaction: Redaction | None = None,
    **changes: Any,
) -> tuple[Answer[Any] | ProviderError, Provider]:
    """Ask once; returns the answer or the error, and what the provider got."""
    provider = Provider(handler)
    http = Http(**{"retries": 3, "timeout": timedelta(seconds=2), **changes})

    async def once() -> Answer[Any]:
        async with Client(
            product or unified(),
            http,
            limits=limits,
            transport=provider,
            capture=capture,
            sleep=(clock or Clock()).sleep,
            redaction=redaction,
        ) as client:
            body = {"iban": "IR1"}
            if verb == "send":
                return await client.send("POST", "/x", json=body, decode=any_json)
            return await client.read("POST", "/x", json=body, decode=any_json)

    try:
        return asyncio.run(once()), provider
    except ProviderError as error:
        return error, provider


def replying(*replies: httpx.Response) -> Handler:
    waiting = list(replies)
    return lambda request: waiting.pop(0) if len(waiting) > 1 else waiting[0]


def fails(error: Exception) -> Handler:
    def handler(request: httpx.Request) -> httpx.Response:
        raise error

    return handler
