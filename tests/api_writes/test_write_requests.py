"""Every write of the contract: its line, its body, its answer, its journal entry."""

import asyncio
from pathlib import Path

import pytest

from recon.errors import UsageError
from tests.api_writes.escrow_writes import ESCROW_WRITES
from tests.api_writes.payment_writes import PAYMENT_WRITES
from tests.api_writes.stand_in_provider import desk
from tests.api_writes.write_calls import (
    BUYER,
    CHECKOUT,
    ESCROW,
    MANDATE,
    UNIFIED,
    Write,
    ask_visit,
)

WRITES = [*PAYMENT_WRITES, *ESCROW_WRITES]


@pytest.mark.parametrize("write", WRITES, ids=str)
def test_a_write_is_sent_as_the_contract_says(tmp_path: Path, write: Write) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put(write.line, write.answer)
            assert write.returns(await write.call(d.provider))
            assert d.app.bodies(write.line) == [write.body]
            kept = list(d.journal.requests())
            if not write.journaled:
                assert kept == []
                return
            (request,) = kept
            assert f"{request.operation} {request.subject}" == write.journaled
            assert request.outcome == "answered"
            assert request.status == write.answer[0]
            for name, value in (write.body or {}).items():
                # a card is kept with its number masked, see below
                assert request.body[name] == value or name == "card"

    asyncio.run(case())


@pytest.mark.parametrize(
    "write", [write for write in WRITES if write.journaled], ids=str
)
def test_a_journaled_write_without_an_answer_is_unknown_and_sent_once(
    tmp_path: Path, write: Write
) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put(write.line, (500, {"message": "trouble"}))
            with pytest.raises(Exception, match="not known"):
                await write.call(d.provider)
            assert len(d.app.bodies(write.line)) == 1
            (request,) = d.journal.unknown()
            assert (request.status, request.answer) == (500, b'{"message": "trouble"}')

    asyncio.run(case())


def test_a_checkout_without_request_id_gets_a_random_one(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            line = f"POST {UNIFIED}/checkouts"
            d.app.put(line, (200, {"data": {"checkout": CHECKOUT}}))
            for _ in range(2):
                await ask_visit(d.provider.checkouts.create_card, request_id=None)
            first, second = (body["request_id"] for body in d.app.bodies(line))
            assert first != second
            assert [each.subject for each in d.journal.requests()] == [first, second]

    asyncio.run(case())


def test_no_whole_card_number_of_a_checkout_is_kept(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put(
                f"POST {UNIFIED}/checkouts", (200, {"data": {"checkout": CHECKOUT}})
            )
            card = "6037991234567890"
            await ask_visit(d.provider.checkouts.create_card, valid_card_number=card)
            (body,) = d.app.bodies(f"POST {UNIFIED}/checkouts")
            assert body["card"]["valid_card_number"] == card
            (kept,) = d.journal.requests()
            assert kept.body["card"] == body["card"] | {
                "valid_card_number": "603799******7890"
            }

    asyncio.run(case())


def test_a_record_that_stands_in_data_itself_is_read_too(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put(f"PATCH {UNIFIED}/mandates/m-1", (200, {"data": MANDATE}))
            assert (await d.provider.mandates.confirm("m-1")).id == "m-1"

    asyncio.run(case())


def test_identifiers_are_one_segment_of_a_path(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            line = f"POST {ESCROW}/agreements/..%2Fx%3Fy/cancel"
            d.app.put(line, (200, {"data": {"is_canceled": True}}))
            await d.provider.agreements.cancel("../x?y", BUYER)
            with pytest.raises(UsageError):
                await d.provider.agreements.cancel("..", BUYER)
            assert len(list(d.journal.requests())) == 1

    asyncio.run(case())


def test_page_addresses_are_those_of_the_contract(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            p = d.provider
            hosted = "https://page.example/checkouts/h-1"
            assert p.hosted.page_address("h-1") == hosted
            assert p.mandates.page_address("t") == "https://pay.example/mandates/t"
            pay = "https://pay.example/payments/p-1/pay"
            assert p.checkouts.page_address("p-1") == pay

    asyncio.run(case())
