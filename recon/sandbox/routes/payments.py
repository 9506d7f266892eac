"""Unified payments: the customer's page and verification. Source: document 3."""

import hashlib

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recon.sandbox import pages
from recon.sandbox.answers import coded, done
from recon.sandbox.doors import not_found, unified
from recon.sandbox.fields import body_of
from recon.sandbox.payments import ERRORS
from recon.sandbox.routes.unified import BASE
from recon.sandbox.state import State, new_digits, new_id, state_of
from recon.sandbox.world import (
    CHECKOUT_PAID,
    PAYMENT_DONE,
    PAYMENT_FAILED,
    PAYMENT_PENDING,
    Record,
    shown,
)

PAYMENT_AWAITING = "pending_verify"  # paid by the customer, not verified
CARD_NUMBER = "6037991234567890"


def new_payment(method: str, kind: str, amount: int, at: int) -> Record:
    """Return a payment that was started and has not happened."""
    return {
        "id": new_id(),
        "payment_method": method,
        "amount": amount,
        "wage_amount": 0,
        "affected_amount": 0,
        "ref_id": None,
        "tracking_code": None,
        "status": PAYMENT_PENDING,
        "error": None,
        "created_at": at,
        "updated_at": at,
        "paid_at": None,
        "type": kind,
    }


def finish(state: State, checkout: Record, payment: Record) -> None:
    """Let a payment happen now: the checkout is paid, the wallet rises."""
    now = state.now()
    amount = payment["amount"]
    wage = state.terms.wage("unified", payment["payment_method"], amount, now)
    on_customer = state.terms.unified_fee_bearer == "customer"
    payment.update(
        status=PAYMENT_DONE,
        wage_amount=wage,
        affected_amount=amount if on_customer else amount - wage,
        ref_id=new_digits(12),
        tracking_code=new_digits(11),
        paid_at=now,
        updated_at=now,
    )
    checkout.update(status=CHECKOUT_PAID, updated_at=now)
    state.world.move_wallet(payment["affected_amount"])


def fail(payment: Record, code: str, at: int) -> None:
    """Let a payment fail; no money moves."""
    error = {"code": code, "message": ERRORS[code]}
    payment.update(status=PAYMENT_FAILED, error=error, updated_at=at)


def card_of(form: Record) -> str:
    """Return the digits of the card that a page's form names, else of a usual one."""
    return "".join(filter(str.isdigit, str(form.get("card") or CARD_NUMBER)))


def masked(card: str) -> str:
    """Return a card number as the provider shows it."""
    return f"{card[:6]}******{card[-4:]}"


def card_hash(card: str) -> str:
    """Return the SHA-256 of a card number, in hex."""
    return hashlib.sha256(card.encode()).hexdigest()


async def show_page(request: Request) -> Response:
    """Ask the customer to pay."""
    return _page(request)


def _page(request: Request, problem: str = "") -> Response:
    state = state_of(request)
    checkout, payment = _payment_at(state, request)
    if checkout is None or payment is None or payment["status"] != PAYMENT_PENDING:
        return pages.nothing_to_pay()
    facts = [
        ("Business", state.world.business),
        ("Amount", pages.rials(payment["amount"])),
        ("Invoice", checkout["checkout_number"] or ""),
        ("Payment method", payment["payment_method"]),
    ]
    wanted = payment.get("_card") or CARD_NUMBER
    card = [("card", "Card number", wanted)] if payment["type"] == "card" else []
    return pages.choice("Pay", facts, inputs=card, problem=problem)


async def answer_page(request: Request) -> Response:
    """Send the customer back with `payment_id` and `status`."""
    state = state_of(request)
    checkout, payment = _payment_at(state, request)
    if checkout is None or payment is None or payment["status"] != PAYMENT_PENDING:
        return pages.nothing_to_pay()
    form = await body_of(request)
    outcome = form.get("outcome")
    if outcome not in pages.OUTCOMES:
        return _page(request)
    if outcome == pages.PAY:
        card = card_of(form)
        if payment["type"] == "card" and payment.get("_card") not in {None, card}:
            return _page(request, "The business takes another card for this payment.")
        payment.update(status=PAYMENT_AWAITING, updated_at=state.now(), _paid_with=card)
    else:
        declined = outcome == pages.DECLINE
        code = "CANCELLED_BY_USER" if declined else "BANK_UNAVAILABLE"
        fail(payment, code, state.now())
    state.touch("checkouts", checkout["id"])
    status = "pending_verify" if outcome == pages.PAY else "failed"
    back = payment.get("_callback_url") or "/"
    return pages.send_back(back, payment_id=payment["id"], status=status)


async def verify_payment(state: State, request: Request) -> Response:
    """Finish a credit or card payment that the customer made.

    Unknown: the refusal of a payment that awaits nothing, and that money moves now.
    """
    checkout, payment = _payment_at(state, request)
    if checkout is None or payment is None:
        raise not_found("payment")
    if payment["status"] != PAYMENT_AWAITING:
        raise coded(
            403, "payment_can_not_be_verified", "The payment awaits no verification."
        )
    finish(state, checkout, payment)
    if payment["type"] == "card":
        card = payment["_paid_with"]
        payment["card"] = {"card_number": masked(card), "cid": card_hash(card)}
    state.touch("checkouts", checkout["id"])
    return done({"payment": shown(payment)})


def _payment_at(state: State, request: Request) -> tuple[Record | None, Record | None]:
    """Return the payment that the path names with its checkout; newest first."""
    wanted = request.path_params["payment_id"]
    for checkout in reversed(state.world.checkouts.values()):
        for payment in checkout["payments"]:
            if payment["id"] == wanted:
                return checkout, payment
    return None, None


ROUTES = [
    Route(
        f"{BASE}/payments/{{payment_id}}", unified(verify_payment), methods=["PATCH"]
    ),
    Route("/payments/{payment_id}/pay", show_page, methods=["GET"]),
    Route("/payments/{payment_id}/pay", answer_page, methods=["POST"]),
]
