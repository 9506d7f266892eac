"""A business at a sandbox in process that writes down which route each request hit."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from recon.api.provider import Provider
from recon.journal import Journal
from recon.sandbox.app import ROUTES, Credentials, Faults, Terms, create_app
from recon.sandbox.state import State
from recon.sandbox.terms import SANDBOX_KEYS
from recon.sandbox.world import World
from recon.settings import Http, Settings
from tests.api_writes.sandbox_shop import shop_settings
from tests.sandbox.small_world import small_world

BASE = "http://sandbox.test"


def line_of(route: Route, method: str) -> str:
    """Return a route as the table names it."""
    return f"{method} {route.path}"


class Recorder:
    """An application before the sandbox: remembers the line of the route it hit."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.lines: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        hits = [each for each in ROUTES if each.matches(scope)[0] is Match.FULL]
        hit = line_of(hits[0], scope["method"]) if hits else f"none: {scope['path']}"
        self.lines.append(hit)
        await self._app(scope, receive, send)


@dataclass
class Shop:
    """A business, the routes that its requests hit, and the world behind them."""

    provider: Provider
    browser: httpx.AsyncClient
    recorder: Recorder
    state: State
    clock: "Clock"

    @property
    def world(self) -> World:
        """Return what the sandbox knows."""
        return self.state.world

    async def press(self, address: str, outcome: str = "pay") -> dict[str, str]:
        """Answer a page as its customer; returns what comes back to the business."""
        path = urlsplit(address).path
        back = await self.browser.post(path, data={"outcome": outcome})
        assert back.is_redirect, back.text
        query = urlsplit(back.headers["location"]).query
        return {name: values[0] for name, values in parse_qs(query).items()}


class Clock:
    """The present, moved by `later`."""

    def __init__(self) -> None:
        self.later = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.later


@asynccontextmanager
async def recorded_shop(
    folder: Path,
    *,
    terms: Terms | None = None,
    keys: Credentials = SANDBOX_KEYS,
    faults: Faults | None = None,
) -> AsyncIterator[Shop]:
    """Open a shop at a small world; `keys` are the sandbox's, not the shop's."""
    clock = Clock()
    app = create_app(
        small_world(now=clock), keys, terms=terms or Terms(), faults=faults
    )
    recorder = Recorder(app)
    transport = httpx.ASGITransport(app=recorder)
    with Journal(folder / "journal.sqlite3") as journal:
        async with (
            Provider(_settings(), journal, transport=transport) as provider,
            httpx.AsyncClient(transport=transport, base_url=BASE) as browser,
        ):
            yield Shop(provider, browser, recorder, app.state.sandbox, clock)


def _settings() -> Settings:
    return replace(shop_settings(BASE), http=Http(retries=0))


def client_of(provider: Provider, name: str) -> Any:
    """Return the method that a caller writes as `name`."""
    part, _, method = name.partition(".")
    return getattr(getattr(provider, part), method)
