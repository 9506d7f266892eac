"""Credit and card payments of the sandbox: page, return, verification."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from recon.sandbox.world import World
from tests.sandbox.small_world import (
    MPG,
    UNIFIED,
    client_of,
    press,
    small_world,
)

BACK = "https://shop.example/back?order=7"
Work = Callable[[httpx.AsyncClient], Awaitable[Any]]


def within(world: World, work: Work, **options: Any) -> Any:
    async def go() -> Any:
        async with client_of(world, **options) as client:
            client.headers.update(UNIFIED)
            return await work(client)

    return asyncio.run(go())


def sent(world: World, verb: str, path: str, body: Any = None, **options: Any) -> Any:
    async def ask(client: httpx.AsyncClient) -> httpx.Response:
        return await client.request(verb, f"{MPG}/{path}", json=body)

    return within(world, ask, **options)


def redirected(kind: str, **own: Any) -> dict[str, Any]:
    return {
        "payment_method": f"{kind}-blue",
        "amount": 50_000,
        "type": kind,
        "request_id": "r-1",
        "checkout_number": "77",
        kind: {"callback_url": BACK, "customer": {"mobile": "09121112233"}, **own},
    }


@pytest.mark.parametrize("kind", ["credit", "card"])
def test_a_payment_goes_over_its_page_and_is_verified_once(kind: str) -> None:
    world = small_world()

    async def work(client: httpx.AsyncClient) -> None:
        made = await client.post(f"{MPG}/checkouts", json=redirected(kind))
        row = made.json()["data"]["checkout"]
        waiting = row["payments"][0]
        assert (row["status"], waiting["status"]) == ("not_paid", "pending_redirect")
        assert waiting[kind] is None
        assert waiting["paid_at"] is None
        path = f"{MPG}/payments/{waiting['id']}"
        early = await client.patch(path)
        assert early.status_code == 403
        back = await press(client, f"/payments/{waiting['id']}/pay", "pay")
        assert back["payment_id"] == waiting["id"]
        assert back["status"] == "pending_verify"
        assert world.wallet_balance == 50_000_000
        verified = await client.patch(path)
        paid = verified.json()["data"]["payment"]
        assert (paid["status"], paid["affected_amount"]) == ("done", 49_500)
        if kind == "card":
            assert paid["card"]["card_number"] == "603799******7890"
            assert len(paid["card"]["cid"]) == 64
        assert world.wallet_balance == 50_049_500
        assert (await client.patch(path)).status_code == 403
        detail = await client.get(f"{MPG}/checkouts/{row['id']}")
        assert detail.json()["data"]["checkout"]["status"] == "paid"

    within(world, work)
    assert world.wallet_balance == 50_049_500


@pytest.mark.parametrize("button", ["decline", "trouble"])
def test_a_payment_that_is_not_made_failed(button: str) -> None:
    world = small_world()

    async def work(client: httpx.AsyncClient) -> None:
        made = await client.post(f"{MPG}/checkouts", json=redirected("card"))
        payment_id = made.json()["data"]["checkout"]["payments"][0]["id"]
        back = await press(client, f"/payments/{payment_id}/pay", button)
        assert back["status"] == "failed"
        assert (await client.patch(f"{MPG}/payments/{payment_id}")).status_code == 403
        assert (await client.get(f"/payments/{payment_id}/pay")).status_code == 404

    within(world, work)
    newest = [*world.checkouts.values()][-1]
    assert newest["payments"][0]["error"]["code"]
    assert world.wallet_balance == 50_000_000


@pytest.mark.parametrize("name", ["valid_card_number", "valid_card_numbers"])
def test_only_the_card_that_was_sent_can_pay(name: str) -> None:
    world = small_world()

    async def work(client: httpx.AsyncClient) -> None:
        body = redirected("card", **{name: "6219861000000001"})
        made = await client.post(f"{MPG}/checkouts", json=body)
        path = f"/payments/{made.json()['data']['checkout']['payments'][0]['id']}/pay"
        form = {"outcome": "pay", "card": "6219861000000002"}
        other = await client.post(path, data=form)
        assert other.status_code == 422
        assert "another card" in other.text
        assert (await press(client, path, "pay"))["status"] == "pending_verify"

    within(world, work)


@pytest.mark.parametrize(
    ("own", "field"),
    [
        ({"callback_url": None}, "card.callback_url"),
        ({"customer": None}, "card.customer"),
        ({"customer": {"mobile": "1"}}, "card.customer.mobile"),
        ({"valid_card_number": "12"}, "card.valid_card_number"),
    ],
)
def test_a_wrong_card_part_names_its_field(own: Any, field: str) -> None:
    answer = sent(small_world(), "POST", "checkouts", redirected("card", **own))
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [field]


def test_a_checkout_without_numbers_gets_an_id_and_no_invoice_number() -> None:
    world = small_world()

    async def work(client: httpx.AsyncClient) -> None:
        body = redirected("credit") | {"checkout_number": None, "request_id": None}
        made = (await client.post(f"{MPG}/checkouts", json=body)).json()
        row = made["data"]["checkout"]
        assert row["request_id"]
        assert row["checkout_number"] is None
        await press(client, f"/payments/{row['payments'][0]['id']}/pay", "pay")

    within(world, work)


def test_an_unknown_payment_is_404() -> None:
    world = small_world()
    assert sent(world, "PATCH", "payments/none").status_code == 404
