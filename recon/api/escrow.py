"""Reading the escrow service: agreements, customers, webhooks.

Source: document 1, Endpoints. What changes something is in the modules of sending.
"""

from recon.api.answers import Answer
from recon.api.client import Client
from recon.api.lists import list_page
from recon.api.paging import ListPage
from recon.api.paths import record_segment
from recon.records import envelopes, escrow
from recon.records.decoding import Decoded
from recon.records.escrow import Agreement, Customer, Webhook
from recon.records.lists import PlainList

_ROOT = "/escrow/api/v1"


class EscrowReads:
    """The questions that the escrow service answers."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def agreements(self, page: int) -> ListPage[Agreement]:
        """Return one page of the agreements."""
        path = f"{_ROOT}/agreements"
        return await list_page(self._client, path, page, escrow.agreement_list)

    async def agreement(self, tracking_code: str) -> Answer[Agreement]:
        """Return one agreement."""
        return await self._client.read(
            "GET",
            f"{_ROOT}/agreements/{record_segment(tracking_code)}",
            decode=envelopes.about(
                tracking_code,
                lambda agreement: agreement.tracking_code,
                lambda body: envelopes.data(body, escrow.one_agreement),
            ),
        )

    async def customers(self, page: int) -> ListPage[Customer]:
        """Return one page of the customers."""
        path = f"{_ROOT}/customers"
        return await list_page(self._client, path, page, escrow.customer_list)

    async def customer(self, uid: str) -> Answer[Customer]:
        """Return one customer; Refused with `user_not_found` if there is none."""
        return await self._client.read(
            "GET",
            f"{_ROOT}/customers/{record_segment(uid)}",
            decode=lambda body: envelopes.data(body, escrow.one_customer),
        )

    async def webhooks(self) -> Answer[Decoded[PlainList[Webhook]]]:
        """Return every webhook."""
        path = f"{_ROOT}/webhooks"
        return await self._client.read("GET", path, decode=escrow.webhook_list)

    async def webhook(self, webhook_id: str) -> Answer[Webhook]:
        """Return one webhook."""
        return await self._client.read(
            "GET",
            f"{_ROOT}/webhooks/{record_segment(webhook_id)}",
            decode=lambda body: envelopes.data(body, escrow.one_webhook),
        )
