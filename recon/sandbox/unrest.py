"""What changes in a world while somebody reads it: records come, go and are restated.

A new record is plain and unpaid, so that it moves no money. Restating changes what is
shown and leaves the wallet as it is: that is the fault.
"""

from collections.abc import Callable
from typing import Any

from recon.sandbox.state import State, new_digits, new_id
from recon.sandbox.trades import DRAFT
from recon.sandbox.world import CHECKOUT_NOT_PAID, PAYMENT_DONE, Record

_LISTS = {
    "checkouts": "checkouts",
    "mandates": "mandates",
    "agreements": "agreements",
    "customers": "escrow_customers",
}
_RESTATED_WAGE = 1_000  # rials
_RESTATED_AMOUNT = 10_000  # rials


def list_of(path: str) -> str | None:
    """Return the records of the world which that path lists, if it lists any."""
    return _LISTS.get(path.rsplit("/", 1)[-1])


def insert(state: State, name: str) -> None:
    """Add a record to a list, newer than all others and unlike any."""
    records: dict[Any, Record] = getattr(state.world, name)
    if not records:
        return
    newest = next(reversed(records.values()))
    key, record = _MAKERS[name](state, newest)
    records[key] = record
    state.touch(name, key)


def restate(state: State, name: str, wanted: str) -> None:
    """Change an amount of one record: that which is wanted, or the newest that can."""
    records: dict[Any, Record] = getattr(state.world, name)
    for key, record in reversed([*records.items()]):
        if wanted in {"", str(key)} and _restate(name, record):
            state.touch(name, key)
            return


def vanish(state: State, name: str, wanted: str) -> None:
    """Drop one record: that which is wanted, or the newest."""
    records: dict[Any, Record] = getattr(state.world, name)
    for key in reversed([*records]):
        if wanted in {"", str(key)}:
            del records[key]
            state.touch(name, key)
            return


def _restate(name: str, record: Record) -> bool:
    if name == "agreements":
        record["amount"] += _RESTATED_AMOUNT
        return True
    if name == "mandates":
        record["limit"] += _RESTATED_AMOUNT
        return True
    done = [pay for pay in record.get("payments", ()) if pay["status"] == PAYMENT_DONE]
    if done:
        done[0]["wage_amount"] += _RESTATED_WAGE
        done[0]["affected_amount"] -= _RESTATED_WAGE
    return bool(done)


def _new_checkout(state: State, newest: Record) -> tuple[Any, Record]:
    record = newest | {
        "id": new_id(),
        "request_id": new_id(),
        "checkout_number": new_digits(12),
        "status": CHECKOUT_NOT_PAID,
        "created_at": state.now(),
        "updated_at": state.now(),
        "payments": [],
    }
    return record["id"], record


def _new_mandate(state: State, newest: Record) -> tuple[Any, Record]:
    now = state.now()
    record = newest | {"id": new_id(), "created_at": now, "updated_at": now}
    return record["id"], record


def _new_agreement(_: State, newest: Record) -> tuple[Any, Record]:
    record = newest | {
        "tracking_code": new_digits(10),
        "trace_id": new_id(),
        "state": DRAFT,
        "_paid_at": None,
    }
    return record["tracking_code"], record


def _new_customer(state: State, newest: Record) -> tuple[Any, Record]:
    uid = max(state.world.escrow_customers) + 1
    return uid, newest | {"uid": uid, "mobile": "09" + new_digits(9)}


_MAKERS: dict[str, Callable[[State, Record], tuple[Any, Record]]] = {
    "checkouts": _new_checkout,
    "mandates": _new_mandate,
    "agreements": _new_agreement,
    "escrow_customers": _new_customer,
}
