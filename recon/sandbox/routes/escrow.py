"""Escrow tokens, customers, and the lists. Source: document 1, Endpoints."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recon.sandbox.answers import Refusal, answer, answer_bytes, coded
from recon.sandbox.doors import escrow, not_found, same
from recon.sandbox.fields import Fields, body_of
from recon.sandbox.lists import Page, Shape, links, meta, rows_of
from recon.sandbox.state import State, new_token, state_of
from recon.sandbox.world import Record, shown

BASE = "/escrow/api/v1"
PAGE_SIZE = 15
DONE = "The operation was successful."

_SHOWN_CUSTOMER = ("uid", "first_name", "last_name", "national_code", "mobile")


async def create_token(request: Request) -> Response:
    """Exchange the client's credentials for an access token (201)."""
    state = state_of(request)
    given = Fields(await body_of(request))
    given.text("grant_type", among=("client_credentials",))
    client = given.whole("client_id")
    secret = given.text("client_secret")
    given.check()
    known = state.credentials
    if client != known.escrow_client_id or not same(
        secret or "", known.escrow_client_secret
    ):
        raise Refusal(401, {"error": "Unauthenticated"})
    token = new_token()
    now = state.now()
    state.access_tokens = {
        old: until for old, until in state.access_tokens.items() if until > now
    }
    state.access_tokens[token] = now + state.terms.token_seconds
    body = {
        "token_type": "Bearer",
        "expires_in": state.terms.token_seconds,
        "access_token": token,
    }
    return answer(body, 201)


async def list_page(
    state: State, request: Request, name: str, records: dict[Any, Record], shape: Shape
) -> Response:
    """Answer with 15 records: `{data, links, meta, message}`."""
    given = Fields(dict(request.query_params))
    number = given.whole("page", required=False, least=1)
    given.check()
    page = Page(number or 1, PAGE_SIZE)
    path, total = str(request.url.replace(query="")), len(records)

    def make(rows: "list[Record]") -> Record:
        return {
            "data": [shape(row) for row in rows],
            "links": links(page, total, path),
            "meta": meta(page, total, path),
            "message": DONE,
        }

    key = (name, page, total, path)
    return answer_bytes(state.shelf.page(key, rows_of(records, page), make))


def shown_customer(customer: Record) -> Record:
    """Show a customer: the birth date stays with the service."""
    return {name: customer[name] for name in _SHOWN_CUSTOMER}


async def list_customers(state: State, request: Request) -> Response:
    """Answer with a page of customers, newest first."""
    records = state.world.escrow_customers
    return await list_page(state, request, "customers", records, shown_customer)


async def show_customer(state: State, request: Request) -> Response:
    """Answer with one customer."""
    uid = request.path_params["customer_uid"]
    customer = state.world.escrow_customers.get(int(uid)) if uid.isdigit() else None
    if customer is None:
        raise coded(400, "user_not_found", "No such customer.")
    return answer({"message": DONE, "data": shown_customer(customer)})


def _agreement_in_list(agreement: Record) -> Record:
    row = shown(agreement)
    row.pop("creator", None)  # present in show only
    return row


async def list_agreements(state: State, request: Request) -> Response:
    """Answer with a page of agreements, newest first."""
    records = state.world.agreements
    return await list_page(state, request, "agreements", records, _agreement_in_list)


async def show_agreement(state: State, request: Request) -> Response:
    """Answer with one agreement."""
    return answer({"message": DONE, "data": shown(agreement_at(state, request))})


def agreement_at(state: State, request: Request) -> Record:
    """Return the agreement that the path names, or refuse."""
    agreement = state.world.agreements.get(request.path_params["tracking_code"])
    if agreement is None:
        raise not_found("agreement")
    return agreement


ROUTES = [
    Route("/sso/oauth/token", create_token, methods=["POST"]),
    Route(f"{BASE}/agreements", escrow(list_agreements), methods=["GET"]),
    Route(
        f"{BASE}/agreements/{{tracking_code}}", escrow(show_agreement), methods=["GET"]
    ),
    Route(f"{BASE}/customers", escrow(list_customers), methods=["GET"]),
    Route(f"{BASE}/customers/{{customer_uid}}", escrow(show_customer), methods=["GET"]),
]
