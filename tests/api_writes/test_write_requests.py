"""Every write of the contract: its line, its body, its answer, its journal entry."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recon.api.provider import Provider
from recon.errors import UsageError
from recon.records.limits import WrongInput
from recon.records.orders import Payer, TradeItem, TradeParty
from tests.api_writes.stand_in_provider import desk

BUYER, SELLER = "09120000001", "09120000002"
LATER = datetime.now(UTC) + timedelta(days=30)
CUSTOMER = Payer(mobile=BUYER, first_name="Sara", national_code="0012345678")
WIRE_CUSTOMER = {
    "mobile": BUYER,
    "first_name": "Sara",
    "national_code": "0012345678",
}
AGREEMENT = {
    "tracking_code": 4711,
    "trace_id": "tr-1",
    "description": "a bicycle",
    "parties": [
        {"role": "buyer", "state": "accepted", "national_code": "1", "mobile": BUYER},
        {"role": "seller", "state": "pending", "national_code": "2", "mobile": SELLER},
    ],
    "state": "draft",
    "created_at": "2026-06-01T08:30:00.000000Z",
}
MANDATE = {
    "id": "m-1",
    "payment_method": "debit-bank",
    "count": 5,
    "limit": 1_000_000,
    "expires_at": 1_800_000_000,
    "customer_id": "c-1",
    "status": "active",
    "created_at": 1_780_000_000,
    "updated_at": 1_780_000_000,
    "revoked_at": None,
}
PAYMENT = {
    "id": "p-1",
    "payment_method": "card-bank",
    "amount": 50_000,
    "wage_amount": 500,
    "affected_amount": 49_500,
    "ref_id": "r-1",
    "tracking_code": 17,
    "status": "done",
    "error": None,
    "created_at": 1_780_000_000,
    "updated_at": 1_780_000_000,
    "paid_at": 1_780_000_000,
    "type": "card",
    "card": {"card_number": "6037****", "cid": "AB"},
}
CHECKOUT = {
    "id": "ch-1",
    "request_id": "req-1",
    "checkout_number": "12",
    "amount": "50000",
    "status": "not_paid",
    "description": "",
    "created_at": 1_780_000_000,
    "updated_at": 1_780_000_000,
    "customer": {"id": "c-1", "mobile": BUYER},
    "payments": [PAYMENT | {"status": "pending_redirect", "card": None}],
}
ENTRY = {
    "gateway_transaction_id": 71,
    "amount": 5_000,
    "amount_toman": 500,
    "wage": 0,
    "wage_toman": 0,
    "status": "INIT",
    "iban": "IR1",
    "receipt_url": "https://bank.example/71",
}
UNIFIED = "/mpg/v1/business/shop"
ESCROW = "/escrow/api/v1"


@dataclass(frozen=True)
class Write:
    """A call, the request that it makes, an answer, and what the call returns of it."""

    name: str
    call: Callable[[Provider], Awaitable[Any]]
    line: str
    body: Any
    answer: tuple[int, Any]
    returns: Callable[[Any], bool]
    journaled: str = ""  # operation and subject

    def __str__(self) -> str:
        return self.name


def _agreement(p: Provider, **changed: Any) -> Awaitable[Any]:
    fields: dict[str, Any] = {
        "trace_id": "tr-1",
        "redirect_url": "https://shop.example/done",
        "description": "a bicycle",
        "creator": "buyer",
        "deposit_price": 5_000_000,
        "payer": "buyer",
        "payment_method": "full-pay",
        "parties": [
            TradeParty(role="buyer", mobile=BUYER, iban="IR1"),
            TradeParty(role="seller", mobile=SELLER, iban="IR2"),
        ],
        "items": [
            TradeItem(
                title="bicycle",
                category="general",
                price=5_000_000,
                quantity=1,
                link="https://shop.example/b",
                attachments=["https://shop.example/b.jpg"],
            )
        ],
    }
    return p.agreements.create(**(fields | changed))


def _ticket(p: Provider, **changed: Any) -> Awaitable[Any]:
    fields: dict[str, Any] = {
        "agreement_tracking_code": "4711",
        "reporter_mobile": BUYER,
        "ticket_type_slug": "dispute_with_seller",
        "redirect_url": "https://shop.example/t",
        "description": "it is broken",
        "callback": "https://shop.example/c",
    }
    return p.tickets.create(**(fields | changed))


def _customer(p: Provider, **changed: Any) -> Awaitable[Any]:
    fields = {
        "first_name": "Sara",
        "last_name": "Karimi",
        "national_code": "0012345678",
        "mobile": BUYER,
        "birth_date": "13700131",
    }
    return p.customers.create(**(fields | changed))


def _mandate(p: Provider, **changed: Any) -> Awaitable[Any]:
    fields: dict[str, Any] = {
        "payment_method": "debit-bank",
        "count": 5,
        "limit": 1_000_000,
        "expires_at": LATER,
        "callback_url": "https://shop.example/m",
        "customer": CUSTOMER,
    }
    return p.mandates.request(**(fields | changed))


def _visit(make: Any, **changed: Any) -> Awaitable[Any]:
    fields: dict[str, Any] = {
        "payment_method": "card-bank",
        "amount": 50_000,
        "callback_url": "https://shop.example/p",
        "customer": CUSTOMER,
        "request_id": "req-1",
    }
    return make(**(fields | changed))


WRITES = [
    Write(
        "deposit",
        lambda p: p.deposits.deposit("IR1", 5_000, "t-1", description="d", comment="c"),
        "POST /v3/business/shop/cash-in/account/deposit",
        {
            "iban": "IR1",
            "amount": 5_000,
            "track_id": "t-1",
            "description": "d",
            "comment": "c",
        },
        (200, {"status": 1, "message": "", "data": {"cash_in": [ENTRY]}}),
        lambda entries: [e.gateway_transaction_id for e in entries] == ["71"],
        "deposit t-1",
    ),
    Write(
        "hosted send",
        lambda p: p.hosted.send(
            10_000,
            "https://shop.example/h",
            mobile=BUYER,
            national_code="0012345678",
            checkout_number="0" * 32,
            description="x" * 255,
        ),
        "POST /pay-with/v1/send",
        {
            "amount": 10_000,
            "callback_url": "https://shop.example/h",
            "mobile": BUYER,
            "national_code": "0012345678",
            "checkout_number": "0" * 32,
            "description": "x" * 255,
        },
        (200, {"message": "", "data": {"token": "h-1"}}),
        lambda token: token == "h-1",
        "hosted_send ",
    ),
    Write(
        "hosted verify",
        lambda p: p.hosted.verify("h-1"),
        "POST /pay-with/v1/verify",
        {"checkout_id": "h-1"},
        (200, {"message": "thanks"}),
        lambda message: message == "thanks",
        "hosted_verify h-1",
    ),
    Write(
        "mandate request",
        _mandate,
        f"POST {UNIFIED}/mandates",
        {
            "payment_method": "debit-bank",
            "count": 5,
            "limit": 1_000_000,
            "expires_at": int(LATER.timestamp()),
            "callback_url": "https://shop.example/m",
            "customer": WIRE_CUSTOMER,
        },
        (200, {"message": "", "data": {"token": "mt", "customer": WIRE_CUSTOMER}}),
        lambda m: (
            (m.token, m.page_address) == ("mt", "https://pay.example/mandates/mt")
        ),
    ),
    Write(
        "mandate confirm",
        lambda p: p.mandates.confirm("m-1"),
        f"PATCH {UNIFIED}/mandates/m-1",
        None,
        (200, {"message": "", "data": {"mandate": MANDATE}}),
        lambda m: (m.id, m.status, m.count) == ("m-1", "active", 5),
        "mandate_confirm m-1",
    ),
    Write(
        "mandate revoke",
        lambda p: p.mandates.revoke("m-1"),
        f"DELETE {UNIFIED}/mandates/m-1",
        None,
        (
            200,
            {
                "status": 1,
                "message": "",
                "data": {"mandate": MANDATE | {"revoked_at": 1_780_000_500}},
            },
        ),
        lambda m: m.revoked_at == datetime.fromtimestamp(1_780_000_500, UTC),
    ),
    Write(
        "checkout by debit",
        lambda p: p.checkouts.create_debit(
            payment_method="debit-bank",
            amount=50_000,
            mandate_id="m-1",
            request_id="req-1",
            checkout_number="12",
            description="d",
        ),
        f"POST {UNIFIED}/checkouts",
        {
            "type": "debit",
            "payment_method": "debit-bank",
            "amount": 50_000,
            "request_id": "req-1",
            "checkout_number": "12",
            "description": "d",
            "debit": {"mandate_id": "m-1"},
        },
        (200, {"message": "", "data": {"checkout": CHECKOUT | {"status": "paid"}}}),
        lambda c: (c.amount, c.status) == (50_000, "paid"),
        "checkout_create req-1",
    ),
    Write(
        "checkout by credit",
        lambda p: _visit(p.checkouts.create_credit),
        f"POST {UNIFIED}/checkouts",
        {
            "type": "credit",
            "payment_method": "card-bank",
            "amount": 50_000,
            "request_id": "req-1",
            "credit": {
                "callback_url": "https://shop.example/p",
                "customer": WIRE_CUSTOMER,
            },
        },
        (200, {"message": "", "data": {"checkout": CHECKOUT}}),
        lambda c: c.payments[0].id == "p-1",
        "checkout_create req-1",
    ),
    Write(
        "checkout by card",
        lambda p: _visit(p.checkouts.create_card, valid_card_number="6037"),
        f"POST {UNIFIED}/checkouts",
        {
            "type": "card",
            "payment_method": "card-bank",
            "amount": 50_000,
            "request_id": "req-1",
            "card": {
                "callback_url": "https://shop.example/p",
                "customer": WIRE_CUSTOMER,
                "valid_card_number": "6037",
            },
        },
        (200, {"message": "", "data": {"checkout": CHECKOUT}}),
        lambda c: c.payments[0].card is None,
        "checkout_create req-1",
    ),
    Write(
        "payment verify",
        lambda p: p.checkouts.verify("p-1"),
        f"PATCH {UNIFIED}/payments/p-1",
        None,
        (200, {"message": "", "data": {"payment": PAYMENT}}),
        lambda payment: payment.card.cid == "AB",
        "payment_verify p-1",
    ),
    Write(
        "agreement create",
        _agreement,
        f"POST {ESCROW}/agreements",
        {
            "trace_id": "tr-1",
            "currency_code": "IRR",
            "redirect_url": "https://shop.example/done",
            "description": "a bicycle",
            "creator": "buyer",
            "deposit_price": 5_000_000,
            "payer": "buyer",
            "payment_method": "full-pay",
            "parties": [
                {"role": "buyer", "mobile": BUYER, "iban": "IR1"},
                {"role": "seller", "mobile": SELLER, "iban": "IR2"},
            ],
            "items": [
                {
                    "title": "bicycle",
                    "category": "general",
                    "price": "5000000",
                    "quantity": 1,
                    "link": "https://shop.example/b",
                    "attachments": ["https://shop.example/b.jpg"],
                }
            ],
        },
        (201, {"message": "", "data": AGREEMENT}),
        lambda a: (a.tracking_code, a.state) == ("4711", "draft"),
        "agreement_create tr-1",
    ),
    Write(
        "agreement approve",
        lambda p: p.agreements.approve("4711", SELLER),
        f"POST {ESCROW}/agreements/4711",
        {"action": "agree", "applicant_mobile": SELLER},
        (200, {"message": "", "data": {"web_view_link": "https://pay.example/x"}}),
        lambda link: link == "https://pay.example/x",
        f"agreement_approve 4711 {SELLER}",
    ),
    Write(
        "agreement reject",
        lambda p: p.agreements.reject("4711", SELLER),
        f"POST {ESCROW}/agreements/4711",
        {"action": "reject", "applicant_mobile": SELLER},
        (200, {"message": "rejected"}),
        lambda message: message == "rejected",
        f"agreement_reject 4711 {SELLER}",
    ),
    Write(
        "agreement finalize",
        lambda p: p.agreements.finalize("4711", BUYER),
        f"POST {ESCROW}/agreements/4711/finalize",
        {"buyer_mobile": BUYER},
        (200, {"message": "", "data": {"is_finalized": True}}),
        lambda nothing: nothing is None,
        f"agreement_finalize 4711 {BUYER}",
    ),
    Write(
        "agreement cancel",
        lambda p: p.agreements.cancel("4711", SELLER),
        f"POST {ESCROW}/agreements/4711/cancel",
        {"applicant_mobile": SELLER},
        (200, {"message": "", "data": {"is_canceled": True}}),
        lambda nothing: nothing is None,
        f"agreement_cancel 4711 {SELLER}",
    ),
    Write(
        "customer create",
        _customer,
        f"POST {ESCROW}/customers",
        {
            "first_name": "Sara",
            "last_name": "Karimi",
            "national_code": "0012345678",
            "mobile": BUYER,
            "birth_date": "13700131",
        },
        (201, {"message": "created"}),
        lambda message: message == "created",
    ),
    Write(
        "ticket create",
        _ticket,
        f"POST {ESCROW}/tickets",
        {
            "agreement_tracking_code": "4711",
            "reporter_mobile": BUYER,
            "ticket_type_slug": "dispute_with_seller",
            "redirect_url": "https://shop.example/t",
            "description": "it is broken",
            "callback": "https://shop.example/c",
        },
        (
            201,
            {
                "message": "",
                "data": {
                    "ticket_uid": 9,
                    "button": {
                        "type": "redirect_url",
                        "link": "https://shop.example/t",
                        "text": "back",
                    },
                },
            },
        ),
        lambda t: (t.ticket_uid, t.button_text) == ("9", "back"),
    ),
    Write(
        "webhook create",
        lambda p: p.webhooks.create("https://shop.example/w", ["agreement_created"]),
        f"POST {ESCROW}/webhooks",
        {"url": "https://shop.example/w", "events": ["agreement_created"]},
        (
            201,
            {
                "message": "",
                "data": {
                    "id": 3,
                    "url": "https://shop.example/w",
                    "is_active": True,
                    "events": [{"slug": "agreement_created", "title": "Created"}],
                },
            },
        ),
        lambda w: (w.id, w.slugs) == ("3", ["agreement_created"]),
    ),
    Write(
        "webhook update",
        lambda p: p.webhooks.update(
            "3", url="https://shop.example/w", is_active=False, events=["x"]
        ),
        f"PUT {ESCROW}/webhooks/3",
        {"url": "https://shop.example/w", "is_active": False, "events": ["x"]},
        (200, {"url": "https://shop.example/w", "events": ["x"], "is_active": False}),
        lambda w: (w.is_active, w.slugs, w.id) == (False, ["x"], None),
    ),
    Write(
        "webhook delete",
        lambda p: p.webhooks.delete("3"),
        f"DELETE {ESCROW}/webhooks/3",
        None,
        (200, {"message": "gone"}),
        lambda message: message == "gone",
    ),
]


@pytest.mark.parametrize("write", WRITES, ids=str)
def test_a_write_is_sent_as_the_contract_says(tmp_path: Path, write: Write) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put(write.line, write.answer)
            assert write.returns(await write.call(d.provider))
            assert d.app.bodies(write.line) == [write.body]
            kept = list(d.journal.requests())
            if not write.journaled:
                assert kept == []
                return
            (request,) = kept
            assert f"{request.operation} {request.subject}" == write.journaled
            assert request.outcome == "answered"
            assert request.status == write.answer[0]
            for name, value in (write.body or {}).items():
                # a card is kept with its number masked, see below
                assert request.body[name] == value or name == "card"

    asyncio.run(case())


@pytest.mark.parametrize(
    "write", [write for write in WRITES if write.journaled], ids=str
)
def test_a_journaled_write_without_an_answer_is_unknown_and_sent_once(
    tmp_path: Path, write: Write
) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put(write.line, (500, {"message": "trouble"}))
            with pytest.raises(Exception, match="not known"):
                await write.call(d.provider)
            assert len(d.app.bodies(write.line)) == 1
            (request,) = d.journal.unknown()
            assert (request.status, request.answer) == (500, b'{"message": "trouble"}')

    asyncio.run(case())


@pytest.mark.parametrize(
    ("field", "call"),
    [
        ("amount", lambda p: p.deposits.deposit("IR1", 0, "t-1")),
        ("amount", lambda p: p.deposits.deposit("IR1", 5_000.0, "t-1")),
        ("iban", lambda p: p.deposits.deposit("", 5_000, "t-1")),
        ("track_id", lambda p: p.deposits.deposit("IR1", 5_000, " ")),
        ("amount", lambda p: p.hosted.send(9_999, "https://a.example")),
        ("callback_url", lambda p: p.hosted.send(10_000, "https://a.example")),
        (
            "checkout_number",
            lambda p: p.hosted.send(10_000, "https://b.example", checkout_number=""),
        ),
        (
            "checkout_number",
            lambda p: p.hosted.send(
                10_000, "https://b.example", checkout_number="1" * 33
            ),
        ),
        (
            "checkout_number",
            lambda p: p.hosted.send(10_000, "https://b.example", checkout_number="۱۲"),
        ),
        (
            "description",
            lambda p: p.hosted.send(10_000, "https://b.example", description="x" * 256),
        ),
        ("url", lambda p: p.webhooks.create("http://shop.example/w", ["x"])),
        ("events", lambda p: p.webhooks.create("https://shop.example/w", [])),
        ("events", lambda p: p.webhooks.create("https://shop.example/w", "x")),
        (
            "is_active",
            lambda p: p.webhooks.update(
                "3", url="https://shop.example/w", is_active=1, events=["x"]
            ),
        ),
        ("expires_at", lambda p: _mandate(p, expires_at=datetime.now(UTC))),
        ("expires_at", lambda p: _mandate(p, expires_at=1_700_000_000)),
        ("expires_at", lambda p: _mandate(p, expires_at=LATER.replace(tzinfo=None))),
        ("count", lambda p: _mandate(p, count=True)),
        ("limit", lambda p: _mandate(p, limit=1.0)),
        ("customer.mobile", lambda p: _mandate(p, customer=Payer(mobile="912"))),
        (
            "card.customer.mobile",
            lambda p: _visit(
                p.checkouts.create_card,
                customer=Payer(mobile="", national_code="0012345678"),
            ),
        ),
        (
            "credit.customer.mobile",
            lambda p: _visit(
                p.checkouts.create_credit, customer=Payer(mobile="+989120000001")
            ),
        ),
        (
            "card.callback_url",
            lambda p: _visit(p.checkouts.create_card, callback_url="/p"),
        ),
        ("request_id", lambda p: _visit(p.checkouts.create_card, request_id="")),
        ("birth_date", lambda p: _customer(p, birth_date="1370-01-31")),
        ("mobile", lambda p: _customer(p, mobile="09120000001\n")),
        ("ticket_type_slug", lambda p: _ticket(p, ticket_type_slug="lost")),
        ("creator", lambda p: _agreement(p, creator="shop")),
        ("payment_method", lambda p: _agreement(p, payment_method="later")),
        ("parties", lambda p: _agreement(p, parties=[])),
        ("items", lambda p: _agreement(p, items=[])),
        (
            "parties.0.role",
            lambda p: _agreement(
                p, parties=[TradeParty(role="x", mobile=BUYER, iban="IR1")]
            ),
        ),
        (
            "items.0.price",
            lambda p: _agreement(
                p,
                items=[
                    TradeItem(title="b", category="digital", price=1.5, quantity=1)  # type: ignore[arg-type]
                ],
            ),
        ),
        ("applicant_mobile", lambda p: p.agreements.approve("4711", "9120000001")),
        ("buyer_mobile", lambda p: p.agreements.finalize("4711", "")),
        ("tracking_code", lambda p: p.agreements.cancel("", BUYER)),
        ("mandate_id", lambda p: p.mandates.confirm("")),
    ],
)
def test_a_wrong_input_names_its_field_and_nothing_leaves(
    tmp_path: Path, field: str, call: Callable[[Provider], Awaitable[Any]]
) -> None:
    async def case() -> None:
        async with desk(tmp_path, hosted_domain="b.example") as d:
            with pytest.raises(WrongInput) as caught:
                await call(d.provider)
            assert caught.value.field == field
            assert isinstance(caught.value, UsageError)
            assert d.app.seen == []
            assert list(d.journal.requests()) == []

    asyncio.run(case())


def test_a_checkout_without_request_id_gets_a_random_one(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            line = f"POST {UNIFIED}/checkouts"
            d.app.put(line, (200, {"data": {"checkout": CHECKOUT}}))
            for _ in range(2):
                await _visit(d.provider.checkouts.create_card, request_id=None)
            first, second = (body["request_id"] for body in d.app.bodies(line))
            assert first != second
            assert [each.subject for each in d.journal.requests()] == [first, second]

    asyncio.run(case())


def test_no_whole_card_number_of_a_checkout_is_kept(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put(
                f"POST {UNIFIED}/checkouts", (200, {"data": {"checkout": CHECKOUT}})
            )
            card = "6037991234567890"
            await _visit(d.provider.checkouts.create_card, valid_card_number=card)
            (body,) = d.app.bodies(f"POST {UNIFIED}/checkouts")
            assert body["card"]["valid_card_number"] == card
            (kept,) = d.journal.requests()
            assert kept.body["card"] == body["card"] | {
                "valid_card_number": "603799******7890"
            }

    asyncio.run(case())


def test_a_record_that_stands_in_data_itself_is_read_too(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put(f"PATCH {UNIFIED}/mandates/m-1", (200, {"data": MANDATE}))
            assert (await d.provider.mandates.confirm("m-1")).id == "m-1"

    asyncio.run(case())


def test_identifiers_are_one_segment_of_a_path(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            line = f"POST {ESCROW}/agreements/..%2Fx%3Fy/cancel"
            d.app.put(line, (200, {"data": {"is_canceled": True}}))
            await d.provider.agreements.cancel("../x?y", BUYER)
            with pytest.raises(UsageError):
                await d.provider.agreements.cancel("..", BUYER)
            assert len(list(d.journal.requests())) == 1

    asyncio.run(case())


def test_page_addresses_are_those_of_the_contract(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            p = d.provider
            hosted = "https://page.example/checkouts/h-1"
            assert p.hosted.page_address("h-1") == hosted
            assert p.mandates.page_address("t") == "https://pay.example/mandates/t"
            pay = "https://pay.example/payments/p-1/pay"
            assert p.checkouts.page_address("p-1") == pay

    asyncio.run(case())
