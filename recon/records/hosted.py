"""What the hosted one-click page answers: a token and a checkout.

Amounts are rials, instants UTC. Source: document 2, part C.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from recon.records import scalars


class HostedStatus(StrEnum):
    """The documented states of a hosted checkout; others are kept as plain texts."""

    INIT = "INIT"
    PENDING_VERIFY = "PENDING_VERIFY"
    SUCCEED = "SUCCEED"
    FAILED = "FAILED"


@dataclass(frozen=True, kw_only=True)
class HostedCheckout:
    """One hosted checkout, as inquired.

    `amount` is what the customer pays: where the customer bears the fee, it includes
    `wage`. `extra` keeps the fields that the contract does not name.
    """

    id: str
    amount: int | None
    wage: int | None
    status: str
    checkout_number: str | None
    description: str | None
    created_at: datetime | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False)


_KNOWN = {
    "id",
    "amount",
    "wage",
    "status",
    "checkout_number",
    "description",
    "created_at",
}


def checkout_id_of(answer: Any) -> str:
    """Read the answer of send: the token is the checkout's id. ValueError if none."""
    data = scalars.mapping(scalars.mapping(answer).get("data"))
    return scalars.required_code(data.get("token"))


def checkout(answer: Any) -> HostedCheckout:
    """Read the answer of the inquiry; ValueError on a wrong shape."""
    data = scalars.mapping(scalars.mapping(answer).get("data"))
    wire = scalars.mapping(data.get("checkout"))
    return HostedCheckout(
        id=scalars.required_code(wire.get("id")),
        amount=scalars.amount(wire.get("amount")),
        wage=scalars.amount(wire.get("wage")),
        status=scalars.required_code(wire.get("status")),
        checkout_number=scalars.code(wire.get("checkout_number")),
        description=scalars.text(wire.get("description")),
        created_at=scalars.unix_time(wire.get("created_at")),
        extra={name: value for name, value in wire.items() if name not in _KNOWN},
    )
