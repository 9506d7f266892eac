"""A running receiver, and deliveries to send to it, good and bad."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import httpx

from recon.journal import journal_path
from recon.journal.deliveries import Deliveries
from recon.settings import Business, Settings
from recon.webhooks.receiver import Limits
from recon.webhooks.serving import Receiving, bind
from recon.webhooks.signature import sign

BUSINESS = "tea-house"
CREATED = 1_790_000_000


def shop(folder: Path, **sections: Any) -> Settings:
    return Settings(business=Business(name=BUSINESS), folder=folder, **sections)


def envelope(
    kind: str = "agreement_finalized", created: int = CREATED, **data: Any
) -> bytes:
    """The body of a delivery; without data it speaks of the agreement T00001."""
    told = data or {"tracking_code": "T00001"}
    return json.dumps({"created": created, "type": kind, "data": told}).encode()


class Sender:
    """Sends to one receiver."""

    def __init__(
        self, receiving: Receiving, settings: Settings, said: list[str]
    ) -> None:
        self.address = receiving.address
        self.port = int(self.address.rpartition(":")[2])
        self.settings = settings
        self.said = said

    def post(self, body: Any, signature: str | None = None) -> httpx.Response:
        if signature is None:
            signature = sign(body, BUSINESS)
        return httpx.post(
            self.address, content=body, headers={"x-signature": signature}
        )

    def raw(self, *parts: bytes, pause: float = 0.0, hang_up: bool = False) -> bytes:
        """Send parts over a bare socket; returns all that came back until its end.

        `hang_up` ends the sending side after the last part; else the receiver ends it.
        """
        got: list[bytes] = []
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as wire:
            reading = Thread(target=_read, args=(wire, got))
            reading.start()
            with suppress(OSError):
                for part in parts:
                    wire.sendall(part)
                    time.sleep(pause)
                if hang_up:
                    wire.shutdown(socket.SHUT_WR)
            reading.join()
        return b"".join(got)

    def health(self) -> Any:
        return httpx.get(f"{self.address}/health").json()

    def stored(self) -> list[bytes]:
        with Deliveries(journal_path(self.settings)) as deliveries:
            return [each.body for each in deliveries.after(0)]


def _read(wire: socket.socket, got: list[bytes]) -> None:
    with suppress(OSError):
        while piece := wire.recv(65536):
            got.append(piece)


@contextmanager
def receiver(settings: Settings, limits: Limits | None = None) -> Iterator[Sender]:
    said: list[str] = []
    receiving = Receiving(
        settings, bind("127.0.0.1", 0), limits=limits, say=said.append
    )
    thread = Thread(target=receiving.run)
    thread.start()
    try:
        until = time.monotonic() + 20
        while not receiving.is_started:
            assert thread.is_alive(), said
            assert time.monotonic() < until
            time.sleep(0.005)
        yield Sender(receiving, settings, said)
    finally:
        receiving.stop()
        thread.join(20)
        assert not thread.is_alive()


def head(length: int, signature: str, *, last: bool = False) -> bytes:
    """The head of a request with a body of a stated length."""
    close = "connection: close\r\n" if last else ""
    return (
        f"POST / HTTP/1.1\r\nhost: x\r\nx-signature: {signature}\r\n"
        f"content-length: {length}\r\n{close}\r\n"
    ).encode()
