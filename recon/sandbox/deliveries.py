"""Webhook deliveries: signed over the raw body, over real HTTP, tried again.

Source: document 1, Events. Unknown: the real service's retries and time-outs; here a
delivery counts once it is answered with 2xx, else it is tried again after the pauses
of `Terms.delivery_retry_seconds`.
"""

import asyncio
import base64
import hashlib
import hmac
import ipaddress
from collections import deque
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx
import msgspec

from recon.sandbox.faults import Faults
from recon.sandbox.world import Record, World

_TIMEOUT_SECONDS = 5
_KEPT = 10_000
_OK = range(200, 300)


def sign(body: bytes, business: str) -> str:
    """Return the Base64 HMAC-SHA256 of a raw body, keyed with the business slug."""
    digest = hmac.new(business.encode(), body, hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


def loopback_address(url: str) -> str | None:
    """Return where a webhook's address is reached, or None if not on loopback.

    The contract wants https; loopback has no certificate, so it is reached by http.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        local = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = False
    return urlunsplit(("http", *parts[1:])) if local else None


@dataclass
class Delivery:
    """One event on its way to one webhook; `status` is that of the last attempt."""

    webhook_id: int
    url: str
    type: str
    attempts: int = 0
    status: int | None = None
    error: str = ""

    @property
    def done(self) -> bool:
        """Tell whether the receiver took it."""
        return self.status in _OK


class Deliveries:
    """Everything that was sent or is still to be sent to the business's webhooks."""

    def __init__(self, world: World, faults: Faults, pauses: tuple[float, ...]) -> None:
        """Deliver the events of a world."""
        self._world = world
        self._faults = faults
        self._pauses = pauses
        self._under_way: set[asyncio.Task[None]] = set()
        self.log: deque[Delivery] = deque(maxlen=_KEPT)

    def push(self, envelope: Record) -> None:
        """Send an event to every active webhook that lists its slug."""
        slug = envelope["type"]
        body = msgspec.json.encode(envelope)
        for webhook in self._world.webhooks.values():
            listed = {event["slug"] for event in webhook["events"]}
            if not webhook["is_active"] or slug not in listed:
                continue
            twice = self._faults.draw("duplicate_delivery", "POST", slug)
            for _ in range(2 if twice else 1):
                self._start(Delivery(webhook["id"], webhook["url"], slug), body)

    async def settled(self) -> None:
        """Wait until nothing is under way."""
        while self._under_way:
            await asyncio.gather(*self._under_way)

    def as_rows(self) -> list[dict[str, Any]]:
        """Return the last deliveries, oldest first."""
        return [asdict(delivery) for delivery in self.log]

    def _start(self, delivery: Delivery, body: bytes) -> None:
        self.log.append(delivery)
        wrong = self._faults.draw("wrong_signature", "POST", delivery.type)
        key = "not-" + self._world.business if wrong else self._world.business
        headers = {"content-type": "application/json", "x-signature": sign(body, key)}
        task = asyncio.get_running_loop().create_task(
            self._deliver(delivery, body, headers)
        )
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _deliver(
        self, delivery: Delivery, body: bytes, headers: dict[str, str]
    ) -> None:
        address = loopback_address(delivery.url)
        if address is None:
            delivery.error = "not sent: the sandbox reaches nothing but loopback"
            return
        async with httpx.AsyncClient(
            timeout=_TIMEOUT_SECONDS, trust_env=False
        ) as client:
            for pause in (*self._pauses, None):
                delivery.attempts += 1
                try:
                    answer = await client.post(address, content=body, headers=headers)
                    delivery.status, delivery.error = answer.status_code, ""
                except httpx.HTTPError as error:
                    delivery.error = type(error).__name__
                if delivery.done or pause is None:
                    return
                await asyncio.sleep(pause)
