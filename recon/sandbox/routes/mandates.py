"""Debit mandates and the page where a customer grants one. Source: document 3."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recon.sandbox import pages
from recon.sandbox.answers import DONE, Refusal, answer, coded, done
from recon.sandbox.doors import not_found, unified
from recon.sandbox.fields import MOBILE, NATIONAL_CODE, Fields, body_of
from recon.sandbox.routes.unified import (
    BASE,
    CUSTOMER,
    customer,
    healthy_method,
    list_page,
)
from recon.sandbox.state import State, new_id, new_token, state_of
from recon.sandbox.world import MANDATE_ACTIVE, MANDATE_REVOKED, Record, shown

MANDATE_PENDING = "pending"  # granted at the bank, not confirmed by the business
DECLINED = "user_declined_to_confirm_mandate"
_GONE = ("Unknown request", "It was answered before, or never made.", 404)
_NAMES = {
    pages.PAY: "Grant access",
    pages.DECLINE: "Decline",
    pages.TROUBLE: "Bank trouble",
}


def customer_fields(given: Fields | None) -> Record:
    """Return the five fields of a customer; those not sent are null."""
    if given is None:
        return dict.fromkeys(CUSTOMER)
    national_code = given.text("national_code", required=False, like=NATIONAL_CODE)
    return {
        "mobile": given.text("mobile", like=MOBILE),
        "first_name": given.text("first_name", required=False),
        "last_name": given.text("last_name", required=False),
        "national_code": national_code,
        "email": given.text("email", required=False),
    }


async def request_mandate(state: State, request: Request) -> Response:
    """Register a mandate request and return the token of its page."""
    given = Fields(await body_of(request))
    method = healthy_method(state, given, "debit")
    asked: Record = {
        "payment_method": method and method["slug"],
        "count": given.whole("count", least=1),
        "limit": given.whole("limit", least=1),
        "expires_at": given.whole("expires_at"),
        "callback_url": given.address("callback_url"),
        "customer": customer_fields(given.inner("customer")),
    }
    if asked["expires_at"] is not None and asked["expires_at"] <= state.now():
        given.wrong("expires_at", "must be later than the present time.")
    given.check()
    token = new_token()
    state.mandate_requests[token] = asked
    state.touch("mandate_requests", token)
    data = {"token": token, "customer": asked["customer"]}
    return done(data)


async def show_page(request: Request) -> Response:
    """Ask the customer to grant the mandate."""
    state = state_of(request)
    asked = state.mandate_requests.get(request.path_params["token"])
    if asked is None:
        return pages.notice(*_GONE)
    facts = [
        ("Business", state.world.business),
        ("Payment method", asked["payment_method"]),
        ("Withdrawals a month, at most", f"{asked['count']:,}"),
        ("Each at most", pages.rials(asked["limit"])),
        ("Mobile", asked["customer"]["mobile"]),
    ]
    return pages.choice("Grant a mandate", facts, names=_NAMES)


async def answer_page(request: Request) -> Response:
    """Send the customer back with what was chosen."""
    state = state_of(request)
    token = request.path_params["token"]
    asked = state.mandate_requests.get(token)
    if asked is None:
        return pages.notice(*_GONE)
    outcome = (await body_of(request)).get("outcome")
    if outcome not in pages.OUTCOMES:
        return await show_page(request)
    del state.mandate_requests[token]
    state.touch("mandate_requests", token)
    back = asked["callback_url"]
    if outcome == pages.DECLINE:
        return pages.send_back(back, token=token, status="FAILED", error_code=DECLINED)
    if outcome == pages.TROUBLE:
        return pages.send_back(back, token=token, status="FAILED_TO_ACCESS_BANK")
    mandate = _grant(state, asked)
    return pages.send_back(
        back, token=token, mandate_id=mandate["id"], status="SUCCEED"
    )


def _grant(state: State, asked: Record) -> Record:
    now = state.now()
    customer_id = _customer_id(state, asked["customer"]["mobile"])
    mandate: Record = {
        "id": new_id(),
        "payment_method": asked["payment_method"],
        "count": asked["count"],
        "limit": asked["limit"],
        "expires_at": asked["expires_at"],
        "customer_id": customer_id,
        "status": MANDATE_PENDING,
        "created_at": now,
        "updated_at": now,
        "revoked_at": None,
        "_callback_url": asked["callback_url"],
        "_customer": customer(customer_id, asked["customer"]),
    }
    keep(state, mandate)
    return mandate


def _customer_id(state: State, mobile: str) -> str:
    """Return the id of whoever has that mobile: one customer, one id."""
    for mandate in reversed(state.world.mandates.values()):
        if mandate.get("_customer", {}).get("mobile") == mobile:
            return str(mandate["customer_id"])
    for known in state.customers().values():
        if known["mobile"] == mobile:
            return str(known["id"])
    return new_id()


async def list_mandates(state: State, request: Request) -> Response:
    """Answer with a page of mandates, newest first."""
    return await list_page(state, request, "mandates", state.world.mandates, shown)


async def show_mandate(state: State, request: Request) -> Response:
    """Answer with one mandate."""
    return _shown(_mandate_at(state, request))


async def confirm_mandate(state: State, request: Request) -> Response:
    """Make a mandate active, once."""
    mandate = _mandate_at(state, request)
    if mandate["revoked_at"] is not None:
        raise _already("revoked")
    if mandate["status"] != MANDATE_PENDING:
        raise _already("activated")
    mandate.update(status=MANDATE_ACTIVE, updated_at=state.now())
    keep(state, mandate)
    return _shown(mandate)


async def revoke_mandate(state: State, request: Request) -> Response:
    """Revoke a mandate; the answer also names its callback address."""
    mandate = _mandate_at(state, request)
    if mandate["revoked_at"] is not None:
        raise _already("revoked")
    now = state.now()
    mandate.update(status=MANDATE_REVOKED, revoked_at=now, updated_at=now)
    keep(state, mandate)
    row = shown(mandate) | {"callback_url": mandate.get("_callback_url", "")}
    return answer({"status": 1, "message": DONE, "data": {"mandate": row}})


def keep(state: State, mandate: Record) -> None:
    """Put a mandate that is new or changed in its place."""
    state.world.mandates[mandate["id"]] = mandate
    state.touch("mandates", mandate["id"])


def _mandate_at(state: State, request: Request) -> Record:
    mandate = state.world.mandates.get(request.path_params["mandate_id"])
    if mandate is None:
        raise not_found("mandate")
    return mandate


def _already(done: str) -> Refusal:
    return coded(403, f"mandate_already_{done}", f"The mandate was {done} before.")


def _shown(mandate: Record) -> Response:
    return done({"mandate": shown(mandate)})


_ONE = f"{BASE}/mandates/{{mandate_id}}"
ROUTES = [
    Route(f"{BASE}/mandates", unified(list_mandates), methods=["GET"]),
    Route(f"{BASE}/mandates", unified(request_mandate), methods=["POST"]),
    Route(_ONE, unified(show_mandate), methods=["GET"]),
    Route(_ONE, unified(confirm_mandate), methods=["PATCH"]),
    Route(_ONE, unified(revoke_mandate), methods=["DELETE"]),
    Route("/mandates/{token}", show_page, methods=["GET"]),
    Route("/mandates/{token}", answer_page, methods=["POST"]),
]
