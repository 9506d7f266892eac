"""The path of an escrow agreement: approval, payment, finalizing, cancelling, tickets.

Unknown: which operation triggers which event, and that an approved agreement stays in
`contract` once paid. Source: document 1, States and transitions.
"""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recon.sandbox import pages
from recon.sandbox.answers import INVALID, Refusal, coded, done
from recon.sandbox.doors import escrow
from recon.sandbox.fields import Fields, body_of, flat
from recon.sandbox.routes.agreements import ROLES, agreement_at, party_of
from recon.sandbox.routes.escrow import BASE
from recon.sandbox.state import State, new_digits, state_of
from recon.sandbox.trades import (
    CANCELLED,
    CONTRACT,
    DRAFT,
    FINALIZE,
    INVESTIGATION,
    REJECTED,
)
from recon.sandbox.world import Record

TICKET_TYPES = {
    "dont_access_to_seller": ("buyer",),
    "dispute_with_seller": ("buyer",),
    "stop_buying": ("buyer",),
    "dont_access_to_buyer": ("seller",),
    "dispute_with_buyer": ("seller",),
    "stop_selling": ("seller",),
    "commodity_delivered_buyer_not_end_transaction": ("seller",),
    "other_cases": ROLES,
}
_BUTTON = "Return to the business"
_NAMES = {pages.PAY: "Pay into escrow", pages.DECLINE: "Decline"}


async def decide(state: State, request: Request) -> Response:
    """Approve or reject a draft, in the name of a party."""
    agreement = agreement_at(state, request)
    given = Fields(await body_of(request))
    action = given.text("action", among=("agree", "reject"))
    role = _role(agreement, given, "applicant_mobile")
    _check(given)
    _allow(agreement["state"] == DRAFT)
    data: Record = {"tracking_code": agreement["tracking_code"]}
    if action == "reject":
        agreement["state"] = REJECTED
        _kept(state, agreement, f"{role}_rejected_agreement", data)
        return done()
    party = party_of(agreement, role)
    party["state"] = "accepted"
    if all(each["state"] == "accepted" for each in agreement["parties"]):
        agreement["state"] = CONTRACT
    data["applicant_mobile"] = party["mobile"]
    _kept(state, agreement, f"{role}_agreed_agreement", data)
    path = f"/agreements/{agreement['tracking_code']}/pay"
    link = str(request.url.replace(path=path, query=""))
    return done({"web_view_link": link})


async def finalize(state: State, request: Request) -> Response:
    """Finalize a paid agreement: the seller gets the amount."""
    agreement = agreement_at(state, request)
    given = Fields(await body_of(request))
    if _role(agreement, given, "buyer_mobile") == "seller":
        given.wrong("buyer_mobile", "is not the buyer's.")
    _check(given)
    _allow(agreement["state"] == CONTRACT and agreement["_paid_at"] is not None)
    agreement["state"] = FINALIZE
    _pay_out(state, agreement)
    return done({"is_finalized": True})


async def cancel(state: State, request: Request) -> Response:
    """Cancel an agreement; what the buyer paid goes back.

    Unknown: whether a buyer may cancel what is paid. Here a buyer may while it is a
    draft or approved by all, paid or not; a seller also while a problem is registered.
    """
    agreement = agreement_at(state, request)
    given = Fields(await body_of(request))
    role = _role(agreement, given, "applicant_mobile")
    _check(given)
    allowed = {DRAFT, CONTRACT} | ({INVESTIGATION} if role == "seller" else set())
    _allow(agreement["state"] in allowed)
    agreement["state"] = CANCELLED
    _give_back(state, agreement)
    return done({"is_canceled": True})


async def show_page(request: Request) -> Response:
    """Ask the buyer to pay."""
    state = state_of(request)
    agreement = agreement_at(state, request)
    if not _payable(agreement):
        return _nothing_to_pay()
    facts = [
        ("Agreement", agreement["tracking_code"]),
        ("For", agreement["description"]),
        ("Amount", pages.rials(agreement["amount"])),
        ("Seller", party_of(agreement, "seller")["mobile"]),
    ]
    return pages.choice("Pay into escrow", facts, names=_NAMES)


async def answer_page(request: Request) -> Response:
    """Take the buyer's payment and send the buyer back to the business."""
    state = state_of(request)
    agreement = agreement_at(state, request)
    if not _payable(agreement):
        return _nothing_to_pay()
    outcome = (await body_of(request)).get("outcome")
    if outcome == pages.DECLINE:
        return pages.notice("Not paid", "You may pay later by the same link.")
    if outcome != pages.PAY:
        return await show_page(request)
    pay(state, agreement)
    back = agreement.get("_redirect_url")
    if not back:
        return pages.notice("Paid", "The seller was told.")
    return pages.send_back(back, tracking_code=agreement["tracking_code"])


def pay(state: State, agreement: Record) -> None:
    """Let the buyer pay the amount into escrow."""
    agreement["_paid_at"] = state.now()
    _kept(
        state,
        agreement,
        "buyer_paid_agreement",
        {
            "tracking_code": agreement["tracking_code"],
            "trace_id": agreement["trace_id"],
            "transaction_ref_id": new_digits(12),
            "payer_mobile": party_of(agreement, "buyer")["mobile"],
            "amount": str(agreement["amount"]),
        },
    )


async def create_ticket(state: State, request: Request) -> Response:
    """Register a problem (201); an approved agreement goes into investigation.

    Unknown: what `callback` means; it is taken and kept, and may be absent. The name
    `reporter` is taken for `reporter_mobile`, since the contract uses both.
    """
    body = await body_of(request)
    given = Fields({"reporter_mobile": body.get("reporter"), **body})
    code = given.text("agreement_tracking_code")
    kind = given.text("ticket_type_slug", among=TICKET_TYPES)
    redirect_url = given.address("redirect_url")
    description = given.text("description")
    callback = given.text("callback", required=False)
    agreement = state.world.agreements.get(code or "")
    if code is not None and agreement is None:
        given.wrong("agreement_tracking_code", "is not an agreement of this business.")
    role = _role(agreement, given, "reporter_mobile")
    if role and kind and role not in TICKET_TYPES[kind]:
        given.wrong("ticket_type_slug", f"is not for the {role}.")
    given.check()
    uid = max(state.world.tickets, default=1000) + 1
    state.world.tickets[uid] = {
        "ticket_uid": uid,
        "agreement_tracking_code": code,
        "reporter_mobile": given.body["reporter_mobile"],
        "ticket_type_slug": kind,
        "description": description,
        "created_at": state.now(),
        "_callback": callback,
    }
    state.touch("tickets", uid)
    if agreement is not None:
        _investigate(state, agreement, role, given.body["reporter_mobile"])
    button = {"type": "redirect_url", "link": redirect_url, "text": _BUTTON}
    return done({"ticket_uid": uid, "button": button}, 201)


def _investigate(state: State, agreement: Record, role: str, mobile: str) -> None:
    if agreement["state"] == CONTRACT:
        agreement["state"] = INVESTIGATION
    data = {
        "tracking_code": agreement["tracking_code"],
        "trace_id": agreement["trace_id"],
        "reporter_mobile": mobile,
    }
    _kept(state, agreement, f"{role}_submitted_ticket", data)


def end_investigation(state: State, agreement: Record, next_state: str) -> None:
    """Let the service end its investigation; the money follows the new state."""
    _allow(agreement["state"] == INVESTIGATION)
    agreement["state"] = next_state
    data = {
        "tracking_code": agreement["tracking_code"],
        "trace_id": agreement["trace_id"],
        "state": next_state,
    }
    _kept(state, agreement, "agreement_change_state_from_investigation", data)
    if next_state == FINALIZE and agreement["_paid_at"] is not None:
        _pay_out(state, agreement)
    if next_state == CANCELLED:
        _give_back(state, agreement)


def _pay_out(state: State, agreement: Record) -> None:
    """Tell that an agreement is final and that its amount went to the seller."""
    data = {"tracking_code": agreement["tracking_code"]}
    _kept(state, agreement, "agreement_finalized", data)
    state.emit("seller_checked_out", data | {"amount": str(agreement["amount"])})


def _give_back(state: State, agreement: Record) -> None:
    """Tell that an agreement is cancelled and, if paid, that the buyer was refunded."""
    data = {"tracking_code": agreement["tracking_code"]}
    _kept(state, agreement, "agreement_cancelled", data)
    if agreement["_paid_at"] is not None:
        amount = str(agreement["amount"])
        state.emit("payment_refunded_to_buyer", data | {"amount": amount})


def _payable(agreement: Record) -> bool:
    return agreement["state"] == CONTRACT and agreement["_paid_at"] is None


def _nothing_to_pay() -> Response:
    return pages.nothing_to_pay("Not approved by all parties, or paid.")


def _role(agreement: Record | None, given: Fields, name: str) -> str:
    """Return whose mobile a field holds; note it where it is no party's."""
    mobile: Any = given.text(name)
    if mobile is None or agreement is None:
        return ""
    for party in agreement["parties"]:
        if party["mobile"] == mobile:
            return str(party["role"])
    given.wrong(name, "is not a party of this agreement.")
    return ""


def _check(given: Fields) -> None:
    """Refuse with the number 422 as code, as these operations do."""
    if given.errors:
        body = {"code": 422, "message": INVALID, "errors": flat(given.errors)}
        raise Refusal(422, body)


def _allow(allowed: bool) -> None:
    if not allowed:
        message = "The agreement's state does not allow this."
        raise coded(400, "invalid_state_agreement", message)


def _kept(state: State, agreement: Record, slug: str, data: Record) -> None:
    state.touch("agreements", agreement["tracking_code"])
    state.emit(slug, data)


_ONE = f"{BASE}/agreements/{{tracking_code}}"
ROUTES = [
    Route(_ONE, escrow(decide), methods=["POST"]),
    Route(f"{_ONE}/finalize", escrow(finalize), methods=["POST"]),
    Route(f"{_ONE}/cancel", escrow(cancel), methods=["POST"]),
    Route(f"{BASE}/tickets", escrow(create_ticket), methods=["POST"]),
    Route("/agreements/{tracking_code}/pay", show_page, methods=["GET"]),
    Route("/agreements/{tracking_code}/pay", answer_page, methods=["POST"]),
]
