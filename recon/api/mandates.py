"""Mandates: asked for, confirmed once, revoked.

Source: document 3, Mandates.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from recon.api.answers import any_json
from recon.api.client import Client
from recon.api.paths import of_unified, segment
from recon.api.sending import Journal, Sender
from recon.errors import Refused, Unauthenticated
from recon.records import limits, scalars, unified
from recon.records.orders import Payer
from recon.records.requests import Operation
from recon.records.unified import Mandate

_CONFIRMED = "mandate_already_activated"
_REVOKED = "mandate_already_revoked"


@dataclass(frozen=True, kw_only=True)
class MandateRequest:
    """A mandate that waits for its customer, who is sent to `page_address`."""

    token: str
    page_address: str


class Mandates:
    """What asks for, confirms and revokes permissions to withdraw."""

    def __init__(
        self, client: Client, journal: Journal, business: str, page_url: str
    ) -> None:
        self._client = client
        self._sender = Sender(client, journal)
        self._path = f"{of_unified(business)}/mandates"
        self._page_url = page_url

    async def request(
        self,
        *,
        payment_method: str,
        count: int,
        limit: int,
        expires_at: datetime | int,
        callback_url: str,
        customer: Payer,
    ) -> MandateRequest:
        """Ask for at most `count` withdrawals a month of at most `limit` rials each.

        `expires_at` is a datetime with a zone or Unix seconds, in the future.
        """
        body = {
            "payment_method": limits.text("payment_method", payment_method),
            "count": limits.count("count", count),
            "limit": limits.rials("limit", limit),
            "expires_at": limits.future("expires_at", expires_at, datetime.now(UTC)),
            "callback_url": limits.address("callback_url", callback_url),
            "customer": customer.wire("customer"),
        }
        answer = await self._client.send("POST", self._path, json=body, decode=_token)
        token = answer.value
        return MandateRequest(token=token, page_address=self.page_address(token))

    def page_address(self, token: str) -> str:
        """Return the address to send the customer's browser to."""
        return f"{self._page_url}/mandates/{segment(token)}"

    async def confirm(self, mandate_id: str, *, again: bool = False) -> Mandate:
        """Confirm a mandate that its customer gave; it counts once.

        Raises Refused with the code `mandate_already_activated` or
        `mandate_already_revoked`. `again` asks for it where an earlier outcome is
        unknown, and the former code then settles that.
        """
        try:
            return await self._sender.once(
                Operation.MANDATE_CONFIRM,
                limits.text("mandate_id", mandate_id),
                "PATCH",
                f"{self._path}/{segment(mandate_id)}",
                decode=unified.mandate_answer,
                again=again,
                proof=lambda refusal: refusal.code == _CONFIRMED,
                noted={"mandate_id": mandate_id},
            )
        except Unauthenticated as error:
            # A 403 that speaks of the mandate is not one that speaks of the key.
            if error.code not in (_CONFIRMED, _REVOKED):
                raise
            raise Refused(
                str(error), status=error.status, code=error.code, errors=error.errors
            ) from None

    async def revoke(self, mandate_id: str) -> Mandate:
        """Take a mandate back; returns it with `revoked_at`."""
        answer = await self._client.send(
            "DELETE",
            f"{self._path}/{segment(mandate_id)}",
            decode=unified.mandate_answer,
        )
        return answer.value


def _token(body: bytes) -> str:
    data = scalars.mapping(scalars.mapping(any_json(body)).get("data"))
    return scalars.required_code(data.get("token"))
