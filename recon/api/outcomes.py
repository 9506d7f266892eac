"""Looking up what became of requests whose outcome is unknown.

Only where the contract gives a way: the gateway's transaction, the hosted inquiry,
the mandate, the agreement, the checkout of a payment, and the lists for what has no
id yet. A look-up sends nothing that counts. A deposit has none:
`Deposits.deposit_again` settles it, on explicit wish.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from recon.api.paging import FetchPage
from recon.api.provider import Provider
from recon.errors import Refused, SettingsError, Unavailable
from recon.records import unified
from recon.records.escrow import Agreement
from recon.records.gateway import TransactionCode
from recon.records.hosted import HostedStatus
from recon.records.requests import Operation, Outcome, Request
from recon.records.unified import Checkout

LANDING = timedelta(minutes=2)
"""How long a request may still be taking effect after it was sent: so long, a state
that does not show it proves nothing. Unknown: the provider's own time-outs."""

_PAGES_MOST = 20

Row = TypeVar("Row")

Verdict = tuple[Outcome, str]


@dataclass(frozen=True)
class LookedUp:
    """What is now known of one request; `told` says it in words."""

    request: Request
    outcome: Outcome
    told: str


async def look_up(provider: Provider, *, now: datetime | None = None) -> list[LookedUp]:
    """Look up every request of unknown outcome, and journal what was found.

    Returns what is known of each; those still unknown are among them. A product
    without settings, a refusal and silence leave a request unknown.
    """
    present = now or datetime.now(UTC)
    found = []
    for request in provider.journal.unknown():
        outcome, told = await _verdict(provider, request)
        sent_at = _sent_by(request, present)
        if outcome is Outcome.UNDONE and present - sent_at < LANDING:
            outcome, told = Outcome.UNKNOWN, f"{told}; it may still be under way"
        if outcome is not Outcome.UNKNOWN or sent_at == present:
            provider.journal.end(request.number, outcome, note=told, at=present)
        found.append(LookedUp(request, outcome, told))
    return found


def _sent_by(request: Request, present: datetime) -> datetime:
    """Return an instant before which a request was surely sent.

    One that is dated ahead was sent by a clock that was ahead: it was sent by the time
    at which it was looked up first, which is the present where it never was.
    """
    known = (request.began_at, request.ended_at or present)
    return next((each for each in known if each <= present), present)


async def _verdict(provider: Provider, request: Request) -> Verdict:
    look = _LOOKS.get(request.operation)
    if look is None:
        return Outcome.UNKNOWN, "the contract gives no way to look it up"
    try:
        return await look(provider, request)
    except (Refused, Unavailable, SettingsError) as error:
        return Outcome.UNKNOWN, f"could not be looked up: {error}"


async def _gateway_verify(provider: Provider, request: Request) -> Verdict:
    found = await provider.gateway.transaction(request.subject)
    told = f"the transaction has code {found.code}"
    match found.code:
        case TransactionCode.CONFIRMED:
            return Outcome.DONE, told
        case TransactionCode.WAITING | TransactionCode.EXPIRED | TransactionCode.FAILED:
            return Outcome.UNDONE, told
    return Outcome.UNKNOWN, told


async def _hosted_verify(provider: Provider, request: Request) -> Verdict:
    found = await provider.hosted.inquiry(request.subject)
    told = f"the checkout is {found.status}"
    match found.status:
        case HostedStatus.SUCCEED:
            return Outcome.DONE, told
        case HostedStatus.INIT | HostedStatus.PENDING_VERIFY | HostedStatus.FAILED:
            return Outcome.UNDONE, told
    return Outcome.UNKNOWN, told


async def _unused_token(_: Provider, __: Request) -> Verdict:
    return Outcome.UNDONE, "no token was received, so nobody can pay with it"


async def _checkout_create(provider: Provider, request: Request) -> Verdict:
    def is_it(checkout: Checkout) -> bool:
        return checkout.request_id == request.subject

    return await _listed(provider.unified.checkouts, is_it)


async def _agreement_create(provider: Provider, request: Request) -> Verdict:
    def is_it(agreement: Agreement) -> bool:
        return agreement.trace_id == request.subject

    return await _listed(provider.escrow.agreements, is_it)


async def _listed(fetch: FetchPage[Row], is_it: Callable[[Row], bool]) -> Verdict:
    """Look for a young record at both ends of its list.

    Unknown: the order of lists. A list moves while it is read, so that absence from
    some pages proves nothing.
    """
    last = 1
    for step in range(_PAGES_MOST):
        if step >= last:
            break
        number = last - step // 2 if step % 2 else 1 + step // 2
        found = await fetch(number)
        last = found.meta.last_page
        if any(map(is_it, found.rows)):
            return Outcome.DONE, "it is in the list"
    return Outcome.UNKNOWN, "it is not at either end of the list"


async def _mandate_confirm(provider: Provider, request: Request) -> Verdict:
    found = (await provider.unified.mandate(request.subject)).value
    outcome = Outcome.DONE if found.status == "active" else Outcome.UNKNOWN
    return outcome, f"the mandate is {found.status}"


async def _payment_verify(provider: Provider, request: Request) -> Verdict:
    """Find the payment in its checkout, where this journal made that."""
    payment_id = request.subject
    for checkout_id in _made_with(provider, payment_id):
        checkout = (await provider.unified.checkout(checkout_id)).value
        for payment in checkout.payments:
            if payment.id == payment_id:
                outcome = Outcome.DONE if payment.status == "done" else Outcome.UNKNOWN
                return outcome, f"the payment is {payment.status}"
    return Outcome.UNKNOWN, "its checkout was not made with this journal"


def _made_with(provider: Provider, payment_id: str) -> Iterator[str]:
    """Yield the ids of checkouts whose answer here names a payment, where it is read.

    One of another shape, of which nobody knows whether it took effect, names no id.
    """
    for made in provider.journal.mentioning(Operation.CHECKOUT_CREATE, payment_id):
        with suppress(ValueError):
            yield unified.checkout_answer(made.answer).id


async def _agreement_finalize(provider: Provider, request: Request) -> Verdict:
    found = await _shown_agreement(provider, request)
    outcome = Outcome.DONE if found.state == "finalize" else Outcome.UNKNOWN
    return outcome, f"the agreement is in state {found.state}"


async def _agreement_approve(provider: Provider, request: Request) -> Verdict:
    found = await _shown_agreement(provider, request)
    mobile = request.body.get("applicant_mobile")
    state = next((p.state for p in found.parties if p.mobile == mobile), None)
    told = f"the agreement is in state {found.state}, the party is {state}"
    outcomes = {"accepted": Outcome.DONE, "pending": Outcome.UNDONE}
    return outcomes.get(state or "", Outcome.UNKNOWN), told


async def _agreement_state(provider: Provider, request: Request) -> Verdict:
    """Tell the state. Unknown: which one a cancelled or rejected agreement has."""
    found = await _shown_agreement(provider, request)
    return Outcome.UNKNOWN, f"the agreement is in state {found.state}"


async def _shown_agreement(provider: Provider, request: Request) -> Agreement:
    answer = await provider.escrow.agreement(request.body["tracking_code"])
    return answer.value


_LOOKS: dict[str, Callable[[Provider, Request], Awaitable[Verdict]]] = {
    Operation.GATEWAY_SEND: _unused_token,
    Operation.HOSTED_SEND: _unused_token,
    Operation.GATEWAY_VERIFY: _gateway_verify,
    Operation.HOSTED_VERIFY: _hosted_verify,
    Operation.CHECKOUT_CREATE: _checkout_create,
    Operation.AGREEMENT_CREATE: _agreement_create,
    Operation.MANDATE_CONFIRM: _mandate_confirm,
    Operation.PAYMENT_VERIFY: _payment_verify,
    Operation.AGREEMENT_APPROVE: _agreement_approve,
    Operation.AGREEMENT_REJECT: _agreement_state,
    Operation.AGREEMENT_FINALIZE: _agreement_finalize,
    Operation.AGREEMENT_CANCEL: _agreement_state,
}
