"""What the card gateway answers: a token, a transaction, a verify result.

Amounts are rials, instants UTC. Source: document 2, part B. Its awkwardness ends
here: amounts come as digit strings, times without a zone, `CID` once and `cid` once.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from enum import IntEnum
from typing import Any

from recon.records import scalars


class TransactionCode(IntEnum):
    """The documented codes of a transaction; others are kept as plain integers."""

    WRONG = 0
    WAITING = 1
    CONFIRMED = 2
    EXPIRED = 3
    FAILED = 4


@dataclass(frozen=True, kw_only=True)
class GatewayTransaction:
    """The data of one transaction (step 3), with the token it was asked for.

    `amount` is what the payer pays: where the payer bears the fee, it includes it.
    `extra` keeps the fields that the contract does not name.
    """

    token: str
    amount: int | None
    trans_id: str | None
    refnumber: str | None
    tracking_code: str | None
    factor_number: str | None
    mobile: str | None
    description: str | None
    card_number: str | None
    card_cid: str | None
    created_at: datetime | None
    payment_date: datetime | None
    code: int
    message: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, kw_only=True)
class GatewayVerification:
    """The answer of verify (step 4), given once: the payment is confirmed.

    `real_amount` is by how much the wallet rose, `wage` the fee, `amount` what the
    payer paid.
    """

    token: str
    amount: int | None
    real_amount: int
    wage: int
    trans_id: str | None
    factor_number: str | None
    mobile: str | None
    description: str | None
    card_number: str | None
    card_cid: str | None
    payment_date: datetime | None
    message: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False)


_COMMON = frozenset(
    {
        "status",
        "amount",
        "transId",
        "factorNumber",
        "mobile",
        "description",
        "cardNumber",
        "paymentDate",
        "CID",
        "cid",
        "message",
    }
)
_TRANSACTION = _COMMON | {"refnumber", "trackingCode", "createdAt", "code"}
_VERIFICATION = _COMMON | {"realAmount", "wage"}


def token_of(answer: Any) -> str:
    """Read the answer of send (step 1); ValueError when it holds no token."""
    return scalars.required_code(scalars.mapping(answer).get("token"))


def transaction(answer: Any, token: str, zone: tzinfo) -> GatewayTransaction:
    """Read the answer of step 3; its times are local to `zone`.

    Raises ValueError on a wrong shape.
    """
    wire = scalars.mapping(answer)
    return GatewayTransaction(
        token=token,
        **_common(wire, zone),
        refnumber=scalars.code(wire.get("refnumber")),
        tracking_code=scalars.code(wire.get("trackingCode")),
        created_at=scalars.local_time(wire.get("createdAt"), zone),
        code=scalars.required_amount(wire.get("code")),
        extra=_extra(wire, _TRANSACTION),
    )


def verification(answer: Any, token: str, zone: tzinfo) -> GatewayVerification:
    """Read the answer of verify; its time is local to `zone`. ValueError likewise."""
    wire = scalars.mapping(answer)
    return GatewayVerification(
        token=token,
        **_common(wire, zone),
        real_amount=scalars.required_amount(wire.get("realAmount")),
        wage=scalars.required_amount(wire.get("wage")),
        extra=_extra(wire, _VERIFICATION),
    )


def _common(wire: Mapping[str, Any], zone: tzinfo) -> dict[str, Any]:
    return {
        "amount": scalars.amount(wire.get("amount")),
        "trans_id": scalars.code(wire.get("transId")),
        "factor_number": scalars.code(wire.get("factorNumber")),
        "mobile": scalars.code(wire.get("mobile")),
        "description": scalars.text(wire.get("description")),
        "card_number": scalars.code(wire.get("cardNumber")),
        "card_cid": scalars.code(wire.get("CID") or wire.get("cid")),
        "payment_date": scalars.local_time(wire.get("paymentDate"), zone),
        "message": scalars.text(wire.get("message")),
    }


def _extra(wire: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in wire.items() if name not in known}
