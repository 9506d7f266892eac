"""A business at a running sandbox, and the customers who visit its pages."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

from recon.api.blocking import blocking
from recon.journal import (
    Journal,
)
from recon.records.orders import TradeItem, TradeParty
from recon.sandbox.server import serve
from recon.sandbox.terms import SANDBOX_KEYS
from recon.sandbox.world import World
from recon.settings import (
    Business,
    CashIn,
    Escrow,
    Gateway,
    Hosted,
    Http,
    Secret,
    Settings,
    Unified,
)
from tests.sandbox.small_world import BANK_IBAN, BUSINESS, small_world

CALLBACK = "https://shop.example/back"
BUYER, SELLER = "09120000001", "09120000002"


class Clock:
    """The sandbox's clock: the present, moved by `later`."""

    def __init__(self) -> None:
        self.later = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.later


@dataclass
class Shop:
    """A business at a sandbox that runs."""

    provider: Any
    journal: Journal
    world: World
    settings: Settings
    base: str
    clock: Clock

    def visit(self, address: str, **form: str) -> dict[str, str]:
        """Act as the customer on a page; returns what comes back to the business."""
        path = urlsplit(address).path
        with httpx.Client(base_url=self.base) as browser:
            assert browser.get(path).status_code == 200
            back = browser.post(path, data=form or {"outcome": "pay"})
        assert back.is_redirect, back.text
        where = urlsplit(back.headers["location"])
        assert where.netloc == "shop.example"
        return {name: values[0] for name, values in parse_qs(where.query).items()}


def shop_settings(base: str) -> Settings:
    keys = SANDBOX_KEYS
    return Settings(
        business=Business(name=BUSINESS),
        unified=Unified(base_url=base, page_url=base, api_key=Secret(keys.unified_key)),
        escrow=Escrow(
            base_url=base,
            client_id=keys.escrow_client_id,
            client_secret=Secret(keys.escrow_client_secret),
        ),
        cash_in=CashIn(base_url=base, api_key=Secret(keys.cash_in_key)),
        gateway=Gateway(base_url=base, api_key=Secret(keys.gateway_key)),
        hosted=Hosted(base_url=base, page_url=base, api_key=Secret(keys.hosted_key)),
        http=Http(retries=1, timeout=timedelta(seconds=20)),
    )


@contextmanager
def open_shop(tmp_path: Path) -> Iterator[Shop]:
    clock = Clock()
    world = small_world(now=clock)
    with (
        serve(world) as running,
        Journal(tmp_path / "journal.sqlite3") as journal,
        blocking(shop_settings(running.base_url), journal) as provider,
    ):
        yield Shop(
            provider,
            journal,
            world,
            shop_settings(running.base_url),
            running.base_url,
            clock,
        )


def draft_agreement(shop: Shop, trace_id: str) -> str:
    made = shop.provider.agreements.create(
        trace_id=trace_id,
        redirect_url=CALLBACK,
        description="a bicycle",
        creator="seller",
        deposit_price=7_000_000,
        payer="buyer",
        payment_method="full-pay",
        parties=[
            TradeParty(role="buyer", mobile=BUYER, iban=BANK_IBAN),
            TradeParty(role="seller", mobile=SELLER, iban=BANK_IBAN),
        ],
        items=[
            TradeItem(title="bicycle", category="general", price=7_000_000, quantity=1)
        ],
    )
    assert made.state == "draft"
    return str(made.tracking_code)
