"""Agreements of the escrow service: made, approved, finalized, cancelled.

Source: document 1, Agreements.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from recon.api.client import Client, Decode
from recon.api.paths import ESCROW, segment
from recon.api.sending import Journal, Sender
from recon.records import envelopes, escrow, limits, orders
from recon.records.escrow import Agreement
from recon.records.orders import TradeItem, TradeParty
from recon.records.requests import Operation

_PATH = f"{ESCROW}/agreements"

Value = TypeVar("Value")


class Agreements:
    """What changes agreements. Every one is journaled: they hold other people's money.

    Where an earlier outcome is unknown, the same is sent once more only with `again`.
    """

    def __init__(self, client: Client, journal: Journal) -> None:
        self._sender = Sender(client, journal)

    async def create(
        self,
        *,
        trace_id: str,
        redirect_url: str,
        description: str,
        creator: str,
        deposit_price: int,
        payer: str,
        payment_method: str,
        parties: Sequence[TradeParty],
        items: Sequence[TradeItem],
        again: bool = False,
    ) -> Agreement:
        """Make a draft over `deposit_price` rials; returns it as created.

        `creator` and `payer` are `buyer` or `seller`, `payment_method` is `full-pay`
        or `pre-pay`. The answer has neither `amount` nor `items`.
        """
        body = {
            "trace_id": limits.text("trace_id", trace_id),
            "currency_code": "IRR",
            "redirect_url": limits.address("redirect_url", redirect_url),
            "description": limits.text("description", description),
            "creator": limits.one_of("creator", creator, orders.ROLES),
            "deposit_price": limits.rials("deposit_price", deposit_price),
            "payer": limits.one_of("payer", payer, orders.ROLES),
            "payment_method": limits.one_of(
                "payment_method", payment_method, orders.PAYMENT_PLANS
            ),
            "parties": _wired("parties", parties),
            "items": _wired("items", items),
        }
        return await self._sender.once(
            Operation.AGREEMENT_CREATE,
            trace_id,
            "POST",
            _PATH,
            json=body,
            decode=escrow.agreement_answer,
            again=again,
        )

    async def approve(
        self, tracking_code: str, applicant_mobile: str, *, again: bool = False
    ) -> str:
        """Approve a draft for a party; returns the buyer's payment link."""
        return await self._change(
            Operation.AGREEMENT_APPROVE,
            tracking_code,
            "",
            {"action": "agree", **_mobile("applicant_mobile", applicant_mobile)},
            envelopes.field_of_data("web_view_link", str),
            again=again,
        )

    async def reject(
        self, tracking_code: str, applicant_mobile: str, *, again: bool = False
    ) -> str:
        """Reject a draft for a party; returns the provider's message."""
        return await self._change(
            Operation.AGREEMENT_REJECT,
            tracking_code,
            "",
            {"action": "reject", **_mobile("applicant_mobile", applicant_mobile)},
            envelopes.message,
            again=again,
        )

    async def finalize(
        self, tracking_code: str, buyer_mobile: str, *, again: bool = False
    ) -> None:
        """Finish a paid agreement: its amount goes to the seller."""
        await self._change(
            Operation.AGREEMENT_FINALIZE,
            tracking_code,
            "/finalize",
            _mobile("buyer_mobile", buyer_mobile),
            _must_be_true("is_finalized"),
            again=again,
        )

    async def cancel(
        self, tracking_code: str, applicant_mobile: str, *, again: bool = False
    ) -> None:
        """Cancel an agreement: what the buyer paid goes back to the buyer."""
        await self._change(
            Operation.AGREEMENT_CANCEL,
            tracking_code,
            "/cancel",
            _mobile("applicant_mobile", applicant_mobile),
            _must_be_true("is_canceled"),
            again=again,
        )

    async def _change(
        self,
        operation: Operation,
        tracking_code: str,
        path: str,
        body: dict[str, Any],
        decode: Decode[Value],
        *,
        again: bool,
    ) -> Value:
        code = limits.text("tracking_code", tracking_code)
        # Both parties may approve, or one after the other cancel: each is its own.
        mobile = body.get("applicant_mobile") or body["buyer_mobile"]
        return await self._sender.once(
            operation,
            f"{code} {mobile}",
            "POST",
            f"{_PATH}/{segment(code)}{path}",
            json=body,
            decode=decode,
            again=again,
            noted={"tracking_code": code},
        )


def _wired(field: str, parts: Sequence[TradeParty | TradeItem]) -> list[Any]:
    if not parts:
        raise limits.WrongInput(field, "a list of at least 1")
    return [part.wire(f"{field}.{place}") for place, part in enumerate(parts)]


def _mobile(field: str, value: str) -> dict[str, str]:
    return {field: limits.mobile(field, value)}


def _must_be_true(name: str) -> Decode[None]:
    read = envelopes.field_of_data(name, bool)

    def must_be_true(body: bytes) -> None:
        if not read(body):
            raise ValueError(f"{name} is not true")

    return must_be_true
