"""Unified flows of the sandbox: mandates, debit checkouts, paid pages, verification."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from recon.sandbox.faults import Fault, Faults
from recon.sandbox.terms import Terms
from recon.sandbox.world import World
from tests.sandbox.small_world import (
    MPG,
    NOW,
    UNIFIED,
    checkout,
    client_of,
    clock,
    mandate,
    method,
    payment,
    press,
    small_world,
)

BACK = "https://shop.example/back?order=7"
MANDATE = {
    "payment_method": "debit-blue",
    "count": 2,
    "limit": 900,
    "expires_at": NOW + 86_400,
    "callback_url": BACK,
    "customer": {"mobile": "09121112233", "first_name": "Mina"},
}
DEBIT = {
    "payment_method": "debit-blue",
    "amount": 500,
    "type": "debit",
    "debit": {"mandate_id": "mandate-1"},
}
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


async def ask_for_mandate(client: httpx.AsyncClient) -> str:
    answer = await client.post(f"{MPG}/mandates", json=MANDATE)
    assert answer.status_code == 200
    data = answer.json()["data"]
    assert data["customer"] == {
        "mobile": "09121112233",
        "first_name": "Mina",
        "last_name": None,
        "national_code": None,
        "email": None,
    }
    return str(data["token"])


def test_a_mandate_is_granted_on_its_page_and_confirmed_once() -> None:
    world = small_world()

    async def work(client: httpx.AsyncClient) -> None:
        token = await ask_for_mandate(client)
        back = await press(client, f"/mandates/{token}", "pay")
        mandate_id = back["mandate_id"]
        assert back == {
            "at": "https://shop.example/back",
            "order": "7",
            "token": token,
            "mandate_id": mandate_id,
            "status": "SUCCEED",
        }
        path = f"{MPG}/mandates/{mandate_id}"
        assert (await client.get(path)).json()["data"]["mandate"]["status"] == "pending"
        confirmed = await client.patch(path)
        assert confirmed.status_code == 200
        assert confirmed.json()["data"]["mandate"]["status"] == "active"
        again = await client.patch(path)
        assert again.status_code == 403
        assert again.json()["code"] == "mandate_already_activated"
        assert (await client.get(f"/mandates/{token}")).status_code == 404

    within(world, work)


@pytest.mark.parametrize(
    ("button", "expected"),
    [
        (
            "decline",
            {"status": "FAILED", "error_code": "user_declined_to_confirm_mandate"},
        ),
        ("trouble", {"status": "FAILED_TO_ACCESS_BANK"}),
    ],
)
def test_a_mandate_that_is_not_granted_never_exists(
    button: str, expected: dict[str, str]
) -> None:
    world = small_world()

    async def work(client: httpx.AsyncClient) -> None:
        token = await ask_for_mandate(client)
        back = await press(client, f"/mandates/{token}", button)
        assert {**back, "at": "", "order": ""} == {
            **expected,
            "token": token,
            "at": "",
            "order": "",
        }

    within(world, work)
    assert list(world.mandates) == ["mandate-1"]


def test_revoking_a_mandate_sets_the_time_and_names_its_callback() -> None:
    world = small_world(mandates={"mandate-1": mandate(_callback_url=BACK)})
    answer = sent(world, "DELETE", "mandates/mandate-1")
    assert answer.status_code == 200
    assert answer.json()["status"] == 1
    assert answer.json()["data"]["mandate"] == mandate(
        status="revoked", revoked_at=NOW, updated_at=NOW, callback_url=BACK
    )
    confirmed = sent(world, "PATCH", "mandates/mandate-1")
    assert confirmed.status_code == 403
    assert confirmed.json()["code"] == "mandate_already_revoked"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"payment_method": "none"}, "payment_method"),
        ({"payment_method": "card-blue"}, "payment_method"),
        ({"count": 0}, "count"),
        ({"limit": "many"}, "limit"),
        ({"expires_at": NOW}, "expires_at"),
        ({"callback_url": "shop.example"}, "callback_url"),
        ({"customer": None}, "customer"),
        ({"customer": {"mobile": "9121112233"}}, "customer.mobile"),
    ],
)
def test_a_wrong_mandate_request_names_its_field(change: Any, field: str) -> None:
    answer = sent(small_world(), "POST", "mandates", MANDATE | change)
    assert answer.status_code == 422
    assert answer.json()["code"] == "validation_error"
    assert list(answer.json()["errors"]) == [field]


def test_a_debit_checkout_is_paid_at_once_and_the_wallet_rises() -> None:
    world = small_world(checkouts={"checkout-1": checkout()})
    answer = sent(world, "POST", "checkouts", DEBIT | {"amount": "2000"})
    row = answer.json()["data"]["checkout"]
    paid = row["payments"][0]
    assert answer.status_code == 200
    assert (row["status"], row["amount"]) == ("paid", 2000)
    assert row["customer"]["mobile"] == "09120000001"
    assert (paid["status"], paid["debit"]) == ("done", {"mandate_id": "mandate-1"})
    assert (paid["wage_amount"], paid["affected_amount"]) == (20, 1980)
    assert paid["paid_at"] == NOW
    assert paid["ref_id"]
    assert world.wallet_balance == 50_001_980
    assert world.wallet_available == 40_001_980


def test_where_the_customer_bears_the_fee_the_wallet_gets_the_amount() -> None:
    world = small_world()
    terms = Terms(unified_fee_bearer="customer")
    row = sent(world, "POST", "checkouts", DEBIT, terms=terms).json()
    assert row["data"]["checkout"]["payments"][0]["affected_amount"] == 500
    assert world.wallet_balance == 50_000_500


def refused_because(world: World, body: dict[str, Any]) -> dict[str, str]:
    answer = sent(world, "POST", "checkouts", body)
    assert answer.status_code == 422
    assert world.wallet_balance == 50_000_000
    errors = answer.json()["errors"]
    assert isinstance(errors, dict)
    return errors


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"status": "revoked", "revoked_at": NOW - 1}, "was revoked"),
        ({"status": "pending"}, "is not active"),
        ({"expires_at": NOW}, "has expired"),
        ({"payment_method": "debit-other"}, "is of another payment method"),
        ({"limit": 499}, "allows less"),
        ({"count": 1}, "is used up this month"),
    ],
)
def test_a_mandate_forbids_what_it_does_not_allow(changes: Any, why: str) -> None:
    world = small_world(mandates={"mandate-1": mandate(**changes)})
    errors = refused_because(world, DEBIT)
    assert list(errors) == ["debit.mandate_id"]
    assert why in errors["debit.mandate_id"]


@pytest.mark.parametrize(
    "changes",
    [{"expires_at": NOW + 1}, {"limit": 500}, {"count": 2}],
)
def test_a_mandate_allows_up_to_its_bounds(changes: Any) -> None:
    world = small_world(mandates={"mandate-1": mandate(**changes)})
    assert sent(world, "POST", "checkouts", DEBIT).status_code == 200


def test_only_done_payments_of_this_month_use_a_mandate_up() -> None:
    # 1 October, 12:30 in Tehran: the day before is another month, midnight is not.
    midnight = NOW - 12 * 3600 - 1800
    old = checkout(payments=[payment(paid_at=midnight - 1)])
    failed = checkout(2, payments=[payment(2, status="failed", paid_at=None)])
    world = small_world(
        checkouts={"1": old, "2": failed}, mandates={"mandate-1": mandate(count=1)}
    )
    assert sent(world, "POST", "checkouts", DEBIT).status_code == 200
    used = checkout(payments=[payment(paid_at=midnight)])
    world = small_world(checkouts={"1": used}, mandates={"mandate-1": mandate(count=1)})
    assert sent(world, "POST", "checkouts", DEBIT).status_code == 422


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"amount": 0}, "amount"),
        ({"amount": 500_000_001}, "amount"),
        ({"type": "gold"}, "type"),
        ({"type": "card"}, "payment_method"),
        ({"payment_method": "none"}, "payment_method"),
        ({"debit": None}, "debit"),
        ({"debit": {"mandate_id": "none"}}, "debit.mandate_id"),
        ({"request_id": "request-1"}, "request_id"),
    ],
)
def test_a_wrong_checkout_names_its_field(change: Any, field: str) -> None:
    world = small_world(mandates={"mandate-1": mandate(limit=10**12)})
    assert field in refused_because(world, DEBIT | change)
    assert list(world.checkouts) == ["checkout-1"]


def test_a_method_that_is_not_healthy_takes_no_payment() -> None:
    world = small_world(payment_methods=[method(is_healthy=False)])
    assert list(refused_because(world, DEBIT)) == ["payment_method"]


def test_a_withdrawal_that_times_out_moves_no_money() -> None:
    world = small_world()
    faults = Faults(Fault("withdrawal_timeout", times=1))
    row = sent(world, "POST", "checkouts", DEBIT, faults=faults).json()["data"]
    failed = row["checkout"]["payments"][0]
    assert row["checkout"]["status"] == "not_paid"
    assert failed["status"] == "failed"
    assert failed["error"]["code"] == "WITHDRAWAL_TIMEOUT"
    assert world.wallet_balance == 50_000_000


def test_a_mandate_that_was_granted_here_can_be_drawn_on() -> None:
    world = small_world()

    async def work(client: httpx.AsyncClient) -> list[int]:
        token = await ask_for_mandate(client)
        back = await press(client, f"/mandates/{token}", "pay")
        mandate_id = back["mandate_id"]
        body = DEBIT | {"debit": {"mandate_id": mandate_id}}
        codes = [(await client.post(f"{MPG}/checkouts", json=body)).status_code]
        await client.patch(f"{MPG}/mandates/{mandate_id}")
        for _ in range(3):
            answer = await client.post(f"{MPG}/checkouts", json=body)
            codes.append(answer.status_code)
        world.now = clock(NOW + 2 * 86_400)
        codes.append((await client.post(f"{MPG}/checkouts", json=body)).status_code)
        return codes

    assert within(world, work) == [422, 200, 200, 422, 422]
    newest = [*world.checkouts.values()][-1]
    assert newest["customer"]["mobile"] == "09121112233"
