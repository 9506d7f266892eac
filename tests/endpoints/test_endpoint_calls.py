"""Each client method reaches the endpoint that the table says, and is understood."""

import asyncio
import inspect
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from recon.api.client import Client
from recon.api.provider import Provider
from tests.endpoints.client_calls import CALLS
from tests.endpoints.contract_endpoints import (
    CLIENTS,
    ENDPOINTS,
    TOKEN_CLIENT,
    UNDOCUMENTED_CLIENTS,
)
from tests.endpoints.recorded_shop import client_of, recorded_shop

TOKEN_LINE = "POST /sso/oauth/token"


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_method_hits_its_endpoint_and_no_other(
    name: str, tmp_path: Path
) -> None:
    lines, answered = asyncio.run(_called(name, tmp_path))
    assert [line for line in lines if line != TOKEN_LINE or name == TOKEN_CLIENT] == [
        CLIENTS[name].line
    ]
    assert answered is not None or name in _SAY_NOTHING


_SAY_NOTHING = {"agreements.finalize", "agreements.cancel"}  # they end or they raise


async def _called(name: str, folder: Path) -> tuple[list[str], Any]:
    async with recorded_shop(folder) as shop:
        if name == TOKEN_CLIENT:
            answer = await shop.provider.escrow.webhooks()
            assert answer.value is not None
            return shop.recorder.lines[:1], shop.state.access_tokens
        args, kwargs = await CALLS[name](shop)
        shop.recorder.lines.clear()
        method = client_of(shop.provider, name)
        if not CLIENTS[name].is_page:
            return shop.recorder.lines, await method(*args, **kwargs)
        page = await shop.browser.get(method(*args, **kwargs))
        assert page.status_code == 200
        assert '<form method="post">' in page.text
        return shop.recorder.lines, page


def test_one_token_serves_many_requests(tmp_path: Path) -> None:
    async def case() -> list[str]:
        async with recorded_shop(tmp_path) as shop:
            await shop.provider.escrow.webhooks()
            await shop.provider.escrow.agreements(1)
            await shop.provider.customers.create(
                **(await CALLS["customers.create"](shop))[1]
            )
            return shop.recorder.lines

    assert asyncio.run(case()).count(TOKEN_LINE) == 1


def _public_methods() -> set[str]:
    """Return every method of the provider's parts that asks, or makes an address."""
    found = set()
    for part, attribute in vars(Provider).items():
        if not isinstance(attribute, cached_property):
            continue
        kind = inspect.signature(attribute.func).return_annotation
        if kind is Client:
            continue
        for name, method in vars(kind).items():
            asks = inspect.iscoroutinefunction(method) or name == "page_address"
            if asks and not name.startswith("_"):
                found.add(f"{part}.{name}")
    return found


def test_every_client_method_has_its_row() -> None:
    rows = set(CLIENTS) - {TOKEN_CLIENT}
    assert rows | set(UNDOCUMENTED_CLIENTS) == _public_methods()
    assert rows.isdisjoint(UNDOCUMENTED_CLIENTS)


def test_every_client_method_has_its_call_and_stands_once() -> None:
    assert set(CALLS) == set(CLIENTS) - {TOKEN_CLIENT}
    assert sum(len(each.clients) for each in ENDPOINTS) == len(CLIENTS)
    assert len({each.line for each in ENDPOINTS}) == len(ENDPOINTS)
