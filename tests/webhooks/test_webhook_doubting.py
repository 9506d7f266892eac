"""The reader of agreements among failures: nothing is passed over, nothing spins."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import httpx
import pytest

from recon.api.escrow import EscrowReads
from recon.errors import LakeError
from recon.journal import journal_path
from recon.journal.deliveries import Corroboration, Deliveries
from recon.webhooks.corroborating import Corroborator
from tests.webhooks.receiver_cases import envelope
from tests.webhooks.test_webhook_corroboration import (
    DONE,
    DRAFT,
    PACE,
    agreement,
    looking,
    settings,
    store,
)


async def _looked_at(deliveries: Deliveries, number: int) -> None:
    for _ in range(500):
        if deliveries.verdict(number):
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"nobody looked at delivery {number}")


def test_what_a_journal_that_failed_did_not_keep_is_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    keep = Deliveries.judge

    def fail(deliveries: Deliveries, looks: Sequence[Corroboration]) -> None:
        monkeypatch.setattr(Deliveries, "judge", keep)
        raise LakeError("the disk is full")

    async def go() -> None:
        async with looking(
            tmp_path, lambda code: agreement(**DONE | {"tracking_code": code}), [], said
        ) as deliveries:
            monkeypatch.setattr(Deliveries, "judge", fail)
            store(deliveries, envelope(tracking_code="T1"), envelope())
            for number in (1, 2):
                await _looked_at(deliveries, number)

    asyncio.run(go())
    assert said == ["events are not corroborated: 1 × the disk is full"]


def test_a_read_without_an_answer_has_none_as_evidence(tmp_path: Path) -> None:
    """Not that of the read before it."""

    def answerer(code: str) -> httpx.Response:
        if code == "T2":
            raise httpx.ConnectError("no route")
        return agreement(**DONE)

    async def go() -> list[tuple[int | None, bytes]]:
        async with looking(tmp_path, answerer, [], []) as deliveries:
            bodies = [envelope(tracking_code=code) for code in ("T1", "T2")]
            store(deliveries, *bodies)
            for number in (1, 2):
                await _looked_at(deliveries, number)
            looks = [deliveries.verdict(number) for number in (1, 2)]
            return [(each.status, each.body) for each in looks if each]

    assert asyncio.run(go()) == [(200, agreement(**DONE).content), (None, b"")]


def test_after_news_it_rests_again(tmp_path: Path) -> None:
    class Counted(Corroborator):
        rounds = 0

        async def round(self) -> bool:
            self.rounds += 1
            return False

    async def go() -> int:
        with Deliveries(journal_path(settings(tmp_path))) as deliveries:
            patient = replace(PACE, idle=30.0)
            counted = Counted(cast("EscrowReads", None), deliveries, [].append, patient)
            work = asyncio.create_task(counted.run())
            await asyncio.sleep(0.01)
            counted.wake()
            await asyncio.sleep(0.05)
            work.cancel()
            return counted.rounds

    assert asyncio.run(go()) == 2


def test_a_later_reading_that_says_the_same_adds_nothing_to_earlier_events(
    tmp_path: Path,
) -> None:
    async def go() -> list[int]:
        async with looking(
            tmp_path, lambda _: agreement(**DRAFT | {"state": "contract"}), [], []
        ) as deliveries:
            for number in (1, 2):
                body = envelope(tracking_code="T1", description=str(number))
                store(deliveries, body)
                await _looked_at(deliveries, number)
            return [deliveries.look_count(number) for number in (1, 2)]

    assert asyncio.run(go()) == [1, 1]
