"""Re-reading agreements: durable, bounded, beside the answers and never before them."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from recon.errors import SettingsError
from recon.imports.delivered import event_hash, read_delivery
from recon.journal import journal_path
from recon.journal.deliveries import Arrival, Deliveries, Verdict
from recon.settings import Escrow, Http, Secret, Settings
from recon.webhooks.corroborating import Pace, corroborating
from tests.webhooks.receiver_cases import envelope, receiver, shop

NOW = datetime(2026, 10, 1, 9, 30, tzinfo=UTC)
PACE = Pace(unanswered=(0.0, 0.0), contradicted=(0.0,), between=0.0, idle=0.01)
ESCROW = Escrow(
    base_url="https://provider.example",
    client_id=7,
    client_secret=Secret("a-long-client-secret"),
)
DRAFT = {"tracking_code": "T1", "state": "draft", "amount": 5}
DONE = DRAFT | {"state": "finalize"}

Answerer = Callable[[str], httpx.Response]


def settings(folder: Path) -> Settings:
    http = Http(retries=0, timeout=timedelta(seconds=5))
    return replace(shop(folder, http=http), escrow=ESCROW)


def agreement(**fields: Any) -> httpx.Response:
    return httpx.Response(200, json={"message": "ok", "data": fields})


def provider(answerer: Answerer, asked: list[str]) -> httpx.MockTransport:
    def handle(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/sso/oauth/token":
            token = {
                "token_type": "Bearer",
                "expires_in": 600,
                "access_token": "t" * 20,
            }
            return httpx.Response(201, json=token)
        code = request.url.path.rpartition("/")[2]
        asked.append(code)
        return answerer(code)

    return httpx.MockTransport(handle)


@asynccontextmanager
async def looking(
    folder: Path, answerer: Answerer, asked: list[str], said: list[str]
) -> AsyncIterator[Deliveries]:
    with Deliveries(journal_path(settings(folder))) as deliveries:
        async with corroborating(
            settings(folder),
            deliveries,
            said.append,
            pace=PACE,
            transport=provider(answerer, asked),
        ) as corroborator:
            assert corroborator is not None
            yield deliveries


def store(deliveries: Deliveries, *bodies: bytes) -> None:
    deliveries.add(
        [
            Arrival(event=event_hash(read_delivery(body)), received_at=NOW, body=body)
            for body in bodies
        ]
    )


def outcome(
    folder: Path, answerer: Answerer, *bodies: bytes, asked: list[str] | None = None
) -> list[tuple[str, int]]:
    """The verdict on each delivery and how many looks it took, once all stand."""

    async def go() -> list[tuple[str, int]]:
        async with looking(
            folder, answerer, [] if asked is None else asked, []
        ) as deliveries:
            store(deliveries, *bodies)
            numbers = range(1, deliveries.count() + 1)
            for _ in range(500):
                found = [deliveries.verdict(number) for number in numbers]
                if all(each and each.again_at is None for each in found):
                    break
                await asyncio.sleep(0.01)
            # one reading at an end: verdicts may come between two of those above
            found = [deliveries.verdict(number) for number in numbers]
            return [
                (each.verdict.value if each else "", deliveries.look_count(number))
                for number, each in zip(numbers, found, strict=True)
            ]

    return asyncio.run(go())


def test_a_record_that_implies_the_event_confirms_it_with_its_body(
    tmp_path: Path,
) -> None:
    found = outcome(tmp_path, lambda _: agreement(**DONE), envelope(tracking_code="T1"))
    assert found == [("confirmed", 1)]
    with Deliveries(journal_path(settings(tmp_path))) as deliveries:
        look = deliveries.verdict(1)
    assert look is not None
    assert (look.tracking_code, look.status) == ("T1", 200)
    assert json.loads(look.body)["data"] == DONE
    assert look.reason == "the agreement is in finalize"


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (404, {"message": "no such path"}),
        (401, {"message": "no such client", "code": "client_not_found"}),
    ],
)
def test_a_token_that_is_refused_says_nothing_of_an_agreement(
    tmp_path: Path, status: int, said: dict[str, str]
) -> None:
    """Else its event would be contradicted by an agreement that nobody asked for."""

    def handle(request: httpx.Request) -> httpx.Response:
        assert request.url.path == "/sso/oauth/token"
        return httpx.Response(status, json=said)

    async def look() -> str:
        with Deliveries(journal_path(settings(tmp_path))) as deliveries:
            async with corroborating(
                settings(tmp_path),
                deliveries,
                [].append,
                pace=PACE,
                transport=httpx.MockTransport(handle),
            ):
                store(deliveries, envelope(tracking_code="T1"))
                for _ in range(500):
                    found = deliveries.verdict(1)
                    if found:
                        return found.verdict.value
                    await asyncio.sleep(0.01)
        return ""

    assert asyncio.run(look()) == "unconfirmed"


def test_a_contradiction_is_looked_at_twice_before_it_stands(tmp_path: Path) -> None:
    found = outcome(
        tmp_path, lambda _: agreement(**DRAFT), envelope(tracking_code="T1")
    )
    assert found == [("contradicted", 2)]


def test_an_event_that_is_faster_than_the_record_is_confirmed_after_all(
    tmp_path: Path,
) -> None:
    answers = iter([DRAFT, DONE])
    found = outcome(
        tmp_path, lambda _: agreement(**next(answers)), envelope(tracking_code="T1")
    )
    assert found == [("confirmed", 2)]


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(404, json={"message": "none", "code": "not_found_error"}),
        httpx.Response(400, json={"message": "none", "code": "agreement_not_found"}),
    ],
)
def test_an_unknown_agreement_contradicts_with_the_refusal_as_evidence(
    tmp_path: Path, answer: httpx.Response
) -> None:
    found = outcome(
        tmp_path,
        lambda _: httpx.Response(answer.status_code, content=answer.content),
        envelope(tracking_code="T1"),
    )
    assert found == [("contradicted", 2)]
    with Deliveries(journal_path(settings(tmp_path))) as deliveries:
        look = deliveries.verdict(1)
    assert look is not None
    assert (look.status, look.body) == (answer.status_code, answer.content)


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(500, text="broken"),
        httpx.Response(200, text="<html>"),
        httpx.Response(200, json={"message": "ok", "data": {"no": "agreement"}}),
        httpx.Response(422, json={"message": "no", "code": "validation_error"}),
        httpx.Response(403, json={"message": "no", "code": "forbidden_error"}),
    ],
)
def test_no_answer_leaves_it_unconfirmed_after_some_looks(
    tmp_path: Path, answer: httpx.Response
) -> None:
    found = outcome(
        tmp_path,
        lambda _: httpx.Response(answer.status_code, content=answer.content),
        envelope(tracking_code="T1"),
    )
    assert found == [("unconfirmed", 3)]


def test_silence_takes_no_contradiction_back(tmp_path: Path) -> None:
    answers = iter([agreement(**DRAFT)])
    broken = httpx.Response(500, text="broken")
    found = outcome(
        tmp_path, lambda _: next(answers, broken), envelope(tracking_code="T1")
    )
    assert found[0][0] == "contradicted"


@pytest.mark.parametrize("code", ["", "  ", ".", ".."])
def test_an_event_that_names_no_agreement_asks_nothing(
    tmp_path: Path, code: str
) -> None:
    asked: list[str] = []
    body = envelope("a", tracking_code=code, trace_id="x")
    assert outcome(tmp_path, lambda _: agreement(**DONE), body, asked=asked) == [
        ("unconfirmed", 1)
    ]
    assert asked == []


def test_a_flood_over_one_agreement_asks_once(tmp_path: Path) -> None:
    asked: list[str] = []
    bodies = [envelope(tracking_code="T1", x=str(number)) for number in range(150)]
    with Deliveries(journal_path(settings(tmp_path))) as deliveries:
        store(deliveries, *bodies)
    found = outcome(tmp_path, lambda _: agreement(**DONE), asked=asked)
    assert found == [("confirmed", 1)] * 150
    assert asked == ["T1"]


def test_a_later_reading_confirms_earlier_events_of_the_agreement(
    tmp_path: Path,
) -> None:
    paid = envelope("buyer_paid_agreement", tracking_code="T1", amount="5")
    contract = DRAFT | {"state": "contract"}
    assert outcome(tmp_path, lambda _: agreement(**contract), paid) == [
        ("unconfirmed", 1)
    ]
    found = outcome(tmp_path, lambda _: agreement(**DONE), envelope(tracking_code="T1"))
    assert found == [("confirmed", 2), ("confirmed", 1)]


def test_what_a_stop_left_is_done_after_the_next_start(tmp_path: Path) -> None:
    with Deliveries(journal_path(settings(tmp_path))) as deliveries:
        store(deliveries, envelope(tracking_code="T1"), envelope(tracking_code="T2"))
    found = outcome(
        tmp_path,
        lambda code: agreement(**(DONE | {"tracking_code": code})),
        envelope(tracking_code="T3"),
    )
    assert found == [("confirmed", 1)] * 3


def test_the_log_tells_a_contradiction(tmp_path: Path) -> None:
    said: list[str] = []

    async def go() -> None:
        async with looking(
            tmp_path, lambda _: agreement(**DRAFT), [], said
        ) as deliveries:
            store(deliveries, envelope(tracking_code="T1"))
            for _ in range(500):
                if said:
                    return
                await asyncio.sleep(0.01)

    asyncio.run(go())
    assert said == ["contradicted: 1 × the agreement is a draft (delivery 1)"]


def test_without_escrow_settings_everything_stays_unconfirmed(tmp_path: Path) -> None:
    with receiver(shop(tmp_path)) as sender:
        assert sender.post(envelope()).status_code == 200
        assert any("unconfirmed" in line for line in sender.said)
    with Deliveries(journal_path(shop(tmp_path))) as deliveries:
        assert deliveries.verdict(1) is None


def test_a_missing_credential_stops_the_start_and_says_which(tmp_path: Path) -> None:
    bare = replace(shop(tmp_path), escrow=Escrow(base_url="https://provider.example"))
    with pytest.raises(SettingsError, match=r"escrow\.client_id"):
        asyncio.run(_open(bare))


async def _open(bare: Settings) -> None:
    with Deliveries(journal_path(bare)) as deliveries:
        async with corroborating(bare, deliveries, lambda _: None):
            pass


def test_a_provider_that_hangs_delays_no_answer(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        escrow = replace(ESCROW, base_url=f"http://127.0.0.1:{port}")
        with receiver(replace(settings(tmp_path), escrow=escrow)) as sender:
            bodies = [envelope("a", x=str(number)) for number in range(20)]
            answers = [sender.post(body) for body in bodies]
            assert {answer.status_code for answer in answers} == {200}
            assert max(answer.elapsed for answer in answers) < timedelta(seconds=3)
            assert sender.health()["corroborating"] is True


def test_verdicts_stand_in_the_order_of_the_contract() -> None:
    assert [each.value for each in Verdict] == [
        "confirmed",
        "contradicted",
        "unconfirmed",
    ]
