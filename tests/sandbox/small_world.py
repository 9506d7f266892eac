"""A small world with some of everything, and a client that reaches it in process."""

import asyncio
from collections.abc import Coroutine
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any

import httpx

from recon.sandbox.app import create_app
from recon.sandbox.terms import SANDBOX_KEYS
from recon.sandbox.world import Record, World

BUSINESS = "tea-house"
NOW = int(datetime(2026, 10, 1, 9, tzinfo=UTC).timestamp())
BANK_IBAN = "IR120620000000302876732005"
WALLET_IBAN = "IR840620000000000000000001"
UNIFIED = {"x-api-key": SANDBOX_KEYS.unified_key, "accept": "application/json"}
CASH_IN = {"authorization": f"Bearer {SANDBOX_KEYS.cash_in_key}"}
HOSTED = {"x-api-key": SANDBOX_KEYS.hosted_key}
MPG = f"/mpg/v1/business/{BUSINESS}"
WALLET = f"/v3/business/{BUSINESS}/cash-in"
ESCROW = "/escrow/api/v1"


def customer(number: int = 1) -> Record:
    return {
        "id": f"customer-{number}",
        "mobile": f"0912{number:07d}",
        "first_name": "Sara",
        "last_name": "Karimi",
        "national_code": f"{number:010d}",
        "email": "",
    }


def mandate(number: int = 1, **changes: Any) -> Record:
    return {
        "id": f"mandate-{number}",
        "payment_method": "debit-blue",
        "count": 3,
        "limit": 5_000_000,
        "expires_at": NOW + 86_400 * 90,
        "customer_id": f"customer-{number}",
        "status": "active",
        "created_at": NOW - 5000 + number,
        "updated_at": NOW - 5000 + number,
        "revoked_at": None,
        **changes,
    }


def payment(number: int = 1, kind: str = "debit", **changes: Any) -> Record:
    own: Record = {"debit": {"mandate_id": "mandate-1"}} if kind == "debit" else {}
    if kind == "credit":
        own = {"credit": None}
    if kind == "card":
        own = {"card": {"card_number": "603799******1234", "cid": "ab" * 32}}
    return {
        "id": f"payment-{number}",
        "payment_method": f"{kind}-blue",
        "amount": 1_000_000,
        "wage_amount": 10_000,
        "affected_amount": 990_000,
        "ref_id": f"ref-{number}",
        "tracking_code": f"track-{number}",
        "status": "done",
        "error": None,
        "created_at": NOW - 1000 + number,
        "updated_at": NOW - 1000 + number,
        "paid_at": NOW - 1000 + number,
        "type": kind,
        **own,
        **changes,
    }


def checkout(number: int = 1, kind: str = "debit", **changes: Any) -> Record:
    return {
        "id": f"checkout-{number}",
        "request_id": f"request-{number}",
        "checkout_number": f"{1000 + number}",
        "amount": 1_000_000,
        "status": "paid",
        "description": "چای",
        "created_at": NOW - 1000 + number,
        "updated_at": NOW - 1000 + number,
        "customer": customer(),
        "payments": [payment(number, kind)],
        **changes,
    }


def agreement(number: int = 1, **changes: Any) -> Record:
    return {
        "tracking_code": f"T{number:05d}",
        "trace_id": f"trace-{number}",
        "description": "a bicycle",
        "parties": [party("buyer", 1), party("seller", 2)],
        "items": [
            {
                "title": "bicycle",
                "description": "blue",
                "quantity": 1,
                "link": "",
                "category": "general",
            }
        ],
        "amount": 7_000_000,
        "state": "draft",
        "creator": "buyer",
        "created_at": "2026-10-01T08:00:00.000000Z",
        "_paid_at": None,
        **changes,
    }


def party(role: str, number: int) -> Record:
    return {
        "role": role,
        "state": "accepted" if role == "buyer" else "pending",
        "national_code": f"{number:010d}",
        "mobile": f"0912{number:07d}",
    }


def method(kind: str = "debit", **changes: Any) -> Record:
    return {
        "modes": ["once"],
        "slug": f"{kind}-blue",
        "type": kind,
        "name": kind,
        "logo": "https://logos.example/blue.png",
        "is_healthy": True,
        "limit": 500_000_000,
        **changes,
    }


def small_world(**changes: Any) -> World:
    world = World(
        BUSINESS,
        now=lambda: datetime.fromtimestamp(NOW, UTC),
        payment_methods=[method(), method("credit"), method("card")],
        mandates={"mandate-1": mandate()},
        checkouts={"checkout-1": checkout()},
        escrow_customers={
            uid: {
                "uid": uid,
                "first_name": "Sara",
                "last_name": "Karimi",
                "national_code": f"{uid:010d}",
                "mobile": f"0912{uid:07d}",
                "birth_date": "13700101",
            }
            for uid in (1, 2)
        },
        agreements={"T00001": agreement()},
        accounts=[
            {
                "account_number": "302876732005",
                "account_description": "active",
                "id": None,
                "IBAN": BANK_IBAN,
                "account_owner": [{"firstName": "Sara", "lastName": "Karimi"}],
                "bank_name": "Blue",
            }
        ],
        wallet_iban=WALLET_IBAN,
        wallet_balance=50_000_000,
        wallet_available=40_000_000,
    )
    for name, value in changes.items():
        setattr(world, name, value)
    return world


def client_of(world: World, **options: Any) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app=create_app(world, **options)),
        base_url="http://sandbox.test",
    )


async def escrow_headers(client: httpx.AsyncClient) -> dict[str, str]:
    answer = await client.post(
        "/sso/oauth/token",
        json={
            "grant_type": "client_credentials",
            "client_id": SANDBOX_KEYS.escrow_client_id,
            "client_secret": SANDBOX_KEYS.escrow_client_secret,
        },
    )
    assert answer.status_code == 201
    return {
        "accept": "application/json",
        "authorization": f"Bearer {answer.json()['access_token']}",
    }


def clock(at: int) -> Any:
    """A clock that stands still at that many Unix seconds."""
    return lambda: datetime.fromtimestamp(at, UTC)


class Form(HTMLParser):
    """What a customer can do on a page: change inputs, press one of the buttons."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.method = ""
        self.inputs: dict[str, str] = {}
        self.buttons: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.method = named["method"]
        elif tag == "input":
            self.inputs[named["name"]] = named["value"]
        elif tag == "button":
            assert named["name"] == "outcome"
            self.buttons.append(named["value"])


async def press(
    client: httpx.AsyncClient, page: str, button: str, **changed: str
) -> dict[str, str]:
    """Open a page, press a button as a browser would, return where that leads to.

    The result holds the query parameters of the redirect, and its address without
    them as `at`.
    """
    shown = await client.get(page)
    assert shown.status_code == 200, shown.text
    assert shown.headers["content-type"].startswith("text/html")
    form = Form(shown.text)
    assert form.method == "post"
    assert button in form.buttons
    sent = await client.post(page, data={**form.inputs, **changed, "outcome": button})
    assert sent.status_code == 303, sent.text
    to = httpx.URL(sent.headers["location"])
    return {"at": str(to.copy_with(query=None)), **dict(to.params)}


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def get(
    world: Any, path: str, headers: Any = UNIFIED, **options: Any
) -> httpx.Response:
    async def ask() -> httpx.Response:
        async with client_of(world, **options) as client:
            return await client.get(path, headers=headers)

    answer = run(ask())
    assert isinstance(answer, httpx.Response)
    return answer


def escrow_get(world: Any, path: str) -> httpx.Response:
    async def ask() -> httpx.Response:
        async with client_of(world) as client:
            return await client.get(path, headers=await escrow_headers(client))

    answer = run(ask())
    assert isinstance(answer, httpx.Response)
    return answer


def post(world: Any, path: str, body: Any, **options: Any) -> httpx.Response:
    async def ask() -> httpx.Response:
        async with client_of(world, **options) as client:
            return await client.post(path, json=body, headers=CASH_IN)

    answer = run(ask())
    assert isinstance(answer, httpx.Response)
    return answer
