"""Faults on request, the clock, and the control endpoints of the sandbox."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from recon.sandbox.app import create_app
from recon.sandbox.faults import KINDS, Fault, Faults
from recon.sandbox.server import serve
from recon.sandbox.unrest import insert, restate
from recon.sandbox.world import World
from tests.sandbox.small_world import (
    BANK_IBAN,
    CASH_IN,
    MPG,
    NOW,
    UNIFIED,
    WALLET,
    agreement,
    checkout,
    client_of,
    clock,
    mandate,
    small_world,
)

LIST = f"{MPG}/checkouts"
DEPOSIT = {"iban": BANK_IBAN, "amount": 1000, "track_id": "d-1"}
Work = Callable[[httpx.AsyncClient], Awaitable[Any]]


def within(world: World, work: Work, *rules: Fault, seed: int = 0) -> Any:
    async def go() -> Any:
        async with client_of(world, faults=Faults(*rules, seed=seed)) as client:
            client.headers.update(UNIFIED)
            return await work(client)

    return asyncio.run(go())


def statuses(count: int, *rules: Fault, path: str = LIST, seed: int = 0) -> list[int]:
    async def work(client: httpx.AsyncClient) -> list[int]:
        return [(await client.get(path)).status_code for _ in range(count)]

    answers = within(small_world(), work, *rules, seed=seed)
    assert isinstance(answers, list)
    return answers


def test_a_rule_skips_then_strikes_as_often_as_it_says() -> None:
    rule = Fault("server_error", status=502, skip=1, times=2)
    assert statuses(5, rule) == [200, 502, 502, 200, 200]


def test_a_rule_strikes_only_its_path_and_method() -> None:
    assert statuses(1, Fault("server_error", path="/mandates")) == [200]
    assert statuses(1, Fault("server_error", method="POST")) == [200]
    assert statuses(1, Fault("server_error", path="/checkouts", method="GET")) == [500]


def test_chance_is_seeded() -> None:
    rule = Fault("server_error", rate=0.5)
    first, again, other = (statuses(40, rule, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert {200, 500} == set(first)


def test_a_rate_limit_says_when_to_come_back() -> None:
    async def work(client: httpx.AsyncClient) -> httpx.Response:
        return await client.get(LIST)

    answer = within(small_world(), work, Fault("rate_limited", seconds=3))
    assert answer.status_code == 429
    assert answer.headers["retry-after"] == "3"


def test_html_may_come_with_200() -> None:
    async def work(client: httpx.AsyncClient) -> httpx.Response:
        return await client.get(LIST)

    answer = within(small_world(), work, Fault("not_json"))
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")


def test_an_error_of_cash_in_has_its_documented_body() -> None:
    async def work(client: httpx.AsyncClient) -> httpx.Response:
        path = f"{WALLET}/account/deposit"
        return await client.post(path, json=DEPOSIT, headers=CASH_IN)

    world = small_world()
    body = within(world, work, Fault("server_error")).json()
    assert body["status"] == 0
    assert "withdrawn" in body["errors"]["error"]
    assert world.deposits == {}


@pytest.mark.parametrize(
    "rule",
    [
        Fault("server_error", after=True),
        Fault("not_json", after=True),
        Fault("truncated"),
    ],
)
def test_an_answer_may_be_lost_after_the_money_moved(rule: Fault) -> None:
    async def work(client: httpx.AsyncClient) -> httpx.Response:
        path = f"{WALLET}/account/deposit"
        return await client.post(path, json=DEPOSIT, headers=CASH_IN)

    world = small_world()
    answer = within(world, work, rule)
    assert '"status":1' not in answer.text or not answer.text.endswith("}")
    assert list(world.deposits) == ["d-1"]


def test_latency_delays_an_answer() -> None:
    async def work(client: httpx.AsyncClient) -> float:
        begun = time.perf_counter()
        await client.get(LIST)
        return time.perf_counter() - begun

    assert within(small_world(), work, Fault("latency", seconds=0.05)) >= 0.05


def test_cut_connections_and_half_bodies_on_a_real_socket() -> None:
    rules = Faults(Fault("cut", times=1), Fault("truncated", times=1))
    with (
        serve(small_world(), faults=rules) as running,
        httpx.Client(base_url=running.base_url, headers=UNIFIED) as client,
    ):
        with pytest.raises((httpx.ReadError, httpx.RemoteProtocolError)):
            client.get(LIST)
        with pytest.raises(httpx.RemoteProtocolError, match="received 522 bytes"):
            client.get(LIST)
        assert client.get(LIST).status_code == 200


def test_a_cut_after_the_deed_is_done_on_a_real_socket() -> None:
    world = small_world()
    with (
        serve(world, faults=Faults(Fault("cut", after=True))) as running,
        pytest.raises((httpx.ReadError, httpx.RemoteProtocolError)),
    ):
        httpx.post(
            f"{running.base_url}{WALLET}/account/deposit", json=DEPOSIT, headers=CASH_IN
        )
    assert list(world.deposits) == ["d-1"]


def test_a_cut_in_process_is_a_reset() -> None:
    with pytest.raises(ConnectionResetError):
        statuses(1, Fault("cut"))


def test_an_insert_moves_the_pages_that_follow() -> None:
    rows = {f"checkout-{at}": checkout(at) for at in range(1, 5)}
    world = small_world(checkouts=rows)

    async def work(client: httpx.AsyncClient) -> list[Any]:
        bodies = [
            (await client.get(f"{LIST}?page={page}&per_page=2")).json()
            for page in (1, 2)
        ]
        return [
            ([row["id"] for row in body["data"]], body["meta"]["total"])
            for body in bodies
        ]

    pages = within(world, work, Fault("insert", skip=1))
    assert pages == [
        (["checkout-4", "checkout-3"], 4),
        (["checkout-3", "checkout-2"], 5),
    ]
    new = [*world.checkouts.values()][-1]
    assert (new["status"], new["payments"]) == ("not_paid", [])
    assert new["request_id"] != "request-4"


@pytest.mark.parametrize("path", [f"{MPG}/mandates", f"{MPG}/checkouts"])
def test_records_vanish_from_their_list(path: str) -> None:
    async def work(client: httpx.AsyncClient) -> list[int]:
        return [(await client.get(path)).json()["meta"]["total"] for _ in range(2)]

    world = small_world(
        mandates={f"mandate-{at}": mandate(at) for at in (1, 2)},
        checkouts={f"checkout-{at}": checkout(at) for at in (1, 2)},
    )
    assert within(world, work, Fault("vanished", skip=1, times=1)) == [2, 1]


def test_a_done_payment_is_restated() -> None:
    rows = {f"checkout-{at}": checkout(at) for at in (1, 2)}
    world = small_world(checkouts=rows)

    async def work(client: httpx.AsyncClient) -> Any:
        data = (await client.get(LIST)).json()["data"]
        return {row["id"]: row["payments"][0]["affected_amount"] for row in data}

    rule = Fault("restated", record="checkout-1", times=1)
    assert within(world, work, rule) == {"checkout-1": 989_000, "checkout-2": 990_000}
    assert world.wallet_balance == 50_000_000


def test_an_agreement_and_a_mandate_are_restated_too() -> None:
    world = small_world(agreements={"T": agreement()})
    state = create_app(world).state.sandbox
    restate(state, "agreements", "")
    restate(state, "mandates", "")
    assert world.agreements["T"]["amount"] == 7_010_000
    assert world.mandates["mandate-1"]["limit"] == 5_010_000
    for name in ("agreements", "escrow_customers", "mandates"):
        before = len(getattr(world, name))
        insert(state, name)
        assert len(getattr(world, name)) == before + 1
    world.mandates.clear()
    insert(state, "mandates")
    assert world.mandates == {}


def test_faults_are_set_shown_and_cleared_while_it_runs() -> None:
    async def work(client: httpx.AsyncClient) -> None:
        rules = {"faults": [{"kind": "server_error", "path": "/checkouts"}]}
        shown = (await client.put("/sandbox/faults", json=rules)).json()
        assert shown["faults"][0]["path"] == "/checkouts"
        assert set(shown["kinds"]) == set(KINDS)
        assert (await client.get(LIST)).status_code == 500
        struck = (await client.get("/sandbox/faults")).json()["faults"][0]["struck"]
        assert struck == 1
        await client.delete("/sandbox/faults")
        assert (await client.get(LIST)).status_code == 200

    within(small_world(), work)


@pytest.mark.parametrize(
    "rule", [{"kind": "gold"}, {"kind": "cut", "gold": 1}, {"path": "/"}, {"kind": 1}]
)
def test_a_wrong_rule_is_refused_and_changes_nothing(rule: Any) -> None:
    async def work(client: httpx.AsyncClient) -> None:
        answer = await client.put("/sandbox/faults", json={"faults": [rule]})
        assert answer.status_code == 422
        assert (await client.get(LIST)).status_code == 500

    within(small_world(), work, Fault("server_error"))


def test_an_unknown_kind_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="no fault"):
        Fault("gold")


def test_the_clock_is_moved_on_and_to_a_time() -> None:
    world = small_world()

    async def work(client: httpx.AsyncClient) -> list[int]:
        moves: list[Any] = [
            {"advance": "90m"},
            {"now": "2026-10-02T00:00:00Z"},
            {"now": NOW},
        ]
        return [
            (await client.post("/sandbox/clock", json=move)).json()["timestamp"]
            for move in moves
        ]

    assert within(world, work) == [NOW + 5400, NOW + 15 * 3600, NOW]
    assert world.timestamp() == NOW


def test_a_moved_clock_lands_deposits() -> None:
    world = small_world()

    async def work(client: httpx.AsyncClient) -> int:
        path = f"{WALLET}/account"
        await client.post(f"{path}/deposit", json=DEPOSIT, headers=CASH_IN)
        await client.post("/sandbox/clock", json={"advance": "1h"})
        shown = await client.get("/sandbox")
        return int(shown.json()["wallet_balance"])

    assert within(world, work) == 50_001_000
    assert world.deposits["d-1"][0]["settled_at"] == NOW + 1800


@pytest.mark.parametrize(
    "body", [{}, {"advance": "soon"}, {"now": "later"}, {"advance": "9999999999d"}]
)
def test_a_wrong_move_of_the_clock_is_refused(body: Any) -> None:
    world = small_world(now=clock(NOW))

    async def work(client: httpx.AsyncClient) -> int:
        return (await client.post("/sandbox/clock", json=body)).status_code

    assert within(world, work) == 422
    assert world.timestamp() == NOW
