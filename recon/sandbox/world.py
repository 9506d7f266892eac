"""Everything the invented provider knows about one business, in the contract's shapes.

Plain dictionaries of JSON values, so that a world can be stored, copied and answered
from as it is. Keys that begin with an underscore, and the keys that each field's
comment calls private, are the provider's own: `shown` leaves out the former.

Where the contract is silent the sandbox assumes:
- Unknown: a landed deposit has status `SETTLED` (only `INIT` is documented).
- Unknown: a payment that did not happen has status `failed` and no `paid_at`.
- Unknown: a revoked mandate has status `revoked`, one past its time `expired`.
- Unknown: a cancelled or rejected agreement has state `cancelled` or `rejected`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

Record = dict[str, Any]

DEPOSIT_QUEUED = "INIT"
DEPOSIT_SETTLED = "SETTLED"
PAYMENT_DONE = "done"
PAYMENT_FAILED = "failed"
PAYMENT_PENDING = "pending_redirect"
CHECKOUT_PAID = "paid"
CHECKOUT_NOT_PAID = "not_paid"
MANDATE_ACTIVE = "active"
MANDATE_REVOKED = "revoked"
MANDATE_EXPIRED = "expired"


def utc_now() -> datetime:
    """Return the present instant: the clock of a world that nobody moved."""
    return datetime.now(UTC)


def shown(record: Record) -> Record:
    """Return a record without the provider's private keys (leading underscore)."""
    return {key: value for key, value in record.items() if not key.startswith("_")}


@dataclass
class World:
    """One business at the provider. Amounts are rials; times Unix seconds.

    Order of insertion is order of creation in every dictionary and list.
    """

    business: str  # the slug: `{business}` in paths, the key of webhook signatures
    now: Callable[[], datetime] = utc_now  # the provider's clock (UTC); replaceable

    # Unified. Source: document 3, Resources and their fields.
    payment_methods: list[Record] = field(default_factory=list)  # no debit.mandates
    mandates: dict[str, Record] = field(default_factory=dict)  # by id
    # By id, with `customer` and `payments`; a debit payment has
    # `debit = {"mandate_id": …}`, a card payment `card`, a credit payment `credit`.
    checkouts: dict[str, Record] = field(default_factory=dict)

    # Escrow. Source: document 1, Resources and their fields.
    escrow_customers: dict[int, Record] = field(default_factory=dict)  # birth_date: own
    # By tracking_code, in the shape of show; `_paid_at` is when the buyer paid or None.
    agreements: dict[str, Record] = field(default_factory=dict)
    webhooks: dict[int, Record] = field(default_factory=dict)  # by id
    tickets: dict[int, Record] = field(default_factory=dict)  # by ticket_uid
    events: list[Record] = field(default_factory=list)  # envelopes, as delivered

    # Cash-in. Source: document 2, Resources, part A.
    accounts: list[Record] = field(default_factory=list)
    wallet_iban: str = ""
    wallet_balance: int = 0
    wallet_available: int = 0
    # By track_id: the entries of that request, each with the private keys track_id,
    # requested_at, settled_at (or None) and requested_amount besides the contract's.
    deposits: dict[str, list[Record]] = field(default_factory=dict)

    # Gateway, by token, in the shape of step 3. Private: `_verify` (the answer of
    # verify that was given, or None), `_sent_amount`, `_sent_at`, `_verified_at`.
    gateway_transactions: dict[str, Record] = field(default_factory=dict)
    # Hosted, by id, in the shape of inquiry. Private: `_sent_amount`, `_sent_at`.
    hosted_checkouts: dict[str, Record] = field(default_factory=dict)

    def timestamp(self) -> int:
        """Return the provider's present time in Unix seconds."""
        return int(self.now().timestamp())

    def move_wallet(self, amount: int) -> None:
        """Move the wallet by that many rials, both what it holds and what may leave."""
        self.wallet_balance += amount
        self.wallet_available += amount

    def settle(self, entry: Record, at: int) -> None:
        """Land a queued deposit entry: the wallet rises by its amount less its wage.

        Unknown: that the wage leaves the wallet and not the bank account.
        """
        if entry["status"] != DEPOSIT_QUEUED:
            return
        entry["status"] = DEPOSIT_SETTLED
        entry["settled_at"] = at
        self.move_wallet(entry["amount"] - entry["wage"])

    def emit(self, slug: str, data: Record, at: int) -> Record:
        """Append the envelope of an event that happened `at`, and return it."""
        envelope: Record = {"created": at, "type": slug, "data": data}
        self.events.append(envelope)
        return envelope
