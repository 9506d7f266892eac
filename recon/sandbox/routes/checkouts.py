"""Unified checkouts: lists, details, creation. Source: document 3, Checkouts."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recon.sandbox.answers import done
from recon.sandbox.doors import not_found, unified
from recon.sandbox.fields import CARD, Fields, body_of
from recon.sandbox.routes.mandates import customer_fields
from recon.sandbox.routes.payments import fail, finish, new_payment
from recon.sandbox.routes.unified import (
    BASE,
    TYPES,
    customer,
    customer_of,
    healthy_method,
    list_page,
)
from recon.sandbox.state import State, new_id
from recon.sandbox.world import (
    CHECKOUT_NOT_PAID,
    MANDATE_ACTIVE,
    PAYMENT_DONE,
    Record,
    shown,
)

_CARD_FIELDS = ("valid_card_number", "valid_card_numbers")


def in_answer(checkout: Record) -> Record:
    """Show a checkout as its creation does: its amount is an integer."""
    row = shown(checkout)
    row["customer"] = shown(checkout["customer"])
    row["payments"] = [shown(payment) for payment in checkout["payments"]]
    return row


def in_list(checkout: Record) -> Record:
    """Show a checkout as lists do: its amount is a string of digits."""
    row = in_answer(checkout)
    row["amount"] = str(checkout["amount"])
    return row


def in_detail(state: State, checkout: Record) -> Record:
    """Show a checkout as its detail does: a debit payment holds its whole mandate."""
    row = in_list(checkout)
    for payment in row["payments"]:
        if payment["type"] == "debit":
            mandate = state.world.mandates.get(payment["debit"]["mandate_id"])
            if mandate is not None:
                payment["debit"] = {"mandate": shown(mandate)}
    return row


async def list_checkouts(state: State, request: Request) -> Response:
    """Answer with a page of checkouts, newest first."""
    return await list_page(state, request, "checkouts", state.world.checkouts, in_list)


async def show_checkout(state: State, request: Request) -> Response:
    """Answer with one checkout."""
    checkout = state.world.checkouts.get(request.path_params["checkout_id"])
    if checkout is None:
        raise not_found("checkout")
    return done({"checkout": in_detail(state, checkout)})


async def create_checkout(state: State, request: Request) -> Response:
    """Create a checkout: a debit one is paid at once, the others wait for a page."""
    given = Fields(await body_of(request))
    kind = given.text("type", among=TYPES)
    method = healthy_method(state, given, kind)
    checkout = _asked(state, given, method)
    if kind == "debit":
        payer, own = _debit(state, given, method, checkout["amount"])
    else:
        payer, own = _redirected(given, kind)
    given.check()
    checkout["customer"] = payer
    slug = method["slug"] if method else ""
    payment = new_payment(slug, kind or "", checkout["amount"], state.now()) | own
    checkout["payments"] = [payment]
    state.world.checkouts[checkout["id"]] = checkout
    if kind == "debit":
        _withdraw(state, request, checkout, payment)
    state.touch("checkouts", checkout["id"])
    return done({"checkout": in_answer(checkout)})


def _asked(state: State, given: Fields, method: Record | None) -> Record:
    now = state.now()
    amount = given.whole("amount", least=1)
    if amount is not None and method is not None and amount > method["limit"]:
        given.wrong("amount", "is above the ceiling of the payment method.")
    return {
        "id": new_id(),
        "request_id": _request_id(state, given),
        "checkout_number": given.text("checkout_number", required=False) or None,
        "amount": amount or 0,
        "status": CHECKOUT_NOT_PAID,
        "description": given.text("description", required=False) or "",
        "created_at": now,
        "updated_at": now,
    }


def _request_id(state: State, given: Fields) -> str:
    request_id = given.text("request_id", required=False)
    if not request_id:
        return new_id()
    known = state.world.checkouts.values()
    if any(checkout["request_id"] == request_id for checkout in known):
        given.wrong("request_id", "has already been taken.")
    return request_id


def _debit(
    state: State, given: Fields, method: Record | None, amount: int
) -> tuple[Record, Record]:
    """Return the customer and the debit part, or note why the mandate forbids it."""
    inner = given.inner("debit")
    mandate_id = inner.text("mandate_id") if inner else None
    mandate = state.world.mandates.get(mandate_id or "")
    if inner is None or mandate_id is None:
        return {}, {}
    if mandate is None:
        inner.wrong("mandate_id", "is not a mandate of this business.")
        return {}, {}
    for why in _objections(state, mandate, method, amount):
        inner.wrong("mandate_id", why)
    return customer_of(state, mandate), {"debit": {"mandate_id": mandate_id}}


def _objections(
    state: State, mandate: Record, method: Record | None, amount: int
) -> list[str]:
    """Say what forbids this withdrawal. Source: document 3, Limits."""
    rules = [
        (mandate["revoked_at"] is not None, "was revoked."),
        (mandate["status"] != MANDATE_ACTIVE, "is not active."),
        (mandate["expires_at"] <= state.now(), "has expired."),
        (
            method is not None and mandate["payment_method"] != method["slug"],
            "is of another payment method.",
        ),
        (amount > mandate["limit"], "allows less than that amount."),
        (
            _used_this_month(state, mandate) >= mandate["count"],
            "is used up this month.",
        ),
    ]
    return [why for holds, why in rules if holds]


def _used_this_month(state: State, mandate: Record) -> int:
    month = _month(state, state.now())
    return sum(
        payment["type"] == "debit"
        and payment["status"] == PAYMENT_DONE
        and payment["debit"]["mandate_id"] == mandate["id"]
        and _month(state, payment["paid_at"] or payment["created_at"]) == month
        for checkout in state.world.checkouts.values()
        for payment in checkout["payments"]
    )


def _month(state: State, at: int) -> tuple[int, int]:
    moment = state.local(at)
    return moment.year, moment.month


def _redirected(given: Fields, kind: str | None) -> tuple[Record, Record]:
    """Return the customer and the own part of a credit or card payment."""
    inner = given.inner(kind) if kind else None
    if inner is None:
        return {}, {}
    payer = customer_fields(inner.inner("customer"))
    own: Record = {str(kind): None, "_callback_url": inner.address("callback_url")}
    if kind == "card":
        name = next(
            (each for each in _CARD_FIELDS if inner.body.get(each)), _CARD_FIELDS[0]
        )
        own["_card"] = inner.text(name, required=False, like=CARD)
    return customer(new_id(), payer), own


def _withdraw(
    state: State, request: Request, checkout: Record, payment: Record
) -> None:
    if state.faults.draw("withdrawal_timeout", "POST", request.url.path):
        fail(payment, "WITHDRAWAL_TIMEOUT", state.now())
    else:
        finish(state, checkout, payment)


_ALL = f"{BASE}/checkouts"
ROUTES = [
    Route(_ALL, unified(list_checkouts), methods=["GET"]),
    Route(_ALL, unified(create_checkout), methods=["POST"]),
    Route(f"{_ALL}/{{checkout_id}}", unified(show_checkout), methods=["GET"]),
]
