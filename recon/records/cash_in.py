"""Bank deposits into the wallet: accounts, balances, deposit entries.

Amounts are rials unless named toman, instants UTC. Source: document 2, part A.
"""

from typing import Any, ClassVar

import msgspec

from recon.records.decoding import Code, Instant, Record, Rials, Shape
from recon.records.lists import ListBody, PlainList

DEPOSIT_STATUSES = frozenset({"INIT"})
"""The documented one; others are kept and counted."""


class Owner(Record, frozen=True, rename="camel"):
    """Who owns an account."""

    first_name: str | None = None
    last_name: str | None = None


class Account(Record, frozen=True):
    """An active account of the business."""

    CODES: ClassVar = ("id", "account_number")

    iban: str = msgspec.field(name="IBAN")
    account_number: Code | None = None
    account_description: str | None = None
    id: Code | None = None
    account_owner: tuple[Owner, ...] = ()
    bank_name: str | None = None

    @property
    def owners(self) -> str | None:
        """Return the owners' names, joined by commas."""
        names = [
            " ".join(part for part in (owner.first_name, owner.last_name) if part)
            for owner in self.account_owner
        ]
        return ", ".join(name for name in names if name) or None


class Balance(Record, frozen=True):
    """What an account holds, and what of it may be withdrawn; rials, signed."""

    RIALS: ClassVar = ("balance", "available_balance")

    balance: Rials
    available_balance: Rials


class DepositEntry(Record, frozen=True):
    """One entry of a deposit; above a limit a request has several.

    `track_id`, `requested_at`, `settled_at` and `requested_amount` are not in the
    contract's entry. Unknown: the list of deposits; they are read where it has them.
    """

    RIALS: ClassVar = (
        "amount",
        "amount_toman",
        "wage",
        "wage_toman",
        "requested_amount",
    )
    CODES: ClassVar = ("gateway_transaction_id", "track_id")
    INSTANTS: ClassVar = ("requested_at", "settled_at")
    EVENTS: ClassVar = ("settled_at",)

    gateway_transaction_id: Code
    amount: Rials
    status: str
    amount_toman: Rials | None = None
    wage: Rials | None = None
    wage_toman: Rials | None = None
    iban: str | None = None
    receipt_url: str | None = None
    track_id: Code | None = None
    requested_at: Instant | None = None
    settled_at: Instant | None = None
    requested_amount: Rials | None = None

    def columns(self) -> dict[str, Any]:
        """Return the fields of the contract's entry, by the columns of `deposits`."""
        return {name: getattr(self, name) for name in _OF_ENTRY}


_OF_ENTRY = (
    *("gateway_transaction_id", "amount", "amount_toman", "wage", "wage_toman"),
    *("status", "iban", "receipt_url"),
)


class DepositData(msgspec.Struct, frozen=True):
    """The entries that one deposit request became."""

    cash_in: tuple[DepositEntry, ...]


class DepositBody(msgspec.Struct, frozen=True):
    """The answer of a deposit request."""

    data: DepositData


class _WrappedBalance(msgspec.Struct, frozen=True):
    data: Balance


account_list: Shape[PlainList[Account]] = Shape(PlainList[Account])
deposit_list: Shape[ListBody[DepositEntry]] = Shape(ListBody[DepositEntry])
deposit_answer: Shape[DepositBody] = Shape(DepositBody)
_balance: Shape[Balance] = Shape(Balance)
_wrapped_balance: Shape[_WrappedBalance] = Shape(_WrappedBalance)


def balance(body: bytes) -> Balance:
    """Read the answer of balance, plain as documented or within `data`."""
    try:
        return _balance(body).value
    except msgspec.ValidationError:
        found = msgspec.json.decode(body)
        if not (isinstance(found, dict) and "data" in found):
            raise  # what is wrong with it as documented
        return _wrapped_balance(body).value.data
