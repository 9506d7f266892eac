"""What a provider may answer: bodies, pages of lists, statuses, headers, packing."""

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import httpx
import msgspec

from recon.api import answers, pace
from recon.api.client import Client
from recon.api.paging import Walk
from recon.api.proofs import Certificate
from recon.api.unified import UnifiedReads
from recon.errors import ProviderError
from recon.lake import Lake
from recon.pull.runner import pull
from recon.records.decoding import Record
from recon.records.unified import Mandate
from recon.settings import Http, Secret, Unified
from tests.api.list_server import ListServer, Reply, mandate, unified_settings
from tests.endpoints.client_calls import CALLS
from tests.endpoints.recorded_shop import client_of, recorded_shop
from tests.fuzz.mutation import altered_json, bad_body, damaged
from tests.fuzz.tries import REFUSED, TAKEN, Try, Wrong, one_line
from tests.pull.provider_stub import Stub, all_products

Pair = tuple[Callable[[bytes], Any], bytes]
_PACKINGS = ("gzip", "deflate", "br", "zstd", "identity", "gzip, gzip", "x")
_MOST_PAGES_ASKED = 3_000
_LEAST, _MOST = 1 - 10**18, 10**18 - 1


@cache
def recorded() -> tuple[Pair, ...]:
    """Return a sound body of every endpoint, and what reads it."""
    pairs: list[Pair] = []
    honest = Client._judged

    async def call(name: str, place: Path) -> None:
        def judged(self: Client, answer: Any, decode: Any) -> Any:
            pairs.append((decode, answer.body))
            return honest(self, answer, decode)

        async with recorded_shop(place) as shop:
            args, kwargs = await CALLS[name](shop)
            with patch.object(Client, "_judged", judged):
                made = client_of(shop.provider, name)(*args, **kwargs)
                if asyncio.iscoroutine(made):
                    await made

    for name in CALLS:
        with TemporaryDirectory() as folder:
            asyncio.run(call(name, Path(folder)))
    return tuple(pairs)


@contextmanager
def bodies(_: Path) -> Iterator[Try]:
    """A damaged body of any endpoint before what reads it."""
    pairs = recorded()

    def attempt(chance: Random) -> str:
        decode, body = chance.choice(pairs)
        made = bad_body(body, chance) if body else damaged(body, chance)
        answers.complaint(made)
        try:
            value = decode(made)
        except (ValueError, RecursionError):
            return REFUSED
        _hold_amounts(value)
        return TAKEN

    yield attempt


def _hold_amounts(value: Any) -> None:
    """Hold that no amount of a record is anything but an integer of 18 digits."""
    if isinstance(value, Record):
        for name in value.RIALS:
            amount = getattr(value, name)
            whole = type(amount) is int and _LEAST <= amount <= _MOST
            if amount is not None and not whole:
                raise Wrong(f"{type(value).__name__}.{name} is {amount!r}")
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            _hold_amounts(getattr(value, name))
    elif isinstance(value, (list, tuple)):
        for each in value:
            _hold_amounts(each)
    elif hasattr(value, "value"):
        _hold_amounts(value.value)


class _Wire(httpx.AsyncBaseTransport):
    """Gives one prepared answer to every request."""

    def __init__(self) -> None:
        self.status = 200
        self.headers: list[tuple[bytes, bytes]] = []
        self.body = b""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return httpx.Response(
            self.status, headers=self.headers, stream=_Body(self.body)
        )


class _Body(httpx.AsyncByteStream):
    def __init__(self, body: bytes) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for start in range(0, len(self._body), 16_384):
            yield self._body[start : start + 16_384]


async def _no_sleep(_: float) -> None:
    await asyncio.sleep(0)


@contextmanager
def exchanges(_: Path) -> Iterator[Try]:
    """A damaged answer, its status, headers and packing, through the client."""
    pairs = recorded()
    product = Unified(base_url="https://provider.test", api_key=Secret("canary-Xy12"))
    http = Http(retries=1, timeout=timedelta(seconds=5))
    wire = _Wire()

    async def ask(decode: Any) -> None:
        async with Client(product, http, transport=wire, sleep=_no_sleep) as client:
            await client.read("GET", "/x", decode=decode)

    def attempt(chance: Random) -> str:
        decode, body = chance.choice(pairs)
        wire.body = bad_body(body, chance) if body else b""
        wire.status = chance.choice((200, 200, 200, *range(200, 600, 7)))
        wire.headers = _headers(chance)
        if chance.random() < 0.4:
            _pack(wire, chance)
        try:
            asyncio.run(ask(decode))
        except ProviderError as error:
            if "canary-Xy12" in f"{error!r} {error.errors}":
                raise Wrong("a credential in an error") from None
            one_line(" ".join(str(error).split()))
            return REFUSED
        return TAKEN

    yield attempt


def _headers(chance: Random) -> list[tuple[bytes, bytes]]:
    found = [(b"content-type", b"application/json")]
    for _ in range(chance.randint(0, 2)):
        name = chance.choice((b"retry-after", b"location", b"x-request-id", b"date"))
        value = chance.choice(
            (
                b"9" * 40,
                b"-1",
                b"Thu, 99 Foo 2026 99:99:99 GMT",
                b"Sun, 06 Nov 9999 08:49:37 GMT",
                b"https://elsewhere.test/",
                chance.randbytes(8),
            )
        )
        found.append((name, value))
    return found


def _pack(wire: _Wire, chance: Random) -> None:
    packing = chance.choice(_PACKINGS)
    wire.headers.append((b"content-encoding", packing.encode()))
    if packing.startswith("gzip"):
        wire.body = gzip.compress(wire.body, mtime=0)
    elif packing == "deflate":
        wire.body = zlib.compress(wire.body)
    if chance.random() < 0.5:
        wire.body = damaged(wire.body, chance)


@contextmanager
def list_walks(_: Path) -> Iterator[Try]:
    """A list whose pages say what is not so: it ends, proven or not."""
    chosen = unified_settings(retries=1, per_page=5)
    wire: dict[str, Any] = {}

    async def walk() -> Certificate:
        async with Client(
            chosen.unified, chosen.http, transport=wire["transport"], sleep=_no_sleep
        ) as client:
            reads = UnifiedReads(client, chosen.unified, chosen.business.name)
            found: Walk[Mandate] = Walk(
                reads.mandates, lambda row: row.id, lambda _: None, concurrency=4
            )
            return await found.run()

    def attempt(chance: Random) -> str:
        server = ListServer([mandate(n) for n in range(chance.randint(0, 40))])
        rate = chance.choice((0.05, 0.3, 1.0))

        def instead(_: ListServer, __: int, honest: Reply) -> Reply | None:
            if chance.random() > rate:
                return None
            status = chance.choice((200, 200, 200, 422))
            return Reply(altered_json(honest.body, chance), status)

        server.instead = instead
        wire["transport"] = server.transport
        certificate = asyncio.run(walk())
        if len(server.asked) > _MOST_PAGES_ASKED:
            raise Wrong(f"{len(server.asked):,} pages were asked for")
        if certificate.complete:
            return TAKEN
        one_line(" ".join((certificate.reason or "").split()))
        return REFUSED

    yield attempt


@contextmanager
def pulls(folder: Path) -> Iterator[Try]:
    """A whole pull of every source from a provider that answers damage."""
    number = 0
    waits = patch.multiple(pace, FIRST_WAIT_SECONDS=0.0, LONGEST_WAIT_SECONDS=0.0)

    def attempt(chance: Random) -> str:
        nonlocal number
        number += 1
        place = folder / f"pull-{number}"
        stub = Stub()
        rate = chance.choice((0.1, 0.5))

        async def app(scope: Any, receive: Any, send: Any) -> None:
            async def sent(message: Any) -> None:
                body = message.get("body")
                if body and chance.random() < rate:
                    message = {**message, "body": bad_body(body, chance)}
                await send(message)

            await stub(scope, receive, sent)

        settings = all_products(place)
        lake = Lake(settings.lake_path)
        with waits:
            report = pull(settings, lake, transport=httpx.ASGITransport(app=app))
        for outcome in report.sources:
            if outcome.status in {"incomplete", "skipped"}:
                one_line(outcome.error or "")
        for commit in lake.commits():
            for file in commit.files:
                lake.file(file)
        for table in ("checkouts", "payments", "mandates", "balances", "customers"):
            lake.versions(table)
        return TAKEN if report.complete else REFUSED

    yield attempt
