"""What a customer can do on each page, and what the business then finds."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from recon.errors import Refused
from tests.endpoints import client_calls as calls

PAY, DECLINE, TROUBLE = "pay", "decline", "trouble"
OTHER_CARD = "6219861000000001"


@dataclass(frozen=True)
class Flow:
    """A page, the button that is pressed on it, and what comes back.

    `open` takes the provider and the return address; it gives the page's address and
    the id that the business knows. `then` is asked of the provider after the return.
    """

    page: str
    name: str
    button: str
    open: Callable[[Any, str], tuple[str, str]]
    back: dict[str, str]
    then: Callable[[Any, dict[str, str], str], Any]
    found: Any
    card: str = ""

    def __str__(self) -> str:
        return f"{self.name}-{self.button}"


def _mandate(provider: Any, back: str) -> tuple[str, str]:
    asked = provider.mandates.request(**calls.new_mandate(callback_url=back))
    return asked.page_address, asked.token


def _confirmed(provider: Any, back: dict[str, str], _: str) -> Any:
    return provider.mandates.confirm(back["mandate_id"]).status


def _nothing(provider: Any, back: dict[str, str], _: str) -> Any:
    return sorted(set(back) - {"token"})


def _checkout(kind: str) -> Callable[[Any, str], tuple[str, str]]:
    def opened(provider: Any, back: str) -> tuple[str, str]:
        create = getattr(provider.checkouts, f"create_{kind}")
        payment = create(**calls.visit(kind, callback_url=back)).payments[0]
        return provider.checkouts.page_address(payment.id), payment.id

    return opened


def _payment(provider: Any, _: dict[str, str], payment_id: str) -> Any:
    try:
        paid = provider.checkouts.verify(payment_id)
    except Refused as error:
        return error.code
    return paid.status, paid.card and paid.card.card_number


def _gateway(provider: Any, back: str) -> tuple[str, str]:
    token = provider.gateway.send(
        200_000, back, factor_number="77", description="چای و قند"
    )
    return provider.gateway.page_address(token), token


def _verified(provider: Any, _: dict[str, str], token: str) -> Any:
    try:
        result = provider.gateway.verify(token)
    except Refused as error:
        return str(error.code)
    return result.amount, result.card_number


def _one_click(provider: Any, back: str) -> tuple[str, str]:
    token = provider.hosted.send(50_000, back, checkout_number="12", description="tea")
    return provider.hosted.page_address(token), token


def _inquired(provider: Any, back: dict[str, str], token: str) -> Any:
    if back["status"] == "PENDING_VERIFY":
        provider.hosted.verify(token)
    return provider.hosted.inquiry(token).status


MANDATE_PAGE = "GET /mandates/{token}"
PAYMENT_PAGE = "GET /payments/{payment_id}/pay"
GATEWAY_PAGE = "GET /v3/{token}"
HOSTED_PAGE = "GET /checkouts/{checkout_id}"
DECLINED = "user_declined_to_confirm_mandate"
SHORT = "FAILED_TO_ACCESS_BANK"
REFUSED = "payment_can_not_be_verified"

FLOWS = (
    Flow(
        MANDATE_PAGE,
        "mandate",
        PAY,
        _mandate,
        {"status": "SUCCEED"},
        _confirmed,
        "active",
    ),
    Flow(
        MANDATE_PAGE,
        "mandate",
        DECLINE,
        _mandate,
        {"status": "FAILED", "error_code": DECLINED},
        _nothing,
        ["error_code", "status"],
    ),
    Flow(
        MANDATE_PAGE,
        "mandate",
        TROUBLE,
        _mandate,
        {"status": SHORT},
        _nothing,
        ["status"],
    ),
    *(
        Flow(
            PAYMENT_PAGE,
            kind,
            PAY,
            _checkout(kind),
            {"status": "pending_verify"},
            _payment,
            ("done", card),
        )
        for kind, card in (("card", "603799******7890"), ("credit", None))
    ),
    *(
        Flow(
            PAYMENT_PAGE,
            kind,
            button,
            _checkout(kind),
            {"status": "failed"},
            _payment,
            REFUSED,
        )
        for kind in ("card", "credit")
        for button in (DECLINE, TROUBLE)
    ),
    Flow(
        PAYMENT_PAGE,
        "other-card",
        PAY,
        _checkout("card"),
        {"status": "pending_verify"},
        _payment,
        ("done", "621986******0001"),
        card=OTHER_CARD,
    ),
    Flow(
        GATEWAY_PAGE,
        "gateway",
        PAY,
        _gateway,
        {"payment_status": "OK"},
        _verified,
        (200_000, "603799******7890"),
    ),
    Flow(
        GATEWAY_PAGE,
        "gateway-other-card",
        PAY,
        _gateway,
        {"payment_status": "OK"},
        _verified,
        (200_000, "621986******0001"),
        card=OTHER_CARD,
    ),
    *(
        Flow(
            GATEWAY_PAGE,
            "gateway",
            button,
            _gateway,
            {"payment_status": "NOK"},
            _verified,
            "0",
        )
        for button in (DECLINE, TROUBLE)
    ),
    Flow(
        HOSTED_PAGE,
        "one-click",
        PAY,
        _one_click,
        {"status": "PENDING_VERIFY"},
        _inquired,
        "SUCCEED",
    ),
    *(
        Flow(
            HOSTED_PAGE,
            "one-click",
            button,
            _one_click,
            {"status": "FAILED"},
            _inquired,
            "FAILED",
        )
        for button in (DECLINE, TROUBLE)
    ),
)
