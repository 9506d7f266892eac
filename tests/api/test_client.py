"""What the client retries, what it never does, and what nobody gets to see."""

import asyncio
import gzip
import logging
import traceback
from datetime import timedelta
from typing import Any

import httpx
import pytest

from recon.api.answers import Answer, complaint
from recon.api.client import Client
from recon.errors import (
    NotFound,
    OutcomeUnknown,
    RateLimited,
    Refused,
    SettingsError,
    Unauthenticated,
    Unavailable,
)
from recon.settings import (
    CashIn,
    Escrow,
    Gateway,
    Hosted,
    Http,
    Limits,
    Secret,
    Unified,
)
from tests.api.asking import (
    CANARY,
    ask,
    fails,
    replying,
    unified,
)


@pytest.mark.parametrize("status", [500, 502, 503, 504, 408, 425, 429])
def test_a_read_is_repeated_while_its_trouble_may_pass(status: int) -> None:
    good = httpx.Response(200, json={"fine": True})
    answer, provider = ask(
        replying(httpx.Response(status), httpx.Response(status), good)
    )
    assert isinstance(answer, Answer)
    assert answer.value == {"fine": True}
    assert len(provider.requests) == 3


@pytest.mark.parametrize("verb", ["read", "send"])
@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_credential_is_told_at_once_whatever_page_says_so(
    status: int, verb: str
) -> None:
    refused, provider = ask(replying(httpx.Response(status, text="<html>")), verb=verb)
    assert type(refused) is Unauthenticated
    assert refused.status == status
    assert len(provider.requests) == 1


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, Refused),
        (401, Unauthenticated),
        (403, Unauthenticated),
        (404, NotFound),
        (422, Refused),
    ],
)
def test_a_refusal_is_an_answer_and_not_repeated(
    status: int, kind: type[Refused]
) -> None:
    refused, provider = ask(replying(httpx.Response(status, json={"message": "no"})))
    assert type(refused) is kind
    assert refused.status == status
    assert len(provider.requests) == 1


@pytest.mark.parametrize("verb", ["read", "send"])
def test_a_refusal_without_json_is_no_documented_answer(verb: str) -> None:
    refused, provider = ask(replying(httpx.Response(422, text="<html>")), verb=verb)
    expected = Unavailable if verb == "read" else OutcomeUnknown
    assert type(refused) is expected
    assert len(provider.requests) == (4 if verb == "read" else 1)


@pytest.mark.parametrize(
    "error",
    [
        httpx.ReadError("cut"),
        httpx.ReadTimeout("slow"),
        httpx.RemoteProtocolError("cut"),
        ConnectionResetError("reset"),
    ],
)
def test_a_cut_is_repeated_for_a_read_and_unknown_for_what_was_sent(
    error: Exception,
) -> None:
    read, provider = ask(fails(error))
    assert type(read) is Unavailable
    assert len(provider.requests) == 4
    sent, provider = ask(fails(error), verb="send")
    assert type(sent) is OutcomeUnknown
    assert len(provider.requests) == 1


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (httpx.ReadError(""), "connection cut (ReadError)"),
        (httpx.ReadError("broke off"), "connection cut (broke off)"),
    ],
)
def test_a_cut_without_a_word_is_told_by_its_kind(error: Exception, told: str) -> None:
    assert str(ask(fails(error))[0]).endswith(told)


def test_what_never_left_is_not_an_unknown_outcome() -> None:
    sent, _ = ask(fails(httpx.ConnectError("refused")), verb="send")
    assert type(sent) is Unavailable


@pytest.mark.parametrize(
    "reply",
    [
        httpx.Response(500, json={"status": 0, "errors": {"error": "later"}}),
        httpx.Response(200, text="<html>"),
        httpx.Response(204),
        httpx.Response(302, headers={"location": "https://evil.test"}),
    ],
)
def test_what_was_sent_once_is_never_sent_again(reply: httpx.Response) -> None:
    sent, provider = ask(replying(reply), verb="send")
    assert type(sent) is OutcomeUnknown
    assert len(provider.requests) == 1


def test_what_was_refused_for_its_rate_did_not_take_effect() -> None:
    sent, _ = ask(replying(httpx.Response(429)), verb="send")
    assert type(sent) is RateLimited


def test_a_redirect_is_neither_followed_nor_repeated() -> None:
    reply = httpx.Response(301, headers={"location": "https://evil.test/"})
    answer, provider = ask(replying(reply))
    assert type(answer) is Unavailable
    assert [str(request.url) for request in provider.requests] == [
        "https://provider.test/x"
    ]


def test_an_answer_that_does_not_end_in_time_is_a_time_out() -> None:
    class Drip(httpx.AsyncByteStream):
        async def __aiter__(self) -> Any:
            while True:
                yield b" "
                await asyncio.sleep(0.02)

    answer, provider = ask(
        lambda request: httpx.Response(200, stream=Drip()),
        timeout=timedelta(milliseconds=200),
        retries=1,
    )
    assert type(answer) is Unavailable
    assert "0.2 s" in str(answer)
    assert len(provider.requests) == 2


def test_an_endless_or_exploding_body_is_cut_off() -> None:
    bomb = gzip.compress(b" " * 1_000_000)
    answer, provider = ask(
        lambda request: httpx.Response(
            200, content=bomb, headers={"content-encoding": "gzip"}
        ),
        limits=Limits(body=10_000),
    )
    assert type(answer) is Unavailable
    assert "longer" in str(answer)
    assert len(provider.requests) == 1


@pytest.mark.parametrize(
    ("body", "message", "code", "errors"),
    [
        ({"error": "Unauthenticated"}, "Unauthenticated", None, {}),
        ({"status": 0, "error": "Unauthenticated"}, "Unauthenticated", None, {}),
        ({"message": "no", "code": "user_not_found"}, "no", "user_not_found", {}),
        (
            {"message": "no", "code": 422, "errors": {"action": "bad"}},
            "no",
            "422",
            {"action": ["bad"]},
        ),
        (
            {"message": "no", "errors": {"iban": ["bad", "worse"]}},
            "no",
            None,
            {"iban": ["bad", "worse"]},
        ),
        ({"status": 0, "errors": {"error": "off"}}, "off", None, {"error": ["off"]}),
        ({"status": 2, "errors": ["told"]}, "told", "2", {"error": ["told"]}),
        ({"message": None, "errors": None}, "", None, {}),
        (
            {"message": {"a": 1}, "errors": {"x": [1, None]}},
            '{"a":1}',
            None,
            {"x": ["1", ""]},
        ),
    ],
)
def test_every_documented_error_shape_is_read(
    body: Any, message: str, code: str | None, errors: dict[str, list[str]]
) -> None:
    refused, _ = ask(replying(httpx.Response(422, json=body)))
    assert isinstance(refused, Refused)
    assert (refused.code, refused.errors) == (code, errors)
    assert message in str(refused)
    assert "\n" not in str(refused)


@pytest.mark.parametrize("body", [b"", b"[]", b"7", b"<html>", b"[" * 50_000])
def test_what_is_no_json_object_is_no_complaint(body: bytes) -> None:
    assert complaint(body) is None


@pytest.mark.parametrize("code", ["unauthenticated_error", "forbidden_error"])
def test_a_code_about_the_credential_counts_whatever_the_status(code: str) -> None:
    refused, _ = ask(replying(httpx.Response(400, json={"message": "", "code": code})))
    assert type(refused) is Unauthenticated


@pytest.mark.parametrize(
    ("product", "place"),
    [
        (unified(), "x-api-key"),
        (Hosted(base_url="https://p.test", api_key=Secret(CANARY)), "x-api-key"),
        (CashIn(base_url="https://p.test", api_key=Secret(CANARY)), "authorization"),
        (Gateway(base_url="https://p.test", api_key=Secret(CANARY)), "body"),
    ],
)
def test_a_credential_travels_where_the_contract_puts_it(
    product: Any, place: str
) -> None:
    _, provider = ask(replying(httpx.Response(200, json=1)), product=product)
    (request,) = provider.requests
    assert request.headers["accept"] == "application/json"
    carried = {**request.headers, "body": request.content.decode()}
    assert [name for name, text in carried.items() if CANARY in text] == [place]
    assert CANARY not in str(request.url)


@pytest.mark.parametrize(
    ("product", "key"),
    [
        (Unified(base_url="https://p.test"), "RECON_UNIFIED__API_KEY"),
        (Escrow(base_url="https://p.test", client_id=1), "RECON_ESCROW__CLIENT_SECRET"),
        (
            Escrow(base_url="https://p.test", client_secret=Secret(CANARY)),
            "RECON_ESCROW__CLIENT_ID",
        ),
        (unified(base_url=""), "unified.base_url"),
    ],
)
def test_a_missing_credential_is_named_with_its_variable(
    product: Any, key: str
) -> None:
    with pytest.raises(SettingsError, match=key):
        Client(product, Http())


def test_a_secret_that_the_provider_repeats_is_masked_everywhere(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    stored: list[Answer[None]] = []

    def capture(answer: Answer[None]) -> int:
        stored.append(answer)
        return len(stored)

    body = {"message": f"the key {CANARY} is wrong", "errors": {"k": [CANARY]}}
    refused, _ = ask(replying(httpx.Response(422, json=body)), capture=capture)
    assert isinstance(refused, Refused)
    shown = "".join(traceback.format_exception(refused))
    shown += repr(refused.errors) + repr(stored) + repr(stored[0].page()) + caplog.text
    assert CANARY not in shown
    assert "***" in str(refused)


def test_every_answer_is_captured_before_it_is_read() -> None:
    statuses: list[int] = []

    def capture(answer: Answer[None]) -> int:
        statuses.append(answer.status)
        return len(statuses)

    replies = replying(
        httpx.Response(503), httpx.Response(200, text="<"), httpx.Response(200, json=1)
    )
    answer, _ = ask(replies, capture=capture)
    assert isinstance(answer, Answer)
    assert statuses == [503, 200, 200]
    assert answer.page_no == 3
    assert answer.page().body == b"1"
