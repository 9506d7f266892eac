"""Checkouts as the contract's lists show them, read straight into rows.

A list is long and nearly all of it is plain: identifiers as text, times as Unix
seconds, amounts as integers or digits. Such a page is read without running Python for
each record; any other page is read as `unified` records, which take every shape. Both
ways give the same rows.
Source: document 3, Resources and their fields; the checkout's `amount` is a digit
string in lists.
"""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta as Bounds

from recon.money import MAX_AMOUNT_DIGITS
from recon.records import unified
from recon.records.decoding import Decoded, Shape, Strict
from recon.records.lists import ListBody
from recon.records.scalars import AMOUNTS

Columns = tuple[list[Any], ...]
"""A table's columns in their order; instants as microseconds since 1970."""

_Amount = Annotated[int, Bounds(ge=AMOUNTS[0], le=AMOUNTS[-1])]
_Seconds = Annotated[int, Bounds(ge=-62_135_596_800, le=253_402_300_799)]
"""The years 1 to 9999."""

_MICROSECONDS = 1_000_000


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
    """Tell whether the texts among amounts are plain digits, and not too many."""
    texts = [amount for amount in amounts if type(amount) is str]
    if not texts:
        return True
    lengths = set(map(len, texts))
    joined = "".join(texts)
    fit = min(lengths) >= 1 and max(lengths) <= MAX_AMOUNT_DIGITS
    return fit and joined.isascii() and joined.isdigit()


def checkout_columns(checkouts: Sequence[Checkout]) -> Columns:
    """Return plain checkouts as columns of `checkouts`: a row each."""
    customers = [each.customer or _NOBODY for each in checkouts]
    return (
        [each.id for each in checkouts],
        [each.request_id for each in checkouts],
        [each.checkout_number for each in checkouts],
        [int(each.amount) for each in checkouts],
        [each.status for each in checkouts],
        [each.description for each in checkouts],
        _microseconds([each.created_at for each in checkouts]),
        _microseconds([each.updated_at for each in checkouts]),
        [each.id for each in customers],
        [each.mobile for each in customers],
        [each.first_name for each in customers],
        [each.last_name for each in customers],
        [each.national_code for each in customers],
        [each.email for each in customers],
        [[payment.id for payment in each.payments] for each in checkouts],
    )


def payment_columns(checkouts: Sequence[Checkout]) -> Columns:
    """Return the payments of plain checkouts as columns of `payments`, in order."""
    payments = [payment for each in checkouts for payment in each.payments]
    errors = [each.error or _NO_ERROR for each in payments]
    debits = [each.debit or _NO_DEBIT for each in payments]
    cards = [each.card or _NO_CARD for each in payments]
    return (
        [each.id for each in payments],
        [each.id for each in checkouts for _ in each.payments],
        [each.payment_method for each in payments],
        [each.amount for each in payments],
        [each.wage_amount for each in payments],
        [each.affected_amount for each in payments],
        [each.ref_id for each in payments],
        [each.tracking_code for each in payments],
        [each.status for each in payments],
        [each.code for each in errors],
        [each.message for each in errors],
        _microseconds([each.created_at for each in payments]),
        _microseconds([each.updated_at for each in payments]),
        _microseconds([each.paid_at or None for each in payments]),  # 0: not yet paid
        [each.type for each in payments],
        [each.mandate_id for each in debits],
        [each.card_number for each in cards],
        [each.cid for each in cards],
    )


def _microseconds(seconds: list[int | None]) -> list[int | None]:
    return [None if each is None else each * _MICROSECONDS for each in seconds]
