"""Deliveries to webhooks over real HTTP, and the state kept in SQLite."""

import asyncio
import base64
import hashlib
import hmac
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest

from recon.errors import UsageError
from recon.sandbox.app import create_app
from recon.sandbox.deliveries import loopback_address, sign
from recon.sandbox.faults import Fault, Faults
from recon.sandbox.server import serve
from recon.sandbox.terms import Terms
from recon.sandbox.world import World
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

AGREE = {"action": "agree", "applicant_mobile": "09120000002"}
EVENT = "seller_agreed_agreement"
QUICK = Terms(delivery_retry_seconds=(0.01, 0.01))


@contextmanager
def receiver(*statuses: int) -> Iterator[tuple[str, list[tuple[bytes, str]]]]:
    """A receiver that answers with those statuses in turn, the last one for ever."""
    got: list[tuple[bytes, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            got.append((body, self.headers["x-signature"]))
            self.send_response(statuses[min(len(got), len(statuses)) - 1])
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"https://127.0.0.1:{server.server_port}/hook", got
        server.shutdown()
        thread.join()


def hooked(url: str, *, is_active: bool = True, slug: str = EVENT) -> World:
    webhook = {
        "id": 1,
        "url": url,
        "is_active": is_active,
        "events": [{"slug": slug, "title": slug}],
    }
    return small_world(webhooks={1: webhook})


def agree(world: World, *rules: Fault) -> list[dict[str, Any]]:
    """Approve an agreement, wait for the deliveries, return their log."""

    async def go() -> list[dict[str, Any]]:
        app = create_app(world, faults=Faults(*rules), terms=QUICK)
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app=app), base_url="http://sandbox.test"
        ) as client:
            headers = await escrow_headers(client)
            path = f"{ESCROW}/agreements/T00001"
            await client.post(path, json=AGREE, headers=headers)
            await app.state.sandbox.deliveries.settled()
            log = (await client.get("/sandbox/deliveries")).json()["deliveries"]
            assert isinstance(log, list)
            return log

    return asyncio.run(go())


def good(body: bytes, signature: str) -> bool:
    digest = hmac.new(BUSINESS.encode(), body, hashlib.sha256).digest()
    return base64.b64encode(digest).decode() == signature


def test_an_event_is_delivered_signed_over_its_raw_body() -> None:
    with receiver(200) as (url, got):
        world = hooked(url)
        log = agree(world)
    assert [(row["attempts"], row["status"]) for row in log] == [(1, 200)]
    body, signature = got[0]
    assert good(body, signature)
    assert not good(body + b" ", signature)
    assert json.loads(body) == world.events[0]
    assert world.events[0]["data"]["tracking_code"] == "T00001"


def test_a_delivery_is_tried_again_until_it_is_taken() -> None:
    with receiver(500, 503, 200) as (url, got):
        log = agree(hooked(url))
    assert len({body for body, _ in got}) == 1
    assert (log[0]["attempts"], log[0]["status"]) == (3, 200)


def test_a_delivery_is_given_up_after_the_last_pause() -> None:
    with receiver(500) as (url, got):
        log = agree(hooked(url))
    assert len(got) == 3
    assert log[0]["status"] == 500


def test_a_receiver_that_is_not_there_is_an_error_of_the_delivery() -> None:
    with receiver(200) as (url, _):
        pass
    log = agree(hooked(url))
    assert (log[0]["status"], log[0]["error"]) == (None, "ConnectError")


@pytest.mark.parametrize(
    "change", [{"is_active": False}, {"slug": "agreement_created"}]
)
def test_webhooks_that_do_not_ask_get_nothing(change: Any) -> None:
    with receiver(200) as (url, got):
        assert agree(hooked(url, **change)) == []
    assert got == []


def test_a_duplicate_is_the_same_delivery_twice() -> None:
    with receiver(200) as (url, got):
        agree(hooked(url), Fault("duplicate_delivery", path=EVENT))
    assert len(got) == 2
    assert got[0] == got[1]


def test_a_wrong_signature_does_not_fit_the_body() -> None:
    with receiver(200) as (url, got):
        agree(hooked(url), Fault("wrong_signature"))
    assert not good(*got[0])


def test_nothing_is_sent_beyond_loopback() -> None:
    log = agree(hooked("https://hooks.example/escrow"))
    assert log[0]["attempts"] == 0
    assert "loopback" in log[0]["error"]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://127.0.0.1:9/a?b=1", "http://127.0.0.1:9/a?b=1"),
        ("http://localhost/x", "http://localhost/x"),
        ("https://[::1]:8/x", "http://[::1]:8/x"),
        ("https://10.0.0.1/x", None),
        ("https://127.0.0.1.example.org/x", None),
        ("https://", None),
    ],
)
def test_where_a_webhook_is_reached(url: str, expected: str | None) -> None:
    assert loopback_address(url) == expected


def test_the_signature_is_base64_of_the_raw_digest() -> None:
    expected = hmac.new(b"shop", b"{}", hashlib.sha256).digest()
    assert base64.b64decode(sign(b"{}", "shop")) == expected


def test_a_running_sandbox_delivers_while_it_serves() -> None:
    with receiver(200) as (url, got), serve(hooked(url), terms=QUICK) as running:
        asyncio.run(_agree_and_wait(running.base_url, got))
    assert good(*got[0])


async def _agree_and_wait(base_url: str, got: list[Any]) -> None:
    async with httpx.AsyncClient(base_url=base_url) as client:
        headers = await escrow_headers(client)
        path = f"{ESCROW}/agreements/T00001"
        link = (await client.post(path, json=AGREE, headers=headers)).json()
        assert link["data"]["web_view_link"].startswith(base_url)
        for _ in range(200):
            if got:
                return
            await asyncio.sleep(0.01)


async def _do_everything(world: World, path: Path) -> None:
    """Change something of every kind that a sandbox keeps."""
    app = create_app(world, path=path)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app), base_url="http://sandbox.test"
    ) as client:
        escrow = await escrow_headers(client)
        back = "https://shop.example/back"
        key = {"api_key": "sandbox-gateway-key"}
        customer = {"mobile": "09121112233"}
        asked = {
            "payment_method": "debit-blue",
            "count": 1,
            "limit": 1,
            "expires_at": 4_000_000_000,
            "callback_url": back,
            "customer": customer,
        }
        for last in ("pay", ""):
            answer = await client.post(f"{MPG}/mandates", json=asked, headers=UNIFIED)
            token = answer.json()["data"]["token"]
            if last:
                await press(client, f"/mandates/{token}", last)
            body = key | {"amount": 5000, "callback_url": back}
            token = (await client.post("/api/v3/send", json=body)).json()["token"]
            if last:
                await press(client, f"/v3/{token}", last)
                await client.post("/api/v3/verify", json=key | {"token": token})
        await client.delete(f"{MPG}/mandates/mandate-1", headers=UNIFIED)
        await client.post(
            f"{MPG}/checkouts",
            json={
                "payment_method": "card-blue",
                "amount": 9,
                "type": "card",
                "card": {"callback_url": back, "customer": customer},
            },
            headers=UNIFIED,
        )
        await client.post(
            "/pay-with/v1/send",
            json={"amount": 10_000, "callback_url": back},
            headers=HOSTED,
        )
        await client.post(
            f"{WALLET}/account/deposit",
            json={"iban": BANK_IBAN, "amount": 1_500_000_000, "track_id": "d"},
            headers=CASH_IN,
        )
        await client.post(f"{ESCROW}/agreements/T00001", json=AGREE, headers=escrow)
        for _ in range(2):
            hook = {"url": "https://127.0.0.1/x", "events": ["agreement_created"]}
            await client.post(f"{ESCROW}/webhooks", json=hook, headers=escrow)
        await client.delete(f"{ESCROW}/webhooks/1", headers=escrow)
        await client.post("/sandbox/clock", json={"advance": "5s"})
        app.state.sandbox.store.close()


def test_a_sandbox_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / "sandbox.sqlite"
    before = small_world()
    asyncio.run(_do_everything(before, path))
    after = small_world()
    state = create_app(after, path=path).state.sandbox
    assert after.timestamp() == before.timestamp()
    for name in vars(before):
        if name != "now":
            assert getattr(after, name) == getattr(before, name), name
            if isinstance(getattr(after, name), dict):
                assert [*getattr(after, name)] == [*getattr(before, name)], name
    assert len(state.mandate_requests) == 1
    assert len(state.gateway_sends) == 1
    assert len(state.access_tokens) == 1
    assert after.wallet_balance == 50_004_950
    state.move_clock(1800)
    state.catch_up()
    assert after.wallet_balance == 1_550_004_950
    state.store.close()


def test_a_served_sandbox_keeps_what_was_changed_behind_its_back(
    tmp_path: Path,
) -> None:
    path = tmp_path / "sandbox.sqlite"
    world = small_world()
    with serve(world, path=path):
        world.checkouts["checkout-1"]["amount"] = 7
        del world.mandates["mandate-1"]
    after = small_world()
    with serve(after, path=path):
        pass
    assert after.checkouts["checkout-1"]["amount"] == 7
    assert after.mandates == {}


def test_a_file_of_another_business_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sandbox.sqlite"
    with serve(small_world(), path=path):
        pass
    with (
        pytest.raises(UsageError, match="tea-house"),
        serve(small_world(business="other"), path=path),
    ):
        pass


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sandbox.sqlite"
    path.write_text("not a database at all, only text")
    with pytest.raises(UsageError, match="cannot keep"):
        create_app(small_world(), path=path)
    assert path.read_text().startswith("not a database")


def test_what_was_answered_is_on_disk_before_the_answer(tmp_path: Path) -> None:
    path = tmp_path / "sandbox.sqlite"
    world = small_world()
    with serve(world, path=path) as running:
        body = {"iban": BANK_IBAN, "amount": 1000, "track_id": "d"}
        address = f"{running.base_url}{WALLET}/account/deposit"
        assert httpx.post(address, json=body, headers=CASH_IN).status_code == 200
        database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        query = "select count(*) from thing where kind = 'deposits'"
        assert database.execute(query).fetchone() == (1,)
        database.close()
