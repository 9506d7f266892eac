"""Customers and tickets of the escrow service: made known, problems reported.

Neither moves money, so neither is journaled; both are sent once. Source: document 1,
Customers and Tickets.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from recon.api.answers import any_json
from recon.api.client import Client
from recon.api.paths import ESCROW
from recon.records import envelopes, limits, orders, scalars

_CUSTOMERS_PATH = f"{ESCROW}/customers"
_TICKETS_PATH = f"{ESCROW}/tickets"


@dataclass(frozen=True, kw_only=True)
class Ticket:
    """A problem as registered, with the button that leads the reporter back."""

    ticket_uid: str
    button_link: str | None
    button_text: str | None


class Customers:
    """The parties that a business makes known before they trade."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def create(
        self,
        *,
        first_name: str,
        last_name: str,
        national_code: str,
        mobile: str,
        birth_date: str,
    ) -> str:
        """Make a person known; returns the provider's message (it gives no `uid`).

        `birth_date` is eight digits: year, month, day.
        """
        body = {
            "first_name": limits.text("first_name", first_name),
            "last_name": limits.text("last_name", last_name),
            "national_code": limits.text("national_code", national_code),
            "mobile": limits.mobile("mobile", mobile),
            "birth_date": limits.birth_date("birth_date", birth_date),
        }
        answer = await self._client.send(
            "POST", _CUSTOMERS_PATH, json=body, decode=envelopes.message
        )
        return answer.value


class Tickets:
    """Problems that a party reports about an agreement."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def create(
        self,
        *,
        agreement_tracking_code: str,
        reporter_mobile: str,
        ticket_type_slug: str,
        redirect_url: str,
        description: str,
        callback: str,
        attachments: Sequence[str] | None = None,
    ) -> Ticket:
        """Report a problem; the agreement may move to `investigation`.

        Unknown: what `callback` means; the contract only lists it as required.
        Unknown: that the field is `reporter_mobile`; its table says `reporter`.
        """
        body: dict[str, object] = {
            "agreement_tracking_code": limits.text(
                "agreement_tracking_code", agreement_tracking_code
            ),
            "reporter_mobile": limits.mobile("reporter_mobile", reporter_mobile),
            "ticket_type_slug": limits.one_of(
                "ticket_type_slug", ticket_type_slug, orders.TICKET_TYPES
            ),
            "redirect_url": limits.address("redirect_url", redirect_url),
            "description": limits.text("description", description),
            "callback": limits.text("callback", callback),
        }
        if attachments is not None:
            body["attachments"] = limits.many("attachments", attachments, 0)
        answer = await self._client.send(
            "POST", _TICKETS_PATH, json=body, decode=_ticket
        )
        return answer.value


def _ticket(body: bytes) -> Ticket:
    data = scalars.mapping(scalars.mapping(any_json(body)).get("data"))
    button = scalars.mapping(data.get("button") or {})
    return Ticket(
        ticket_uid=scalars.required_code(data.get("ticket_uid")),
        button_link=scalars.text(button.get("link")),
        button_text=scalars.text(button.get("text")),
    )
