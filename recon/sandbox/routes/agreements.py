"""Escrow agreements: drafting, and the two lists. Source: document 1, Agreements."""

from datetime import UTC
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recon.sandbox import trades
from recon.sandbox.answers import done
from recon.sandbox.doors import escrow, not_found
from recon.sandbox.fields import MOBILE, Fields, body_of
from recon.sandbox.routes.escrow import BASE, list_page
from recon.sandbox.state import State, new_digits
from recon.sandbox.trades import DRAFT
from recon.sandbox.world import Record, shown

ROLES = ("buyer", "seller")
CATEGORIES = ("general", "digital")
_CREATED = (
    "tracking_code",
    "trace_id",
    "description",
    "parties",
    "state",
    "created_at",
)


def party_of(agreement: Record, role: str) -> Record:
    """Return the buyer or the seller of an agreement."""
    found: Record = next(
        party for party in agreement["parties"] if party["role"] == role
    )
    return found


def agreement_at(state: State, request: Request) -> Record:
    """Return the agreement that the path names, or refuse."""
    agreement = state.world.agreements.get(request.path_params["tracking_code"])
    if agreement is None:
        raise not_found("agreement")
    return agreement


async def list_agreements(state: State, request: Request) -> Response:
    """Answer with a page of agreements, newest first."""
    records = state.world.agreements
    return await list_page(state, request, "agreements", records, _in_list)


def _in_list(agreement: Record) -> Record:
    row = shown(agreement)
    row.pop("creator", None)  # present in show only
    return row


async def show_agreement(state: State, request: Request) -> Response:
    """Answer with one agreement."""
    return done(shown(agreement_at(state, request)))


async def create_agreement(state: State, request: Request) -> Response:
    """Draft an agreement (201); its creator has accepted it."""
    given = Fields(await body_of(request))
    trace_id = given.text("trace_id")
    if any(each["trace_id"] == trace_id for each in state.world.agreements.values()):
        given.wrong("trace_id", "has already been taken.")
    given.text("currency_code", among=("IRR",))
    redirect_url = given.address("redirect_url")
    description = given.text("description")
    creator = given.text("creator", among=ROLES)
    amount = given.whole("deposit_price", least=1)
    given.text("payer", among=ROLES)
    given.text("payment_method", among=("full-pay", "pre-pay"))
    parties = _parties(state, given, creator)
    items = [_item(item) for item in given.each("items")]
    given.check()
    agreement: Record = {
        "tracking_code": new_digits(10),
        "trace_id": trace_id,
        "description": description,
        "parties": parties,
        "items": items,
        "amount": amount,
        "state": DRAFT,
        "creator": creator,
        "created_at": _iso(state),
        "_redirect_url": redirect_url,
        "_paid_at": None,
    }
    state.world.agreements[agreement["tracking_code"]] = agreement
    state.touch("agreements", agreement["tracking_code"])
    state.emit("agreement_created", _created(state, agreement))
    data = {name: agreement[name] for name in _CREATED}
    return done(data, 201)


def _parties(state: State, given: Fields, creator: str | None) -> list[Record]:
    """Return one buyer and one seller, both customers."""
    known: dict[Any, Record] = {
        customer["mobile"]: customer
        for customer in state.world.escrow_customers.values()
    }
    parties = []
    for party in given.each("parties"):
        role = party.text("role", among=ROLES) or ""
        mobile = party.text("mobile", like=MOBILE)
        party.text("iban")
        customer = known.get(mobile)
        if mobile is not None and customer is None:
            party.wrong("mobile", "is not a customer of this business.")
        if customer is not None:
            parties.append(trades.party(role, customer, accepted=role == creator))
    if not given.errors and sorted(party["role"] for party in parties) != [*ROLES]:
        given.wrong("parties", "must be one buyer and one seller.")
    return parties


def _item(given: Fields) -> Record:
    given.whole("price", least=0)  # asked for, and shown nowhere
    return {
        "title": given.text("title"),
        "description": given.text("description", required=False) or "",
        "quantity": given.whole("quantity", least=1),
        "link": given.text("link", required=False) or "",
        "category": given.text("category", among=CATEGORIES),
    }


def _iso(state: State) -> str:
    return state.world.now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _created(state: State, agreement: Record) -> Record:
    local = state.local(state.now())
    return {
        "tracking_code": agreement["tracking_code"],
        "creator_role": agreement["creator"],
        "created_at": f"{local:%Y-%m-%d %H:%M:%S}",
        "creator_mobile": party_of(agreement, agreement["creator"])["mobile"],
    }


ROUTES = [
    Route(f"{BASE}/agreements", escrow(list_agreements), methods=["GET"]),
    Route(f"{BASE}/agreements", escrow(create_agreement), methods=["POST"]),
    Route(
        f"{BASE}/agreements/{{tracking_code}}", escrow(show_agreement), methods=["GET"]
    ),
]
