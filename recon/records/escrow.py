"""Escrow: agreements, customers, webhooks.

Amounts are rials, instants UTC. Source: document 1, Resources and their fields.
"""

from typing import Any, ClassVar

from recon.records import envelopes
from recon.records.decoding import Code, Decoded, Instant, Record, Rials, Shape
from recon.records.lists import ListBody, PlainList

AGREEMENT_STATES = frozenset({"draft", "contract", "investigation", "finalize"})
"""Those that appear in the contract; others are kept and counted."""

CANCELLED_STATES = frozenset({"cancel", "canceled", "cancelled"})
"""Unknown: the name of the state; the queries take the same three."""

FINAL_STATES = CANCELLED_STATES | {"finalize"}
"""Those from which no move leads on. Whatever else a state is called, it may go on."""


class Party(Record, frozen=True):
    """The buyer or the seller of an agreement."""

    CODES: ClassVar = ("national_code", "mobile")

    role: str
    state: str | None = None
    national_code: Code | None = None
    mobile: Code | None = None


class Agreement(Record, frozen=True):
    """One trade held in escrow. `items` are kept as received."""

    RIALS: ClassVar = ("amount",)
    CODES: ClassVar = ("tracking_code", "trace_id")
    INSTANTS: ClassVar = ("created_at",)

    tracking_code: Code
    state: str
    trace_id: Code | None = None
    description: str | None = None
    parties: tuple[Party, ...] = ()
    items: tuple[dict[str, Any], ...] | None = None
    amount: Rials | None = None
    creator: str | None = None
    created_at: Instant | None = None

    def party(self, role: str) -> Party | None:
        """Return the first party of a role, `buyer` or `seller`."""
        return next((party for party in self.parties if party.role == role), None)


class Customer(Record, frozen=True):
    """A party that the business made known to the service."""

    CODES: ClassVar = ("uid", "national_code", "mobile")

    uid: Code
    first_name: str | None = None
    last_name: str | None = None
    national_code: Code | None = None
    mobile: Code | None = None


class EventSlug(Record, frozen=True):
    """An event that a webhook listens to."""

    slug: str
    title: str | None = None


class Webhook(Record, frozen=True):
    """An address that gets events; the answer of an update has no `id`."""

    CODES: ClassVar = ("id",)

    url: str
    is_active: bool
    id: Code | None = None
    events: tuple[EventSlug | str, ...] = ()

    @property
    def slugs(self) -> list[str]:
        """Return the slugs listened to, whichever shape they came in."""
        return [each if isinstance(each, str) else each.slug for each in self.events]


agreement_list: Shape[ListBody[Agreement]] = Shape(ListBody[Agreement])
customer_list: Shape[ListBody[Customer]] = Shape(ListBody[Customer])
_webhook_list: Shape[PlainList[Webhook]] = Shape(PlainList[Webhook])
one_agreement: Shape[Agreement] = Shape(Agreement)
one_customer: Shape[Customer] = Shape(Customer)
one_webhook: Shape[Webhook] = Shape(Webhook)
agreement_answer = envelopes.data(one_agreement)
customer_answer = envelopes.data(one_customer)
webhook_answer = envelopes.data(one_webhook)


def webhook_list(body: bytes) -> Decoded[PlainList[Webhook]]:
    """Decode the webhooks; ValueError where one has no `id`: of a list each has one."""
    found = _webhook_list(body)
    if any(webhook.id is None for webhook in found.value.data):
        raise ValueError("a webhook without an id")
    return found
