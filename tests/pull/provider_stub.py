"""A small provider of every product, as a plain ASGI application."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import httpx

from recon.settings import (
    Business,
    CashIn,
    Escrow,
    Gateway,
    Hosted,
    Http,
    LakeSettings,
    Secret,
    Settings,
    Unified,
)

ADDRESS = "https://provider.test"
WALLET = "IR000000000000000000000001"
CANARY = "canary-secret-of-the-pull"
SECONDS = 1_790_000_000

Answer = tuple[int, Any]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Endpoint = Callable[[dict[str, str], dict[str, Any]], Answer]


def checkout(number: int, **changes: Any) -> dict[str, Any]:
    """Return a paid checkout with one done payment."""
    return {
        "id": f"c{number}",
        "request_id": f"r{number}",
        "checkout_number": str(number),
        "amount": 1000 + number,
        "status": "paid",
        "description": None,
        "created_at": SECONDS + number,
        "updated_at": SECONDS + number,
        "customer": {"id": "u1", "mobile": "09120000000"},
        "payments": [payment(number)],
        **changes,
    }


def payment(number: int, **changes: Any) -> dict[str, Any]:
    """Return a done payment."""
    return {
        "id": f"p{number}",
        "payment_method": "debit-alvand",
        "amount": 1000 + number,
        "wage_amount": 10,
        "affected_amount": 990 + number,
        "ref_id": str(number),
        "tracking_code": None,
        "status": "done",
        "error": None,
        "created_at": SECONDS,
        "updated_at": SECONDS,
        "paid_at": SECONDS,
        "type": "debit",
        "debit": {"mandate_id": "m1"},
        **changes,
    }


def deposit(number: int, **changes: Any) -> dict[str, Any]:
    """Return a deposit entry as the contract shows it."""
    return {
        "gateway_transaction_id": number,
        "amount": 10_000,
        "amount_toman": 1_000,
        "wage": 0,
        "wage_toman": 0,
        "status": "INIT",
        "iban": WALLET,
        "receipt_url": "https://receipts.test/1",
        **changes,
    }


class Stub:
    """Answers `METHOD path` from `endpoints`; 404 for anything else."""

    def __init__(self) -> None:
        self.checkouts = [checkout(number) for number in range(25, 0, -1)]
        self.asked: list[str] = []
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[tuple[bytes, bytes]] = []
        self.waits = 0.0  # seconds before each answer
        self.endpoints: dict[str, Endpoint] = {
            "POST /sso/oauth/token": lambda query, body: (
                201,
                {"access_token": CANARY, "expires_in": 3600, "token_type": "Bearer"},
            )
        }
        unified = "GET /mpg/v1/business/teahouse/"
        self.lists(f"{unified}checkouts", lambda: self.checkouts)
        self.lists(f"{unified}mandates", list)
        self.answers(f"{unified}payment-methods", {"data": [{"slug": "debit-alvand"}]})
        for name in ("agreements", "customers"):
            self.lists(f"GET /escrow/api/v1/{name}", list)
        self.answers("GET /escrow/api/v1/webhooks", {"data": []})
        cash_in = "/v3/business/teahouse/cash-in/account"
        self.answers(f"GET {cash_in}", {"data": [{"IBAN": WALLET}]})
        balance = {"balance": 70, "available_balance": "50"}
        self.answers(f"POST {cash_in}/balance", balance)

    def answers(self, endpoint: str, body: Any, status: int = 200) -> None:
        self.endpoints[endpoint] = lambda query, sent: (status, body)

    def lists(self, endpoint: str, rows: Callable[[], list[dict[str, Any]]]) -> None:
        def answer(query: dict[str, str], body: dict[str, Any]) -> Answer:
            asked = {**body, **query}
            number, size = int(asked["page"]), int(asked.get("per_page", 15))
            found = rows()
            meta = {
                "current_page": number,
                "last_page": max(1, -(-len(found) // size)),
                "per_page": size,
                "total": len(found),
            }
            page = found[(number - 1) * size : number * size]
            return 200, {"data": page, "meta": meta}

        self.endpoints[endpoint] = answer

    async def __call__(
        self, scope: dict[str, Any], receive: Receive, send: Send
    ) -> None:
        sent = (await receive()).get("body", b"")
        await asyncio.sleep(self.waits)
        endpoint = f"{scope['method']} {scope['path']}"
        self.asked.append(endpoint)
        body = json.loads(sent) if sent else {}
        self.bodies.append(body)
        query = {
            name: values[0]
            for name, values in parse_qs(scope["query_string"].decode()).items()
        }
        known = self.endpoints.get(endpoint)
        status, answer = known(query, body) if known else (404, {"message": "nothing"})
        content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        start = {"type": "http.response.start", "headers": self.headers}
        await send({**start, "status": status})
        await send({"type": "http.response.body", "body": content})

    @property
    def transport(self) -> httpx.ASGITransport:
        return httpx.ASGITransport(self)  # type: ignore[arg-type]


def all_products(folder: Path, **sections: Any) -> Settings:
    """Return settings of every product; a section given as None is absent."""
    key = Secret(CANARY)
    present: dict[str, Any] = {
        "unified": Unified(base_url=ADDRESS, api_key=key, per_page=10),
        "escrow": Escrow(base_url=ADDRESS, client_id=1, client_secret=key),
        "cash_in": CashIn(base_url=ADDRESS, api_key=key, wallet_iban=WALLET),
        "gateway": Gateway(base_url=ADDRESS, api_key=key),
        "hosted": Hosted(base_url=ADDRESS, api_key=key),
        "http": Http(retries=1, timeout=timedelta(seconds=5)),
        "lake": LakeSettings(path=str(folder / "lake")),
    }
    return Settings(
        business=Business(name="teahouse"), folder=folder, **{**present, **sections}
    )
