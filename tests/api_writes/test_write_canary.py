"""No credential in the journal, in errors, in their traces or in what is shown."""

import asyncio
import traceback
from pathlib import Path
from typing import Any

import pytest

from recon.errors import ProviderError
from tests.api_writes.stand_in_provider import (
    KEYS,
    Cut,
    Desk,
    desk,
    journal_bytes,
    settings,
)

BUYER = "09120000001"
CALLS = {
    "POST /api/v3/send": lambda p: p.gateway.send(1_000, "https://a.example"),
    "POST /api/v3/verify": lambda p: p.gateway.verify("tok"),
    "POST /pay-with/v1/send": lambda p: p.hosted.send(10_000, "https://a.example"),
    "POST /v3/business/shop/cash-in/account/deposit": lambda p: p.deposits.deposit(
        "IR1", 5_000, "t-1"
    ),
    "PATCH /mpg/v1/business/shop/mandates/m-1": lambda p: p.mandates.confirm("m-1"),
    "POST /escrow/api/v1/agreements/T/cancel": lambda p: p.agreements.cancel(
        "T", BUYER
    ),
}


def _secrets() -> list[str]:
    return list(KEYS.values())


def _holds_none(text: str) -> None:
    for secret in _secrets():
        assert secret not in text


def _echo(status: int) -> Any:
    """Answer with everything that was sent, as a careless provider might."""

    def answer(request: dict[str, Any]) -> tuple[int, Any]:
        return status, {"message": str(request), "errors": {"all": [str(request)]}}

    return answer


@pytest.mark.parametrize("line", CALLS)
@pytest.mark.parametrize(
    "answer",
    [_echo(422), _echo(500), _echo(200), Cut(), (502, b"x")],
    ids=["refused", "failed", "taken", "cut", "bad gateway"],
)
def test_no_credential_reaches_journal_or_error(
    tmp_path: Path, line: str, answer: Any
) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put(line, answer)
            with pytest.raises(ProviderError) as caught:
                await CALLS[line](d.provider)
            sent = str(d.app.seen[-1])
            assert any(secret in sent for secret in _secrets())  # it did travel
            for error in (caught.value, caught.value.__context__):
                if error is not None:
                    _holds_none(repr(error))
                    _holds_none("".join(traceback.format_exception(error)))
            _holds_none(str(list(d.journal.requests())))
            with journal_bytes(tmp_path) as stored:
                for secret in _secrets():
                    assert secret.encode() not in stored

    asyncio.run(case())


def test_what_is_shown_holds_no_credential(tmp_path: Path) -> None:
    async def case(d: Desk) -> None:
        p = d.provider
        parts = [p.gateway, p.hosted, p.deposits, p.mandates, p.checkouts, p.agreements]
        for part in [p, d.journal, settings(), *parts, p.escrow_client]:
            _holds_none(repr(part))

    async def run() -> None:
        async with desk(tmp_path) as d:
            await case(d)

    asyncio.run(run())
