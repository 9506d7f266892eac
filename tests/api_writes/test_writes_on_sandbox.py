"""Whole flows of every product against the sandbox, over real sockets, blocking.

The sandbox is a second reading of the contract: where it and the clients disagree,
one of them misread.
"""

import asyncio
import dataclasses
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recon.api.blocking import blocking
from recon.api.outcomes import look_up
from recon.api.provider import Provider
from recon.errors import Refused, Unauthenticated
from recon.journal import (
    Journal,
    deposit_entries,
    gateway_requests,
    hosted_requests,
)
from recon.records.orders import Payer
from recon.records.requests import Operation, Outcome
from recon.sandbox.server import serve
from recon.sandbox.terms import Terms
from recon.settings import (
    Gateway,
    Secret,
)
from tests.api_writes.sandbox_shop import (
    BUYER,
    CALLBACK,
    Clock,
    Shop,
    draft_agreement,
    shop_settings,
)
from tests.sandbox.small_world import BANK_IBAN, small_world


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


def test_an_inactive_tool_or_application_is_told_apart(tmp_path: Path) -> None:
    terms = Terms(cash_in_active=False, hosted_active=False)
    with (
        serve(small_world(now=Clock()), terms=terms) as running,
        Journal(tmp_path / "journal.sqlite3") as journal,
        blocking(shop_settings(running.base_url), journal) as provider,
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
    paid = draft_agreement(shop, "trace-l")
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
