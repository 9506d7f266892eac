"""Answers under status 200 that say by themselves whether something was done."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from recon.errors import OutcomeUnknown, Unavailable
from tests.api_writes.stand_in_provider import desk
from tests.api_writes.test_gateway_writes import TRANSACTION


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"status": 0, "code": 3}, 3),
        ({"status": "0", "code": "4"}, 4),
        ({"status": 0, "code": 0}, 0),
        ({"status": 0, "code": 2}, None),  # it cannot have failed and be confirmed
        ({"status": 0, "code": 1}, None),
        ({"status": 0, "code": 3, "errors": ["token invalid"]}, None),
        ({"status": 0, "code": None}, None),
    ],
)
def test_a_transaction_that_failed_may_say_so_by_its_status(
    tmp_path: Path, changed: dict[str, Any], code: int | None
) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put("POST /api/v3/transaction", (200, TRANSACTION | changed))
            if code is None:
                with pytest.raises(Unavailable):
                    await d.provider.gateway.transaction("t")
            else:
                assert (await d.provider.gateway.transaction("t")).code == code

    asyncio.run(case())


@pytest.mark.parametrize(
    ("body", "is_done"),
    [
        ({"message": "verified"}, True),
        ({"message": ""}, True),
        ({"message": "no", "code": "checkout_can_not_be_verified"}, False),
        ({"message": "no", "errors": {"checkout_id": "wrong"}}, False),
        ({"status": 0, "error": "Unauthenticated"}, False),
        ({}, False),
    ],
)
def test_a_hosted_checkout_is_verified_by_a_message_alone(
    tmp_path: Path, body: dict[str, Any], is_done: bool
) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put("POST /pay-with/v1/verify", (200, body))
            if is_done:
                assert await d.provider.hosted.verify("h-1") == body["message"]
                return
            with pytest.raises(OutcomeUnknown):
                await d.provider.hosted.verify("h-1")

    asyncio.run(case())
