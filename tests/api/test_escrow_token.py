"""The escrow token: fetched once, renewed in time, once more after a 401, unseen."""

import asyncio
import json
import traceback
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from recon.api import pace
from recon.api.answers import Answer, any_json
from recon.api.client import Client
from recon.errors import RateLimited, Unauthenticated, Unavailable
from recon.settings import Escrow, Http, Secret

SECRET = "canary-client-secret"
Work = Callable[[Client], Awaitable[Any]]


class Service(httpx.AsyncBaseTransport):
    """Hands out numbered tokens and takes only those in `good`."""

    def __init__(self, *, expires_in: int = 3600) -> None:
        self.expires_in = expires_in
        self.grants: list[dict[str, Any]] = []
        self.refused: set[str] = set()
        self.used: list[str] = []
        self.token_replies: list[httpx.Response] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        await asyncio.sleep(0)
        if request.url.path == "/sso/oauth/token":
            self.grants.append(json.loads(request.content))
            if self.token_replies:
                return self.token_replies.pop(0)
            token = f"canary-token-{len(self.grants)}"
            body = {"access_token": token, "expires_in": self.expires_in}
            return httpx.Response(201, json={**body, "token_type": "Bearer"})
        token = request.headers["authorization"].removeprefix("Bearer ")
        self.used.append(token)
        if token in self.refused:
            return httpx.Response(401, json={"error": "Unauthenticated"})
        return httpx.Response(200, json={"data": []})


def run(
    service: Service, work: Work, captured: list[Answer[None]] | None = None
) -> Any:
    def capture(answer: Answer[None]) -> None:
        if captured is not None:
            captured.append(answer)

    async def opened() -> Any:
        settings = Escrow(
            base_url="https://p.test", client_id=7, client_secret=Secret(SECRET)
        )
        async with Client(
            settings, Http(retries=1), transport=service, capture=capture
        ) as client:
            return await work(client)

    return asyncio.run(opened())


async def three_at_once(client: Client) -> None:
    await asyncio.gather(*(client.read("GET", "/a", decode=any_json) for _ in range(3)))


def test_one_token_serves_many_requests() -> None:
    service = Service()
    run(service, three_at_once)
    assert service.grants == [
        {"grant_type": "client_credentials", "client_id": 7, "client_secret": SECRET}
    ]
    assert set(service.used) == {"canary-token-1"}


def test_a_token_is_renewed_before_it_expires() -> None:
    service = Service(expires_in=0)

    async def twice(client: Client) -> None:
        await client.read("GET", "/a", decode=any_json)
        await client.read("GET", "/a", decode=any_json)

    run(service, twice)
    assert service.used == ["canary-token-1", "canary-token-2"]


@pytest.mark.parametrize(("expires_in", "renewed_at"), [(100, 90), (3_600, 3_540)])
def test_a_token_is_renewed_a_minute_or_a_tenth_of_its_life_before_its_end(
    expires_in: int, renewed_at: int
) -> None:
    service = Service(expires_in=expires_in)

    async def in_turn(client: Client) -> None:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        for age in (0, renewed_at - 1, renewed_at + 1):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(loop, "time", lambda age=age: begun + age)
                await client.read("GET", "/a", decode=any_json)

    run(service, in_turn)
    assert service.used == ["canary-token-1", "canary-token-1", "canary-token-2"]


@pytest.mark.parametrize("verb", ["read", "send"])
def test_a_refused_token_is_fetched_once_more(verb: str) -> None:
    service = Service()
    service.refused = {"canary-token-1"}
    run(service, lambda client: getattr(client, verb)("POST", "/a", decode=any_json))
    assert service.used == ["canary-token-1", "canary-token-2"]


def test_a_token_that_is_refused_for_all_is_renewed_once_for_all() -> None:
    service = Service()
    service.refused = {"canary-token-1"}
    run(service, three_at_once)
    assert len(service.grants) == 2


def test_a_second_refusal_is_the_answer() -> None:
    service = Service()
    service.refused = {"canary-token-1", "canary-token-2"}
    with pytest.raises(Unauthenticated):
        run(service, lambda client: client.read("GET", "/a", decode=any_json))
    assert len(service.used) == 2


def test_asking_for_a_token_is_a_read_and_repeated() -> None:
    service = Service()
    service.token_replies = [httpx.Response(503)]
    run(service, lambda client: client.send("POST", "/a", decode=any_json))
    assert service.used == ["canary-token-2"]


@pytest.mark.parametrize(
    "reply",
    [
        httpx.Response(201, json={"access_token": "t"}),
        httpx.Response(201, json={"access_token": 7, "expires_in": 1}),
        httpx.Response(201, json={"access_token": "t\nx: y", "expires_in": 60}),
        httpx.Response(201, json={"access_token": "tok\u00e9n", "expires_in": 60}),
        httpx.Response(201, json={"access_token": "t", "expires_in": -1}),
        httpx.Response(200, text="<html>"),
    ],
)
def test_an_answer_that_holds_no_token_is_no_answer(reply: httpx.Response) -> None:
    service = Service()
    service.token_replies = [reply, reply]
    with pytest.raises(Unavailable):
        run(service, lambda client: client.send("POST", "/a", decode=any_json))
    assert service.used == []


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 409, 422])
@pytest.mark.parametrize("verb", ["read", "send"])
def test_a_refused_grant_is_no_answer_about_the_record(status: int, verb: str) -> None:
    """Else an agreement would be unknown (404) for want of a token."""
    service = Service()
    service.token_replies = [httpx.Response(status, json={"message": "no such client"})]
    with pytest.raises(
        Unauthenticated, match=r"no token: POST .*/sso/oauth/token ans"
    ) as no:
        run(
            service, lambda client: getattr(client, verb)("POST", "/a", decode=any_json)
        )
    assert no.value.status == (status if status in {401, 403} else None)
    assert service.used == []


def test_a_token_endpoint_that_asks_to_slow_down_is_told_as_such() -> None:
    service = Service()
    service.token_replies = [httpx.Response(429, json={"message": "later"})] * 9
    with pytest.raises(RateLimited, match="/sso/oauth/token answered 429"):
        run(service, lambda client: client.send("POST", "/a", decode=any_json))
    assert service.used == []


def test_a_write_whose_token_was_refused_is_not_sent_where_no_other_comes() -> None:
    """A refusal with 401 and then no token: nothing happened, and that is known."""
    service = Service()

    async def twice(client: Client) -> None:
        await client.read("GET", "/other", decode=any_json)
        service.refused.add("canary-token-1")
        service.token_replies = [httpx.Response(503)] * 9
        await client.send("POST", "/a", decode=any_json)

    with pytest.raises(Unavailable, match="/sso/oauth/token answered 503"):
        run(service, twice)
    assert service.used == ["canary-token-1"] * 2


class SlowGate(pace.Gate):
    """Lets nobody through before the token that was asked for has run out."""

    async def __aenter__(self) -> None:
        await asyncio.sleep(0.02)
        await super().__aenter__()


class Expiring(Service):
    """Refuses tokens by their own life, in hundredths of a second."""

    def __init__(self, lives: list[float]) -> None:
        super().__init__()
        self.lives = lives
        self.ends: dict[str, float] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        now = asyncio.get_running_loop().time()
        self.refused = {token for token, end in self.ends.items() if end <= now}
        if request.url.path == "/sso/oauth/token":
            self.ends[f"canary-token-{len(self.grants) + 1}"] = now + self.lives.pop(0)
        return await super().handle_async_request(request)


def queued(service: Expiring) -> None:
    async def ask() -> None:
        settings = Escrow(
            base_url="https://p.test", client_id=7, client_secret=Secret(SECRET)
        )
        http, gate = Http(retries=0), SlowGate(8, None)
        async with Client(settings, http, transport=service, gate=gate) as client:
            await client.read("GET", "/a", decode=any_json)

    asyncio.run(ask())


def test_a_token_that_ran_out_while_its_request_waited_is_renewed_again() -> None:
    service = Expiring([0.01, 0.01, 60.0])
    service.expires_in = 0
    queued(service)
    assert len(service.used) == 3


def test_tokens_that_always_run_out_end_in_a_refusal() -> None:
    service = Expiring([0.0] * 9)
    service.expires_in = 0
    with pytest.raises(Unauthenticated):
        queued(service)
    assert len(service.used) == 4


def test_a_token_refused_within_its_life_is_renewed_once() -> None:
    service = Expiring([0.0] * 9)
    service.expires_in = 3600
    with pytest.raises(Unauthenticated):
        queued(service)
    assert len(service.used) == 2


def test_a_token_in_an_answer_of_a_wrong_shape_is_not_told() -> None:
    service = Service()
    wrong = {"access_token": "canary-token-9", "expires_in": "soon"}
    wrong["message"] = "canary-token-9 is yours"
    service.token_replies = [httpx.Response(201, json=wrong)] * 9
    with pytest.raises(Unavailable) as failed:
        run(service, three_at_once)
    assert "canary-token" not in "".join(traceback.format_exception(failed.value))
    said = {"message": "the client is suspended"}
    service.token_replies = [httpx.Response(200, json=said)] * 9
    with pytest.raises(Unavailable, match="the client is suspended"):
        run(service, three_at_once)


def test_neither_secret_nor_token_is_captured_or_shown() -> None:
    service = Service()
    captured: list[Answer[None]] = []
    run(service, three_at_once, captured)
    assert [answer.url for answer in captured] == ["https://p.test/a"] * 3
    service.token_replies = [
        httpx.Response(401, json={"message": f"{SECRET} is not known"})
    ]
    with pytest.raises(Unauthenticated) as refused:
        run(service, three_at_once, captured)
    shown = "".join(traceback.format_exception(refused.value)) + repr(captured)
    assert SECRET not in shown
    assert "canary-token" not in shown
