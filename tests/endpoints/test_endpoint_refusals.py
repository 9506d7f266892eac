"""The refusals that the documents show, each met by the client of its endpoint."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from recon.errors import ProviderError, Refused, Unauthenticated
from recon.sandbox.app import Credentials, Faults
from tests.endpoints.client_calls import CALLS
from tests.endpoints.contract_endpoints import ASKING, CLIENTS, TOKEN_CLIENT
from tests.endpoints.recorded_shop import client_of, recorded_shop
from tests.endpoints.refusal_cases import CASES, Case

OTHER_KEYS = Credentials(
    unified_key="another-unified-key",
    cash_in_key="another-cash-in-key",
    gateway_key="another-gateway-key",
    hosted_key="another-hosted-key",
    escrow_client_secret="another-escrow-secret",
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_documented_refusal_is_understood(case: Case, tmp_path: Path) -> None:
    error, lines = asyncio.run(_refused(case, tmp_path))
    assert type(error) is case.error
    assert error.status == case.status
    assert error.code == case.code
    assert not case.fields or case.fields == set(error.errors)
    assert case.says in f"{error} {error.errors}"
    assert lines[-1] == CLIENTS[case.client].line


async def _refused(case: Case, folder: Path) -> tuple[ProviderError, list[str]]:
    faults = Faults(*case.faults)
    async with recorded_shop(folder, terms=case.terms, faults=faults) as shop:
        with pytest.raises(ProviderError) as caught:
            await case.call(shop)
        return caught.value, shop.recorder.lines


@pytest.mark.parametrize("name", ASKING)
def test_a_credential_that_is_not_valid_is_refused(name: str, tmp_path: Path) -> None:
    error, lines = asyncio.run(_unknown_caller(name, tmp_path))
    part = name.partition(".")[0]
    if part == "gateway":
        assert type(error) is Refused
        assert "api_key" in str(error)
    else:
        assert type(error) is Unauthenticated
        assert error.status == 401
    if part in ("unified", "mandates", "checkouts", "hosted"):
        assert error.code == "unauthenticated_error"
    assert lines[-1] == CLIENTS[name].line


async def _unknown_caller(name: str, folder: Path) -> tuple[ProviderError, list[str]]:
    """Call after the sandbox's keys were changed and its tokens taken back."""
    async with recorded_shop(folder) as shop:
        if name == TOKEN_CLIENT:
            args, kwargs = (), {}
        else:
            args, kwargs = await CALLS[name](shop)
        state = shop.state
        if name == TOKEN_CLIENT or CLIENTS[name].part.startswith("Document 1"):
            state.terms = replace(state.terms, token_seconds=0)
            state.access_tokens.clear()
        if name == TOKEN_CLIENT or not CLIENTS[name].part.startswith("Document 1"):
            state.credentials = OTHER_KEYS
        called = "escrow.webhooks" if name == TOKEN_CLIENT else name
        with pytest.raises(ProviderError) as caught:
            await client_of(shop.provider, called)(*args, **kwargs)
        return caught.value, shop.recorder.lines
