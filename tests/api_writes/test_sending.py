"""Sending once: what each end of a request means, in the journal and to the caller."""

import asyncio
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recon.api.provider import Provider
from recon.errors import (
    LakeError,
    NotFound,
    OutcomeUnknown,
    ProviderError,
    RateLimited,
    Refused,
    SettingsError,
    Unauthenticated,
    Unavailable,
)
from recon.journal import AlreadySent, Journal, deposit_entries
from recon.records.requests import Outcome
from recon.settings import USUAL_LIMITS, Business, Settings
from tests.api_writes.stand_in_provider import Cut, Desk, desk

DEPOSIT = "POST /v3/business/shop/cash-in/account/deposit"
CONFIRM = "PATCH /mpg/v1/business/shop/mandates/m-1"
ENTRY = {"gateway_transaction_id": 71, "amount": 5_000, "status": "INIT"}
DONE = (200, {"status": 1, "message": "", "data": {"cash_in": [ENTRY]}})
TAKEN = (422, {"message": "invalid", "errors": {"track_id": ["already registered"]}})


async def _deposit(d: Desk, **options: Any) -> Any:
    return await d.provider.deposits.deposit("IR1", 5_000, "t-1", **options)


async def _deposit_again(d: Desk) -> Any:
    return await d.provider.deposits.deposit_again("IR1", 5_000, "t-1")


@pytest.mark.parametrize(
    ("answer", "error", "outcome"),
    [
        (TAKEN, Refused, "refused"),
        ((422, {"status": 0, "errors": {"error": "not active"}}), Refused, "refused"),
        ((401, {"status": 0, "error": "Unauthenticated"}), Unauthenticated, "refused"),
        ((404, {"message": "no"}), NotFound, "refused"),
        ((429, {"message": "slow"}), RateLimited, "refused"),
        (
            (500, {"status": 0, "errors": {"error": "retry"}}),
            OutcomeUnknown,
            "unknown",
        ),
        ((502, b"<html>bad gateway</html>"), OutcomeUnknown, "unknown"),
        ((200, b"<html>welcome</html>"), OutcomeUnknown, "unknown"),
        ((200, b'{"data":{"cash_in":[{"gatew'), OutcomeUnknown, "unknown"),
        ((200, {"data": {"cash_in": []}}), OutcomeUnknown, "unknown"),
        ((200, {"status": 0, "errors": {"error": "x"}}), OutcomeUnknown, "unknown"),
        ((302, b""), OutcomeUnknown, "unknown"),
        ((408, b""), OutcomeUnknown, "unknown"),
        ((403, b"<html>a proxy</html>"), Unauthenticated, "refused"),
        ((422, b"<html>a proxy</html>"), OutcomeUnknown, "unknown"),
        (Cut(), OutcomeUnknown, "unknown"),
    ],
    ids=str,
)
def test_every_end_of_a_deposit_has_an_error_and_an_outcome(
    tmp_path: Path, answer: Any, error: type[ProviderError], outcome: str
) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put(DEPOSIT, answer)
            with pytest.raises(ProviderError) as caught:
                await _deposit(d)
            assert type(caught.value) is error
            assert len(d.app.bodies(DEPOSIT)) == 1
            (kept,) = d.journal.requests()
            assert kept.outcome == outcome
            assert kept.note.startswith(error.__name__)
            if isinstance(answer, tuple) and isinstance(answer[1], bytes):
                assert kept.answer == answer[1]
            rows = [row["outcome"] for row in deposit_entries(d.journal)]
            assert rows == (["unknown"] if outcome == "unknown" else [])

    asyncio.run(case())


def test_an_answered_deposit_is_kept_with_its_body_and_not_sent_again(
    tmp_path: Path,
) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put(DEPOSIT, DONE)
            (entry,) = await _deposit(d)
            assert (entry.gateway_transaction_id, entry.amount) == ("71", 5_000)
            for again in (_deposit, _deposit):
                with pytest.raises(AlreadySent):
                    await again(d)
            assert len(d.app.seen) == 1

    asyncio.run(case())


def test_a_request_is_on_disk_before_it_is_sent(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            seen: list[Any] = []

            def look(_: Any) -> Any:
                with Journal(d.path) as other:
                    seen.extend(other.requests())
                return DONE

            d.app.put(DEPOSIT, look)
            await _deposit(d)
            (request,) = seen
            assert request.outcome is Outcome.OPEN
            assert request.body["track_id"] == "t-1"

    asyncio.run(case())


def test_a_deposit_of_unknown_outcome_is_retried_on_wish_only(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put(DEPOSIT, Cut(), DONE)
            with pytest.raises(OutcomeUnknown):
                await _deposit(d)
            with pytest.raises(AlreadySent):
                await _deposit(d)
            await _deposit_again(d)
            first, second = d.app.bodies(DEPOSIT)
            assert first == second
            assert d.outcomes() == ["undone", "answered"]
            (row,) = deposit_entries(d.journal)
            assert (row["outcome"], row["amount"]) == ("", 5_000)

    asyncio.run(case())


def test_a_registered_track_id_settles_an_unknown_deposit(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put(DEPOSIT, Cut(), TAKEN)
            with pytest.raises(OutcomeUnknown):
                await _deposit(d)
            with pytest.raises(Refused):
                await _deposit_again(d)
            assert d.outcomes() == ["done", "refused"]
            assert d.journal.unknown() == []

    asyncio.run(case())


def test_a_verify_that_is_answered_again_tells_that_the_first_may_have_moved_money(
    tmp_path: Path,
) -> None:
    """No refusal tells a second one apart, so an answer proves nothing undone."""

    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put("POST /pay-with/v1/verify", Cut(), (200, {"message": "ok"}))
            with pytest.raises(OutcomeUnknown):
                await d.provider.hosted.verify("h-1")
            await d.provider.hosted.verify("h-1", again=True)
            assert d.outcomes() == ["done", "answered"]

    asyncio.run(case())


def test_another_refusal_of_a_retry_leaves_the_first_unknown(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            errors = {"iban": ["not found"], "track_id": ["already registered"]}
            d.app.put(DEPOSIT, Cut(), (422, {"message": "", "errors": errors}))
            with pytest.raises(OutcomeUnknown):
                await _deposit(d)
            with pytest.raises(Refused):
                await _deposit_again(d)
            assert d.outcomes() == ["unknown", "refused"]

    asyncio.run(case())


def test_a_confirmed_mandate_is_refused_and_is_no_trouble_of_the_key(
    tmp_path: Path,
) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            told = {"message": "no", "code": "mandate_already_activated"}
            d.app.put(CONFIRM, (502, b""), (403, told))
            with pytest.raises(OutcomeUnknown):
                await d.provider.mandates.confirm("m-1")
            with pytest.raises(Refused) as caught:
                await d.provider.mandates.confirm("m-1", again=True)
            assert type(caught.value) is Refused
            assert (caught.value.status, caught.value.code) == (403, told["code"])
            assert d.outcomes() == ["done", "refused"]

    asyncio.run(case())


@pytest.mark.parametrize(
    "data", [{"is_canceled": False}, {"is_canceled": "true"}, {"is_canceled": 1}, {}]
)
def test_a_cancellation_that_is_not_said_plainly_is_unknown(
    tmp_path: Path, data: Any
) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            line = "POST /escrow/api/v1/agreements/4711/cancel"
            d.app.put(line, (200, {"message": "", "data": data}))
            with pytest.raises(OutcomeUnknown):
                await d.provider.agreements.cancel("4711", "09120000001")

    asyncio.run(case())


def test_another_403_speaks_of_the_key(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put(CONFIRM, (403, {"message": "no", "code": "forbidden_error"}))
            with pytest.raises(Unauthenticated):
                await d.provider.mandates.confirm("m-1")

    asyncio.run(case())


def test_a_cancelled_call_leaves_an_unknown_outcome(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            arrived = asyncio.Event()

            async def never(_: Any) -> Any:
                arrived.set()
                await asyncio.sleep(60)

            d.app.put(DEPOSIT, never)
            task = asyncio.create_task(_deposit(d))
            await arrived.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert d.outcomes() == ["unknown"]

    asyncio.run(case())


def test_a_call_cancelled_before_sending_is_known_not_to_be_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            begun, go_on = threading.Event(), threading.Event()
            begin = d.journal.begin

            def slowly(*given: Any, **named: Any) -> int:
                begun.set()
                go_on.wait(10)
                return begin(*given, **named)

            monkeypatch.setattr(d.journal, "begin", slowly)
            task = asyncio.create_task(_deposit(d))
            await asyncio.to_thread(begun.wait, 10)
            task.cancel()
            await asyncio.sleep(0)
            go_on.set()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert d.outcomes() == ["not_sent"]
            assert d.app.seen == []

    asyncio.run(case())


def test_nothing_is_sent_when_the_journal_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:

            def full(*_: Any, **__: Any) -> int:
                raise LakeError("disk full")

            monkeypatch.setattr(d.journal, "begin", full)
            with pytest.raises(LakeError):
                await _deposit(d)
            assert d.app.seen == []

    asyncio.run(case())


def test_an_escrow_token_that_ran_out_is_renewed_and_the_rest_is_sent_once(
    tmp_path: Path,
) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            line = "POST /escrow/api/v1/agreements/4711/cancel"
            canceled = (200, {"data": {"is_canceled": True}})
            d.app.put(line, (401, {"error": "Unauthenticated"}), canceled)
            await d.provider.agreements.cancel("4711", "09120000001")
            assert d.outcomes() == ["answered"]

    asyncio.run(case())


def test_a_cut_after_a_renewed_token_keeps_no_foreign_answer(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            line = "POST /escrow/api/v1/agreements/4711/cancel"
            d.app.put(line, (401, {"error": "Unauthenticated"}), Cut())
            with pytest.raises(OutcomeUnknown):
                await d.provider.agreements.cancel("4711", "09120000001")
            (kept,) = d.journal.unknown()
            assert (kept.status, kept.answer) == (None, b"")

    asyncio.run(case())


def test_an_answer_that_is_too_long_keeps_none_of_an_earlier_request(
    tmp_path: Path,
) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.provider.settings = replace(
                d.provider.settings, limits=replace(USUAL_LIMITS, body=500)
            )
            line = "POST /pay-with/v1/verify"
            d.app.put(line, (200, {"message": "ok"}), (200, b" " * 501))
            await d.provider.hosted.verify("h-1")
            with pytest.raises(OutcomeUnknown, match="longer than 500 bytes"):
                await d.provider.hosted.verify("h-2")
            (kept,) = d.journal.unknown()
            assert (kept.subject, kept.status, kept.answer) == ("h-2", 200, b"")

    asyncio.run(case())


def test_without_a_token_nothing_was_sent(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put("POST /sso/oauth/token", (500, b""))
            with pytest.raises(Unavailable):
                await d.provider.agreements.cancel("4711", "09120000001")
            assert d.outcomes() == ["not_sent"]

    asyncio.run(case())


def test_of_two_calls_at_once_one_is_sent(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put(DEPOSIT, DONE)
            ends = await asyncio.gather(
                *(_deposit(d) for _ in range(8)), return_exceptions=True
            )
            assert sum(isinstance(end, AlreadySent) for end in ends) == 7
            assert len(d.app.bodies(DEPOSIT)) == 1

    asyncio.run(case())


def test_answers_of_calls_at_once_are_not_mixed_up(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:

            async def refuse(request: Any) -> Any:
                await asyncio.sleep(0.01)
                return 422, {"message": request["json"]["checkout_id"]}

            d.app.put("POST /pay-with/v1/verify", refuse)
            names = [f"h-{n}" for n in range(6)]
            await asyncio.gather(
                *(d.provider.hosted.verify(name) for name in names),
                return_exceptions=True,
            )
            for request in d.journal.requests():
                assert request.answer == b'{"message": "%s"}' % request.subject.encode()

    asyncio.run(case())


def test_a_product_without_its_section_is_a_settings_error(tmp_path: Path) -> None:
    async def case() -> None:
        bare = Settings(business=Business(name="shop"))
        with Journal(tmp_path / "journal.sqlite3") as journal:
            async with Provider(bare, journal) as provider:
                for name in ("gateway", "hosted", "deposits", "mandates", "customers"):
                    with pytest.raises(SettingsError, match="absent"):
                        getattr(provider, name)

    asyncio.run(case())
