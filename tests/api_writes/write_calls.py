"""Calls with every field in order, and answers as the contract shows them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from recon.api.provider import Provider
from recon.records.orders import Payer, TradeItem, TradeParty

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


def ask_agreement(p: Provider, **changed: Any) -> Awaitable[Any]:
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


def ask_ticket(p: Provider, **changed: Any) -> Awaitable[Any]:
    fields: dict[str, Any] = {
        "agreement_tracking_code": "4711",
        "reporter_mobile": BUYER,
        "ticket_type_slug": "dispute_with_seller",
        "redirect_url": "https://shop.example/t",
        "description": "it is broken",
        "callback": "https://shop.example/c",
    }
    return p.tickets.create(**(fields | changed))


def ask_customer(p: Provider, **changed: Any) -> Awaitable[Any]:
    fields = {
        "first_name": "Sara",
        "last_name": "Karimi",
        "national_code": "0012345678",
        "mobile": BUYER,
        "birth_date": "13700131",
    }
    return p.customers.create(**(fields | changed))


def ask_mandate(p: Provider, **changed: Any) -> Awaitable[Any]:
    fields: dict[str, Any] = {
        "payment_method": "debit-bank",
        "count": 5,
        "limit": 1_000_000,
        "expires_at": LATER,
        "callback_url": "https://shop.example/m",
        "customer": CUSTOMER,
    }
    return p.mandates.request(**(fields | changed))


def ask_visit(make: Any, **changed: Any) -> Awaitable[Any]:
    fields: dict[str, Any] = {
        "payment_method": "card-bank",
        "amount": 50_000,
        "callback_url": "https://shop.example/p",
        "customer": CUSTOMER,
        "request_id": "req-1",
    }
    return make(**(fields | changed))
