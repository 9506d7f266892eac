"""Deliveries of events: bodies, signatures, heads, and whole requests as bytes."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

import httpx

from recon.imports.delivered import event_hash, read_delivery, take_deliveries
from recon.journal import journal_path
from recon.journal.deliveries import Deliveries
from recon.lake import Lake
from recon.webhooks.receiver import create_app
from recon.webhooks.signature import sign
from tests.fuzz.mutation import bad_body, damaged
from tests.fuzz.tries import REFUSED, TAKEN, Try, Wrong
from tests.webhooks.receiver_cases import BUSINESS, envelope, head, receiver, shop

_EXPECTED = {200, 400, 401, 405, 408, 411, 413, 429, 431, 503}
_PATIENT_SECONDS = 0.1
_BODIES = (
    envelope(),
    envelope("buyer_paid_agreement", amount=5_000_000, tracking_code="T00001"),
    envelope("agreement_created", tracking_code="T1", parties=[{"mobile": "0912"}]),
)


@contextmanager
def deliveries(folder: Path) -> Iterator[Try]:
    """Damaged bodies, signed or not: what is answered with 200 is stored, and taken.

    All that was stored goes into the lake at the end, which must take it.
    """
    settings = shop(folder)
    app = create_app(settings)
    loop = asyncio.new_event_loop()
    lifespan = app.router.lifespan_context(app)
    loop.run_until_complete(lifespan.__aenter__())
    client = httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app), base_url="http://shop.test"
    )
    stored: set[str] = set()

    def attempt(chance: Random) -> str:
        body = bad_body(chance.choice(_BODIES), chance)
        headers = [("x-signature", sign(body, BUSINESS))]
        if chance.random() < 0.2:
            headers = _bad_headers(headers[0][1], chance)
        answer = loop.run_until_complete(
            client.post("/", content=body, headers=headers)
        )
        if answer.status_code not in _EXPECTED:
            raise Wrong(f"answered {answer.status_code}")
        if answer.status_code != httpx.codes.OK:
            return REFUSED
        stored.add(event_hash(read_delivery(body)))
        return TAKEN

    try:
        yield attempt
    finally:
        loop.run_until_complete(client.aclose())
        loop.run_until_complete(lifespan.__aexit__(None, None, None))
        loop.close()
    with Deliveries(journal_path(settings)) as kept:
        there = {each.event for each in kept.after(0)}
    if there != stored:
        raise Wrong(f"{len(stored ^ there)} events are answered and not stored")
    lake = Lake(settings.lake_path)
    if take_deliveries(settings, lake) != len(stored):
        raise Wrong("the lake did not take every delivery")


def _bad_headers(signature: str, chance: Random) -> list[tuple[str, str]]:
    name = "x-signature"
    return chance.choice(
        (
            [],
            [(name, "")],
            [(name, signature), (name, signature)],
            [(name, signature[:-2])],
            [(name, signature), ("content-length", "9" * 30)],
            [(name, signature), ("content-length", "-1")],
            [(name, signature), ("transfer-encoding", "chunked")],
            [(name, "=" * 4000)],
        )
    )


def _answered(wire: socket.socket) -> bytes:
    """Return what comes back; whoever says nothing is told that no more comes."""
    got = b""
    wire.settimeout(_PATIENT_SECONDS)
    with suppress(ConnectionError):
        while True:
            try:
                piece = wire.recv(65_536)
            except TimeoutError:
                wire.settimeout(20)
                with suppress(OSError):
                    wire.shutdown(socket.SHUT_WR)
                continue
            if not piece:
                return got
            got += piece
    return got


@contextmanager
def requests(folder: Path) -> Iterator[Try]:
    """Damaged requests over a socket: the receiver answers or cuts, and lives on."""
    with receiver(shop(folder)) as sender:
        number = 0

        def attempt(chance: Random) -> str:
            nonlocal number
            number += 1
            body = chance.choice(_BODIES)
            whole = head(len(body), sign(body, BUSINESS), last=True) + body
            sent = damaged(whole, chance)
            with socket.create_connection(("127.0.0.1", sender.port), 20) as wire:
                with suppress(OSError):
                    wire.sendall(sent)
                got = _answered(wire)
            if got and not got.startswith(b"HTTP/1.1 "):
                raise Wrong(f"answered {got[:60]!r}")
            if number % 50 == 0 and sender.health()["status"] != "ok":
                raise Wrong("the receiver is not well")
            return TAKEN if got.startswith(b"HTTP/1.1 200") else REFUSED

        yield attempt
        if sender.health()["status"] != "ok":
            raise Wrong("the receiver is not well")
