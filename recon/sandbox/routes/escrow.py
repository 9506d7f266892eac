"""Escrow tokens and customers, and how escrow lists. Source: document 1, Endpoints."""

import re
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recon.sandbox.answers import DONE, Refusal, answer, answer_bytes, coded, done
from recon.sandbox.doors import escrow, same
from recon.sandbox.fields import MOBILE, NATIONAL_CODE, Fields, body_of, numbered
from recon.sandbox.lists import Page, Shape, links, meta, rows_of
from recon.sandbox.state import State, new_token, state_of
from recon.sandbox.world import Record

BASE = "/escrow/api/v1"
PAGE_SIZE = 15

_BIRTH_DATE = re.compile(r"[0-9]{8}")
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
    state.touch("access_tokens", token)
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
    customer = numbered(state.world.escrow_customers, uid)
    if customer is None:
        raise coded(400, "user_not_found", "No such customer.")
    return done(shown_customer(customer))


async def create_customer(state: State, request: Request) -> Response:
    """Create a customer (201, a message only)."""
    given = Fields(await body_of(request))
    customer: Record = {
        "first_name": given.text("first_name"),
        "last_name": given.text("last_name"),
        "national_code": given.text("national_code", like=NATIONAL_CODE),
        "mobile": given.text("mobile", like=MOBILE),
        "birth_date": given.text("birth_date", like=_BIRTH_DATE),
    }
    known = state.world.escrow_customers
    if any(other["mobile"] == customer["mobile"] for other in known.values()):
        given.wrong("mobile", "has already been taken.")
    given.check()
    uid = max(known, default=1000) + 1
    known[uid] = {"uid": uid, **customer}
    state.touch("escrow_customers", uid)
    return done(status=201)


ROUTES = [
    Route("/sso/oauth/token", create_token, methods=["POST"]),
    Route(f"{BASE}/customers", escrow(list_customers), methods=["GET"]),
    Route(f"{BASE}/customers", escrow(create_customer), methods=["POST"]),
    Route(f"{BASE}/customers/{{customer_uid}}", escrow(show_customer), methods=["GET"]),
]
