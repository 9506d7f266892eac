"""Webhooks of the escrow service: where its events are to go.

Source: document 1, Webhooks.
"""

from collections.abc import Sequence
from typing import Any

from recon.api.client import Client
from recon.api.paths import ESCROW, segment
from recon.records import envelopes, escrow, limits
from recon.records.escrow import Webhook

_PATH = f"{ESCROW}/webhooks"


class Webhooks:
    """What makes, changes and removes webhooks."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def create(self, url: str, events: Sequence[str]) -> Webhook:
        """Have events of these slugs sent to an https address; it starts active."""
        body = {
            "url": limits.address("url", url, https=True),
            "events": limits.many("events", events),
        }
        answer = await self._client.send(
            "POST",
            _PATH,
            json=body,
            decode=escrow.webhook_answer,
        )
        return answer.value

    async def update(
        self, webhook_id: str, *, url: str, is_active: bool, events: Sequence[str]
    ) -> Webhook:
        """Replace all of a webhook; returns it as answered, which has no `id`."""
        body: dict[str, Any] = {
            "url": limits.address("url", url, https=True),
            "is_active": limits.flag("is_active", is_active),
            "events": limits.many("events", events),
        }
        answer = await self._client.send(
            "PUT",
            _path(webhook_id),
            json=body,
            decode=lambda answer: escrow.one_webhook(answer).value,
        )
        return answer.value

    async def delete(self, webhook_id: str) -> str:
        """Remove a webhook; returns the provider's message. NotFound if none is."""
        answer = await self._client.send(
            "DELETE", _path(webhook_id), decode=envelopes.message
        )
        return answer.value


def _path(webhook_id: str) -> str:
    return f"{_PATH}/{segment(webhook_id)}"
