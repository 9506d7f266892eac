"""For each client method: what must be there before, and how it is then called."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from recon.records.orders import Payer, TradeItem, TradeParty
from tests.endpoints.recorded_shop import Shop
from tests.sandbox.small_world import BANK_IBAN

BACK = "https://shop.example/back"
HOOK = "https://shop.example/hook"
BUYER, SELLER = "09120000001", "09120000002"
PAYER = Payer(mobile=BUYER, first_name="Sara")
Given = tuple[tuple[Any, ...], dict[str, Any]]
Prepare = Callable[[Shop], Awaitable[Given]]


def plain(*args: Any, **kwargs: Any) -> Prepare:
    """Call with these; nothing must be there before."""

    async def prepared(shop: Shop) -> Given:
        return args, kwargs

    return prepared


def after(*steps: Callable[[Shop], Awaitable[Any]], **kwargs: Any) -> Prepare:
    """Call with what the steps leave, one argument a step."""

    async def prepared(shop: Shop) -> Given:
        return tuple([await step(shop) for step in steps]), kwargs

    return prepared


def valued(value: Any) -> Callable[[Shop], Awaitable[Any]]:
    """Be a step that leaves this."""

    async def step(shop: Shop) -> Any:
        return value

    return step


def new_agreement(**changed: Any) -> dict[str, Any]:
    return {
        "trace_id": "trace-new",
        "redirect_url": BACK,
        "description": "a bicycle",
        "creator": "seller",
        "deposit_price": 7_000_000,
        "payer": "buyer",
        "payment_method": "full-pay",
        "parties": [
            TradeParty(role="buyer", mobile=BUYER, iban=BANK_IBAN),
            TradeParty(role="seller", mobile=SELLER, iban=BANK_IBAN),
        ],
        "items": [
            TradeItem(title="bicycle", category="general", price=7_000_000, quantity=1)
        ],
    } | changed


def new_customer(**changed: Any) -> dict[str, Any]:
    return {
        "first_name": "Reza",
        "last_name": "Ahmadi",
        "national_code": "0000000009",
        "mobile": "09120000009",
        "birth_date": "13700131",
    } | changed


def new_ticket(**changed: Any) -> dict[str, Any]:
    return {
        "agreement_tracking_code": "T00001",
        "reporter_mobile": BUYER,
        "ticket_type_slug": "dispute_with_seller",
        "redirect_url": BACK,
        "description": "it is broken",
        "callback": BACK,
    } | changed


def new_mandate(**changed: Any) -> dict[str, Any]:
    return {
        "payment_method": "debit-blue",
        "count": 2,
        "limit": 1_000_000,
        "expires_at": datetime.now(UTC) + timedelta(days=30),
        "callback_url": BACK,
        "customer": PAYER,
    } | changed


def visit(kind: str, **changed: Any) -> dict[str, Any]:
    return {
        "payment_method": f"{kind}-blue",
        "amount": 500_000,
        "callback_url": BACK,
        "customer": PAYER,
    } | changed


async def draft(shop: Shop) -> str:
    made = await shop.provider.agreements.create(**new_agreement(trace_id="trace-1a"))
    return str(made.tracking_code)


async def approved(shop: Shop) -> str:
    code = await draft(shop)
    await shop.provider.agreements.approve(code, BUYER)
    return code


async def paid(shop: Shop) -> str:
    code = await draft(shop)
    await shop.press(await shop.provider.agreements.approve(code, BUYER))
    return code


async def hook(shop: Shop) -> str:
    made = await shop.provider.webhooks.create(HOOK, ["agreement_created"])
    return str(made.id)


async def token(shop: Shop) -> str:
    return await shop.provider.gateway.send(200_000, BACK)


async def paid_token(shop: Shop) -> str:
    sent = await token(shop)
    await shop.press(shop.provider.gateway.page_address(sent))
    return sent


async def hosted(shop: Shop) -> str:
    return await shop.provider.hosted.send(50_000, BACK)


async def paid_hosted(shop: Shop) -> str:
    sent = await hosted(shop)
    await shop.press(shop.provider.hosted.page_address(sent))
    return sent


async def asked_mandate(shop: Shop) -> str:
    return (await shop.provider.mandates.request(**new_mandate())).token


async def granted_mandate(shop: Shop) -> str:
    address = shop.provider.mandates.page_address(await asked_mandate(shop))
    return (await shop.press(address))["mandate_id"]


async def confirmed_mandate(shop: Shop) -> str:
    mandate_id = await granted_mandate(shop)
    await shop.provider.mandates.confirm(mandate_id)
    return mandate_id


async def payment(shop: Shop) -> str:
    made = await shop.provider.checkouts.create_card(**visit("card"))
    return str(made.payments[0].id)


async def returned_payment(shop: Shop) -> str:
    payment_id = await payment(shop)
    await shop.press(shop.provider.checkouts.page_address(payment_id))
    return payment_id


async def debit(shop: Shop) -> Given:
    mandate_id = await confirmed_mandate(shop)
    given = {"payment_method": "debit-blue", "amount": 500_000}
    return (), given | {"mandate_id": mandate_id}


CALLS: dict[str, Prepare] = {
    "customers.create": plain(**new_customer()),
    "escrow.customer": plain("1"),
    "escrow.customers": plain(1),
    "agreements.create": plain(**new_agreement()),
    "agreements.approve": after(draft, valued(BUYER)),
    "agreements.reject": after(draft, valued(BUYER)),
    "agreements.finalize": after(paid, valued(BUYER)),
    "agreements.cancel": after(approved, valued(SELLER)),
    "escrow.agreement": plain("T00001"),
    "escrow.agreements": plain(1),
    "tickets.create": plain(**new_ticket()),
    "webhooks.create": plain(HOOK, ["agreement_created"]),
    "webhooks.update": after(
        hook, url=HOOK, is_active=False, events=["agreement_cancelled"]
    ),
    "escrow.webhook": after(hook),
    "escrow.webhooks": plain(),
    "webhooks.delete": after(hook),
    "cash_in.accounts": plain(),
    "cash_in.balance": plain(BANK_IBAN),
    "deposits.deposit": plain(BANK_IBAN, 1_200_000_000, "track-1"),
    "deposits.deposit_again": plain(BANK_IBAN, 1_000, "track-2"),
    "gateway.send": plain(200_000, BACK, factor_number="77"),
    "gateway.page_address": after(token),
    "gateway.transaction": after(paid_token),
    "gateway.verify": after(paid_token),
    "hosted.send": plain(50_000, BACK, checkout_number="12"),
    "hosted.page_address": after(hosted),
    "hosted.inquiry": after(hosted),
    "hosted.verify": after(paid_hosted),
    "unified.payment_methods": plain(mobile=BUYER, types=["debit"], is_healthy=True),
    "mandates.request": plain(**new_mandate()),
    "mandates.page_address": after(asked_mandate),
    "mandates.confirm": after(granted_mandate),
    "unified.mandates": plain(1),
    "unified.mandate": plain("mandate-1"),
    "mandates.revoke": after(confirmed_mandate),
    "checkouts.create_debit": debit,
    "checkouts.create_credit": plain(**visit("credit")),
    "checkouts.create_card": plain(**visit("card")),
    "checkouts.page_address": after(payment),
    "checkouts.verify": after(returned_payment),
    "unified.checkouts": plain(1),
    "unified.checkout": plain("checkout-1"),
}
