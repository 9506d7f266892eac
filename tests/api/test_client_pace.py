"""How fast requests may follow one another, and what a provider may ask for."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest

from recon.api import pace
from recon.api.answers import Answer, any_json
from recon.api.client import Client
from recon.errors import RateLimited
from recon.settings import USUAL_LIMITS, Http
from tests.api.asking import Clock, Provider, ask, replying, unified


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7.0), ("0", 0.0), ("soon", 0.0), ("", 0.0), ("\u00b2", 0.0)],
)
def test_retry_after_is_waited_for(header: str, seconds: float) -> None:
    clock = Clock()
    raw = header.encode("latin-1")
    limited = httpx.Response(429, headers={b"retry-after": raw})
    answer, _ = ask(replying(limited, httpx.Response(200, json=1)), clock=clock)
    assert isinstance(answer, Answer)
    assert seconds <= max(clock.slept) <= seconds + 0.1


def test_retry_after_may_be_a_date() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    found = pace.retry_after_seconds(later)
    assert found is not None
    assert 25 < found <= 30


@pytest.mark.parametrize("hours", [-24, -1, 1, 24])
def test_a_date_to_wait_for_is_the_providers_whatever_the_clock_here(
    hours: int,
) -> None:
    clock = Clock()
    present = datetime.now(UTC) + timedelta(hours=hours)
    headers = {
        "date": format_datetime(present, usegmt=True),
        "retry-after": format_datetime(present + timedelta(seconds=9), usegmt=True),
    }
    limited = httpx.Response(429, headers=headers)
    answer, _ = ask(replying(limited, httpx.Response(200, json=1)), clock=clock)
    assert isinstance(answer, Answer)
    assert 9 <= max(clock.slept) <= 9.1


@pytest.mark.parametrize(
    "header",
    [
        f"Mon, 01 Jan {10**20} 00:00:00 GMT",
        f"Mon, 01 Jan 2027 {10**20}:00:00 GMT",
        f"Mon, 01 Jan 2027 00:00:00 +{10**20}",
    ],
)
def test_a_date_that_no_calendar_has_asks_for_no_wait(header: str) -> None:
    clock = Clock()
    limited = httpx.Response(429, headers={"retry-after": header})
    answer, _ = ask(replying(limited, httpx.Response(200, json=1)), clock=clock)
    assert isinstance(answer, Answer)
    assert max(clock.slept) <= 0.2


def test_a_provider_that_asks_for_hours_is_not_waited_for() -> None:
    clock = Clock()
    limited = httpx.Response(429, headers={"retry-after": "86400"})
    answer, provider = ask(replying(limited), clock=clock)
    assert isinstance(answer, RateLimited)
    assert answer.retry_after == 86400
    assert len(provider.requests) == 1


@pytest.mark.parametrize(("seconds", "count"), [(30, 2), (31, 1)])
def test_as_long_as_the_limit_allows_is_waited_for(seconds: int, count: int) -> None:
    clock, limits = Clock(), replace(USUAL_LIMITS, retry_wait=timedelta(seconds=30))
    limited = httpx.Response(429, headers={"retry-after": str(seconds)})
    good = httpx.Response(200, json=1)
    _, provider = ask(replying(limited, good), clock=clock, limits=limits)
    assert len(provider.requests) == count


def test_a_wait_that_was_asked_for_holds_up_every_request() -> None:
    clock = Clock()
    limited = httpx.Response(429, headers={"retry-after": "7"})
    provider = Provider(replying(limited, httpx.Response(200, json=1)))

    async def two() -> None:
        slept = {"transport": provider, "sleep": clock.sleep}
        async with Client(unified(), Http(), **slept) as client:
            with pytest.raises(RateLimited):
                await client.send("POST", "/x", decode=any_json)
            assert clock.slept == []
            await client.read("GET", "/y", decode=any_json)

    asyncio.run(two())
    assert clock.slept == [pytest.approx(7, abs=0.5)]


def test_of_two_waits_the_longer_counts() -> None:
    clock = Clock()

    async def run() -> None:
        gate = pace.Gate(8, None, clock.sleep)
        gate.slow_down(9)
        gate.slow_down(1)
        await _through(gate)

    asyncio.run(run())
    assert clock.slept == [pytest.approx(9, abs=0.5)]


def test_no_more_requests_are_under_way_than_allowed() -> None:
    busiest = under_way = 0

    class Slow(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            nonlocal busiest, under_way
            under_way += 1
            busiest = max(busiest, under_way)
            await asyncio.sleep(0.001)
            under_way -= 1
            return httpx.Response(200, json=1)

    async def many() -> None:
        http = Http(concurrency=3)
        async with Client(unified(), http, transport=Slow()) as client:
            asked = (client.read("GET", "/x", decode=any_json) for _ in range(30))
            await asyncio.gather(*asked)

    asyncio.run(many())
    assert busiest == 3


def test_a_rate_limit_spaces_the_requests() -> None:
    clock = Clock()

    async def many() -> None:
        http = Http(rate_limit=10.0)
        provider = Provider(replying(httpx.Response(200, json=1)))
        slept = {"transport": provider, "sleep": clock.sleep}
        async with Client(unified(), http, **slept) as client:
            asked = (client.read("GET", "/x", decode=any_json) for _ in range(11))
            await asyncio.gather(*asked)

    asyncio.run(many())
    assert max(clock.slept) == pytest.approx(1.0, abs=0.1)


def test_429_lets_fewer_in_and_good_answers_let_them_in_again() -> None:
    async def run() -> tuple[int, int]:
        gate = pace.Gate(8, None)
        gate.slow_down(0)
        gate.slow_down(0)
        narrow = gate.at_once
        for _ in range(200):
            gate.went_well()
        return narrow, gate.at_once

    assert asyncio.run(run()) == (2, 8)


def test_one_is_let_in_however_often_429_came() -> None:
    async def run() -> int:
        gate = pace.Gate(3, None)
        for _ in range(3):
            gate.slow_down(0)
        return gate.at_once

    assert asyncio.run(run()) == 1


def test_a_run_of_good_answers_lets_one_more_in() -> None:
    async def run() -> list[int]:
        gate = pace.Gate(8, None)
        gate.slow_down(0)
        found = []
        for count in (19, 1, 19, 1, 19):
            for _ in range(count):
                gate.went_well()
            found.append(gate.at_once)
        gate.slow_down(0)  # the run is over
        gate.went_well()
        return [*found, gate.at_once]

    assert asyncio.run(run()) == [4, 5, 5, 6, 6, 3]


def test_a_request_that_gave_up_leaves_its_place_to_the_next() -> None:
    async def run() -> None:
        gate = pace.Gate(1, None)
        async with gate:
            waiting = [asyncio.create_task(_through(gate)) for _ in range(3)]
            await asyncio.sleep(0)
        waiting[0].cancel()
        async with asyncio.timeout(1):
            await asyncio.gather(*waiting, return_exceptions=True)
            await _through(gate)
        assert waiting[0].cancelled()

    asyncio.run(run())


def test_a_request_that_gives_up_in_a_pause_is_not_let_in() -> None:
    async def run() -> bool:
        gate = pace.Gate(1, None)
        gate.slow_down(60)
        paused = asyncio.create_task(_through(gate))
        await asyncio.sleep(0)
        paused.cancel()
        await asyncio.gather(paused, return_exceptions=True)
        return paused.cancelled()

    assert asyncio.run(run())


async def _through(gate: pace.Gate) -> None:
    async with gate:
        await asyncio.sleep(0)
