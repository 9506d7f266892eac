"""What writes to the journal: deliveries of events, and requests that move money."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from recon.api.client import Client
from recon.api.deposits import Deposits
from recon.api.sending import keep
from recon.errors import ProviderError
from recon.imports.delivered import take_deliveries
from recon.journal import Journal, journal_path
from recon.journal.deliveries import Arrival, Deliveries
from recon.records.requests import Outcome
from recon.sandbox.deliveries import sign
from recon.webhooks.receiver import create_app as receiver
from tests.campaign.content import rows_of
from tests.campaign.forks import Ack
from tests.campaign.operation import Operation, State
from tests.campaign.shop import ADDRESS, Shop
from tests.campaign.virtual_time import virtual_time

_open = os.open  # the provider's own disk is never struck


def _arrivals(shop: Shop) -> list[bytes]:
    return [json.dumps(event).encode() for event in shop.made.world.events[:3]]


def _store(shop: Shop, ack: Ack) -> None:
    path = journal_path(shop.settings)
    with Deliveries(path) as deliveries:
        for number, body in enumerate(_arrivals(shop)):
            at = datetime(2025, 11, 1, tzinfo=UTC)
            deliveries.add([Arrival(event=f"{number}", received_at=at, body=body)])
            ack(f"{number}")


def _receive(shop: Shop, ack: Ack) -> None:
    """Deliver events to the receiver; what it answers with 200 is promised."""

    async def deliver() -> None:
        app = receiver(shop.settings, corroborate=_nobody)
        async with app.router.lifespan_context(app):
            sent = httpx.ASGITransport(app=app)
            async with httpx.AsyncClient(transport=sent, base_url=ADDRESS) as client:
                for body in _arrivals(shop):
                    signature = sign(body, shop.settings.business.name)
                    answer = await client.post(
                        "/", content=body, headers={"x-signature": signature}
                    )
                    if answer.status_code == 200:
                        ack(body.decode())
                    elif answer.status_code != 503:
                        raise AssertionError(answer.status_code)
                    else:
                        raise ProviderError("503")

    asyncio.run(deliver())


@asynccontextmanager
async def _nobody(*_: Any, **__: Any) -> AsyncIterator[None]:
    """Re-read no agreement: it is storing that is struck."""
    yield None


def _stored(shop: Shop) -> State:
    path = journal_path(shop.settings)
    if not path.is_file():
        return []
    with Deliveries(path) as deliveries:
        return [each.body.decode() for each in deliveries.after(0)]


def _lost_deliveries(shop: Shop, acks: list[Any]) -> Iterator[str]:
    path = journal_path(shop.settings)
    with Deliveries(path) as deliveries:
        known = list(deliveries.after(0))
    events = {each.event for each in known} | {each.body.decode() for each in known}
    for each in acks:
        if each not in events:
            yield f"a promised delivery is lost: {each[:40]}"


def _prefix(before: State, now: State, after: State) -> bool:
    return bool(now == after[: len(now)])


def _take_events(shop: Shop, _: Ack) -> None:
    take_deliveries(shop.settings, shop.lake())


def _deposit(shop: Shop, ack: Ack) -> None:
    """Order a deposit; the provider notes in a ledger what it was sent."""
    ledger = _ledger(shop)

    def provider(request: httpx.Request) -> httpx.Response:
        handle = _open(ledger, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(handle, json.loads(request.content)["track_id"].encode() + b"\n")
        os.close(handle)
        entry = {
            "gateway_transaction_id": 5, "amount": 1000, "amount_toman": 100, "wage": 0,
            "wage_toman": 0, "status": "INIT", "receipt_url": "http://127.0.0.1/r",
            "iban": "IR1",
        }  # fmt: skip
        return httpx.Response(200, json={"status": 1, "data": {"cash_in": [entry]}})

    async def order(journal: Journal) -> None:
        product = shop.settings.cash_in
        assert product is not None
        sent = httpx.MockTransport(provider)
        async with Client(
            product, shop.settings.http, transport=sent, capture=_kept
        ) as client:
            deposits = Deposits(client, journal, shop.settings.business.name)
            await deposits.deposit("IR1", 1000, "order-1")
            ack("order-1")

    path = journal_path(shop.settings)
    with Journal(path) as journal, virtual_time():
        asyncio.run(order(journal))


def _kept(answer: Any) -> None:
    keep(answer)


def _ledger(shop: Shop) -> Path:
    return shop.folder / "provider.ledger"


def _ordered(shop: Shop) -> State:
    """Say what the provider got, and what the journal knows of it."""
    path = journal_path(shop.settings)
    sent = _ledger(shop).read_text() if _ledger(shop).exists() else ""
    if not path.is_file():
        return (sent.count("order-1"), ())
    with Journal(path) as journal:
        known = {each.outcome for each in journal.requests() if each.subject}
    return (sent.count("order-1"), tuple(sorted(known)))


def _lost_orders(shop: Shop, acks: list[Any]) -> Iterator[str]:
    _, known = _ordered(shop)
    if acks and Outcome.ANSWERED not in known:
        yield "an answer that was returned is not in the journal"


def _ordered_once(_: State, now: State, __: State) -> bool:
    """Money is ordered once at most, and never without the journal knowing."""
    sent, known = now
    may = {Outcome.ANSWERED, Outcome.UNKNOWN, Outcome.OPEN, Outcome.DONE}
    return sent <= 1 and (not sent or bool(may & set(known)))


def _store_first(shop: Shop) -> None:
    _store(shop, lambda _: None)


def _was_sent(error: str) -> bool:
    return error.startswith("AlreadySent")


JOURNAL_OPERATIONS: dict[str, Operation] = {
    "deliveries": Operation(_store, _stored, allowed=_prefix, lost=_lost_deliveries),
    "receiver": Operation(_receive, _stored, allowed=_prefix, lost=_lost_deliveries),
    "take_deliveries": Operation(_take_events, rows_of("events"), prepare=_store_first),
    "deposit": Operation(
        _deposit,
        _ordered,
        allowed=_ordered_once,
        ended=_ordered_once,
        lost=_lost_orders,
        may_refuse=_was_sent,
    ),
}
