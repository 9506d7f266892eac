"""Wrong inputs: the field is named, nothing leaves, nothing is journaled."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recon.api.provider import Provider
from recon.errors import UsageError
from recon.records.limits import WrongInput
from recon.records.orders import Payer, TradeItem, TradeParty
from tests.api_writes.stand_in_provider import desk
from tests.api_writes.write_calls import (
    BUYER,
    LATER,
    ask_agreement,
    ask_customer,
    ask_mandate,
    ask_ticket,
    ask_visit,
)


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
        ("expires_at", lambda p: ask_mandate(p, expires_at=datetime.now(UTC))),
        ("expires_at", lambda p: ask_mandate(p, expires_at=1_700_000_000)),
        ("expires_at", lambda p: ask_mandate(p, expires_at=LATER.replace(tzinfo=None))),
        ("count", lambda p: ask_mandate(p, count=True)),
        ("limit", lambda p: ask_mandate(p, limit=1.0)),
        ("customer.mobile", lambda p: ask_mandate(p, customer=Payer(mobile="912"))),
        (
            "card.customer.mobile",
            lambda p: ask_visit(
                p.checkouts.create_card,
                customer=Payer(mobile="", national_code="0012345678"),
            ),
        ),
        (
            "credit.customer.mobile",
            lambda p: ask_visit(
                p.checkouts.create_credit, customer=Payer(mobile="+989120000001")
            ),
        ),
        (
            "card.callback_url",
            lambda p: ask_visit(p.checkouts.create_card, callback_url="/p"),
        ),
        ("request_id", lambda p: ask_visit(p.checkouts.create_card, request_id="")),
        ("birth_date", lambda p: ask_customer(p, birth_date="1370-01-31")),
        ("mobile", lambda p: ask_customer(p, mobile="09120000001\n")),
        ("ticket_type_slug", lambda p: ask_ticket(p, ticket_type_slug="lost")),
        ("creator", lambda p: ask_agreement(p, creator="shop")),
        ("payment_method", lambda p: ask_agreement(p, payment_method="later")),
        ("parties", lambda p: ask_agreement(p, parties=[])),
        ("items", lambda p: ask_agreement(p, items=[])),
        (
            "parties.0.role",
            lambda p: ask_agreement(
                p, parties=[TradeParty(role="x", mobile=BUYER, iban="IR1")]
            ),
        ),
        (
            "items.0.price",
            lambda p: ask_agreement(
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
