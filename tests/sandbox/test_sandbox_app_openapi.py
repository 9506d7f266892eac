"""The description at /openapi.json holds for whatever is asked, and for whole flows."""

import asyncio
import functools
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from starlette.routing import Match, Route

from recon.sandbox import history
from recon.sandbox.app import ROUTES, create_app
from recon.sandbox.openapi import document
from tests.sandbox.small_world import (
    BANK_IBAN,
    BUSINESS,
    CASH_IN,
    ESCROW,
    HOSTED,
    MPG,
    UNIFIED,
    WALLET,
    escrow_headers,
    press,
    small_world,
)

DOCUMENT = document(small_world())
OPERATIONS = [
    (path, method)
    for path, described in DOCUMENT["paths"].items()
    for method in described
    if method != "parameters"
]
OWN = "/sandbox"
BACK = "https://shop.example/back"


@functools.cache
def schema() -> Any:
    """Return the description as schemathesis reads it, which is long to import."""
    import schemathesis  # noqa: PLC0415

    return schemathesis.openapi.from_dict(DOCUMENT)


def assert_described(operation: Any, response: httpx.Response) -> None:
    described = DOCUMENT["paths"][operation.path][operation.method]["responses"]
    assert str(response.status_code) in described, response.text
    operation.validate_response(response)


def headers_for(path: str, token: dict[str, str]) -> dict[str, str]:
    if path.startswith("/mpg"):
        return UNIFIED
    if "/cash-in/" in path:
        return CASH_IN
    return HOSTED if path.startswith("/pay-with") else token


@pytest.mark.parametrize(
    ("path", "method"), OPERATIONS, ids=[f"{what} {of}" for of, what in OPERATIONS]
)
def test_answers_are_as_described(path: str, method: str) -> None:
    app = create_app(small_world())
    operation = schema()[path][method]

    async def ask(case: Any) -> httpx.Response:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app=app), base_url="http://sandbox.test"
        ) as client:
            token = await escrow_headers(client)
            asked = {
                name: value
                for name, value in case.as_transport_kwargs().items()
                if name in {"method", "url", "params", "json", "data"} and value
            }
            asked["headers"] = headers_for(operation.path, token)
            return await client.request(**asked)

    @settings(
        max_examples=4,
        database=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],  # a failure is shown as it came
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy())
    def check(case: Any) -> None:
        assert_described(operation, asyncio.run(ask(case)))

    check()


def test_every_route_of_the_provider_is_described_and_nothing_else() -> None:
    routed = {
        (route.path, method.lower())
        for route in ROUTES
        if not route.path.startswith((OWN, "/openapi.json"))
        for method in (route.methods or set()) - {"HEAD"}
    }
    assert routed == set(OPERATIONS)


def test_it_is_served() -> None:
    world = small_world()

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app=create_app(world))
        async with httpx.AsyncClient(transport=transport) as client:
            return await client.get("http://sandbox.test/openapi.json")

    assert asyncio.run(ask()).json() == document(world)


def operation_of(response: httpx.Response) -> Any:
    """Return the operation that a response belongs to, or None for the controls."""
    request = response.request
    scope = {
        "type": "http",
        "method": request.method,
        "path": request.url.path,
        "path_params": {},
    }
    route = next(
        each
        for each in ROUTES
        if isinstance(each, Route) and each.matches(scope)[0] == Match.FULL
    )
    if route.path.startswith(OWN):
        return None
    return schema()[route.path][request.method.lower()]


async def tour(client: httpx.AsyncClient) -> None:
    """Go through every flow that ends well."""
    await unified_tour(client)
    await gateway_tour(client)
    await hosted_tour(client)
    await escrow_tour(client)
    deposit = {"iban": BANK_IBAN, "amount": 1_200_000_000, "track_id": "d"}
    client.headers.update(CASH_IN)
    await client.get(f"{WALLET}/account")
    await client.post(f"{WALLET}/account/balance", json={"iban": BANK_IBAN})
    for _ in "ab":
        await client.post(f"{WALLET}/account/deposit", json=deposit)
    await client.post("/sandbox/clock", json={"advance": "1d"})
    await client.get(f"{WALLET}/deposits")


async def unified_tour(client: httpx.AsyncClient) -> None:
    client.headers.update(UNIFIED)
    customer = {"mobile": "09121112233"}
    asked = {
        "payment_method": "debit-blue",
        "count": 5,
        "limit": 10**9,
        "expires_at": 4_000_000_000,
        "callback_url": BACK,
        "customer": customer,
    }
    made = (await client.post(f"{MPG}/mandates", json=asked)).json()
    granted = await press(client, f"/mandates/{made['data']['token']}", "pay")
    mandate = f"{MPG}/mandates/{granted['mandate_id']}"
    await client.patch(mandate)
    await client.patch(mandate)
    own: Any
    for kind, own in (
        ("debit", {"mandate_id": granted["mandate_id"]}),
        ("credit", {"callback_url": BACK, "customer": customer}),
        ("card", {"callback_url": BACK, "customer": customer}),
    ):
        body = {"payment_method": f"{kind}-blue", "amount": 9000, "type": kind}
        answer = await client.post(f"{MPG}/checkouts", json=body | {kind: own})
        row = answer.json()["data"]["checkout"]
        payment = row["payments"][0]["id"]
        if kind != "debit":
            await press(client, f"/payments/{payment}/pay", "pay")
            await client.patch(f"{MPG}/payments/{payment}")
        await client.get(f"{MPG}/checkouts/{row['id']}")
    await client.get(f"{MPG}/payment-methods", params={"mobile": "09121112233"})
    await client.delete(mandate)
    await client.get(mandate)
    await client.get(f"{MPG}/mandates")
    await client.get(f"{MPG}/checkouts", params={"per_page": 2})


async def gateway_tour(client: httpx.AsyncClient) -> None:
    key = {"api_key": "sandbox-gateway-key"}
    sent = await client.post(
        "/api/v3/send", json=key | {"amount": 9000, "callback_url": BACK}
    )
    body = key | {"token": sent.json()["token"]}
    await press(client, f"/v3/{body['token']}", "pay")
    for step in ("transaction", "verify", "verify", "transaction"):
        await client.post(f"/api/v3/{step}", data=body)


async def hosted_tour(client: httpx.AsyncClient) -> None:
    client.headers.update(HOSTED)
    body = {"amount": 10_000, "callback_url": BACK}
    sent = await client.post("/pay-with/v1/send", json=body)
    token = sent.json()["data"]["token"]
    await press(client, f"/checkouts/{token}", "pay")
    for _ in "ab":
        await client.post("/pay-with/v1/verify", json={"checkout_id": token})
    await client.get(f"/pay-with/v1/checkouts/{token}")


async def escrow_tour(client: httpx.AsyncClient) -> None:
    client.headers.update(await escrow_headers(client))
    buyer, seller = "09120000001", "09120000002"
    draft = {
        "trace_id": "t",
        "currency_code": "IRR",
        "redirect_url": BACK,
        "description": "a lamp",
        "creator": "seller",
        "deposit_price": 5000,
        "payer": "buyer",
        "payment_method": "full-pay",
        "parties": [
            {"role": "buyer", "mobile": buyer, "iban": "IR1"},
            {"role": "seller", "mobile": seller, "iban": "IR2"},
        ],
        "items": [
            {"title": "lamp", "category": "digital", "price": "5000", "quantity": 1}
        ],
    }
    made = await client.post(f"{ESCROW}/agreements", json=draft)
    code = made.json()["data"]["tracking_code"]
    path = f"{ESCROW}/agreements/{code}"
    agree = {"action": "agree", "applicant_mobile": buyer}
    approved = await client.post(path, json=agree)
    await client.post(path, json=agree)
    await press(client, approved.json()["data"]["web_view_link"], "pay")
    ticket = {
        "agreement_tracking_code": code,
        "reporter_mobile": seller,
        "ticket_type_slug": "other_cases",
        "redirect_url": BACK,
        "description": "late",
    }
    await client.post(f"{ESCROW}/tickets", json=ticket)
    close = {"state": "contract"}
    await client.post(f"/sandbox/agreements/{code}/close", json=close)
    await client.post(f"{path}/finalize", json={})
    await client.post(f"{path}/finalize", json={"buyer_mobile": buyer})
    await client.post(f"{path}/cancel", json={"applicant_mobile": buyer})
    cancel = {"applicant_mobile": seller}
    await client.post(f"{ESCROW}/agreements/T00001/cancel", json=cancel)
    for name in ("agreements", f"agreements/{code}", "customers", "customers/1"):
        await client.get(f"{ESCROW}/{name}")
    hook: dict[str, Any] = {"url": BACK, "events": ["agreement_created"]}
    await client.post(f"{ESCROW}/webhooks", json=hook)
    await client.put(f"{ESCROW}/webhooks/1", json=hook | {"is_active": False})
    await client.get(f"{ESCROW}/webhooks/1")
    await client.get(f"{ESCROW}/webhooks")
    await client.delete(f"{ESCROW}/webhooks/1")


def test_every_step_of_every_flow_is_as_described() -> None:
    world = small_world()
    seen: set[tuple[str, str, int]] = set()

    async def check(response: httpx.Response) -> None:
        await response.aread()
        operation = operation_of(response)
        if operation is not None:
            seen.add((operation.path, operation.method, response.status_code))
            assert_described(operation, response)

    async def go() -> None:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app=create_app(world)),
            base_url="http://sandbox.test",
            event_hooks={"response": [check]},
        ) as client:
            await tour(client)

    asyncio.run(go())
    good = {(path, method) for path, method, status in seen if status < 400}
    every = set(OPERATIONS)
    assert every - good == {(f"{ESCROW}/customers", "post")}
    assert world.wallet_balance == 50_000_000 + 3 * 8910 + 8910 + 9900 + 1_200_000_000


def test_a_generated_history_is_served_as_described() -> None:
    world = history.generate(5, days=8, daily=10, faults=("all",)).world
    unified = MPG.replace(BUSINESS, world.business)
    cash_in = WALLET.replace(BUSINESS, world.business)
    key = {"api_key": "sandbox-gateway-key"}

    async def go() -> None:
        transport = httpx.ASGITransport(app=create_app(world))
        async with httpx.AsyncClient(
            transport=transport, base_url="http://sandbox.test"
        ) as client:
            token = await escrow_headers(client)
            asked: list[tuple[str, str, Any]] = [
                ("GET", f"{unified}/checkouts?per_page=1000", None),
                ("GET", f"{unified}/mandates?per_page=1000", None),
                ("GET", f"{unified}/payment-methods", None),
                ("GET", f"{ESCROW}/agreements", None),
                ("GET", f"{ESCROW}/customers", None),
                ("GET", f"{ESCROW}/webhooks", None),
                ("GET", f"{cash_in}/account", None),
                ("GET", f"{cash_in}/deposits?per_page=1000", None),
                *(("GET", f"{unified}/checkouts/{x}", None) for x in world.checkouts),
                *(
                    ("GET", f"/pay-with/v1/checkouts/{x}", None)
                    for x in world.hosted_checkouts
                ),
                *(
                    ("POST", "/api/v3/transaction", key | {"token": x})
                    for x in world.gateway_transactions
                ),
            ]
            for method, path, body in asked:
                headers = headers_for(path, token)
                answer = await client.request(method, path, json=body, headers=headers)
                assert answer.status_code == 200, (path, answer.text)
                operation = operation_of(answer)
                assert_described(operation, answer)

    asyncio.run(go())
