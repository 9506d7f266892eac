"""Whole flows of every product against the sandbox, over real sockets, blocking.

The sandbox is a second reading of the contract: where it and the clients disagree,
one of them misread.
"""

import asyncio
import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from recon.api.blocking import blocking
from recon.api.outcomes import look_up
from recon.api.provider import Provider
from recon.errors import NotFound, Refused, Unauthenticated
from recon.journal import (
    Journal,
    deposit_entries,
    gateway_requests,
    hosted_requests,
)
from recon.records.orders import Payer, TradeItem, TradeParty
from recon.records.requests import Operation, Outcome
from recon.sandbox.server import serve
from recon.sandbox.terms import SANDBOX_KEYS, Terms
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


def _settings(base: str) -> Settings:
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


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    clock = Clock()
    world = small_world(now=clock)
    with (
        serve(world) as running,
        Journal(tmp_path / "journal.sqlite3") as journal,
        blocking(_settings(running.base_url), journal) as provider,
    ):
        yield Shop(
            provider,
            journal,
            world,
            _settings(running.base_url),
            running.base_url,
            clock,
        )


def test_a_large_deposit_is_split_and_its_track_id_counts_once(shop: Shop) -> None:
    entries = shop.provider.deposits.deposit(BANK_IBAN, 1_200_000_000, "Track-1")
    assert [entry.amount for entry in entries] == [1_000_000_000, 200_000_000]
    rows = list(deposit_entries(shop.journal))
    assert [row["status"] for row in rows] == ["INIT", "INIT"]
    assert sum(row["amount"] for row in rows) == 1_200_000_000
    # Another case is another track_id; the same one is the provider's to refuse.
    shop.provider.deposits.deposit(BANK_IBAN, 1_000, "track-1")
    with (
        Journal(shop.journal.path.with_name("other.sqlite3")) as other,
        blocking(shop.settings, other) as elsewhere,
    ):
        with pytest.raises(Refused) as caught:
            elsewhere.deposits.deposit(BANK_IBAN, 1_000, "Track-1")
        assert list(deposit_entries(other)) == []
    assert caught.value.errors.keys() == {"track_id"}
    assert caught.value.status == 422


def test_a_deposit_from_an_unknown_account_is_refused(shop: Shop) -> None:
    with pytest.raises(Refused) as caught:
        shop.provider.deposits.deposit("IR000000000000000000000000", 1_000, "t")
    assert "iban" in caught.value.errors
    assert list(deposit_entries(shop.journal)) == []


def test_a_gateway_payment_from_send_to_verify(shop: Shop) -> None:
    gateway = shop.provider.gateway
    token = gateway.send(200_000, CALLBACK, factor_number="77", description="tea")
    with pytest.raises(Refused):
        gateway.transaction(token)  # nobody has paid yet
    back = shop.visit(gateway.page_address(token))
    assert back["payment_status"] == "OK"

    before = shop.world.wallet_balance
    found = gateway.transaction(token)
    assert (found.code, found.factor_number, found.description) == (1, "77", "tea")
    assert abs(found.payment_date - datetime.now(UTC)) < timedelta(minutes=1)
    result = gateway.verify(token)
    assert result.real_amount + result.wage == result.amount == 200_000
    assert shop.world.wallet_balance == before + result.real_amount
    assert gateway.transaction(token).code == 2

    (row,) = gateway_requests(shop.journal)
    assert (row["token"], row["amount"], row["factor_number"]) == (token, 200_000, "77")
    assert (row["real_amount"], row["wage"]) == (result.real_amount, result.wage)
    with pytest.raises(Refused) as caught:
        gateway.verify(token, again=True)
    assert caught.value.code == "2"
    (row,) = gateway_requests(shop.journal)
    assert row["real_amount"] == result.real_amount


def test_an_expired_gateway_payment_is_refused_as_such(shop: Shop) -> None:
    gateway = shop.provider.gateway
    token = gateway.send(200_000, CALLBACK)
    shop.visit(gateway.page_address(token))
    shop.clock.later = timedelta(minutes=21)
    with pytest.raises(Refused) as caught:
        gateway.verify(token)
    assert caught.value.code == "3"
    (row,) = gateway_requests(shop.journal)
    assert row["verified_at"] is None


def test_a_declined_gateway_payment_is_not_ok(shop: Shop) -> None:
    gateway = shop.provider.gateway
    token = gateway.send(200_000, CALLBACK)
    back = shop.visit(gateway.page_address(token), outcome="decline")
    assert back["payment_status"] != "OK"
    with pytest.raises(Refused) as caught:
        gateway.verify(token)
    assert caught.value.code == "0"


def test_a_wrong_gateway_key_is_refused(shop: Shop) -> None:
    wrong = dataclasses.replace(
        shop.settings,
        gateway=Gateway(base_url=shop.base, api_key=Secret("some-other-key")),
    )
    with (
        blocking(wrong, shop.journal) as provider,
        pytest.raises(Refused, match="api_key"),
    ):
        provider.gateway.send(200_000, CALLBACK)
    assert list(gateway_requests(shop.journal)) == []


def test_a_hosted_checkout_from_send_to_verify(shop: Shop) -> None:
    hosted = shop.provider.hosted
    token = hosted.send(50_000, CALLBACK, checkout_number="12", description="tea")
    assert hosted.inquiry(token).status == "INIT"
    with pytest.raises(Refused) as caught:
        hosted.verify(token)
    assert caught.value.code == "checkout_can_not_be_verified"
    shop.visit(hosted.page_address(token))
    assert hosted.inquiry(token).status == "PENDING_VERIFY"
    hosted.verify(token)
    found = hosted.inquiry(token)
    assert (found.status, found.amount, found.checkout_number) == (
        "SUCCEED",
        50_000,
        "12",
    )
    assert found.extra == {}
    (row,) = hosted_requests(shop.journal)
    assert (row["checkout_id"], row["amount"]) == (token, 50_000)


def test_a_mandate_from_request_to_revocation(shop: Shop) -> None:
    mandates = shop.provider.mandates
    asked = mandates.request(
        payment_method="debit-blue",
        count=2,
        limit=1_000_000,
        expires_at=datetime.now(UTC) + timedelta(days=30),
        callback_url=CALLBACK,
        customer=Payer(mobile=BUYER, first_name="Sara"),
    )
    back = shop.visit(asked.page_address)
    assert (back["status"], back["token"]) == ("SUCCEED", asked.token)
    mandate_id = back["mandate_id"]
    assert mandates.confirm(mandate_id).status == "active"
    with pytest.raises(Refused) as caught:
        mandates.confirm(mandate_id, again=True)
    assert caught.value.code == "mandate_already_activated"
    assert not isinstance(caught.value, Unauthenticated)

    paid = shop.provider.checkouts.create_debit(
        payment_method="debit-blue",
        amount=500_000,
        mandate_id=mandate_id,
        checkout_number="31",
    )
    assert (paid.status, paid.amount, paid.checkout_number) == ("paid", 500_000, "31")
    (payment,) = paid.payments
    assert (payment.status, payment.type) == ("done", "debit")
    assert payment.affected_amount == payment.amount - payment.wage_amount

    revoked = mandates.revoke(mandate_id)
    assert revoked.revoked_at is not None
    with pytest.raises(Refused) as caught:
        mandates.confirm(mandate_id, again=True)
    assert caught.value.code == "mandate_already_revoked"


@pytest.mark.parametrize("kind", ["card", "credit"])
def test_a_checkout_that_a_customer_pays_and_the_business_verifies(
    shop: Shop, kind: str
) -> None:
    checkouts = shop.provider.checkouts
    create = {"card": checkouts.create_card, "credit": checkouts.create_credit}[kind]
    made = create(
        payment_method=f"{kind}-blue",
        amount=900_000,
        callback_url=CALLBACK,
        customer=Payer(mobile=BUYER, national_code="0000000001"),
        request_id=f"req-{kind}",
    )
    assert (made.status, made.request_id) == ("not_paid", f"req-{kind}")
    (payment,) = made.payments
    assert payment.status == "pending_redirect"
    back = shop.visit(checkouts.page_address(payment.id))
    assert back == {"payment_id": payment.id, "status": "pending_verify"}
    verified = checkouts.verify(payment.id)
    assert (verified.id, verified.amount) == (payment.id, 900_000)
    assert (verified.card is not None) is (kind == "card")
    seen = shop.provider.unified.checkout(made.id).value
    assert seen.status == "paid"


def _agreement(shop: Shop, trace_id: str) -> str:
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


def test_an_agreement_from_draft_to_the_sellers_money(shop: Shop) -> None:
    agreements = shop.provider.agreements
    code = _agreement(shop, "trace-a")
    with pytest.raises(Refused) as caught:
        agreements.finalize(code, BUYER)
    assert caught.value.code == "invalid_state_agreement"
    link = agreements.approve(code, BUYER)
    shop.visit(link)
    agreements.finalize(code, BUYER)
    assert shop.provider.escrow.agreement(code).value.state == "finalize"


def test_an_agreement_is_rejected_or_cancelled(shop: Shop) -> None:
    agreements = shop.provider.agreements
    agreements.reject(_agreement(shop, "trace-r"), BUYER)
    code = _agreement(shop, "trace-c")
    agreements.approve(code, BUYER)
    agreements.cancel(code, SELLER)
    with pytest.raises(Refused) as caught:
        agreements.cancel(code, BUYER)
    assert caught.value.code == "invalid_state_agreement"
    with pytest.raises(Refused) as caught:
        agreements.approve(_agreement(shop, "trace-x"), "09129999999")
    assert caught.value.code == "422"
    assert "applicant_mobile" in caught.value.errors


def test_a_customer_a_ticket_and_a_webhook(shop: Shop) -> None:
    p = shop.provider
    p.customers.create(
        first_name="Reza",
        last_name="Ahmadi",
        national_code="0000000009",
        mobile="09120000009",
        birth_date="13700131",
    )
    code = _agreement(shop, "trace-t")
    p.agreements.approve(code, BUYER)
    ticket = p.tickets.create(
        agreement_tracking_code=code,
        reporter_mobile=BUYER,
        ticket_type_slug="dispute_with_seller",
        redirect_url=CALLBACK,
        description="it is broken",
        callback=CALLBACK,
    )
    assert (ticket.button_link, bool(ticket.ticket_uid)) == (CALLBACK, True)
    assert p.escrow.agreement(code).value.state == "investigation"

    hook = p.webhooks.create("https://shop.example/w", ["agreement_created"])
    changed = p.webhooks.update(
        hook.id,
        url="https://shop.example/w2",
        is_active=False,
        events=["agreement_cancelled"],
    )
    assert (changed.is_active, changed.slugs) == (False, ["agreement_cancelled"])
    assert p.escrow.webhook(hook.id).value.url == "https://shop.example/w2"
    p.webhooks.delete(hook.id)
    with pytest.raises(NotFound) as caught:
        p.webhooks.delete(hook.id)
    assert caught.value.code == "not_found_error"


def test_a_refused_customer_names_the_field(shop: Shop) -> None:
    with pytest.raises(Refused) as caught:
        shop.provider.customers.create(
            first_name="Reza",
            last_name="Ahmadi",
            national_code="not a code",
            mobile="09120000009",
            birth_date="13700131",
        )
    assert caught.value.code == "validation_error"
    assert caught.value.errors.keys() == {"national_code"}


def test_an_inactive_tool_or_application_is_told_apart(tmp_path: Path) -> None:
    terms = Terms(cash_in_active=False, hosted_active=False)
    with (
        serve(small_world(now=Clock()), terms=terms) as running,
        Journal(tmp_path / "journal.sqlite3") as journal,
        blocking(_settings(running.base_url), journal) as provider,
    ):
        with pytest.raises(Unauthenticated) as caught:
            provider.hosted.send(50_000, CALLBACK)
        assert caught.value.code == "forbidden_error"
        with pytest.raises(Refused) as refused:
            provider.deposits.deposit(BANK_IBAN, 1_000, "t")
        assert refused.value.errors.keys() == {"error"}
        assert [str(each.outcome) for each in journal.requests()] == [
            "refused",
            "refused",
        ]


def test_what_was_cut_is_looked_up_at_the_next_start(shop: Shop) -> None:
    """Requests that reached the sandbox while their answers did not reach us."""
    p = shop.provider
    token = p.gateway.send(200_000, CALLBACK)
    shop.visit(p.gateway.page_address(token))
    waiting = p.gateway.send(300_000, CALLBACK)
    shop.visit(p.gateway.page_address(waiting))
    p.gateway.verify(token)
    paid = _agreement(shop, "trace-l")
    p.agreements.approve(paid, BUYER)
    path = shop.journal.path.with_name("cut.sqlite3")
    with Journal(path) as cut:
        cut.begin(Operation.GATEWAY_VERIFY, token, {"token": token})
        cut.begin(Operation.GATEWAY_VERIFY, waiting, {"token": waiting})
        cut.begin(Operation.AGREEMENT_CREATE, "trace-l", {})
        sent = {"tracking_code": paid, "applicant_mobile": BUYER}
        cut.begin(Operation.AGREEMENT_APPROVE, f"{paid} {BUYER}", sent)
        cut.begin(Operation.CHECKOUT_CREATE, "request-1", {})
        cut.begin(Operation.DEPOSIT, "t-1", {"amount": 5})

    async def next_start() -> list[Outcome]:
        with Journal(path) as journal:
            async with Provider(shop.settings, journal) as provider:
                later = datetime.now(UTC) + timedelta(hours=1)
                return [each.outcome for each in await look_up(provider, now=later)]

    assert asyncio.run(next_start()) == [
        Outcome.DONE,
        Outcome.UNDONE,
        Outcome.DONE,
        Outcome.DONE,
        Outcome.DONE,
        Outcome.UNKNOWN,
    ]
