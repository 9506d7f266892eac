"""Checkouts as the contract's lists show them, read straight into columns.

A list is long and nearly all of it is plain: identifiers as text, times as Unix
seconds, amounts as integers or digits. Such a page is read without an object built
in Python for each record; any other page is read as `unified` records, which take
every shape. Both ways give the same rows.
Source: document 3, Resources and their fields; the checkout's `amount` is a digit
string in lists.
"""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta as Bounds
from msgspec.structs import astuple

from recon.records import unified
from recon.records.decoding import Decoded, Shape, Strict
from recon.records.lists import ListBody

Columns = list[list[Any]]
"""The columns of a table, in its order; instants as microseconds since 1970."""

_Amount = Annotated[int, Bounds(ge=-(2**63), le=2**63 - 1)]
_Seconds = Annotated[int, Bounds(ge=-62_135_596_800, le=253_402_300_799)]
"""The years 1 to 9999."""

_MICROSECONDS = 1_000_000
_MOST_DIGITS = 18  # all of them fit 64 bits


class Customer(Strict, frozen=True, gc=False):
    """Who pays."""

    id: str | None = None
    mobile: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    national_code: str | None = None
    email: str | None = None


class PaymentError(Strict, frozen=True, gc=False):
    """Why a payment did not happen."""

    code: str | None = None
    message: str | None = None


class Debit(Strict, frozen=True, gc=False):
    """The mandate behind a debit payment, by its id; a whole one is not plain."""

    mandate_id: str | None = None
    mandate: None = None


class Card(Strict, frozen=True, gc=False):
    """The card that paid."""

    card_number: str | None = None
    cid: str | None = None


class Payment(Strict, frozen=True, gc=False):
    """One attempt to pay; amounts in rials, times in Unix seconds."""

    id: str
    amount: _Amount
    status: str
    payment_method: str | None = None
    wage_amount: _Amount | None = None
    affected_amount: _Amount | None = None
    ref_id: str | None = None
    tracking_code: str | None = None
    error: PaymentError | None = None
    created_at: _Seconds | None = None
    updated_at: _Seconds | None = None
    paid_at: _Seconds | None = None
    type: str | None = None
    debit: Debit | None = None
    credit: dict[str, Any] | None = None
    card: Card | None = None


class Checkout(Strict, frozen=True, gc=False):
    """One invoice and its payments; `amount` in rials, as integer or digits."""

    id: str
    amount: _Amount | str
    status: str
    payments: tuple[Payment, ...]
    request_id: str | None = None
    checkout_number: str | None = None
    description: str | None = None
    created_at: _Seconds | None = None
    updated_at: _Seconds | None = None
    customer: Customer | None = None


AnyCheckout = Checkout | unified.Checkout

_NOBODY = Customer()
_NO_ERROR = PaymentError()
_NO_DEBIT = Debit()
_NO_CARD = Card()

_plain_list: Shape[ListBody[Checkout]] = Shape(ListBody[Checkout])


def checkout_list(body: bytes) -> Decoded[ListBody[Any]]:
    """Decode a page of checkouts: all of them plain, or all of them `unified` ones.

    Raises msgspec.DecodeError on what neither can be.
    """
    try:
        found = _plain_list(body)
    except msgspec.ValidationError:
        return unified.checkout_list(body)
    if not _are_digits([row.amount for row in found.value.data]):
        return unified.checkout_list(body)
    return found


def _are_digits(amounts: list[int | str]) -> bool:
    """Tell whether the texts among amounts are plain digits that fit 64 bits."""
    texts = [amount for amount in amounts if type(amount) is str]
    if not texts:
        return True
    lengths = set(map(len, texts))
    joined = "".join(texts)
    fit = min(lengths) >= 1 and max(lengths) <= _MOST_DIGITS
    return fit and joined.isascii() and joined.isdigit()


def checkout_columns(rows: Sequence[Checkout]) -> Columns:
    """Return plain checkouts as the columns of `checkouts`."""
    of = _fields(rows, Checkout)
    customers = _fields([each or _NOBODY for each in of["customer"]], Customer)
    return [
        of["id"],
        of["request_id"],
        of["checkout_number"],
        list(map(int, of["amount"])),
        of["status"],
        of["description"],
        _instants(of["created_at"]),
        _instants(of["updated_at"]),
        customers["id"],
        customers["mobile"],
        customers["first_name"],
        customers["last_name"],
        customers["national_code"],
        customers["email"],
        [[payment.id for payment in payments] for payments in of["payments"]],
    ]


def payment_columns(rows: Sequence[Checkout]) -> Columns:
    """Return the payments of plain checkouts as the columns of `payments`."""
    of = _fields([payment for row in rows for payment in row.payments], Payment)
    errors = [each or _NO_ERROR for each in of["error"]]
    cards = [each or _NO_CARD for each in of["card"]]
    return [
        of["id"],
        [row.id for row in rows for _ in row.payments],
        of["payment_method"],
        of["amount"],
        of["wage_amount"],
        of["affected_amount"],
        of["ref_id"],
        of["tracking_code"],
        of["status"],
        [each.code for each in errors],
        [each.message for each in errors],
        _instants(of["created_at"]),
        _instants(of["updated_at"]),
        _instants(of["paid_at"]),
        of["type"],
        [(each or _NO_DEBIT).mandate_id for each in of["debit"]],
        [each.card_number for each in cards],
        [each.cid for each in cards],
    ]


def _fields(rows: Sequence[Strict], kind: type[Strict]) -> dict[str, list[Any]]:
    """Return the fields of records as columns; one pass in C, not one a field."""
    names = kind.__struct_fields__
    columns = zip(*map(astuple, rows), strict=True) if rows else [()] * len(names)
    return dict(zip(names, map(list, columns), strict=True))


def _instants(seconds: list[int | None]) -> list[int | None]:
    return [None if each is None else each * _MICROSECONDS for each in seconds]
