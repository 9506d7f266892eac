"""What was sent is told as it went, also where the journal could not be told."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recon.errors import LakeError, OutcomeUnknown, ProviderError, Refused
from recon.journal import AlreadySent, Journal, deposit_entries
from tests.api_writes.stand_in_provider import Cut, Desk, desk

DEPOSIT = "POST /v3/business/shop/cash-in/account/deposit"
ENTRY = {"gateway_transaction_id": 71, "amount": 5_000, "status": "INIT"}
DONE = (200, {"status": 1, "message": "", "data": {"cash_in": [ENTRY]}})
TAKEN = (422, {"message": "invalid", "errors": {"track_id": ["already registered"]}})


async def _deposit(d: Desk) -> Any:
    return await d.provider.deposits.deposit("IR1", 5_000, "t-1")


def _struck(d: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the disk be full from the first end on, until `undo`."""

    def full(*_: Any, **__: Any) -> Any:
        raise LakeError("disk full")

    monkeypatch.setattr(d.journal, "_writing", full)


def _sent_then_full(
    d: Desk, monkeypatch: pytest.MonkeyPatch, answer: Any
) -> Callable[[Any], Any]:
    def strike(_: Any) -> Any:
        _struck(d, monkeypatch)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return strike


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (DONE, OutcomeUnknown),  # the money is on its way
        (Cut(), OutcomeUnknown),
        ((500, {"status": 0}), OutcomeUnknown),
        (TAKEN, Refused),
    ],
)
def test_what_was_sent_is_never_told_as_what_the_journal_could_not_be_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: Any,
    error: type[ProviderError],
) -> None:
    """A LakeError says that nothing was sent: who gets one may send it elsewhere."""

    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put(DEPOSIT, _sent_then_full(d, monkeypatch, answer))
            with pytest.raises(error) as raised:
                await _deposit(d)
            monkeypatch.undo()
            told = [str(raised.value), *getattr(raised.value, "__notes__", [])]
            assert "disk full" in " ".join(told)
            with pytest.raises(AlreadySent):
                await _deposit(d)
            assert len(d.app.seen) == 1
            with Journal(d.path) as other:  # of a pull, while this process lives on
                (request,) = other.unknown()
                assert request.subject == "t-1"
                (row,) = deposit_entries(other)
            assert row["outcome"] == "unknown"

    asyncio.run(case())
