"""Card gateway and hosted flows of the sandbox: send, page, look-up, verify once."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from recon.sandbox.terms import SANDBOX_KEYS, Terms
from recon.sandbox.world import World
from tests.sandbox.small_world import HOSTED, NOW, client_of, clock, press, small_world

KEY = SANDBOX_KEYS.gateway_key
BACK = "https://shop.example/back"
SEND = {
    "api_key": KEY,
    "amount": 20_000,
    "callback_url": BACK,
    "factorNumber": "55",
    "description": "tea",
}
Work = Callable[[httpx.AsyncClient], Awaitable[Any]]


def within(world: World, work: Work, **options: Any) -> Any:
    async def go() -> Any:
        async with client_of(world, **options) as client:
            return await work(client)

    return asyncio.run(go())


def sent(world: World, path: str, body: Any, **options: Any) -> httpx.Response:
    async def ask(client: httpx.AsyncClient) -> httpx.Response:
        return await client.post(path, json=body, headers=HOSTED)

    answer = within(world, ask, **options)
    assert isinstance(answer, httpx.Response)
    return answer


async def paid(client: httpx.AsyncClient, button: str = "pay", **change: Any) -> str:
    made = await client.post("/api/v3/send", json=SEND | change)
    assert made.json()["status"] == 1
    token = made.json()["token"]
    assert token.isalnum()
    back = await press(client, f"/v3/{token}", button)
    status = "OK" if button == "pay" else "NOK"
    assert back == {"at": BACK, "payment_status": status, "token": token}
    return str(token)


async def look(client: httpx.AsyncClient, token: str, step: str = "transaction") -> Any:
    return await client.post(f"/api/v3/{step}", json={"api_key": KEY, "token": token})


def test_a_transaction_is_paid_looked_up_and_verified_once() -> None:
    world = small_world()

    async def work(client: httpx.AsyncClient) -> None:
        token = await paid(client, mobile_number="09121112233")
        row = (await look(client, token)).json()
        assert row["code"] == 1
        assert row["amount"] == "20000"
        assert row["factorNumber"] == "55"
        assert row["mobile"] == "09121112233"
        assert row["createdAt"] == "2026-10-01 12:30:00"
        assert row["cardNumber"] == "603799******7890"
        assert row["CID"] == hashlib.sha256(b"6037991234567890").hexdigest()
        assert world.wallet_balance == 50_000_000
        result = (await look(client, token, "verify")).json()
        assert result["status"] == 1
        assert (result["amount"], result["realAmount"]) == ("20000", 19_800)
        assert result["wage"] == "200"
        assert result["transId"] == row["transId"]
        assert world.wallet_balance == 50_019_800
        again = await look(client, token, "verify")
        assert again.status_code == 422
        assert again.json()["status"] == 2
        assert (await look(client, token)).json()["code"] == 2
        assert (await client.get(f"/v3/{token}")).status_code == 404

    within(world, work)
    assert world.wallet_balance == 50_019_800


def test_where_the_payer_bears_the_fee_it_is_added() -> None:
    world = small_world()

    async def work(client: httpx.AsyncClient) -> Any:
        return (await look(client, await paid(client), "verify")).json()

    result = within(world, work, terms=Terms(gateway_fee_bearer="customer"))
    assert (result["amount"], result["realAmount"]) == ("20200", 20_000)


@pytest.mark.parametrize(
    ("seconds", "code", "status"), [(1200, 1, 200), (1201, 3, 422)]
)
def test_confirmation_ends_20_minutes_after_the_page(
    seconds: int, code: int, status: int
) -> None:
    world = small_world()

    async def work(client: httpx.AsyncClient) -> None:
        token = await paid(client)
        world.now = clock(NOW + seconds)
        assert (await look(client, token)).json()["code"] == code
        answer = await look(client, token, "verify")
        assert answer.status_code == status
        assert answer.json()["status"] == (1 if status == 200 else 3)

    within(world, work)


def test_a_declined_transaction_failed_and_moves_nothing() -> None:
    world = small_world()

    async def work(client: httpx.AsyncClient) -> None:
        token = await paid(client, "decline")
        assert (await look(client, token)).json()["code"] == 4
        answer = await look(client, token, "verify")
        assert (answer.status_code, answer.json()["status"]) == (422, 0)

    within(world, work)
    assert world.wallet_balance == 50_000_000


def test_a_token_that_nobody_paid_is_a_failed_transaction() -> None:
    async def work(client: httpx.AsyncClient) -> Any:
        token = (await client.post("/api/v3/send", json=SEND)).json()["token"]
        return [await look(client, token, step) for step in ("transaction", "verify")]

    for answer in within(small_world(), work):
        assert answer.status_code == 422
        assert answer.json() == {"status": 0, "errors": ["The transaction failed."]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"api_key": None}, "The api_key is required."),
        ({"api_key": "x"}, "The api_key is invalid."),
        ({"amount": None}, "The amount is required."),
        ({"amount": 999}, "The amount must be at least 1000."),
        ({"amount": "abc"}, "The amount must be a number or a string of digits."),
        ({"amount": True}, "The amount must be a number or a string of digits."),
        ({"amount": 1000.5}, "The amount must be a number or a string of digits."),
        ({"callback_url": None}, "The callback_url is required."),
        ({"callback_url": "x"}, "The callback_url is invalid."),
        ({"valid_card_number": "12"}, "The card number is unacceptable."),
        (
            {"valid_card_number": ["6037991234567890"] * 11},
            "The card number is unacceptable.",
        ),
        ({"national_code": "0012345678"}, "The national code is unacceptable."),
        (
            {"description": "x" * 256},
            "The description field may not be longer than 255 characters.",
        ),
    ],
)
def test_a_wrong_send_is_refused_with_its_message(change: Any, message: str) -> None:
    answer = sent(small_world(), "/api/v3/send", SEND | change)
    assert answer.status_code == 422
    assert answer.json() == {"status": 0, "errors": [message]}


@pytest.mark.parametrize(
    "change",
    [
        {"amount": 1000},
        {"amount": "1000"},
        {"description": "x" * 255},
        {"valid_card_number": ["6037991234567890"] * 10},
        {"valid_card_number": "6037991234567890"},
        {"national_code": "0012345678", "mobile_number": "09121112233"},
    ],
)
def test_a_send_at_the_bounds_is_taken(change: Any) -> None:
    answer = sent(small_world(), "/api/v3/send", SEND | change)
    assert answer.status_code == 200


def test_terms_bind_caller_and_callback() -> None:
    world = small_world()
    terms = Terms(approved_domain="shop.example", merchant_ips=("10.0.0.1",))
    body = SEND | {"callback_url": "https://other.example/back"}
    answer = sent(world, "/api/v3/send", body, terms=terms)
    assert answer.json()["errors"] == [
        "The merchant IP is invalid.",
        "The callback_url is invalid.",
    ]
    own = Terms(approved_domain="shop.example", merchant_ips=("127.0.0.1",))
    assert sent(world, "/api/v3/send", SEND, terms=own).status_code == 200


@pytest.mark.parametrize("multipart", [False, True])
def test_forms_are_taken_like_json(multipart: bool) -> None:
    world = small_world()
    form = SEND | {"amount": "20000"}

    async def work(client: httpx.AsyncClient) -> Any:
        if multipart:
            files: Any = {name: (None, value) for name, value in form.items()}
            made = await client.post("/api/v3/send", files=files)
        else:
            made = await client.post("/api/v3/send", data=form)
        token = made.json()["token"]
        await press(client, f"/v3/{token}", "pay")
        body = {"api_key": KEY, "token": token}
        return (await client.post("/api/v3/verify", data=body)).json()

    assert within(world, work)["realAmount"] == 19_800


def test_cards_may_come_as_an_array_of_a_form() -> None:
    world = small_world()
    cards = ["6219861000000001", "6219861000000002"]

    async def work(client: httpx.AsyncClient) -> None:
        form: Any = SEND | {"valid_card_number[]": cards}
        token = (await client.post("/api/v3/send", data=form)).json()["token"]
        wrong = {"outcome": "pay", "card": "6037991234567890"}
        assert (await client.post(f"/v3/{token}", data=wrong)).status_code == 422
        await press(client, f"/v3/{token}", "pay", card=cards[1])
        assert (await look(client, token)).json()["cardNumber"] == "621986******0002"

    within(world, work)


@pytest.mark.parametrize("step", ["transaction", "verify"])
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"api_key": KEY}, "The token is required."),
        ({"api_key": KEY, "token": "none"}, "The token is invalid."),
        ({"api_key": KEY, "token": 7}, "The token is invalid."),
    ],
)
def test_a_wrong_token_is_refused(step: str, body: Any, message: str) -> None:
    answer = sent(small_world(), f"/api/v3/{step}", body)
    assert answer.status_code == 422
    assert answer.json() == {"status": 0, "errors": [message]}


HOSTED_SEND = {"amount": 30_000, "callback_url": BACK, "checkout_number": "0012"}


async def hosted_paid(client: httpx.AsyncClient, button: str = "pay") -> str:
    client.headers.update(HOSTED)
    made = await client.post("/pay-with/v1/send", json=HOSTED_SEND)
    token = str(made.json()["data"]["token"])
    back = await press(client, f"/checkouts/{token}", button)
    status = "PENDING_VERIFY" if button == "pay" else "FAILED"
    assert back == {"at": BACK, "checkout_id": token, "status": status}
    return token


async def inquired(client: httpx.AsyncClient, token: str) -> Any:
    answer = await client.get(f"/pay-with/v1/checkouts/{token}")
    assert answer.status_code == 200
    return answer.json()["data"]["checkout"]


async def hosted_verified(client: httpx.AsyncClient, token: str) -> httpx.Response:
    return await client.post("/pay-with/v1/verify", json={"checkout_id": token})


def test_a_hosted_checkout_is_paid_and_verified_once() -> None:
    world = small_world()

    async def work(client: httpx.AsyncClient) -> None:
        token = await hosted_paid(client)
        row = await inquired(client, token)
        assert row == {
            "id": token,
            "amount": "30000",
            "wage": "300",
            "status": "PENDING_VERIFY",
            "checkout_number": "0012",
            "description": "",
            "created_at": NOW,
        }
        assert world.wallet_balance == 50_000_000
        done = await hosted_verified(client, token)
        assert (done.status_code, list(done.json())) == (200, ["message"])
        assert world.wallet_balance == 50_029_700
        assert (await inquired(client, token))["status"] == "SUCCEED"
        again = await hosted_verified(client, token)
        assert again.status_code == 422
        assert again.json()["code"] == "checkout_can_not_be_verified"

    within(world, work)
    assert world.wallet_balance == 50_029_700


@pytest.mark.parametrize(
    ("seconds", "status"), [(1200, "PENDING_VERIFY"), (1201, "FAILED")]
)
def test_a_checkout_that_is_not_verified_in_time_is_refunded(
    seconds: int, status: str
) -> None:
    world = small_world()

    async def work(client: httpx.AsyncClient) -> None:
        token = await hosted_paid(client)
        world.now = clock(NOW + seconds)
        assert (await inquired(client, token))["status"] == status
        answer = await hosted_verified(client, token)
        assert (answer.status_code == 200) == (status == "PENDING_VERIFY")

    within(world, work)


@pytest.mark.parametrize("button", ["decline", "trouble"])
def test_a_hosted_checkout_that_is_not_paid_failed(button: str) -> None:
    async def work(client: httpx.AsyncClient) -> None:
        token = await hosted_paid(client, button)
        assert (await inquired(client, token))["status"] == "FAILED"
        assert (await hosted_verified(client, token)).status_code == 422

    within(small_world(), work)


def test_a_hosted_checkout_begins_as_init() -> None:
    async def work(client: httpx.AsyncClient) -> None:
        client.headers.update(HOSTED)
        made = await client.post("/pay-with/v1/send", json=HOSTED_SEND)
        token = made.json()["data"]["token"]
        assert (await inquired(client, token))["status"] == "INIT"
        assert (await hosted_verified(client, token)).status_code == 422

    within(small_world(), work)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"amount": 9_999}, "amount"),
        ({"amount": None}, "amount"),
        ({"callback_url": "x"}, "callback_url"),
        ({"mobile": "123"}, "mobile"),
        ({"checkout_number": "12a"}, "checkout_number"),
        ({"checkout_number": "1" * 33}, "checkout_number"),
        ({"description": "x" * 256}, "description"),
    ],
)
def test_a_wrong_hosted_send_names_its_field(change: Any, field: str) -> None:
    answer = sent(small_world(), "/pay-with/v1/send", HOSTED_SEND | change)
    assert answer.status_code == 422
    assert answer.json()["code"] == "validation_error"
    assert list(answer.json()["errors"]) == [field]


@pytest.mark.parametrize(
    "change",
    [{"amount": 10_000}, {"checkout_number": "1" * 32}, {"description": "x" * 255}],
)
def test_a_hosted_send_at_the_bounds_is_taken(change: Any) -> None:
    answer = sent(small_world(), "/pay-with/v1/send", HOSTED_SEND | change)
    assert answer.status_code == 200


def test_a_hosted_application_that_is_not_active_is_403() -> None:
    off = Terms(hosted_active=False)
    answer = sent(small_world(), "/pay-with/v1/send", HOSTED_SEND, terms=off)
    assert answer.status_code == 403
    assert answer.json()["code"] == "forbidden_error"


def test_hosted_without_its_key_is_unauthenticated() -> None:
    async def work(client: httpx.AsyncClient) -> Any:
        return await client.get("/pay-with/v1/checkouts/x")

    answer = within(small_world(), work)
    assert answer.status_code == 401
    assert answer.json()["code"] == "unauthenticated_error"


def test_an_unknown_hosted_checkout_is_404() -> None:
    async def work(client: httpx.AsyncClient) -> Any:
        return await client.get("/pay-with/v1/checkouts/x", headers=HOSTED)

    assert within(small_world(), work).status_code == 404
