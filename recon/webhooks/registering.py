"""The provider's webhook records, kept in step with where the receiver is reached.

Source: document 1, Webhooks. Reads first, changes only what differs, and reads again
what it changed: done twice, it does nothing.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import httpx

from recon.api.client import Client
from recon.api.escrow import EscrowReads
from recon.api.redaction import Redaction
from recon.api.webhooks import Webhooks
from recon.errors import SettingsError, Unavailable, UsageError
from recon.records import limits
from recon.records.escrow import Webhook
from recon.records.orders import EVENT_SLUGS
from recon.settings import Settings

Transport: TypeAlias = httpx.AsyncBaseTransport | None
_DONE = {
    "create": "made webhook",
    "update": "mended webhook",
    "remove": "removed webhook",
    "none": "nothing to do for webhook",
}
_PLANNED = {
    "create": "would make a webhook",
    "update": "would mend webhook",
    "remove": "would remove webhook",
    "none": "nothing to do for webhook",
}


@dataclass(frozen=True)
class Registered:
    """A webhook as the provider has it; `missing` are documented events it lacks."""

    id: str
    url: str
    is_active: bool
    events: list[str]
    missing: list[str]

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Change:
    """What was done about a webhook: create, update, remove or none.

    With `dry_run` it is what would be done. `id` is empty while it has none.
    """

    action: str
    id: str
    url: str
    dry_run: bool

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        return asdict(self)

    def line(self) -> str:
        """Return it as a line for people."""
        words = _PLANNED if self.dry_run else _DONE
        name = f" {self.id}" if self.id else ""
        return f"{words[self.action]}{name}: {self.url}"


async def list_all(
    settings: Settings, *, transport: Transport = None
) -> list[Registered]:
    """Return every webhook that the provider has."""
    async with _client(settings, transport) as client:
        return await _read(client)


async def register(
    settings: Settings, url: str, *, dry_run: bool = False, transport: Transport = None
) -> list[Change]:
    """Have all documented events sent to an https address.

    The first webhook of that address is mended where it is switched off or misses an
    event; where there is none, one is made. Webhooks of other addresses stay. Raises
    Unavailable where the provider did not keep what it was told.
    """
    limits.address("url", url, https=True)
    async with _client(settings, transport) as client:
        same = [each for each in await _read(client) if each.url == url]
        fit = next((each for each in same if each.is_active and not each.missing), None)
        if fit is not None:
            return [Change("none", fit.id, url, dry_run)]
        action = "update" if same else "create"
        webhook_id = same[0].id if same else ""
        if not dry_run:
            webhook_id = await _subscribe(client, webhook_id, url)
        return [Change(action, webhook_id, url, dry_run)]


async def remove(
    settings: Settings,
    *,
    webhook_id: str | None = None,
    url: str | None = None,
    dry_run: bool = False,
    transport: Transport = None,
) -> list[Change]:
    """Remove a webhook by its id, or all of an address; UsageError if there is none."""
    if (webhook_id is None) == (url is None):
        raise UsageError("name one webhook by its id, or all of an address by --url")
    async with _client(settings, transport) as client:
        found = [
            each
            for each in await _read(client)
            if each.id == webhook_id or each.url == url
        ]
        if not found:
            raise UsageError(f"the provider has no webhook {webhook_id or url}")
        for each in found:
            if not dry_run:
                await Webhooks(client).delete(each.id)
        return [Change("remove", each.id, each.url, dry_run) for each in found]


async def _subscribe(client: Client, webhook_id: str, url: str) -> str:
    """Make or mend a webhook, and see that the provider kept it; returns its id."""
    slugs = sorted(EVENT_SLUGS)
    if webhook_id:
        await Webhooks(client).update(webhook_id, url=url, is_active=True, events=slugs)
    else:
        made = await Webhooks(client).create(url, slugs)
        webhook_id = made.id or ""
    kept = _registered((await EscrowReads(client).webhook(webhook_id)).value)
    if not kept.is_active or kept.missing or kept.url != url:
        lacks = ", ".join(kept.missing) or "it is switched off or has another address"
        raise Unavailable(f"webhook {webhook_id} was not kept as asked: {lacks}")
    return webhook_id


async def _read(client: Client) -> list[Registered]:
    answer = await EscrowReads(client).webhooks()
    return [_registered(each) for each in answer.value.value.data]


def _registered(webhook: Webhook) -> Registered:
    return Registered(
        id=webhook.id or "",
        url=webhook.url,
        is_active=webhook.is_active,
        events=sorted(webhook.slugs),
        missing=sorted(EVENT_SLUGS - set(webhook.slugs)),
    )


@asynccontextmanager
async def _client(settings: Settings, transport: Transport) -> AsyncIterator[Client]:
    if settings.escrow is None:
        raise SettingsError("the section escrow is absent: webhooks belong to it")
    async with Client(
        settings.escrow,
        settings.http,
        limits=settings.limits,
        transport=transport,
        redaction=Redaction.of(settings),
    ) as client:
        yield client
