"""Escrow flows of the sandbox: drafts, payment, settling, tickets, webhooks, events."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from recon.sandbox.world import World
from tests.sandbox.small_world import (
    ESCROW,
    NOW,
    agreement,
    client_of,
    escrow_headers,
    press,
    small_world,
)

BUYER, SELLER = "09120000001", "09120000002"
DRAFT = {
    "trace_id": "trade-9",
    "currency_code": "IRR",
    "redirect_url": "https://shop.example/done",
    "description": "a violin",
    "creator": "buyer",
    "deposit_price": "9000000",
    "payer": "buyer",
    "payment_method": "full-pay",
    "parties": [
        {"role": "buyer", "mobile": BUYER, "iban": "IR1"},
        {"role": "seller", "mobile": SELLER, "iban": "IR2"},
    ],
    "items": [
        {"title": "violin", "category": "general", "price": "9000000", "quantity": 1}
    ],
}
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


def agree(world: World, mobile: str, action: str = "agree") -> httpx.Response:
    body = {"action": action, "applicant_mobile": mobile}
    return sent(world, "POST", "agreements/T00001", body)


def state(world: World) -> str:
    return str(world.agreements["T00001"]["state"])


def slugs(world: World) -> list[str]:
    return [event["type"] for event in world.events]


def in_state(name: str, paid_at: int | None = None) -> World:
    record = agreement(state=name, _paid_at=paid_at)
    return small_world(agreements={"T00001": record})


def test_a_draft_has_a_creator_who_accepted_it() -> None:
    world = small_world()
    answer = sent(world, "POST", "agreements", DRAFT)
    data = answer.json()["data"]
    assert answer.status_code == 201
    assert set(data) == {
        *("tracking_code", "trace_id", "description"),
        *("parties", "state", "created_at"),
    }
    assert data["state"] == "draft"
    assert [party["state"] for party in data["parties"]] == ["accepted", "pending"]
    assert data["created_at"] == "2026-10-01T09:00:00.000000Z"
    shown = sent(world, "GET", f"agreements/{data['tracking_code']}").json()["data"]
    assert shown["amount"] == 9_000_000
    assert shown["items"] == [
        {
            "title": "violin",
            "description": "",
            "quantity": 1,
            "link": "",
            "category": "general",
        }
    ]
    assert world.events == [
        {
            "created": NOW,
            "type": "agreement_created",
            "data": {
                "tracking_code": data["tracking_code"],
                "creator_role": "buyer",
                "created_at": "2026-10-01 12:30:00",
                "creator_mobile": BUYER,
            },
        }
    ]


def two(role: str) -> list[dict[str, str]]:
    return [
        {"role": role, "mobile": BUYER, "iban": "IR1"},
        {"role": role, "mobile": SELLER, "iban": "IR2"},
    ]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"trace_id": "trace-1"}, "trace_id"),
        ({"trace_id": None}, "trace_id"),
        ({"currency_code": "USD"}, "currency_code"),
        ({"redirect_url": "nowhere"}, "redirect_url"),
        ({"creator": "broker"}, "creator"),
        ({"deposit_price": 0}, "deposit_price"),
        ({"payment_method": "later"}, "payment_method"),
        ({"parties": []}, "parties"),
        ({"parties": two("buyer")}, "parties"),
        (
            {"parties": [{"role": "buyer", "mobile": "09129999999", "iban": "I"}]},
            "parties.0.mobile",
        ),
        ({"items": [{"title": "x"}]}, "items.0.category"),
    ],
)
def test_a_wrong_draft_names_its_field(change: Any, field: str) -> None:
    world = small_world()
    answer = sent(world, "POST", "agreements", DRAFT | change)
    assert answer.status_code == 422
    assert field in answer.json()["errors"]
    assert list(world.agreements) == ["T00001"]
    assert world.events == []


def test_the_whole_path_of_a_trade_that_ends_well() -> None:
    world = small_world()

    async def work(client: httpx.AsyncClient) -> None:
        path = f"{ESCROW}/agreements/T00001"
        body = {"action": "agree", "applicant_mobile": SELLER}
        link = (await client.post(path, json=body)).json()["data"]["web_view_link"]
        early = await client.post(f"{path}/finalize", json={"buyer_mobile": BUYER})
        assert early.status_code == 400
        world.agreements["T00001"]["_redirect_url"] = "https://shop.example/done"
        back = await press(client, link, "pay")
        assert back == {"at": "https://shop.example/done", "tracking_code": "T00001"}
        assert (await client.get(link)).status_code == 404
        held = (await client.get("/sandbox")).json()["escrow_held"]
        assert held == 7_000_000
        ended = await client.post(f"{path}/finalize", json={"buyer_mobile": BUYER})
        assert ended.json()["data"] == {"is_finalized": True}
        assert (await client.get("/sandbox")).json()["escrow_held"] == 0

    within(world, work)
    assert state(world) == "finalize"
    assert slugs(world) == [
        "seller_agreed_agreement",
        "buyer_paid_agreement",
        "agreement_finalized",
        "seller_checked_out",
    ]
    paid = world.events[1]["data"]
    assert (paid["amount"], paid["payer_mobile"]) == ("7000000", BUYER)
    assert world.wallet_balance == 50_000_000


def test_approval_by_all_makes_a_contract_and_by_one_does_not() -> None:
    world = small_world()
    assert agree(world, BUYER).status_code == 200
    assert state(world) == "draft"
    assert agree(world, SELLER).status_code == 200
    assert state(world) == "contract"
    refused = agree(world, SELLER)
    assert refused.status_code == 400
    assert refused.json()["code"] == "invalid_state_agreement"


def test_a_rejected_draft_can_not_be_approved() -> None:
    world = small_world()
    answer = agree(world, SELLER, "reject")
    assert answer.status_code == 200
    assert list(answer.json()) == ["message"]
    assert slugs(world) == ["seller_rejected_agreement"]
    assert agree(world, SELLER).status_code == 400


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("agreements/T00001", {"action": "agree"}, "applicant_mobile"),
        (
            "agreements/T00001",
            {"action": "shrug", "applicant_mobile": BUYER},
            "action",
        ),
        ("agreements/T00001/finalize", {}, "buyer_mobile"),
        ("agreements/T00001/finalize", {"buyer_mobile": SELLER}, "buyer_mobile"),
        (
            "agreements/T00001/cancel",
            {"applicant_mobile": "09129999999"},
            "applicant_mobile",
        ),
    ],
)
def test_wrong_operations_carry_the_number_422(
    path: str, body: Any, field: str
) -> None:
    answer = sent(small_world(), "POST", path, body)
    assert answer.status_code == 422
    assert answer.json()["code"] == 422
    assert list(answer.json()["errors"]) == [field]


@pytest.mark.parametrize(
    ("name", "paid_at", "mobile", "status"),
    [
        ("draft", None, BUYER, 200),
        ("contract", None, BUYER, 200),
        ("contract", NOW, BUYER, 200),
        ("contract", NOW, SELLER, 200),
        ("investigation", NOW, SELLER, 200),
        ("investigation", NOW, BUYER, 400),
        ("finalize", NOW, SELLER, 400),
        ("cancelled", None, SELLER, 400),
        ("rejected", None, BUYER, 400),
    ],
)
def test_who_may_cancel_when(
    name: str, paid_at: int | None, mobile: str, status: int
) -> None:
    world = in_state(name, paid_at)
    body = {"applicant_mobile": mobile}
    answer = sent(world, "POST", "agreements/T00001/cancel", body)
    assert answer.status_code == status
    if status == 200:
        assert answer.json()["data"] == {"is_canceled": True}
        refunded = ["payment_refunded_to_buyer"] if paid_at else []
        assert slugs(world) == ["agreement_cancelled", *refunded]


@pytest.mark.parametrize(
    ("name", "paid_at", "status"),
    [
        ("contract", NOW, 200),
        ("contract", None, 400),
        ("draft", None, 400),
        ("investigation", NOW, 400),
        ("finalize", NOW, 400),
    ],
)
def test_only_what_was_paid_can_be_finalized(
    name: str, paid_at: int | None, status: int
) -> None:
    body = {"buyer_mobile": BUYER}
    path = "agreements/T00001/finalize"
    assert sent(in_state(name, paid_at), "POST", path, body).status_code == status


def ticket(**change: Any) -> dict[str, Any]:
    return {
        "agreement_tracking_code": "T00001",
        "reporter_mobile": BUYER,
        "ticket_type_slug": "dispute_with_seller",
        "redirect_url": "https://shop.example/tickets",
        "description": "it squeaks",
        **change,
    }


def test_a_ticket_moves_a_contract_into_investigation() -> None:
    world = in_state("contract", NOW)
    answer = sent(world, "POST", "tickets", ticket())
    assert answer.status_code == 201
    data = answer.json()["data"]
    assert data["button"]["type"] == "redirect_url"
    assert data["button"]["link"] == "https://shop.example/tickets"
    assert state(world) == "investigation"
    assert world.events[0]["type"] == "buyer_submitted_ticket"
    assert world.events[0]["data"]["reporter_mobile"] == BUYER
    assert world.tickets[data["ticket_uid"]]["ticket_type_slug"]


def test_a_ticket_on_a_draft_leaves_it_a_draft() -> None:
    world = small_world()
    assert sent(world, "POST", "tickets", ticket()).status_code == 201
    assert state(world) == "draft"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"ticket_type_slug": "dispute_with_buyer"}, "ticket_type_slug"),
        ({"ticket_type_slug": "none"}, "ticket_type_slug"),
        ({"agreement_tracking_code": "none"}, "agreement_tracking_code"),
        ({"reporter_mobile": None}, "reporter_mobile"),
        ({"reporter_mobile": "09129999999"}, "reporter_mobile"),
        ({"description": ""}, "description"),
    ],
)
def test_a_wrong_ticket_names_its_field(change: Any, field: str) -> None:
    answer = sent(in_state("contract"), "POST", "tickets", ticket(**change))
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [field]


def test_a_reporter_may_be_named_as_the_table_does() -> None:
    body = ticket(reporter=SELLER, ticket_type_slug="stop_selling")
    del body["reporter_mobile"]
    assert sent(in_state("contract"), "POST", "tickets", body).status_code == 201


@pytest.mark.parametrize(
    ("next_state", "last"),
    [
        ("finalize", ["agreement_finalized", "seller_checked_out"]),
        ("cancelled", ["agreement_cancelled", "payment_refunded_to_buyer"]),
        ("contract", []),
    ],
)
def test_an_investigation_ends_by_control(next_state: str, last: list[str]) -> None:
    world = in_state("investigation", NOW)

    async def work(client: httpx.AsyncClient) -> list[int]:
        path = "/sandbox/agreements/T00001/close"
        answers = [await client.post(path, json={"state": next_state}) for _ in "ab"]
        return [answer.status_code for answer in answers]

    assert within(world, work) == [200, 400]
    assert state(world) == next_state
    assert slugs(world) == ["agreement_change_state_from_investigation", *last]
    assert world.events[0]["data"]["state"] == next_state
