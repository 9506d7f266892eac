"""Reading the escrow service: agreements, customers, webhooks.

Source: document 1, Endpoints. What changes something is in the modules of sending.
"""

from recon.api.answers import Answer
from recon.api.client import Client
from recon.api.lists import list_page
from recon.api.paging import ListPage
from recon.api.paths import ESCROW, record_segment
from recon.records import envelopes, escrow
from recon.records.decoding import Decoded
from recon.records.escrow import Agreement, Customer, Webhook
from recon.records.lists import PlainList


class EscrowReads:
    """The questions that the escrow service answers."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def agreements(self, page: int) -> ListPage[Agreement]:
        """Return one page of the agreements."""
        path = f"{ESCROW}/agreements"
        return await list_page(self._client, path, page, escrow.agreement_list)

    async def agreement(self, tracking_code: str) -> Answer[Agreement]:
        """Return one agreement."""
        return await self._client.read(
            "GET",
            f"{ESCROW}/agreements/{record_segment(tracking_code)}",
            decode=envelopes.about(
                tracking_code,
                lambda agreement: agreement.tracking_code,
                escrow.agreement_answer,
            ),
        )

    async def customers(self, page: int) -> ListPage[Customer]:
        """Return one page of the customers."""
        path = f"{ESCROW}/customers"
        return await list_page(self._client, path, page, escrow.customer_list)

    async def customer(self, uid: str) -> Answer[Customer]:
        """Return one customer; Refused with `user_not_found` if there is none."""
        return await self._client.read(
            "GET",
            f"{ESCROW}/customers/{record_segment(uid)}",
            decode=escrow.customer_answer,
        )

    async def webhooks(self) -> Answer[Decoded[PlainList[Webhook]]]:
        """Return every webhook."""
        path = f"{ESCROW}/webhooks"
        return await self._client.read("GET", path, decode=escrow.webhook_list)

    async def webhook(self, webhook_id: str) -> Answer[Webhook]:
        """Return one webhook."""
        return await self._client.read(
            "GET",
            f"{ESCROW}/webhooks/{record_segment(webhook_id)}",
            decode=escrow.webhook_answer,
        )
