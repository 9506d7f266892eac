"""Checkouts of the unified service: made in three types, paid, verified.

Source: document 3, Checkouts and payments.
"""

import uuid
from typing import Any

from recon.api.client import Client
from recon.api.paths import of_unified, segment
from recon.api.sending import Journal, Sender
from recon.records import limits, unified
from recon.records.orders import Payer, masked
from recon.records.requests import Operation
from recon.records.unified import Checkout, Payment


class Checkouts:
    """What makes checkouts of one business and verifies their payments.

    Where no `request_id` is given, a random one is sent: it is what keeps a checkout
    from being made twice, and what a lost one is found by.
    """

    def __init__(
        self, client: Client, journal: Journal, business: str, page_url: str
    ) -> None:
        self._sender = Sender(client, journal)
        self._base = of_unified(business)
        self._page_url = page_url

    async def create_debit(
        self,
        *,
        payment_method: str,
        amount: int,
        mandate_id: str,
        request_id: str | None = None,
        checkout_number: str | None = None,
        description: str | None = None,
        again: bool = False,
    ) -> Checkout:
        """Withdraw `amount` rials under a mandate. The money moves with this call."""
        body = _body("debit", payment_method, amount, checkout_number, description)
        body["debit"] = {"mandate_id": limits.text("debit.mandate_id", mandate_id)}
        return await self._create(body, request_id, again=again)

    async def create_credit(
        self,
        *,
        payment_method: str,
        amount: int,
        callback_url: str,
        customer: Payer,
        request_id: str | None = None,
        checkout_number: str | None = None,
        description: str | None = None,
        again: bool = False,
    ) -> Checkout:
        """Make a checkout over `amount` rials that a customer pays on credit.

        Send the customer to `page_address` of the id of its payment.
        """
        body = _body("credit", payment_method, amount, checkout_number, description)
        body["credit"] = _visit("credit", callback_url, customer)
        return await self._create(body, request_id, again=again)

    async def create_card(
        self,
        *,
        payment_method: str,
        amount: int,
        callback_url: str,
        customer: Payer,
        valid_card_number: str | None = None,
        request_id: str | None = None,
        checkout_number: str | None = None,
        description: str | None = None,
        again: bool = False,
    ) -> Checkout:
        """Make a checkout over `amount` rials that a customer pays by card.

        With `valid_card_number`, only that card can pay. Unknown: the field's name;
        its description calls it `valid_card_numbers`.
        """
        body = _body("card", payment_method, amount, checkout_number, description)
        body["card"] = _visit("card", callback_url, customer)
        if valid_card_number is not None:
            name = "card.valid_card_number"
            body["card"]["valid_card_number"] = limits.text(name, valid_card_number)
        return await self._create(body, request_id, again=again)

    def page_address(self, payment_id: str) -> str:
        """Return the address to send the customer's browser to, to pay."""
        return f"{self._page_url}/payments/{segment(payment_id)}/pay"

    async def verify(self, payment_id: str, *, again: bool = False) -> Payment:
        """Confirm a payment by credit or card whose customer came back.

        A payment verified before is refused unasked; `again` asks for it.
        """
        return await self._sender.once(
            Operation.PAYMENT_VERIFY,
            limits.text("payment_id", payment_id),
            "PATCH",
            f"{self._base}/payments/{segment(payment_id)}",
            decode=unified.payment_answer,
            again=again,
            noted={"payment_id": payment_id},
        )

    async def _create(
        self, body: dict[str, Any], request_id: str | None, *, again: bool
    ) -> Checkout:
        subject = str(uuid.uuid4()) if request_id is None else request_id
        body["request_id"] = limits.text("request_id", subject)
        return await self._sender.once(
            Operation.CHECKOUT_CREATE,
            subject,
            "POST",
            f"{self._base}/checkouts",
            json=body,
            decode=unified.checkout_answer,
            again=again,
            noted=_masked_card(body),
        )


def _body(
    kind: str,
    payment_method: str,
    amount: int,
    checkout_number: str | None,
    description: str | None,
) -> dict[str, Any]:
    body: dict[str, Any] = {
        "type": kind,
        "payment_method": limits.text("payment_method", payment_method),
        "amount": limits.rials("amount", amount),
    }
    if checkout_number is not None:
        body["checkout_number"] = limits.text("checkout_number", checkout_number)
    if description is not None:
        body["description"] = limits.text("description", description)
    return body


def _masked_card(body: dict[str, Any]) -> dict[str, Any]:
    """Return what the journal keeps of a card: its whole number is not stored."""
    card = body.get("card", {})
    if "valid_card_number" not in card:
        return {}
    return {"card": card | {"valid_card_number": masked(card["valid_card_number"])}}


def _visit(field: str, callback_url: str, customer: Payer) -> dict[str, Any]:
    """Return what a customer's visit to the payment page needs."""
    return {
        "callback_url": limits.address(f"{field}.callback_url", callback_url),
        "customer": customer.wire(f"{field}.customer"),
    }
