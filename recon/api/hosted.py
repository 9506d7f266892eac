"""The hosted one-click page: send, redirect, inquire, verify.

Source: document 2, part C.
"""

from typing import Any

from recon.api.answers import Answer, any_json
from recon.api.client import Client
from recon.api.paths import record_segment, segment
from recon.api.sending import Journal, Sender
from recon.records import envelopes, limits
from recon.records import hosted as records
from recon.records.hosted import HostedCheckout
from recon.records.requests import Operation


class Hosted:
    """The hosted service of one key; `page_url` is the host of its page.

    `approved_domain` is the domain registered with the service; where it is given, a
    callback elsewhere is refused before it is sent.
    """

    def __init__(
        self,
        client: Client,
        journal: Journal,
        page_url: str,
        approved_domain: str = "",
    ) -> None:
        self._client = client
        self._sender = Sender(client, journal)
        self._page_url = page_url
        self._approved_domain = approved_domain

    async def send(
        self,
        amount: int,
        callback_url: str,
        *,
        mobile: str | None = None,
        national_code: str | None = None,
        checkout_number: str | None = None,
        description: str | None = None,
    ) -> str:
        """Announce a checkout of `amount` rials; returns its id, which is its token.

        Raises WrongInput, which names the field, and the errors of sending.
        """
        fields = {
            "amount": amount,
            "callback_url": callback_url,
            "mobile": mobile,
            "national_code": national_code,
            "checkout_number": checkout_number,
            "description": description,
        }
        return await self._sender.once(
            Operation.HOSTED_SEND,
            "",
            "POST",
            "/pay-with/v1/send",
            json=_send_body(fields, self._approved_domain),
            decode=lambda answer: records.checkout_id_of(any_json(answer)),
        )

    def page_address(self, checkout_id: str) -> str:
        """Return the address to send the customer's browser to."""
        return f"{self._page_url}/checkouts/{segment(checkout_id)}"

    async def inquiry(self, checkout_id: str) -> HostedCheckout:
        """Look a checkout up at any step; changes nothing, so it is retried."""
        return (await read_checkout(self._client, checkout_id)).value

    async def verify(self, checkout_id: str, *, again: bool = False) -> str:
        """Confirm a checkout; returns the provider's message.

        A checkout that is never verified counts as failed and is paid back. One that
        was verified before is refused unasked; `again` asks for it.
        """
        return await self._sender.once(
            Operation.HOSTED_VERIFY,
            limits.text("checkout_id", checkout_id),
            "POST",
            "/pay-with/v1/verify",
            json={"checkout_id": checkout_id},
            decode=envelopes.message,
            again=again,
        )


async def read_checkout(client: Client, checkout_id: str) -> Answer[HostedCheckout]:
    """Look a checkout up, with the answer that says so as evidence."""
    return await client.read(
        "GET",
        f"/pay-with/v1/checkouts/{record_segment(checkout_id)}",
        decode=lambda answer: records.checkout(any_json(answer)),
    )


def _send_body(fields: dict[str, Any], domain: str) -> dict[str, Any]:
    """Check the fields of send and drop the absent ones."""
    body = {name: value for name, value in fields.items() if value is not None}
    limits.rials("amount", body.get("amount", 0), limits.HOSTED_LEAST)
    limits.address("callback_url", body.get("callback_url", ""), domain=domain)
    for name in ("mobile", "national_code"):
        if name in body:
            limits.text(name, body[name])
    if "checkout_number" in body:
        limits.digits(
            "checkout_number", body["checkout_number"], 1, limits.CHECKOUT_NUMBER_MOST
        )
    if "description" in body:
        limits.text("description", body["description"], limits.DESCRIPTION_MOST)
    return body
