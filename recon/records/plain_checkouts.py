"""Checkouts as the contract's lists show them, read straight into rows.

A list is long and nearly all of it is plain: identifiers as text, times as Unix
seconds, amounts as integers or digits. Such a page is read without
code of Python run for each record; any other page is read as `unified` records, which
take every shape. Both ways give the same rows.
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

Values = tuple[Any, ...]
"""A row of a table in its columns' order; instants as microseconds since 1970."""

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


def checkout_values(checkouts: Sequence[Checkout]) -> list[Values]:
    """Return plain checkouts as rows of `checkouts`: one each."""
    rows = []
    for each in checkouts:
        customer = each.customer or _NOBODY
        made, changed = each.created_at, each.updated_at
        row = (
            each.id,
            each.request_id,
            each.checkout_number,
            int(each.amount),
            each.status,
            each.description,
            None if made is None else made * _MICROSECONDS,
            None if changed is None else changed * _MICROSECONDS,
            customer.id,
            customer.mobile,
            customer.first_name,
            customer.last_name,
            customer.national_code,
            customer.email,
            [payment.id for payment in each.payments],
        )
        rows.append(row)
    return rows


def payment_values(checkouts: Sequence[Checkout]) -> list[Values]:
    """Return the payments of plain checkouts as rows of `payments`, in their order."""
    rows = []
    for checkout in checkouts:
        checkout_id = checkout.id
        for each in checkout.payments:
            error, card, debit = each.error, each.card, each.debit
            made, changed, paid = each.created_at, each.updated_at, each.paid_at
            row = (
                each.id,
                checkout_id,
                each.payment_method,
                each.amount,
                each.wage_amount,
                each.affected_amount,
                each.ref_id,
                each.tracking_code,
                each.status,
                None if error is None else error.code,
                None if error is None else error.message,
                None if made is None else made * _MICROSECONDS,
                None if changed is None else changed * _MICROSECONDS,
                None if paid is None else paid * _MICROSECONDS,
                each.type,
                None if debit is None else debit.mandate_id,
                None if card is None else card.card_number,
                None if card is None else card.cid,
            )
            rows.append(row)
    return rows
