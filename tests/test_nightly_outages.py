"""Nights of which a source fails: no alarm rests on what could not be read.

Each case is played twice: with nothing amiss, so that only an unread source could make
its check speak, and with the fault that the check is for, which is told as soon as the
source was read whole again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from recon.lake import Lake
from recon.pull.runner import pull
from recon.reconcile.run import reconcile
from recon.sandbox.app import create_app
from recon.sandbox.terms import SANDBOX_KEYS
from recon.sandbox.world import World
from recon.settings import (
    Business,
    CashIn,
    Escrow,
    Http,
    Secret,
    Settings,
    Unified,
)
from tests.campaign.clock import Clock
from tests.reconcile.lake_history import only
from tests.sandbox.small_world import (
    BANK_IBAN,
    BUSINESS,
    WALLET_IBAN,
    agreement,
    checkout,
    mandate,
    payment,
    small_world,
)

ADDRESS = "http://provider.test"
HOUR, DAY = 3600, 86_400
START = int(datetime(2026, 10, 1, 20, 30, tzinfo=UTC).timestamp())
EMPTY: dict[str, Any] = {"checkouts": {}, "mandates": {}, "agreements": {}}
Rows = Mapping[str, Sequence[Mapping[str, Any]]]
Play = Callable[[int, bool], tuple[World, Rows]]
"""The world of a night, and what is imported; whether the fault is true."""


@dataclass(frozen=True)
class Case:
    """`nights` fail where a path holds `path`, after some answers; `last` is good."""

    check: str
    play: Play
    path: str
    nights: tuple[int, ...] = (2,)
    answered: int = 0
    last: int = 3


class Failing(httpx.AsyncBaseTransport):
    """A provider that answers some requests of one path with 502, after a few."""

    def __init__(
        self, inner: httpx.AsyncBaseTransport, path: str, answered: int
    ) -> None:
        self._inner, self._path, self._left = inner, path, answered

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self._path in request.url.path:
            self._left -= 1
            if self._left < 0:
                return httpx.Response(502, html="<h1>Bad Gateway</h1>")
        return await self._inner.handle_async_request(request)


def at(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def events_of(*told: tuple[int, str]) -> list[dict[str, Any]]:
    return [
        {
            "created": at(when),
            "type": kind,
            "data": f'{{"n":{n}}}',
            "tracking_code": "T00001",
            "origin": "delivery",
        }
        for n, (when, kind) in enumerate(told)
    ]


def never_read_orders(night: int, is_true: bool) -> tuple[World, Rows]:
    sold = {} if is_true else {"checkout-1": checkout(created_at=START)}
    row = {"reference": "1001", "amount": 1_000_000, "status": "paid"}
    books = [row | {"occurred_at": at(START), "product": "unified"}] * (night == 1)
    return small_world(**EMPTY | {"checkouts": sold}), {"books": books}


def orders_of_an_outage(night: int, is_true: bool) -> tuple[World, Rows]:
    begun = START + DAY + 4 * HOUR
    sold = {"checkout-1": checkout(created_at=begun)}
    if is_true or night == 1:
        sold = {}
    row = {"reference": "1001", "amount": 1_000_000, "status": "paid"}
    books = [row | {"occurred_at": at(begun), "product": "unified"}] * (night == 2)
    return small_world(**EMPTY | {"checkouts": sold}), {"books": books}


def new_mandate(night: int, is_true: bool) -> tuple[World, Rows]:
    if night == 1:
        return small_world(**EMPTY), {}
    used = START + 2 * DAY - 4 * HOUR
    paid = payment(paid_at=used, created_at=used, updated_at=used)
    sold = {"checkout-1": checkout(payments=[paid], created_at=used, updated_at=used)}
    allowed = {} if is_true else {"mandate-1": mandate(created_at=used - HOUR)}
    return small_world(**EMPTY | {"checkouts": sold, "mandates": allowed}), {}


def entry(number: int, track: str, amount: int, **changed: Any) -> dict[str, Any]:
    return {
        "gateway_transaction_id": number,
        "amount": amount,
        "amount_toman": amount // 10,
        "wage": 0,
        "wage_toman": 0,
        "status": "SETTLED",
        "iban": BANK_IBAN,
        "receipt_url": "",
        "track_id": track,
        "requested_at": START + DAY + 5 * HOUR + number,
        "settled_at": START + DAY + 6 * HOUR,
        "requested_amount": amount,
        **changed,
    }


def split_over_pages(night: int, is_true: bool) -> tuple[World, Rows]:
    """The newest hundred fill the first page: one entry of two is on the next."""
    if night == 1:
        return small_world(**EMPTY), {}
    parts = [entry(n, "big", 500, requested_amount=1000) for n in (1, 2)]
    singles = {f"s{n}": [entry(n, f"s{n}", 10)] for n in range(10, 109)}
    deposits = {"old": [entry(0, "old", 10)], "big": parts[is_true:], **singles}
    return small_world(**EMPTY, deposits=deposits), {}


def debit_of_a_deposit(night: int, is_true: bool) -> tuple[World, Rows]:
    if night == 1:
        return small_world(**EMPTY), {}
    deposits = {} if is_true else {"big": [entry(1, "big", 500)]}
    row = {"amount": -500, "description": "PAYWELL", "iban": BANK_IBAN}
    debits = [row | {"booked_at": at(START + DAY + 7 * HOUR)}] * (night == 2)
    return small_world(**EMPTY, deposits=deposits), {"bank_statement": debits}


def new_account(night: int, is_true: bool) -> tuple[World, Rows]:
    world = small_world(**EMPTY)
    if night > 1:
        other = "IR540120000000000000000009"
        world.deposits = {"big": [entry(1, "big", 500, iban=other)]}
        if not is_true:
            world.accounts = [*world.accounts, {**world.accounts[0], "IBAN": other}]
    return world, {}


def queued(night: int, is_true: bool) -> tuple[World, Rows]:
    waits = night == 1 or is_true
    status = {"status": "INIT", "settled_at": None} if waits else {}
    begun = {"requested_at": START + DAY - 4 * HOUR}
    deposits = {"big": [entry(1, "big", 500, **begun, **status)]}
    return small_world(**EMPTY, deposits=deposits), {}


def redirected(night: int, is_true: bool) -> tuple[World, Rows]:
    waits = night == 1 or is_true
    begun = START + DAY - 300
    times = {"created_at": begun, "updated_at": begun}
    state = {"status": "pending_redirect", "paid_at": None, "affected_amount": 0}
    paid = payment(kind="card", **times, **(state if waits else {"paid_at": begun}))
    status = "not_paid" if waits else "paid"
    sold = {"checkout-1": checkout(payments=[paid], status=status, **times)}
    return small_world(**EMPTY | {"checkouts": sold}), {}


def unread_agreement(night: int, is_true: bool) -> tuple[World, Rows]:
    known = {} if is_true else {"T00001": agreement(state="contract")}
    told = (START, "agreement_created"), (START + HOUR, "buyer_paid_agreement")
    events = events_of(*told) if night == 1 else []
    return small_world(**EMPTY | {"agreements": known}), {"events": events}


def disputed(night: int, is_true: bool) -> tuple[World, Rows]:
    state = "investigation" if night == 1 or is_true else "finalize"
    known = {"T00001": agreement(state=state)}
    events = events_of((START - 139 * HOUR, "buyer_submitted_ticket"))
    return small_world(**EMPTY | {"agreements": known}), {"events": events}


def cancelled_unseen(night: int, is_true: bool) -> tuple[World, Rows]:
    """Paid 30 hours before the first night, and cancelled after it."""
    state = "contract" if night == 1 else "cancelled"
    known = {"T00001": agreement(state=state)}
    events = events_of((START - 6 * HOUR, "buyer_paid_agreement")) * (night == 1)
    if is_true and night == 2:
        events = events_of((START - 5 * HOUR, "agreement_cancelled"))
    return small_world(**EMPTY | {"agreements": known}), {"events": events}


CASES = {
    "never read": Case(
        "book_missing_at_provider", never_read_orders, "/checkouts", (1, 2)
    ),
    "outage": Case(
        "book_missing_at_provider", orders_of_an_outage, "/checkouts", (2, 3, 4), last=5
    ),
    "mandate": Case("mandate_unknown", new_mandate, "/mandates"),
    "split": Case("deposit_split_mismatch", split_over_pages, "/deposits", (2,), 1),
    "debit": Case("bank_debit_unexplained", debit_of_a_deposit, "/deposits"),
    "account": Case("deposit_iban_unknown", new_account, "/cash-in/account"),
    "queue": Case("deposit_queue_stale", queued, "/deposits"),
    "redirect": Case("payment_redirect_stale", redirected, "/checkouts"),
    "agreement": Case(
        "escrow_event_uncorroborated", unread_agreement, "/agreements", (1, 2)
    ),
    "dispute": Case("escrow_dispute_open", disputed, "/agreements"),
    "cancelled": Case(
        "escrow_refund_missing", cancelled_unseen, "/agreements", (1,), last=4
    ),
}


def settings_of(folder: Path, check: str) -> Settings:
    keys = SANDBOX_KEYS
    return Settings(
        folder=folder,
        business=Business(name=BUSINESS),
        unified=Unified(base_url=ADDRESS, api_key=Secret(keys.unified_key)),
        cash_in=CashIn(
            base_url=ADDRESS,
            api_key=Secret(keys.cash_in_key),
            wallet_iban=WALLET_IBAN,
            deposit_list_path="/v3/business/{business}/cash-in/deposits",
            settled_statuses=("SETTLED",),
        ),
        escrow=Escrow(
            base_url=ADDRESS,
            client_id=keys.escrow_client_id,
            client_secret=Secret(keys.escrow_client_secret),
        ),
        http=Http(retries=0),
        checks=replace(only(check), provider_names=("Paywell",)),
    )


def nights(case: Case, folder: Path, *, is_true: bool) -> list[tuple[int, set[str]]]:
    """Play the nights; return the exit code of each and what its check told."""
    settings = settings_of(folder, case.check)
    lake = Lake(settings.lake_path)
    clock = Clock(at(START))
    told = []
    with clock.moving():
        for night in range(1, case.last + 1):
            clock.shift = at(START + night * DAY) - datetime.now(UTC)
            world, imported = case.play(night, is_true)
            for table, rows in imported.items():
                with lake.begin("import", table) as made:
                    placed = [row | {"position": n} for n, row in enumerate(rows)]
                    made.rows(table, placed)
                    made.commit()
            world.now = clock.now
            transport: httpx.AsyncBaseTransport = httpx.ASGITransport(create_app(world))
            if night in case.nights:
                transport = Failing(transport, case.path, case.answered)
            pull(settings, lake, transport=transport)
            with reconcile(lake, settings) as result:
                found = result.breaks.to_pylist()
                open_ones = {
                    row["record_id"] for row in found if row["status"] == "open"
                }
                told.append((int(result.exit_code()), open_ones))
    return told


@pytest.mark.parametrize("name", CASES)
def test_what_could_not_be_read_raises_no_alarm(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    for night, (code, told) in enumerate(nights(case, tmp_path, is_true=False), 1):
        assert told == set(), f"night {night}"
        assert code == (3 if night in case.nights else 0)


@pytest.mark.parametrize("name", CASES)
def test_a_true_fault_is_told_once_all_was_read(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    played = nights(case, tmp_path, is_true=True)
    for night in case.nights:
        assert played[night - 1] == (3, set())
    code, told = played[-1]
    assert len(told) == 1
    assert code in (0, 1)
