"""What the business asks for: who pays, who trades, and what is traded.

`wire(field)` checks each part against the contract and returns it as it is sent;
`field` is where it stands in the body and begins the names in errors.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recon.records import limits

ROLES = frozenset({"buyer", "seller"})
CATEGORIES = frozenset({"general", "digital"})
PAYMENT_PLANS = frozenset({"full-pay", "pre-pay"})

_CARD_HEAD = 6
_CARD_TAIL = 4

TICKET_TYPES = {
    "dont_access_to_seller": frozenset({"buyer"}),
    "dispute_with_seller": frozenset({"buyer"}),
    "stop_buying": frozenset({"buyer"}),
    "dont_access_to_buyer": frozenset({"seller"}),
    "dispute_with_buyer": frozenset({"seller"}),
    "stop_selling": frozenset({"seller"}),
    "commodity_delivered_buyer_not_end_transaction": frozenset({"seller"}),
    "other_cases": ROLES,
}
"""Who may report what. Source: document 1, Tickets."""

EVENT_SLUGS = frozenset(
    {
        "agreement_created",
        "seller_agreed_agreement",
        "seller_rejected_agreement",
        "buyer_agreed_agreement",
        "buyer_rejected_agreement",
        "agreement_change_state_from_investigation",
        "agreement_finalized",
        "agreement_cancelled",
        "buyer_paid_agreement",
        "payment_refunded_to_buyer",
        "seller_checked_out",
        "buyer_submitted_ticket",
        "seller_submitted_ticket",
    }
)
"""The documented events. Source: document 1, Events."""


@dataclass(frozen=True, kw_only=True)
class Payer:
    """Who pays or gives a mandate. Source: document 3, Customer object."""

    mobile: str
    first_name: str | None = None
    last_name: str | None = None
    national_code: str | None = None
    email: str | None = None

    def wire(self, field: str) -> dict[str, Any]:
        """Return the customer object; the mobile is required in any case."""
        limits.mobile(f"{field}.mobile", self.mobile)
        names = ("first_name", "last_name", "national_code", "email")
        given = {name: getattr(self, name) for name in names}
        return {"mobile": self.mobile} | _texts(field, given)


@dataclass(frozen=True, kw_only=True)
class TradeParty:
    """A side of an agreement; a customer that the business created before.

    Source: document 1, Create agreement.
    """

    role: str
    mobile: str
    iban: str

    def wire(self, field: str) -> dict[str, Any]:
        """Return the party object."""
        return {
            "role": limits.one_of(f"{field}.role", self.role, ROLES),
            "mobile": limits.mobile(f"{field}.mobile", self.mobile),
            "iban": limits.text(f"{field}.iban", self.iban),
        }


@dataclass(frozen=True, kw_only=True)
class TradeItem:
    """A thing traded; `price` in rials, sent as digits as the contract asks.

    Source: document 1, Create agreement.
    """

    title: str
    category: str
    price: int
    quantity: int
    description: str | None = None
    link: str | None = None
    attachments: Sequence[str] | None = None

    def wire(self, field: str) -> dict[str, Any]:
        """Return the item object."""
        item: dict[str, Any] = {
            "title": limits.text(f"{field}.title", self.title),
            "category": limits.one_of(f"{field}.category", self.category, CATEGORIES),
            "price": str(limits.rials(f"{field}.price", self.price, 0)),
            "quantity": limits.count(f"{field}.quantity", self.quantity),
        }
        item |= _texts(field, {"description": self.description, "link": self.link})
        if self.attachments is not None:
            item["attachments"] = limits.many(
                f"{field}.attachments", self.attachments, 0
            )
        return item


def masked(card_number: str) -> str:
    """Return a card number as it may be stored: its first six and last four digits.

    A number too short to tell apart what is hidden is hidden whole.
    """
    shown = _CARD_HEAD + _CARD_TAIL
    hidden = len(card_number) - shown
    if hidden < _CARD_TAIL:
        return "*" * len(card_number)
    return card_number[:_CARD_HEAD] + "*" * hidden + card_number[-_CARD_TAIL:]


def _texts(field: str, given: dict[str, Any]) -> dict[str, str]:
    """Return the optional texts that were given."""
    return {
        name: limits.text(f"{field}.{name}", value)
        for name, value in given.items()
        if value is not None
    }
