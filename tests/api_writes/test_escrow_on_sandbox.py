"""Whole flows of the escrow service against the sandbox, over real sockets."""

import pytest

from recon.errors import NotFound, Refused
from tests.api_writes.sandbox_shop import BUYER, CALLBACK, SELLER, Shop, draft_agreement


def test_an_agreement_from_draft_to_the_sellers_money(shop: Shop) -> None:
    agreements = shop.provider.agreements
    code = draft_agreement(shop, "trace-a")
    with pytest.raises(Refused) as caught:
        agreements.finalize(code, BUYER)
    assert caught.value.code == "invalid_state_agreement"
    link = agreements.approve(code, BUYER)
    shop.visit(link)
    agreements.finalize(code, BUYER)
    assert shop.provider.escrow.agreement(code).value.state == "finalize"


def test_an_agreement_is_rejected_or_cancelled(shop: Shop) -> None:
    agreements = shop.provider.agreements
    agreements.reject(draft_agreement(shop, "trace-r"), BUYER)
    code = draft_agreement(shop, "trace-c")
    agreements.approve(code, BUYER)
    agreements.cancel(code, SELLER)
    with pytest.raises(Refused) as caught:
        agreements.cancel(code, BUYER)
    assert caught.value.code == "invalid_state_agreement"
    with pytest.raises(Refused) as caught:
        agreements.approve(draft_agreement(shop, "trace-x"), "09129999999")
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
    code = draft_agreement(shop, "trace-t")
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
