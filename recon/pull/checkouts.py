"""The checkouts of the unified service, and the payments within them."""

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import Any

from recon.api.ids import IdSet
from recon.api.paging import ListPage
from recon.api.unified import UnifiedReads
from recon.lake import Lake
from recon.pull.keeping import Shapes
from recon.pull.listing import Listing, Reopening, made_since, refuse_other_name
from recon.pull.partial import OPEN_FOR
from recon.pull.pulling import Found, Pulling
from recon.pull.reading import read_list
from recon.pull.resuming import Resumption
from recon.records.plain_checkouts import (
    AnyCheckout,
    checkout_columns,
    checkout_list,
    payment_columns,
)
from recon.records.unified import (
    CHECKOUT_STATUSES,
    PAYMENT_STATUSES,
    Checkout,
    Customer,
    Payment,
)
from recon.settings import Unified

NAME = "checkouts"
SECTION = "unified"
TABLE = "checkouts"

_NOBODY = Customer()

_SHAPES: Shapes[Any] = {
    TABLE: checkout_columns,
    "payments": payment_columns,
}


async def fetch(pulling: Pulling) -> Found:
    """Walk the list of checkouts; a payment is a row of its own."""
    settings = pulling.settings
    unified = settings.unified or Unified()
    reads = UnifiedReads(pulling.client, unified, settings.business.name)
    keeper = pulling.keeper

    def take(page: ListPage[Any]) -> None:
        rows = page.rows
        if rows and isinstance(rows[0], Checkout):  # then all of them are
            keeper.keep(TABLE, map(checkout_row, rows), page.answer)
            keeper.keep("payments", payment_rows(rows), page.answer)
        else:
            keeper.keep_plain(rows, _SHAPES, page.answer)
        keeper.note_states(
            "checkout.status", [row.status for row in rows], CHECKOUT_STATUSES
        )
        keeper.note_states(
            "payment.status",
            [payment.status for row in rows for payment in row.payments],
            PAYMENT_STATUSES,
        )

    async def reread(checkout_id: str) -> None:
        answer = await reads.checkout(checkout_id)
        refuse_other_name(checkout_id, answer.value.id)
        keeper.keep(TABLE, [checkout_row(answer.value)], answer)
        keeper.keep("payments", payment_rows([answer.value]), answer)

    return await read_list(
        pulling,
        Listing(
            partial(reads.checkouts, shape=checkout_list),
            key=lambda checkout: checkout.id,
            take=take,
            table=TABLE,
            created_at=_created_at,
            reopening=Reopening(open_ids, reread),
            resumption=Resumption(
                f"{unified.base_url} {settings.business.name} {unified.per_page}",
                checkout_list,
                is_final,
            ),
        ),
    )


def is_final(checkout: AnyCheckout, now: datetime) -> bool:
    """Tell whether a checkout is not read again by pulls in part (see `open_ids`)."""
    at = _created_at(checkout)
    if at is not None and at < (now - OPEN_FOR).timestamp():
        return True
    undone = any(payment.status != "done" for payment in checkout.payments)
    return checkout.status == "paid" and not undone


def _created_at(checkout: AnyCheckout) -> float | None:
    """Return it in Unix seconds."""
    at = checkout.created_at
    return at.timestamp() if isinstance(at, datetime) else at


def open_ids(lake: Lake, since: datetime) -> list[str]:
    """Return the checkouts since then that are not paid, or have an open payment.

    Open payments may be as many as all others: of their checkouts 64 bits are held.
    One that shares them with another makes it asked for once more, no worse.
    """
    undone = IdSet()
    for batch in lake.current_batches(
        "payments", ["checkout_id"], where="status <> 'done'"
    ):
        undone.note(batch["checkout_id"].to_pylist())
    found: list[str] = []
    fresh = made_since(since)
    for batch in lake.current_batches(TABLE, ["id", "status"], where=fresh):
        ids, statuses = (batch[name].to_pylist() for name in ("id", "status"))
        known = zip(ids, statuses, strict=True)
        paid = [checkout_id for checkout_id, status in known if status == "paid"]
        closed = undone.missing(paid)
        found += [checkout_id for checkout_id in ids if checkout_id not in closed]
    return sorted(found)


def checkout_row(checkout: Checkout) -> dict[str, Any]:
    """Return a checkout as a row of `checkouts`; amounts in rials."""
    customer = checkout.customer or _NOBODY
    return {
        "id": checkout.id,
        "request_id": checkout.request_id,
        "checkout_number": checkout.checkout_number,
        "amount": checkout.amount,
        "status": checkout.status,
        "description": checkout.description,
        "created_at": checkout.created_at,
        "updated_at": checkout.updated_at,
        "customer_id": customer.id,
        "customer_mobile": customer.mobile,
        "customer_first_name": customer.first_name,
        "customer_last_name": customer.last_name,
        "customer_national_code": customer.national_code,
        "customer_email": customer.email,
        "payment_ids": [payment.id for payment in checkout.payments],
    }


def payment_rows(checkouts: Any) -> Iterator[dict[str, Any]]:
    """Yield the payments of checkouts as rows of `payments`, in their order."""
    for checkout in checkouts:
        for payment in checkout.payments:
            yield payment_row(payment, checkout.id)


def payment_row(payment: Payment, checkout_id: str) -> dict[str, Any]:
    """Return a payment as a row of `payments`; amounts in rials."""
    error, debit, card = payment.error, payment.debit, payment.card
    return {
        "id": payment.id,
        "checkout_id": checkout_id,
        "payment_method": payment.payment_method,
        "amount": payment.amount,
        "wage_amount": payment.wage_amount,
        "affected_amount": payment.affected_amount,
        "ref_id": payment.ref_id,
        "tracking_code": payment.tracking_code,
        "status": payment.status,
        "error_code": error.code if error else None,
        "error_message": error.message if error else None,
        "created_at": payment.created_at,
        "updated_at": payment.updated_at,
        "paid_at": payment.paid_at,
        "type": payment.type,
        "mandate_id": debit.mandate_key if debit else None,
        "card_number": card.card_number if card else None,
        "card_cid": card.cid if card else None,
    }
