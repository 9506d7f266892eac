"""Unified payments: checkouts, payments, mandates, payment methods.

Amounts are rials, instants UTC. Source: document 3, Resources and their fields.
"""

from typing import Any, ClassVar

from recon.records import envelopes
from recon.records.decoding import Code, Instant, Record, Rials, Shape
from recon.records.lists import ListBody, PlainList

CHECKOUT_STATUSES = frozenset({"paid", "not_paid"})
"""Those observed in the contract; others are kept and counted."""

PAYMENT_STATUSES = frozenset({"done", "pending_redirect"})
MANDATE_STATUSES = frozenset({"active"})


class Customer(Record, frozen=True):
    """Who pays."""

    CODES: ClassVar = ("id", "mobile", "national_code")

    id: Code | None = None
    mobile: Code | None = None
    first_name: str | None = None
    last_name: str | None = None
    national_code: Code | None = None
    email: str | None = None


class Mandate(Record, frozen=True):
    """A permission to withdraw: at most `count` times a month, `limit` rials each."""

    CEILINGS: ClassVar = ("count", "limit")
    CODES: ClassVar = ("id", "customer_id")
    INSTANTS: ClassVar = ("expires_at", "created_at", "updated_at", "revoked_at")
    EVENTS: ClassVar = ("revoked_at",)

    id: Code
    payment_method: str | None = None
    count: Rials | None = None
    limit: Rials | None = None
    expires_at: Instant | None = None
    customer_id: Code | None = None
    status: str | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None
    revoked_at: Instant | None = None
    callback_url: str | None = None


class PaymentError(Record, frozen=True):
    """Why a payment did not happen."""

    CODES: ClassVar = ("code",)

    code: Code | None = None
    message: str | None = None


class Debit(Record, frozen=True):
    """The mandate behind a debit payment: its id in lists, the whole in details."""

    CODES: ClassVar = ("mandate_id",)

    mandate_id: Code | None = None
    mandate: Mandate | None = None

    @property
    def mandate_key(self) -> str | None:
        """Return the mandate's id, however it came."""
        return self.mandate.id if self.mandate else self.mandate_id


class Card(Record, frozen=True):
    """The card that paid: masked number and SHA-256 of it."""

    card_number: str | None = None
    cid: str | None = None


class Payment(Record, frozen=True):
    """One attempt to pay a checkout; `affected_amount` is what the wallet felt."""

    RIALS: ClassVar = ("amount", "wage_amount", "affected_amount")
    CODES: ClassVar = ("id", "ref_id", "tracking_code")
    INSTANTS: ClassVar = ("created_at", "updated_at", "paid_at")
    EVENTS: ClassVar = ("paid_at",)

    id: Code
    amount: Rials
    status: str
    payment_method: str | None = None
    wage_amount: Rials | None = None
    affected_amount: Rials | None = None
    ref_id: Code | None = None
    tracking_code: Code | None = None
    error: PaymentError | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None
    paid_at: Instant | None = None
    type: str | None = None
    debit: Debit | None = None
    credit: dict[str, Any] | None = None
    card: Card | None = None


class Checkout(Record, frozen=True):
    """One invoice and the attempts to pay it."""

    RIALS: ClassVar = ("amount",)
    CODES: ClassVar = ("id", "request_id", "checkout_number")
    INSTANTS: ClassVar = ("created_at", "updated_at")

    id: Code
    amount: Rials
    status: str
    payments: tuple[Payment, ...]
    request_id: Code | None = None
    checkout_number: Code | None = None
    description: str | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None
    customer: Customer | None = None


class MethodDebit(Record, frozen=True):
    """What a debit method adds: the mandates a customer gave."""

    mandates: tuple[Mandate, ...] = ()


class PaymentMethod(Record, frozen=True):
    """One way to pay; `limit` is its ceiling a withdrawal."""

    CEILINGS: ClassVar = ("limit",)

    slug: str
    type: str | None = None
    name: str | None = None
    logo: str | None = None
    is_healthy: bool | None = None
    limit: Rials | None = None
    modes: tuple[str, ...] | None = None
    debit: MethodDebit | None = None


checkout_list: Shape[ListBody[Checkout]] = Shape(ListBody[Checkout])
mandate_list: Shape[ListBody[Mandate]] = Shape(ListBody[Mandate])
payment_method_list: Shape[PlainList[PaymentMethod]] = Shape(PlainList[PaymentMethod])
one_checkout: Shape[Checkout] = Shape(Checkout)
one_mandate: Shape[Mandate] = Shape(Mandate)
one_payment: Shape[Payment] = Shape(Payment)
checkout_answer = envelopes.named("checkout", one_checkout)
mandate_answer = envelopes.named("mandate", one_mandate)
payment_answer = envelopes.named("payment", one_payment)
