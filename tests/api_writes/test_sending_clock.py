"""Money that a machine with a wrong clock sends: it moved when the provider says so."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from recon.api.provider import Provider
from recon.journal import deposit_entries, gateway_requests, hosted_requests
from recon.settings import Checks
from tests.api_writes.stand_in_provider import Desk, desk
from tests.api_writes.test_gateway_writes import CALLBACK, VERIFIED
from tests.campaign.clock import Clock

DEPOSIT = "POST /v3/business/shop/cash-in/account/deposit"
ENTRY = {"gateway_transaction_id": 71, "amount": 5_000, "status": "INIT"}
A_MOMENT = timedelta(seconds=30)


async def sent_by(d: Desk) -> list[datetime]:
    """Send what moves money; returns when each is taken to have moved."""
    answered = {"status": 1, "message": "", "data": {"cash_in": [ENTRY]}}
    d.app.put(DEPOSIT, (200, answered))
    d.app.put("POST /api/v3/send", (200, {"status": 1, "token": "tok1"}))
    d.app.put("POST /api/v3/verify", (200, VERIFIED))
    d.app.put("POST /pay-with/v1/send", (200, {"data": {"token": "check-1"}}))
    await d.provider.deposits.deposit("IR1", 5_000, "t-1")
    await d.provider.gateway.verify(await d.provider.gateway.send(100_000, CALLBACK))
    await d.provider.hosted.send(20_000, CALLBACK)
    (deposit,) = deposit_entries(d.journal)
    (token,) = gateway_requests(d.journal)
    (checkout,) = hosted_requests(d.journal)
    rows: list[tuple[dict[str, Any], str]] = [
        (deposit, "requested_at"),
        (token, "sent_at"),
        (token, "verified_at"),
        (checkout, "sent_at"),
    ]
    return [row[name] for row, name in rows]


@pytest.mark.parametrize(
    "shift",
    [
        timedelta(minutes=-6),
        timedelta(minutes=6),
        timedelta(minutes=-90),
        timedelta(days=1),
        timedelta(days=-200),
        timedelta(days=365),
    ],
    ids=str,
)
def test_a_wrong_clock_dates_no_money(tmp_path: Path, shift: timedelta) -> None:
    now = datetime.now(UTC)
    clock = Clock(now + shift)

    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.date = format_datetime(now, usegmt=True)
            with clock.moving():
                moments = await sent_by(d)
            assert all(abs(moment - now) < A_MOMENT for moment in moments)

    asyncio.run(case())


@pytest.mark.parametrize(
    ("shift", "skew", "date"),
    [
        (timedelta(minutes=4), timedelta(minutes=5), True),
        (timedelta(minutes=20), timedelta(minutes=30), True),
        (timedelta(days=1), timedelta(minutes=5), False),
    ],
    ids=str,
)
def test_a_clock_that_is_near_enough_or_not_contradicted_dates_it(
    tmp_path: Path, shift: timedelta, skew: timedelta, date: bool
) -> None:
    now = datetime.now(UTC)
    clock = Clock(now + shift)

    async def case() -> None:
        async with desk(tmp_path) as d:
            settings = replace(d.provider.settings, checks=Checks(clock_skew=skew))
            d.provider = Provider(settings, d.journal, transport=d.transport())
            d.app.date = format_datetime(now, usegmt=True) if date else ""
            with clock.moving():
                moments = await sent_by(d)
            assert all(abs(moment - now - shift) < A_MOMENT for moment in moments)

    asyncio.run(case())


def test_a_clock_that_is_set_while_a_request_is_under_way_dates_it_once(
    tmp_path: Path,
) -> None:
    """It was begun by the wrong clock, and answered by the right one."""
    now = datetime.now(UTC)
    clock = Clock(now - timedelta(hours=2))

    async def case() -> None:
        async with desk(tmp_path) as d:

            def answer(_: Any) -> Any:
                clock.shift = timedelta()
                return 200, {"status": 1, "message": "", "data": {"cash_in": [ENTRY]}}

            d.app.put(DEPOSIT, answer)
            with clock.moving():
                await d.provider.deposits.deposit("IR1", 5_000, "t-1")
            (row,) = deposit_entries(d.journal)
            assert abs(row["requested_at"] - now) < A_MOMENT

    asyncio.run(case())
