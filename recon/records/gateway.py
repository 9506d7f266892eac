"""What the card gateway answers: a token, a transaction, a verify result.

Amounts are rials, instants UTC. Source: document 2, part B. Its awkwardness ends
here: amounts come as digit strings, times without a zone, `CID` once and `cid` once.
"""

from collections.abc import Callable, Collection, Mapping
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
    payer paid. It is not given again, so a field beside `real_amount` that cannot be
    read is None here, and what was sent in it is in `extra`.
    """

    token: str
    amount: int | None
    real_amount: int
    wage: int | None
    trans_id: str | None
    factor_number: str | None
    mobile: str | None
    description: str | None
    card_number: str | None
    card_cid: str | None
    payment_date: datetime | None
    message: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False)


Reader = Callable[[Any], Any]


def token_of(answer: Any) -> str:
    """Read the answer of send (step 1); ValueError when it holds no token."""
    return scalars.required_code(scalars.mapping(answer).get("token"))


def transaction(answer: Any, token: str, zone: tzinfo) -> GatewayTransaction:
    """Read the answer of step 3; its times are local to `zone`.

    Raises ValueError on a wrong shape.
    """
    wire = _with_one_cid(scalars.mapping(answer))
    read = _common(zone) | {
        "refnumber": ("refnumber", scalars.code),
        "trackingCode": ("tracking_code", scalars.code),
        "createdAt": ("created_at", _time(zone)),
        "code": ("code", scalars.required_amount),
    }
    fields = {name: reader(wire.get(key)) for key, (name, reader) in read.items()}
    return GatewayTransaction(token=token, **fields, extra=_extra(wire, read))


def verification(answer: Any, token: str, zone: tzinfo) -> GatewayVerification:
    """Read the answer of verify; its time is local to `zone`.

    Raises ValueError where it does not say by how much the wallet rose.
    """
    wire = _with_one_cid(scalars.mapping(answer))
    read = _common(zone) | {
        "wage": ("wage", scalars.amount),
    }
    extra = _extra(wire, {*read, "realAmount"})
    fields: dict[str, Any] = {}
    for key, (name, reader) in read.items():
        try:
            fields[name] = reader(wire.get(key))
        except ValueError:
            fields[name], extra[key] = None, wire[key]
    return GatewayVerification(
        token=token,
        real_amount=scalars.required_amount(wire.get("realAmount")),
        **fields,
        extra=extra,
    )


def _common(zone: tzinfo) -> dict[str, tuple[str, Reader]]:
    """Return the fields of both answers: their names here, and how each is read."""
    return {
        "amount": ("amount", scalars.amount),
        "transId": ("trans_id", scalars.code),
        "factorNumber": ("factor_number", scalars.code),
        "mobile": ("mobile", scalars.code),
        "description": ("description", scalars.text),
        "cardNumber": ("card_number", scalars.code),
        "cid": ("card_cid", scalars.code),
        "paymentDate": ("payment_date", _time(zone)),
        "message": ("message", scalars.text),
    }


def _with_one_cid(wire: dict[str, Any]) -> dict[str, Any]:
    """Return an answer whose card hash is called `cid`: step 3 says `CID`."""
    both = {"CID", "cid"} & wire.keys()
    found = next((wire[name] for name in both if wire[name] is not None), None)
    return {name: value for name, value in wire.items() if name not in both} | (
        {"cid": found} if both else {}
    )


def _time(zone: tzinfo) -> Reader:
    return lambda value: scalars.local_time(value, zone)


def _extra(wire: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    named = {"status", *known}
    return {name: value for name, value in wire.items() if name not in named}
