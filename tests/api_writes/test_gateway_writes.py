"""The gateway: what is sent, what comes back, and what is never sent."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from recon.errors import OutcomeUnknown, Refused, Unavailable
from recon.journal import AlreadySent, gateway_requests
from recon.records import gateway as records
from recon.records.gateway import TransactionCode
from recon.records.limits import WrongInput
from tests.api_writes.stand_in_provider import KEYS, Desk, desk

CALLBACK = "https://shop.example/back"
TRANSACTION = {
    "status": 1,
    "amount": "101000",
    "transId": 9_007_199_254_740_993,
    "refnumber": "ref-1",
    "trackingCode": 555,
    "factorNumber": None,
    "mobile": None,
    "description": "order 12",
    "cardNumber": "603799******1234",
    "CID": "ABC",
    "createdAt": "2026-06-01 12:00:00",
    "paymentDate": "2026-06-01 12:01:30",
    "code": 1,
    "message": "waits",
    "newField": {"kept": True},
}
VERIFIED = {
    "status": 1,
    "amount": "101000.00",
    "realAmount": 100_000,
    "wage": "1000",
    "transId": "77",
    "factorNumber": "12",
    "mobile": "09120000000",
    "description": "order 12",
    "cardNumber": "603799******1234",
    "paymentDate": "2026-06-01 12:01:30",
    "cid": None,
    "message": "ok",
}


def test_send_sends_only_what_was_given_and_returns_the_token(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put("POST /api/v3/send", (200, {"status": 1, "token": "tok1"}))
            token = await d.provider.gateway.send(100_000, CALLBACK, factor_number="12")
            assert token == "tok1"
            assert d.app.bodies("POST /api/v3/send") == [
                {
                    "amount": 100_000,
                    "callback_url": CALLBACK,
                    "factorNumber": "12",
                    "api_key": KEYS["gateway"],
                }
            ]
            (row,) = gateway_requests(d.journal)
            assert (row["token"], row["amount"]) == ("tok1", 100_000)

    asyncio.run(case())


def test_send_takes_every_field_of_the_contract(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put("POST /api/v3/send", (200, {"status": 1, "token": "tok1"}))
            await d.provider.gateway.send(
                1_000,
                CALLBACK,
                mobile_number="09120000000",
                factor_number="12",
                description="x" * 255,
                national_code="0012345678",
                valid_card_number=["6037"] * 10,
                port="PSP_A",
                comment="note",
            )
            (body,) = d.app.bodies("POST /api/v3/send")
            assert body == {
                "api_key": KEYS["gateway"],
                "amount": 1_000,
                "callback_url": CALLBACK,
                "mobile_number": "09120000000",
                "factorNumber": "12",
                "description": "x" * 255,
                "national_code": "0012345678",
                "valid_card_number": ["6037"] * 10,
                "port": "PSP_A",
                "comment": "note",
            }

    asyncio.run(case())


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("amount", {"amount": 999}),
        ("amount", {"amount": 1_000.0}),
        ("amount", {"amount": True}),
        ("amount", {"amount": "1000"}),
        ("amount", {"amount": 2**63}),
        ("callback_url", {"callback_url": "shop.example/back"}),
        ("callback_url", {"callback_url": "ftp://shop.example"}),
        ("callback_url", {"callback_url": ""}),
        ("callback_url", {"callback_url": "https://evil.example\\@shop.example"}),
        ("callback_url", {"callback_url": "https://shop.example.evil.example"}),
        ("callback_url", {"callback_url": "https://notshop.example"}),
        ("callback_url", {"callback_url": "https://shop.example@evil.example"}),
        ("description", {"description": "x" * 256}),
        ("factorNumber", {"factor_number": 12}),
        ("mobile_number", {"national_code": "0012345678"}),
        ("valid_card_number", {"valid_card_number": ["6037"] * 11}),
        ("valid_card_number", {"valid_card_number": []}),
        ("valid_card_number.0", {"valid_card_number": [6037]}),
        ("port", {"port": "psp_a"}),
        ("comment", {"comment": "  "}),
    ],
    ids=str,
)
def test_a_wrong_field_is_named_and_nothing_is_sent(
    tmp_path: Path, field: str, given: dict[str, Any]
) -> None:
    async def case() -> None:
        async with desk(tmp_path, gateway_domain="shop.example") as d:
            fields = {"amount": 1_000, "callback_url": CALLBACK} | given
            with pytest.raises(WrongInput) as caught:
                await d.provider.gateway.send(**fields)
            assert caught.value.field == field
            assert str(caught.value).startswith(f"{field}: must be ")
            assert d.app.seen == []
            assert d.outcomes() == []

    asyncio.run(case())


@pytest.mark.parametrize(
    "callback",
    ["https://shop.example", "http://www.Shop.Example:8080/a?b#c", CALLBACK],
)
def test_a_callback_under_the_approved_domain_is_taken(
    tmp_path: Path, callback: str
) -> None:
    async def case() -> None:
        async with desk(tmp_path, gateway_domain="shop.example") as d:
            d.app.put("POST /api/v3/send", (200, {"status": 1, "token": "t"}))
            assert await d.provider.gateway.send(1_000, callback) == "t"

    asyncio.run(case())


def test_the_page_address_is_the_gateways_with_the_token(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            address = d.provider.gateway.page_address
            assert address("tok1") == "https://api.example/v3/tok1"
            assert address("a/b?c") == "https://api.example/v3/a%2Fb%3Fc"

    asyncio.run(case())


def test_a_transaction_is_read_with_its_awkwardness_absorbed(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put("POST /api/v3/transaction", (200, TRANSACTION))
            found = await d.provider.gateway.transaction("tok1")
            assert d.app.bodies("POST /api/v3/transaction") == [
                {"token": "tok1", "api_key": KEYS["gateway"]}
            ]
            assert (found.token, found.amount) == ("tok1", 101_000)
            assert found.trans_id == "9007199254740993"
            assert found.tracking_code == "555"
            assert found.card_cid == "ABC"
            # Tehran is three and a half hours ahead of UTC
            assert found.created_at == datetime(2026, 6, 1, 8, 30, tzinfo=UTC)
            assert found.payment_date == datetime(2026, 6, 1, 8, 31, 30, tzinfo=UTC)
            assert found.code == TransactionCode.WAITING
            assert found.extra == {"newField": {"kept": True}}
            assert d.outcomes() == []  # a look-up is not journaled

    asyncio.run(case())


def test_a_time_with_a_zone_is_taken_at_its_word() -> None:
    wire = TRANSACTION | {"createdAt": "2026-06-01T12:00:00+01:00", "paymentDate": ""}
    found = records.transaction(wire, "t", ZoneInfo("Asia/Tehran"))
    assert found.created_at == datetime(2026, 6, 1, 11, tzinfo=UTC)
    assert found.payment_date is None


def test_an_unknown_code_is_kept_and_a_fraction_of_a_rial_is_not(
    tmp_path: Path,
) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            line = "POST /api/v3/transaction"
            d.app.put(line, (200, TRANSACTION | {"code": 9}))
            assert (await d.provider.gateway.transaction("t")).code == 9
            for wrong in ("12.5", 12.5, True, "1e3", "۱۲"):
                d.app.put(line, (200, TRANSACTION | {"amount": wrong}))
                with pytest.raises(Unavailable):
                    await d.provider.gateway.transaction("t")

    asyncio.run(case())


def test_verify_gives_the_result_and_the_journal_keeps_it(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put("POST /api/v3/verify", (200, VERIFIED))
            found = await d.provider.gateway.verify("tok1")
            assert (found.amount, found.real_amount, found.wage) == (
                101_000,
                100_000,
                1_000,
            )
            assert (found.trans_id, found.card_cid) == ("77", None)
            (row,) = gateway_requests(d.journal)
            assert (row["real_amount"], row["wage"]) == (100_000, 1_000)
            with pytest.raises(AlreadySent):
                await d.provider.gateway.verify("tok1")
            assert d.provider.gateway.kept_verification("tok1") == found
            assert d.provider.gateway.kept_verification("tok2") is None
            assert len(d.app.seen) == 1

    asyncio.run(case())


def test_a_verify_is_not_lost_for_a_field_beside_its_amount(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            odd = {"wage": "1e3", "paymentDate": "yesterday", "transId": [1]}
            d.app.put("POST /api/v3/verify", (200, VERIFIED | odd))
            found = await d.provider.gateway.verify("tok1")
            assert found.real_amount == 100_000
            assert (found.wage, found.payment_date, found.trans_id) == (None,) * 3
            assert found.extra == odd
            assert d.outcomes() == ["answered"]

    asyncio.run(case())


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ({"CID": "A"}, "A"),
        ({"cid": "a"}, "a"),
        ({"CID": None, "cid": "a"}, "a"),
        ({"CID": "A", "cid": None}, "A"),
        ({"cid": None}, None),
        ({}, None),
    ],
    ids=str,
)
def test_the_card_hash_is_read_under_either_name(
    sent: dict[str, Any], read: str | None
) -> None:
    zone = ZoneInfo("Asia/Tehran")
    rest = {name: value for name, value in TRANSACTION.items() if name != "CID"}
    found = records.transaction(rest | sent, "t", zone)
    assert found.card_cid == read
    assert found.extra.keys() == {"newField"}
    verified = {name: value for name, value in VERIFIED.items() if name != "cid"}
    assert records.verification(verified | sent, "t", zone).card_cid == read


def test_no_whole_card_number_reaches_the_journal(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put("POST /api/v3/send", (200, {"status": 1, "token": "tok1"}))
            card = "6037991234567890"
            for given in (card, [card, "60379"]):
                await d.provider.gateway.send(1_000, CALLBACK, valid_card_number=given)
            first, second = d.app.bodies("POST /api/v3/send")
            assert first["valid_card_number"] == card
            assert second["valid_card_number"] == [card, "60379"]
            kept = [each.body["valid_card_number"] for each in d.journal.requests()]
            assert kept == ["603799******7890", ["603799******7890", "*****"]]

    asyncio.run(case())


@pytest.mark.parametrize("status", [0, 2, 3])
def test_a_refused_verify_tells_its_status_as_code(tmp_path: Path, status: int) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put(
                "POST /api/v3/verify", (422, {"status": status, "errors": ["no"]})
            )
            with pytest.raises(Refused) as caught:
                await d.provider.gateway.verify("tok1")
            assert caught.value.code == str(status)
            (kept,) = d.journal.requests()
            assert (kept.outcome, kept.status) == ("refused", 422)
            assert kept.answer == b'{"status": %d, "errors": ["no"]}' % status

    asyncio.run(case())


@pytest.mark.parametrize(
    "answer",
    [
        {"status": 0, "errors": ["no"]},
        VERIFIED | {"status": 2},
        VERIFIED | {"realAmount": "1e5"},
        {"status": 1},
        {},
        [],
    ],
    ids=str,
)
def test_a_200_that_denies_itself_leaves_the_outcome_unknown(
    tmp_path: Path, answer: Any
) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put("POST /api/v3/verify", (200, answer))
            with pytest.raises(OutcomeUnknown):
                await d.provider.gateway.verify("tok1")
            assert d.outcomes() == ["unknown"]

    asyncio.run(case())


def test_verifying_again_after_an_unknown_outcome_settles_it(tmp_path: Path) -> None:
    async def case(d: Desk) -> None:
        told = {"status": 2, "errors": ["already announced"]}
        d.app.put("POST /api/v3/verify", (502, b"<html>"), (422, told))
        with pytest.raises(OutcomeUnknown):
            await d.provider.gateway.verify("tok1")
        with pytest.raises(AlreadySent):
            await d.provider.gateway.verify("tok1")
        with pytest.raises(Refused):
            await d.provider.gateway.verify("tok1", again=True)
        assert d.outcomes() == ["done", "refused"]
        assert d.journal.unknown() == []

    async def run() -> None:
        async with desk(tmp_path) as d:
            await case(d)

    asyncio.run(run())


def test_a_first_answer_to_a_second_verify_shows_that_the_first_was_lost(
    tmp_path: Path,
) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put("POST /api/v3/verify", (502, b""), (200, VERIFIED))
            with pytest.raises(OutcomeUnknown):
                await d.provider.gateway.verify("tok1")
            await d.provider.gateway.verify("tok1", again=True)
            assert d.outcomes() == ["undone", "answered"]
            (row,) = gateway_requests(d.journal)
            assert row["real_amount"] == 100_000

    asyncio.run(case())
