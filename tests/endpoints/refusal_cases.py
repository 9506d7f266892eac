"""The refusals that the documents show: the call that meets each, and what it says."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from recon.errors import (
    NotFound,
    OutcomeUnknown,
    ProviderError,
    Refused,
    Unauthenticated,
)
from recon.records.orders import TradeParty
from recon.sandbox.app import Fault, Terms
from tests.endpoints import client_calls as calls
from tests.endpoints.client_calls import BACK, BUYER, HOOK, SELLER
from tests.endpoints.recorded_shop import Shop, client_of
from tests.sandbox.small_world import BANK_IBAN

NOBODY = "09129999999"


@dataclass(frozen=True)
class Case:
    """A call that is refused: the client it is about, and what the error says."""

    name: str
    client: str
    call: Callable[[Shop], Awaitable[Any]]
    error: type[ProviderError] = Refused
    status: int = 422
    code: str | None = None
    fields: frozenset[str] = frozenset()
    says: str = ""
    terms: Terms = field(default_factory=Terms)
    faults: tuple[Fault, ...] = ()

    def __str__(self) -> str:
        return f"{self.client}-{self.name}"


def of(client: str, prepare: calls.Prepare) -> Callable[[Shop], Awaitable[Any]]:
    """Return the call of a client with what that leaves."""

    async def call(shop: Shop) -> Any:
        args, kwargs = await prepare(shop)
        return await client_of(shop.provider, client)(*args, **kwargs)

    return call


def case(name: str, client: str, prepare: calls.Prepare, **said: Any) -> Case:
    fields = frozenset(said.pop("fields", ()))
    return Case(name, client, of(client, prepare), fields=fields, **said)


async def verified_token(shop: Shop) -> str:
    token = await calls.paid_token(shop)
    await shop.provider.gateway.verify(token)
    return token


async def late_token(shop: Shop) -> str:
    token = await calls.paid_token(shop)
    shop.clock.later = timedelta(minutes=21)
    return token


async def declined_token(shop: Shop) -> str:
    token = await calls.token(shop)
    await shop.press(shop.provider.gateway.page_address(token), "decline")
    return token


async def revoked_mandate(shop: Shop) -> str:
    mandate_id = await calls.granted_mandate(shop)
    await shop.provider.mandates.revoke(mandate_id)
    return mandate_id


async def finalized(shop: Shop) -> str:
    code = await calls.paid(shop)
    await shop.provider.agreements.finalize(code, BUYER)
    return code


async def registered(shop: Shop) -> str:
    """Leave a track_id that the provider has and the journal does not know."""
    shop.world.deposits["track-1"] = []
    return "track-1"


INVALID = {"code": "validation_error"}
WRONG_STATE = {"status": 400, "code": "invalid_state_agreement"}
FORBIDDEN = {
    "error": Unauthenticated,
    "status": 403,
    "code": "forbidden_error",
    "terms": Terms(hosted_active=False),
}
PLAIN, AFTER, VALUE = calls.plain, calls.after, calls.valued
UNKNOWN_PARTY = [
    TradeParty(role="buyer", mobile=NOBODY, iban=BANK_IBAN),
    TradeParty(role="seller", mobile=SELLER, iban=BANK_IBAN),
]
INACTIVE = {"fields": {"error"}, "terms": Terms(cash_in_active=False)}
ELSEWHERE = Terms(approved_domain="another.example")
CALLERS = Terms(merchant_ips=("192.0.2.1",))

CASES = [
    case(
        "invalid",
        "customers.create",
        PLAIN(**calls.new_customer(national_code="x")),
        **INVALID,
        fields={"national_code"},
    ),
    case("unknown", "escrow.customer", PLAIN("99"), status=400, code="user_not_found"),
    case(
        "unknown-party",
        "agreements.create",
        PLAIN(**calls.new_agreement(parties=UNKNOWN_PARTY)),
        **INVALID,
        fields={"parties.0.mobile"},
    ),
    *(
        case(
            "no-party",
            f"agreements.{name}",
            AFTER(calls.draft, VALUE(NOBODY)),
            code="422",
            fields={"buyer_mobile" if name == "finalize" else "applicant_mobile"},
        )
        for name in ("approve", "reject", "finalize", "cancel")
    ),
    *(
        case(
            "state",
            f"agreements.{name}",
            AFTER(start, VALUE(BUYER), again=True),
            **WRONG_STATE,
        )
        for name, start in (
            ("approve", calls.paid),
            ("reject", calls.paid),
            ("finalize", calls.approved),
            ("cancel", finalized),
        )
    ),
    case(
        "unknown-agreement",
        "tickets.create",
        PLAIN(**calls.new_ticket(agreement_tracking_code="T99999")),
        **INVALID,
        fields={"agreement_tracking_code"},
    ),
    case(
        "unknown-hook",
        "webhooks.delete",
        PLAIN("99"),
        error=NotFound,
        status=404,
        code="not_found_error",
    ),
    case(
        "unknown-event",
        "webhooks.create",
        PLAIN(HOOK, ["no_such_event"]),
        **INVALID,
        fields={"events"},
    ),
    case(
        "unknown-event",
        "webhooks.update",
        AFTER(calls.hook, url=HOOK, is_active=True, events=["no_such_event"]),
        **INVALID,
        fields={"events"},
    ),
    case("inactive", "cash_in.accounts", PLAIN(), **INACTIVE),
    case("inactive", "cash_in.balance", PLAIN(BANK_IBAN), **INACTIVE),
    case("inactive", "deposits.deposit", PLAIN(BANK_IBAN, 1_000, "t"), **INACTIVE),
    case(
        "registered",
        "deposits.deposit",
        AFTER(VALUE(BANK_IBAN), VALUE(1_000), registered),
        fields={"track_id"},
    ),
    case("unknown-iban", "cash_in.balance", PLAIN("IR0"), fields={"iban"}),
    case("unknown-iban", "deposits.deposit", PLAIN("IR0", 1, "t"), fields={"iban"}),
    case(
        "server-error",
        "deposits.deposit",
        PLAIN(BANK_IBAN, 1_000, "t"),
        error=OutcomeUnknown,
        status=500,
        faults=(Fault("server_error", path="/deposit"),),
    ),
    case(
        "callback",
        "gateway.send",
        PLAIN(2_000, BACK),
        code="0",
        terms=ELSEWHERE,
        says="callback_url",
    ),
    *(
        case(
            "merchant-ip",
            name,
            prepare,
            code="0",
            terms=CALLERS,
            says="merchant IP",
        )
        for name, prepare in (
            ("gateway.send", PLAIN(2_000, BACK)),
            ("gateway.transaction", PLAIN("unknown")),
            ("gateway.verify", PLAIN("unknown")),
        )
    ),
    case(
        "card",
        "gateway.send",
        PLAIN(2_000, BACK, valid_card_number="12"),
        code="0",
        says="card number",
    ),
    case(
        "national-code",
        "gateway.send",
        PLAIN(2_000, BACK, national_code="1", mobile_number=BUYER),
        code="0",
        says="national code",
    ),
    case("token", "gateway.transaction", PLAIN("unknown"), code="0", says="token"),
    case("token", "gateway.verify", PLAIN("unknown"), code="0", says="token"),
    case("unpaid", "gateway.transaction", AFTER(calls.token), code="0", says="failed"),
    case("declined", "gateway.verify", AFTER(declined_token), code="0", says="failed"),
    case("late", "gateway.verify", AFTER(late_token), code="3", says="expired"),
    case(
        "announced",
        "gateway.verify",
        AFTER(verified_token, again=True),
        code="2",
        says="already announced",
    ),
    case(
        "callback",
        "hosted.send",
        PLAIN(20_000, BACK),
        **INVALID,
        terms=ELSEWHERE,
        fields={"callback_url"},
    ),
    case("inactive", "hosted.send", PLAIN(20_000, BACK), **FORBIDDEN),
    case(
        "unpaid",
        "hosted.verify",
        AFTER(calls.hosted),
        code="checkout_can_not_be_verified",
    ),
    case(
        "twice",
        "mandates.confirm",
        AFTER(calls.confirmed_mandate, again=True),
        status=403,
        code="mandate_already_activated",
    ),
    case(
        "revoked",
        "mandates.confirm",
        AFTER(revoked_mandate),
        status=403,
        code="mandate_already_revoked",
    ),
]
