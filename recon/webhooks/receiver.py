"""The receiver as an ASGI application: `POST /` for deliveries, `GET /health`.

A delivery is answered in this order: 413 above the size, 401 to a bad signature, 400
to what is no envelope, 200 once its event is on disk. Beside these: 408 to one that
trickles, 429 above the rate, 503 when it cannot be stored; each of these three means
"send it again". Unknown: what the provider does with an answer; see the README here.
"""

import asyncio
import math
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from recon.errors import LakeError, ReconError
from recon.imports.delivered import NotAnEnvelope, event_hash, read_delivery
from recon.journal import journal_path
from recon.journal.deliveries import Arrival, Deliveries
from recon.settings import Settings
from recon.webhooks.corroborating import Corroborator, corroborating
from recon.webhooks.pace import Allowance
from recon.webhooks.refusals import Refusal
from recon.webhooks.seldom import Say, Seldom
from recon.webhooks.signature import fits
from recon.webhooks.storing import Store

_SIGNATURE = b"x-signature"
_LENGTH = b"content-length"


@dataclass(frozen=True)
class Limits:
    """What one sender, and all of them together, may ask of the receiver.

    `rate` and `burst` count units of 4 KiB that are read.
    """

    body_bytes: int = 2**20
    body_seconds: float = 10.0  # for a whole body to come
    store_seconds: float = 20.0  # for the disk to take it
    rate: float = 2_000.0
    burst: float = 20_000.0

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return the limits of the settings; a burst is ten seconds' worth."""
        chosen = settings.limits
        rate = float(chosen.webhook_rate)
        return cls(body_bytes=chosen.webhook_body, rate=rate, burst=10 * rate)


def create_app(
    settings: Settings,
    *,
    limits: Limits | None = None,
    say: Say = lambda _: None,
    end: Callable[[LakeError], None] = lambda _: None,
    corroborate: Callable[..., AbstractAsyncContextManager[Corroborator | None]] = (
        corroborating
    ),
) -> Starlette:
    """Return the receiver of a business; its journal is opened when it starts.

    `limits` are those of the settings if None. `say` gets lines for the log, never a
    body. `end` is called where another journal is in the place of this one: it has to
    be opened anew. `corroborate` opens what re-reads agreements in the background;
    without escrow settings nothing is re-read.
    """
    bounds = limits or Limits.of(settings)

    @asynccontextmanager
    async def opened(app: Starlette) -> AsyncIterator[None]:
        path = journal_path(settings)
        # Each has its own connection: doubting never makes storing wait.
        with Deliveries(path) as stored, Deliveries(path) as doubted:
            async with corroborate(settings, doubted, say) as corroborator:
                store = Store(stored)
                receiver = Receiver(settings, store, corroborator, bounds, say, end)
                app.state.receiver = receiver
                try:
                    yield
                finally:
                    await store.close()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            async with opened(app):
                yield
        except ReconError as error:
            app.state.failure = error  # the server itself says only that it failed
            raise

    app = Starlette(
        routes=[
            Route("/", _deliver, methods=["POST"]),
            Route("/health", _health, methods=["GET"]),
        ],
        lifespan=lifespan,
        exception_handlers={HTTPException: _elsewhere, Refusal: _refused},
    )
    app.router.redirect_slashes = False
    return app


class Receiver:
    """What the requests of one running receiver share."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        corroborator: Corroborator | None,
        limits: Limits,
        say: Say,
        end: Callable[[LakeError], None],
    ) -> None:
        self._business = settings.business.name
        self._store = store
        self._corroborator = corroborator
        self._limits = limits
        self._allowance = Allowance(limits.rate, limits.burst)
        self._refused: Counter[str] = Counter()
        self._log = Seldom("refused", say)
        self._trouble = Seldom("not stored", say)
        self._end = end

    async def deliver(self, request: Request) -> bool:
        """Store a delivery; tells whether its event is new. Refusal says why not."""
        body = await self._body(request)
        received_at = datetime.now(UTC)
        signatures = [v for k, v in request.scope["headers"] if k == _SIGNATURE]
        if len(signatures) != 1 or not fits(body, signatures[0], self._business):
            raise Refusal(401, "the signature is missing or does not fit the body")
        # Reading costs too, and anybody can sign.
        if wait := self._allowance.take(len(body)):
            raise Refusal(429, "too much at once", retry_after=math.ceil(wait))
        try:
            event = event_hash(read_delivery(body))
        except NotAnEnvelope as error:
            raise Refusal(400, str(error)) from None
        arrival = Arrival(event=event, received_at=received_at, body=body)
        try:
            async with asyncio.timeout(self._limits.store_seconds):
                is_new = await self._store.add(arrival)
        except (LakeError, TimeoutError) as error:
            self._note_trouble(error)
            raise Refusal(503, "could not be stored", retry_after=30) from None
        if is_new and self._corroborator is not None:
            self._corroborator.wake()
        return is_new

    def note(self, refusal: Refusal) -> None:
        """Count a refusal, for the log and for `health`."""
        self._refused[str(refusal.status)] += 1
        self._log.note(f"{refusal.status} {refusal.reason}")

    def _note_trouble(self, error: LakeError | TimeoutError) -> None:
        """Say in the log why nothing is stored; its sender is not told."""
        if isinstance(error, TimeoutError):  # what hangs fails until it ends
            self._store.tally.error = "a write takes too long"
        self._trouble.note(str(error) or self._store.tally.error)
        if isinstance(error, LakeError) and self._store.is_replaced():
            self._end(error)

    def health(self) -> dict[str, Any]:
        """Return how it stands since the start, without anything of an event."""
        tally = self._store.tally
        return {
            "status": "failing" if tally.error else "ok",
            "stored": tally.stored,
            "repeated": tally.repeated,
            "refused": dict(self._refused),
            "corroborating": self._corroborator is not None,
            "verdicts": dict(self._corroborator.counts if self._corroborator else {}),
        }

    def tally(self) -> dict[str, int]:
        """Return how many deliveries ended how, since the start."""
        return {
            "stored": self._store.tally.stored,
            "repeated": self._store.tally.repeated,
            "refused": self._refused.total(),
        }

    async def _body(self, request: Request) -> bytes:
        """Return the raw body, or refuse one that is too long or too slow."""
        most = self._limits.body_bytes
        lengths = [v for k, v in request.scope["headers"] if k == _LENGTH]
        if any(_is_above(length, most) for length in lengths):
            raise Refusal(413, f"above {most} bytes")
        body = bytearray()
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > most:
                        raise Refusal(413, f"above {most} bytes")
        except TimeoutError:
            raise Refusal(408, "the body did not come in time") from None
        return bytes(body)


def _is_above(length: bytes, most: int) -> bool:
    """Compare by digits: int() refuses thousands of them."""
    digits, limit = length.lstrip(b"0"), str(most).encode()
    return length.isdigit() and (len(digits), digits) > (len(limit), limit)


async def _deliver(request: Request) -> Response:
    receiver: Receiver = request.app.state.receiver
    try:
        is_new = await receiver.deliver(request)
    except ClientDisconnect:
        raise Refusal(400, "cut before its end") from None
    return JSONResponse({"message": "stored" if is_new else "known"})


async def _health(request: Request) -> Response:
    found = request.app.state.receiver.health()
    return JSONResponse(found, 200 if found["status"] == "ok" else 503)


async def _refused(request: Request, error: Exception) -> Response:
    if not isinstance(error, Refusal):
        raise error
    request.app.state.receiver.note(error)
    return error.answer()


async def _elsewhere(_: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    return JSONResponse({"error": error.detail}, error.status_code, error.headers)
