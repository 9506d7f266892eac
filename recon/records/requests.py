"""What the business sent: requests that move money or are answered only once.

The journal keeps them; the clients write them there before they are sent.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """What is known about a request.

    OPEN is written before sending and lasts only while its sender lives, an hour at
    most. NOT_SENT and REFUSED moved nothing; ANSWERED is a success with its body.
    UNKNOWN ended without a clear answer; a later look-up turns it into DONE or
    UNDONE, or leaves it as it is.
    """

    OPEN = "open"
    NOT_SENT = "not_sent"
    REFUSED = "refused"
    ANSWERED = "answered"
    UNKNOWN = "unknown"
    DONE = "done"
    UNDONE = "undone"


class Operation(StrEnum):
    """The requests that are journaled, named by what they do."""

    DEPOSIT = "deposit"
    GATEWAY_SEND = "gateway_send"
    GATEWAY_VERIFY = "gateway_verify"
    HOSTED_SEND = "hosted_send"
    HOSTED_VERIFY = "hosted_verify"
    MANDATE_CONFIRM = "mandate_confirm"
    CHECKOUT_CREATE = "checkout_create"
    PAYMENT_VERIFY = "payment_verify"
    AGREEMENT_CREATE = "agreement_create"
    AGREEMENT_APPROVE = "agreement_approve"
    AGREEMENT_REJECT = "agreement_reject"
    AGREEMENT_FINALIZE = "agreement_finalize"
    AGREEMENT_CANCEL = "agreement_cancel"


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request with the newest that is known about it.

    `subject` is what it is about, by the contract's own identifier (a deposit's
    `track_id`, a token, a payment's id …); `body` is what was sent, without
    credentials; `answer` is the response body as received. Instants are UTC.
    """

    number: int
    operation: str
    subject: str
    body: Mapping[str, Any]
    began_at: datetime
    outcome: Outcome = Outcome.OPEN
    ended_at: datetime | None = None
    status: int | None = None
    answer: bytes = field(default=b"", repr=False)
    note: str = ""
