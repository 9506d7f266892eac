"""Each kind of delivery and its outcome: what is answered, and what is stored."""

import asyncio
import json
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from recon.journal import journal_path
from recon.journal.deliveries import Arrival, Deliveries
from recon.webhooks import refusals
from recon.webhooks.connections import PromptConnection
from recon.webhooks.pace import UNIT_BYTES, Allowance
from recon.webhooks.receiver import Limits, create_app
from recon.webhooks.signature import sign
from tests.webhooks.receiver_cases import (
    BUSINESS,
    CREATED,
    Sender,
    envelope,
    head,
    receiver,
    shop,
)

MIB = 2**20
QUICK = Limits(body_seconds=0.3)


@pytest.fixture
def sender(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sender]:
    monkeypatch.setattr(refusals, "_DRAIN_SECONDS", 0.2)
    with receiver(shop(tmp_path), QUICK) as running:
        yield running


def padded(size: int) -> bytes:
    """A good envelope of exactly that many bytes."""
    rest = size - len(envelope("a", x=""))
    return envelope("a", x="x" * rest)


def test_a_good_delivery_is_stored_as_it_came(sender: Sender) -> None:
    body = b'{ "created": 1790000000, "type": "a", "data": {"x": "\xd8\xa7"} }\r\n'
    answer = sender.post(body)
    assert (answer.status_code, answer.json()) == (200, {"message": "stored"})
    assert sender.stored() == [body]


def test_duplicates_are_answered_alike_and_stored_once(sender: Sender) -> None:
    body = envelope()
    again = json.dumps(json.loads(body), indent=1).encode()
    answers = [sender.post(each) for each in (body, body, again)]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert answers[2].json() == {"message": "known"}
    assert sender.stored() == [body]


def test_a_replay_after_a_restart_is_stored_once(tmp_path: Path) -> None:
    for _ in range(2):
        with receiver(shop(tmp_path)) as sender:
            assert sender.post(envelope()).status_code == 200
            assert sender.stored() == [envelope()]


def test_order_is_not_assumed(sender: Sender) -> None:
    late, early = envelope("b", created=CREATED + 60, x="1"), envelope("a", x="1")
    assert [sender.post(each).status_code for each in (late, early)] == [200, 200]
    assert sender.stored() == [late, early]


@pytest.mark.parametrize(
    "signature",
    ["", "x", sign(envelope(), "another-shop"), sign(envelope() + b" ", BUSINESS)],
)
def test_a_forged_delivery_is_refused(sender: Sender, signature: str) -> None:
    assert sender.post(envelope(), signature).status_code == 401
    assert sender.stored() == []


def test_a_signature_that_is_missing_or_there_twice_is_refused(sender: Sender) -> None:
    good = sign(envelope(), BUSINESS)
    headers = [("x-signature", good), ("x-signature", good)]
    for given in ([], headers):
        answer = httpx.post(sender.address, content=envelope(), headers=given)
        assert answer.status_code == 401
    assert sender.stored() == []


def test_the_largest_body_is_taken_and_one_byte_more_is_not(sender: Sender) -> None:
    assert sender.post(padded(MIB)).status_code == 200
    assert sender.post(padded(MIB + 1)).status_code == 413
    assert [len(body) for body in sender.stored()] == [MIB]


def test_a_stated_length_above_the_limit_is_refused_before_the_body(
    sender: Sender,
) -> None:
    got = sender.raw(head(MIB + 1, "none"), b"only a few bytes", pause=0.01)
    assert got.startswith(b"HTTP/1.1 413 ")


def test_a_stated_length_of_thousands_of_digits_is_refused(sender: Sender) -> None:
    long = head(7, "none").replace(b": 7", b": " + b"9" * 4301)
    got = sender.raw(long, b"only a few bytes", pause=0.01)
    assert got.startswith(b"HTTP/1.1 400 ")
    assert sender.health()["status"] == "ok"


@pytest.mark.parametrize(
    ("length", "status"),
    [
        ("9" * 5000, 413),  # more digits than int() takes
        (str(MIB + 1), 413),
        ("0" * 5000 + str(MIB), 401),  # the signature's turn
        (str(MIB), 401),
        ("9" * 5000 + "x", 401),
        ("", 401),
    ],
)
def test_a_stated_length_is_compared_whatever_server_passes_it_on(
    tmp_path: Path, length: str, status: int
) -> None:
    app = create_app(shop(tmp_path), limits=QUICK)
    headers = {"content-length": length, "x-signature": "none"}

    async def posted() -> int:
        wire = httpx.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=wire, base_url="http://x") as client,
        ):
            return (await client.post("/", content=b"{}", headers=headers)).status_code

    assert asyncio.run(posted()) == status


def test_a_body_without_a_length_is_refused_once_too_much_has_come(
    sender: Sender,
) -> None:
    def parts(size: int) -> Iterator[bytes]:
        body = padded(size)
        for start in range(0, size, 65536):
            yield body[start : start + 65536]

    whole = {"x-signature": sign(padded(MIB), BUSINESS)}
    taken = httpx.post(sender.address, content=parts(MIB), headers=whole)
    refused = httpx.post(sender.address, content=parts(3 * MIB), headers=whole)
    assert (taken.status_code, refused.status_code) == (200, 413)
    assert len(sender.stored()) == 1


def test_size_comes_before_signature_and_signature_before_envelope(
    sender: Sender,
) -> None:
    assert sender.post(b"x" * (MIB + 1), "bad").status_code == 413
    assert sender.post(b"x", "bad").status_code == 401
    assert sender.post(b"x").status_code == 400
    assert sender.stored() == []


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_another_encoding_is_refused(sender: Sender, encoding: str) -> None:
    answer = sender.post(envelope().decode().encode(encoding))
    assert answer.status_code == 400
    assert answer.json()["error"]
    assert sender.stored() == []


def test_a_truncated_body_is_not_stored(sender: Sender) -> None:
    body = envelope()
    sender.raw(head(len(body), sign(body, BUSINESS)), body[:-1], hang_up=True)
    cut = sender.post(body[:-1], sign(body, BUSINESS))
    assert cut.status_code == 401
    assert sender.post(body[:-1]).status_code == 400
    assert sender.stored() == []


def test_a_body_that_trickles_is_ended(sender: Sender) -> None:
    body = envelope()
    started = time.monotonic()
    got = sender.raw(
        head(len(body), sign(body, BUSINESS)),
        *(body[at : at + 1] for at in range(12)),
        pause=0.05,
    )
    assert got.startswith(b"HTTP/1.1 408 ")
    assert time.monotonic() - started < 5
    assert sender.stored() == []


def test_a_head_that_trickles_is_cut(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PromptConnection, "head_seconds", 0.2)
    started = time.monotonic()
    got = sender.raw(*([b"POST / HTTP/1.1\r\nx-slow: "] + [b"a"] * 40), pause=0.02)
    assert got == b""
    assert time.monotonic() - started < 5


def test_a_silent_connection_is_cut(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PromptConnection, "head_seconds", 0.2)
    assert sender.raw(b"", pause=0.01) == b""


def test_a_trickle_after_an_answer_is_cut_too(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PromptConnection, "head_seconds", 0.2)
    body = envelope()
    whole = head(len(body), sign(body, BUSINESS)) + body
    started = time.monotonic()
    got = sender.raw(whole, *[b"P"] * 20, pause=0.05)
    assert got.startswith(b"HTTP/1.1 200 ")
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"POST / HTTP/1.1\r\n\r\n",
        b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -5\r\n\r\n",
        b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
        b"POST / HTTP/1.1\r\nhost: x\r\nx: " + b"a" * 200_000 + b"\r\n\r\n",
    ],
)
def test_what_is_no_request_is_refused(sender: Sender, garbage: bytes) -> None:
    assert b" 400 " in sender.raw(garbage).partition(b"\r\n")[0]
    assert sender.health()["status"] == "ok"


def test_pipelined_deliveries_are_each_answered(sender: Sender) -> None:
    bodies = [envelope("a", x=str(number)) for number in range(3)]
    sent = [
        head(len(body), sign(body, BUSINESS), last=body is bodies[-1]) + body
        for body in bodies
    ]
    assert sender.raw(b"".join(sent)).count(b"HTTP/1.1 200 ") == 3
    assert sender.stored() == bodies


def test_other_methods_and_places_are_told_apart(sender: Sender) -> None:
    read = httpx.get(sender.address)
    assert (read.status_code, read.headers["allow"]) == (405, "POST")
    assert httpx.put(sender.address, content=b"x").status_code == 405
    assert httpx.post(f"{sender.address}/elsewhere").status_code == 404
    assert httpx.post(f"{sender.address}/health").status_code == 405


def test_above_the_rate_a_sender_is_told_to_wait(tmp_path: Path) -> None:
    few = Limits(rate=0.01, burst=3)
    with receiver(shop(tmp_path), few) as sender:
        bodies = [envelope("a", x=str(number)) for number in range(5)]
        answers = [sender.post(body) for body in bodies]
        assert [answer.status_code for answer in answers] == [200] * 3 + [429] * 2
        assert 50 <= int(answers[-1].headers["retry-after"]) <= 100
        assert sender.post(b"x", "bad").status_code == 401
        assert sender.stored() == bodies[:3]


def test_a_large_body_counts_more(tmp_path: Path) -> None:
    with receiver(shop(tmp_path), Limits(rate=0.001, burst=30)) as sender:
        assert sender.post(padded(100_000)).status_code == 200
        assert sender.post(padded(100_001)).status_code == 429


def test_a_body_above_all_that_is_allowed_at_once_is_taken_and_owed(
    tmp_path: Path,
) -> None:
    with receiver(shop(tmp_path), Limits(rate=0.001, burst=3)) as sender:
        assert sender.post(padded(20_000)).status_code == 200
        assert sender.post(envelope()).status_code == 429
    allowance = Allowance(rate=50.0, burst=3.0)
    assert allowance.take(10 * UNIT_BYTES) == 0
    assert 0.1 < allowance.take(1) <= 8 / 50


def test_what_cannot_be_stored_is_not_said_to_be(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(journal_path(sender.settings))) as other:
        other.execute(
            "create trigger full before insert on deliveries"
            " begin select raise(abort, 'disk full'); end"
        )
        answer = sender.post(envelope())
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "30"
        assert "disk" not in answer.text
        (told,) = [line for line in sender.said if line.startswith("not stored: ")]
        assert told.endswith(" disk full")
        assert httpx.get(f"{sender.address}/health").status_code == 503
        other.execute("drop trigger full")
    assert sender.post(envelope()).status_code == 200
    assert sender.health()["status"] == "ok"
    assert sender.stored() == [envelope()]


def test_a_store_that_waits_too_long_is_not_waited_for(tmp_path: Path) -> None:
    with (
        receiver(shop(tmp_path), Limits(store_seconds=0.2)) as sender,
        closing(sqlite3.connect(journal_path(sender.settings))) as other,
    ):
        other.execute("begin immediate")
        assert sender.post(envelope()).status_code == 503
        other.execute("rollback")
        assert sender.post(envelope()).status_code == 200
        assert sender.stored() == [envelope()]


def test_health_tells_figures_and_nothing_of_events(sender: Sender) -> None:
    sender.post(envelope(tracking_code="T-secret"))
    sender.post(envelope(tracking_code="T-secret"))
    sender.post(envelope(), "bad")
    assert sender.health() == {
        "status": "ok",
        "stored": 1,
        "repeated": 1,
        "refused": {"401": 1},
        "corroborating": False,
        "verdicts": {},
    }


def test_the_log_tells_of_refusals_once_and_never_a_body(sender: Sender) -> None:
    for _ in range(5):
        sender.post(envelope(tracking_code="T-secret"), "bad")
    told = [line for line in sender.said if "refused" in line]
    assert told == [
        "refused: 1 × 401 the signature is missing or does not fit the body"
    ]
    assert "T-secret" not in "".join(sender.said)


def test_a_stop_answers_what_is_under_way(tmp_path: Path) -> None:
    body = envelope()
    with receiver(shop(tmp_path)) as sender, httpx.Client() as client:
        client.get(f"{sender.address}/health")  # a connection that stays open
        assert sender.post(body).status_code == 200
    assert sender.stored() == [body]


def test_a_write_that_fails_unforeseen_ends_no_later_one(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> list[bool]:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(Deliveries, "add", failing)
        assert sender.post(envelope()).status_code == 503
        assert httpx.get(f"{sender.address}/health").status_code == 503
        assert sender.health()["status"] == "failing"
    assert sender.post(envelope()).status_code == 200
    assert sender.stored() == [envelope()]


def test_a_write_that_hangs_is_a_failing_one_until_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest, go_on = Deliveries.add, threading.Event()

    def hanging(stored: Deliveries, arrivals: Sequence[Arrival]) -> list[bool]:
        go_on.wait()
        return honest(stored, arrivals)

    monkeypatch.setattr(Deliveries, "add", hanging)
    with receiver(shop(tmp_path), Limits(store_seconds=0.1)) as sender:
        try:
            assert sender.post(envelope()).status_code == 503
            assert sender.health()["status"] == "failing"
        finally:
            go_on.set()
        answer = sender.post(envelope())
        while answer.status_code == 503:  # it sends again until it is taken
            answer = sender.post(envelope())
        assert answer.json() == {"message": "known"}
        assert sender.health()["status"] == "ok"
        assert sender.stored() == [envelope()]
