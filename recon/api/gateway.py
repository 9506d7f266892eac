"""The card gateway, version 3: send, redirect, look, verify.

Source: document 2, part B.
"""

from collections.abc import Sequence
from datetime import tzinfo
from typing import Any

from recon.api.answers import Answer, any_json
from recon.api.client import Client
from recon.api.paths import segment
from recon.api.sending import Journal, Sender
from recon.errors import Refused
from recon.records import gateway as records
from recon.records import limits
from recon.records.gateway import GatewayTransaction, GatewayVerification
from recon.records.orders import masked
from recon.records.requests import Operation, Outcome

_SUCCEEDED = 1  # the field `status` of every answer
_ALREADY_VERIFIED = "2"
_FAILED_CODES = frozenset({"0", "3", "4"})  # of a transaction: wrong, expired, failed


class Gateway:
    """The gateway of one key. `zone` is that of its times, which carry none.

    `approved_domain` is the domain of the gateway's address as approved in the
    dashboard; where it is given, a callback elsewhere is refused before it is sent.
    """

    def __init__(
        self,
        client: Client,
        journal: Journal,
        *,
        base_url: str,
        zone: tzinfo,
        approved_domain: str = "",
    ) -> None:
        self._client = client
        self._base_url = base_url
        self._sender = Sender(client, journal)
        self._zone = zone
        self._approved_domain = approved_domain

    async def send(
        self,
        amount: int,
        callback_url: str,
        *,
        mobile_number: str | None = None,
        factor_number: str | None = None,
        description: str | None = None,
        national_code: str | None = None,
        valid_card_number: str | Sequence[str] | None = None,
        port: str | None = None,
        comment: str | None = None,
    ) -> str:
        """Announce a payment of `amount` rials; returns its token (step 1).

        Raises WrongInput, which names the field, and the errors of sending.
        """
        body = _send_body(
            {
                "amount": amount,
                "callback_url": callback_url,
                "mobile_number": mobile_number,
                "factorNumber": factor_number,
                "description": description,
                "national_code": national_code,
                "valid_card_number": valid_card_number,
                "port": port,
                "comment": comment,
            },
            self._approved_domain,
        )
        return await self._sender.once(
            Operation.GATEWAY_SEND,
            "",
            "POST",
            "/api/v3/send",
            json=body,
            decode=lambda answer: records.token_of(_success(answer)),
            noted=_masked_cards(body),
        )

    def page_address(self, token: str) -> str:
        """Return the address to send the payer's browser to (step 2)."""
        return f"{self._base_url}/v3/{segment(token)}"

    async def transaction(self, token: str) -> GatewayTransaction:
        """Look a payment up (step 3); changes nothing, so it is retried.

        Raises Refused where the gateway does not know the token or the payment failed.
        """
        return (await read_transaction(self._client, token, self._zone)).value

    async def verify(self, token: str, *, again: bool = False) -> GatewayVerification:
        """Confirm a payment (step 4). It answers once; unverified, it is paid back.

        A token verified before is refused unasked. `again` asks for it: where the
        earlier outcome is unknown, the gateway's word that it was announced already
        settles it.
        """
        return await self._sender.once(
            Operation.GATEWAY_VERIFY,
            limits.text("token", token),
            "POST",
            "/api/v3/verify",
            json={"token": token},
            decode=lambda answer: records.verification(
                _success(answer), token, self._zone
            ),
            again=again,
            proof=_already_verified,
        )

    def kept_verification(self, token: str) -> GatewayVerification | None:
        """Return the answer of an earlier `verify` that the journal holds, if any.

        The gateway does not give it again: this is for a payer who comes back twice.
        """
        for request in self._sender.journal.requests(Operation.GATEWAY_VERIFY, token):
            if request.outcome is Outcome.ANSWERED:
                wire = _success(request.answer)
                return records.verification(wire, token, self._zone)
        return None


async def read_transaction(
    client: Client, token: str, zone: tzinfo
) -> Answer[GatewayTransaction]:
    """Look a payment up, with the answer that says so as evidence.

    Raises Refused where the gateway does not know the token or the payment failed.
    """
    return await client.read(
        "POST",
        "/api/v3/transaction",
        json={"token": limits.text("token", token)},
        decode=lambda answer: records.transaction(_transaction(answer), token, zone),
    )


def _send_body(fields: dict[str, Any], domain: str) -> dict[str, Any]:
    """Check the fields of step 1 and drop the absent ones."""
    body = {name: value for name, value in fields.items() if value is not None}
    limits.rials("amount", body.get("amount", 0), limits.GATEWAY_LEAST)
    limits.address("callback_url", body.get("callback_url", ""), domain=domain)
    for name in ("mobile_number", "factorNumber", "national_code", "comment"):
        if name in body:
            limits.text(name, body[name])
    if "description" in body:
        limits.text("description", body["description"], limits.DESCRIPTION_MOST)
    if "valid_card_number" in body:
        body["valid_card_number"] = limits.cards(
            "valid_card_number", body["valid_card_number"]
        )
    if "port" in body and limits.text("port", body["port"]) != body["port"].upper():
        raise limits.WrongInput("port", "an upper-case name")
    if "national_code" in body and "mobile_number" not in body:
        raise limits.WrongInput(
            "mobile_number", "given with national_code: the mobile of the same person"
        )
    return body


def _masked_cards(body: dict[str, Any]) -> dict[str, Any]:
    """Return what the journal keeps of the cards: whole numbers are not stored."""
    cards = body.get("valid_card_number")
    if cards is None:
        return {}
    if isinstance(cards, str):
        return {"valid_card_number": masked(cards)}
    return {"valid_card_number": [masked(card) for card in cards]}


def _success(answer: bytes) -> Any:
    """Read an answer of the 200 family; ValueError where its own status denies it."""
    wire = any_json(answer)
    if isinstance(wire, dict) and wire.get("status") not in (_SUCCEEDED, "1"):
        raise ValueError(f"status {wire.get('status')!r} instead of {_SUCCEEDED}")
    return wire


def _transaction(answer: bytes) -> Any:
    """Read the answer of step 3, of which `status` may be 0: its own code says why.

    Of a transaction that waits or is confirmed it cannot be: that is no answer.
    """
    wire = any_json(answer)
    is_failed = isinstance(wire, dict) and str(wire.get("code")) in _FAILED_CODES
    if is_failed and not wire.get("errors"):
        return wire
    return _success(answer)


def _already_verified(refusal: Refused) -> bool:
    return refusal.code == _ALREADY_VERIFIED
