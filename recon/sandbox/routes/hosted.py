"""The hosted one-click payment. Source: document 2, Endpoints, part C."""

import re

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recon.sandbox import pages
from recon.sandbox.answers import coded, done
from recon.sandbox.doors import hosted, not_found
from recon.sandbox.fields import MOBILE, NATIONAL_CODE, Fields, body_of
from recon.sandbox.shopfronts import FAILED, INIT, PENDING_VERIFY, SUCCEED
from recon.sandbox.state import State, new_token, state_of
from recon.sandbox.world import Record, shown

BASE = "/pay-with/v1"
SMALLEST = 10_000  # rials
_NUMBER = re.compile(r"[0-9]{1,32}")
_MOST_DESCRIPTION = 255


async def send(state: State, request: Request) -> Response:
    """Make a checkout; its token is its id."""
    given = Fields(await body_of(request))
    amount = given.whole("amount", least=SMALLEST)
    domain = state.terms.approved_domain
    callback_url = given.address("callback_url", domain=domain)
    given.text("mobile", required=False, like=MOBILE)
    given.text("national_code", required=False, like=NATIONAL_CODE)
    number = given.text("checkout_number", required=False, like=_NUMBER)
    description = given.text("description", required=False, longest=_MOST_DESCRIPTION)
    given.check()
    sent = amount or 0
    now = state.now()
    wage = state.terms.wage("hosted", "", sent, now)
    on_customer = state.terms.hosted_fee_bearer == "customer"
    token = new_token()
    state.world.hosted_checkouts[token] = {
        "id": token,
        "amount": str(sent + wage if on_customer else sent),
        "wage": str(wage),
        "status": INIT,
        "checkout_number": number or "",
        "description": description or "",
        "created_at": now,
        "_sent_amount": sent,
        "_sent_at": now,
        "_callback_url": callback_url,
    }
    state.touch("hosted_checkouts", token)
    return done({"token": token})


async def show_page(request: Request) -> Response:
    """Ask the customer to pay."""
    state = state_of(request)
    checkout = state.world.hosted_checkouts.get(request.path_params["checkout_id"])
    if checkout is None or not _open(checkout):
        return pages.nothing_to_pay()
    facts = [
        ("Business", state.world.business),
        ("Amount", pages.rials(int(checkout["amount"]))),
        ("Invoice", checkout["checkout_number"]),
        ("Description", checkout["description"]),
    ]
    return pages.choice("Pay with one click", facts)


async def answer_page(request: Request) -> Response:
    """Send the customer back with `checkout_id` and `status`.

    Unknown: the parameters of that return.
    """
    state = state_of(request)
    token = request.path_params["checkout_id"]
    checkout = state.world.hosted_checkouts.get(token)
    if checkout is None or not _open(checkout):
        return pages.nothing_to_pay()
    outcome = (await body_of(request)).get("outcome")
    if outcome not in pages.OUTCOMES:
        return await show_page(request)
    if outcome == pages.PAY:
        verify_by = state.now() + state.terms.verify_seconds
        checkout.update(status=PENDING_VERIFY, _verify_by=verify_by)
    else:
        checkout["status"] = FAILED
    state.touch("hosted_checkouts", token)
    return pages.send_back(
        checkout["_callback_url"], checkout_id=token, status=checkout["status"]
    )


async def inquire(state: State, request: Request) -> Response:
    """Answer with a checkout at any step of its payment."""
    checkout = _current(state, request.path_params["checkout_id"])
    if checkout is None:
        raise not_found("checkout")
    return done({"checkout": shown(checkout)})


async def verify(state: State, request: Request) -> Response:
    """Confirm a checkout that the customer paid: the wallet rises."""
    given = Fields(await body_of(request))
    token = given.text("checkout_id")
    given.check()
    checkout = _current(state, token or "")
    if checkout is None or checkout["status"] != PENDING_VERIFY:
        message = "The checkout can not be verified."
        raise coded(422, "checkout_can_not_be_verified", message)
    checkout["status"] = SUCCEED
    state.world.move_wallet(int(checkout["amount"]) - int(checkout["wage"]))
    state.touch("hosted_checkouts", token)
    return done()


def _current(state: State, token: str) -> Record | None:
    """Return a checkout as it stands now: unverified in time, it failed.

    What the customer paid is then returned; the wallet never had it. A checkout of
    the history keeps the status that it was given.
    """
    checkout = state.world.hosted_checkouts.get(token)
    if checkout is None or checkout["status"] != PENDING_VERIFY:
        return checkout
    verify_by = checkout.get("_verify_by")
    if verify_by is not None and state.now() > verify_by:
        checkout["status"] = FAILED
        state.touch("hosted_checkouts", token)
    return checkout


def _open(checkout: Record) -> bool:
    return checkout["status"] == INIT and "_callback_url" in checkout


ROUTES = [
    Route(f"{BASE}/send", hosted(send), methods=["POST"]),
    Route(f"{BASE}/checkouts/{{checkout_id}}", hosted(inquire), methods=["GET"]),
    Route(f"{BASE}/verify", hosted(verify), methods=["POST"]),
    Route("/checkouts/{checkout_id}", show_page, methods=["GET"]),
    Route("/checkouts/{checkout_id}", answer_page, methods=["POST"]),
]
