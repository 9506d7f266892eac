"""The hosted page's checkouts, looked up by the ids that the business got."""

from typing import Any

from recon.api.answers import Answer
from recon.api.hosted import read_checkout
from recon.journal import hosted_requests
from recon.pull.lookups import Lookup, Register, look_up
from recon.pull.pulling import Found, Pulling
from recon.records.hosted import HostedCheckout, HostedStatus

NAME = "hosted_checkouts"
SECTION = "hosted"
TABLE = "hosted_checkouts"

_FINAL = frozenset({HostedStatus.SUCCEED.value, HostedStatus.FAILED.value})
_STATUSES = frozenset(status.value for status in HostedStatus)

REGISTER = Register(
    sent_table="hosted_requests",
    sent_key="checkout_id",
    table=TABLE,
    key="id",
    state="status",
    final=_FINAL,
    paid=HostedStatus.SUCCEED.value,
    journaled=hosted_requests,
)


async def fetch(pulling: Pulling) -> Found:
    """Look up every checkout of the journal and of imports that is not final."""

    async def ask(checkout_id: str) -> tuple[dict[str, Any], Answer[HostedCheckout]]:
        answer = await read_checkout(pulling.client, checkout_id)
        checkout = answer.value
        pulling.keeper.note_unknown(
            {f"HostedCheckout.{name}": 1 for name in checkout.extra}
        )
        pulling.keeper.note_states("hosted.status", [checkout.status], _STATUSES)
        return checkout_row(checkout, checkout_id), answer

    asked = pulling.client.address("")
    return await look_up(
        pulling, Lookup(REGISTER, ask, asked, named=lambda checkout: checkout.id)
    )


def checkout_row(checkout: HostedCheckout, checkout_id: str) -> dict[str, Any]:
    """Return a checkout, asked for by its id, as a row; amounts in rials."""
    return {
        "id": checkout_id,
        "amount": checkout.amount,
        "wage": checkout.wage,
        "status": checkout.status,
        "checkout_number": checkout.checkout_number,
        "description": checkout.description,
        "created_at": checkout.created_at,
    }
