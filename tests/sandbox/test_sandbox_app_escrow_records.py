"""Customers and webhooks of the sandbox, and unknown escrow records."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from recon.sandbox.world import World
from tests.sandbox.small_world import (
    ESCROW,
    client_of,
    escrow_headers,
    small_world,
)

Work = Callable[[httpx.AsyncClient], Awaitable[Any]]


def within(world: World, work: Work, **options: Any) -> Any:
    async def go() -> Any:
        async with client_of(world, **options) as client:
            client.headers.update(await escrow_headers(client))
            return await work(client)

    return asyncio.run(go())


def sent(world: World, verb: str, path: str, body: Any = None) -> httpx.Response:
    async def ask(client: httpx.AsyncClient) -> httpx.Response:
        return await client.request(verb, f"{ESCROW}/{path}", json=body)

    answer = within(world, ask)
    assert isinstance(answer, httpx.Response)
    return answer


def test_a_customer_is_created_once_a_mobile() -> None:
    world = small_world()
    body = {
        "first_name": "Mina",
        "last_name": "Rad",
        "national_code": "0012345678",
        "mobile": "09125556677",
        "birth_date": "13700101",
    }
    made = sent(world, "POST", "customers", body)
    assert made.status_code == 201
    assert list(made.json()) == ["message"]
    again = sent(world, "POST", "customers", body)
    assert again.status_code == 422
    assert again.json()["code"] == "validation_error"
    assert list(again.json()["errors"]) == ["mobile"]
    newest = sent(world, "GET", "customers").json()["data"][0]
    assert newest["last_name"] == "Rad"
    assert "birth_date" not in newest


@pytest.mark.parametrize(
    "field", ["first_name", "last_name", "national_code", "mobile", "birth_date"]
)
def test_a_customer_needs_every_field(field: str) -> None:
    body = {
        "first_name": "Mina",
        "last_name": "Rad",
        "national_code": "0012345678",
        "mobile": "09125556677",
        "birth_date": "13700101",
    }
    answer = sent(small_world(), "POST", "customers", body | {field: None})
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [field]


def test_webhooks_are_made_changed_shown_and_deleted() -> None:
    world = small_world()
    url = "https://shop.example/hook"
    body = {"url": url, "events": ["agreement_created", "agreement_finalized"]}
    made = sent(world, "POST", "webhooks", body)
    assert made.status_code == 201
    webhook = made.json()["data"]
    assert webhook["is_active"] is True
    assert [event["slug"] for event in webhook["events"]] == body["events"]
    assert sent(world, "GET", "webhooks").json()["data"] == [webhook]
    path = f"webhooks/{webhook['id']}"
    change = {"url": url, "is_active": False, "events": ["agreement_created"]}
    assert sent(world, "PUT", path, change).json() == change
    assert sent(world, "GET", path).json()["data"]["is_active"] is False
    gone = sent(world, "DELETE", path)
    assert (gone.status_code, list(gone.json())) == (200, ["message"])
    again = sent(world, "DELETE", path)
    assert (again.status_code, again.json()["code"]) == (404, "not_found_error")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"url": "http://shop.example/hook"}, "url"),
        ({"url": None}, "url"),
        ({"events": ["agreement"]}, "events"),
        ({"events": None}, "events"),
    ],
)
def test_a_wrong_webhook_names_its_field(change: Any, field: str) -> None:
    body = {"url": "https://shop.example/hook", "events": ["agreement_created"]}
    answer = sent(small_world(), "POST", "webhooks", body | change)
    assert answer.status_code == 422
    assert answer.json()["code"] == "validation_error"
    assert list(answer.json()["errors"]) == [field]


@pytest.mark.parametrize(
    ("verb", "path"),
    [
        ("GET", "agreements/none"),
        ("POST", "agreements/none"),
        ("POST", "agreements/none/cancel"),
        ("GET", "webhooks/9"),
        ("GET", "webhooks/" + "9" * 5000),
        ("DELETE", "webhooks/x"),
    ],
)
def test_an_unknown_escrow_record_is_404(verb: str, path: str) -> None:
    answer = sent(small_world(), verb, path, {})
    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found_error"
