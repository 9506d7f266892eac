"""The fee audit where no tariff was imported: what the wages themselves say.

Of the certain records that no line of a tariff covers, the schedule of each product
and payment method is inferred exactly, its changes are dated, and the records off it
are listed. That a record is off says only that it is unlike the others: no break is
made of it. Unknown: the provider's fees; the contract shows wages and no tariff.
Source: document 3, Payment (wage_amount); document 2, A, B and C (wage).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from recon.lake.schema import FLAG, INSTANT, RIALS, TEXT, WHOLE
from recon.money import format_rials
from recon.reconcile.engine import Engine
from recon.reconcile.schedule_pieces import Piece, pieces
from recon.reconcile.schedules import Schedule

SCHEDULES = pa.schema(
    {
        "product": TEXT,
        "payment_method": TEXT,
        "valid_after": INSTANT,
        "valid_from": INSTANT,
        "rate_bps": WHOLE,
        "fixed_rial": RIALS,
        "minimum_rial": RIALS,
        "maximum_rial": RIALS,
        "vat_percent": WHOLE,
        "records": WHOLE,
        "fitting": WHOLE,
        "is_unique": FLAG,
        "detail": TEXT,
    }
)
"""`int_fee_schedules`: one row a schedule of a product and payment method, in rials.

It came into force after `valid_after` and not later than `valid_from`; both are null
for the first one. A limit is null where no record reached one. `fitting` of `records`
have exactly its wage; `is_unique` is false where other schedules would give the same,
or where a single record shows one of the limits.
"""

OFF_SCHEDULE = pa.schema(
    {
        "product": TEXT,
        "payment_method": TEXT,
        "record_id": TEXT,
        "related_id": TEXT,
        "occurred_at": INSTANT,
        "amount_rial": RIALS,
        "wage_rial": RIALS,
        "expected_wage_rial": RIALS,
        "difference_rial": RIALS,
    }
)
"""`int_fee_off_schedule`: one row a record that its schedule does not give, in rials.

`difference_rial` is what was charged less what the schedule gives.
"""

_WAGES = """
select product, coalesce(payment_method, '') as payment_method, record_id,
    related_id, occurred_at, amount_rial, wage_rial
from int_wages
where not has_tariff
qualify row_number() over (
    partition by product, record_id
    order by related_id, occurred_at, amount_rial, wage_rial
) = 1
order by product, 2, occurred_at nulls last, record_id
"""

MAX_AMOUNT = 10**16
"""Amounts and wages beyond this many rials tell no schedule, and are off every one."""

_Row = Mapping[str, Any]
_Key = tuple[str, str]


class Models(Protocol):
    """A run's result, or an engine: what has the rows of models."""

    def table(self, model: str) -> pa.Table:
        """Return a model's rows."""


@dataclass(frozen=True)
class _Assigned:
    """A piece with the records of its time; `off` are those that it does not give."""

    piece: Piece
    after: datetime | None
    since: datetime | None
    records: int
    off: Sequence[_Row]

    @property
    def fitting(self) -> int:
        return self.records - len(self.off)


def inferred_schedules(result: Models) -> pa.Table:
    """Return the schedules that the wages of a run follow; `SCHEDULES`, rials."""
    return result.table("int_fee_schedules")


def off_schedule(result: Models) -> pa.Table:
    """Return the records of a run off their schedule; `OFF_SCHEDULE`, rials."""
    return result.table("int_fee_off_schedule")


def compute(engine: Engine) -> dict[str, pa.Table]:
    """Compute `int_fee_schedules` and `int_fee_off_schedule` from certain records."""
    schedules: list[dict[str, Any]] = []
    off: list[dict[str, Any]] = []
    for key, group in groupby(engine.query(_WAGES).to_pylist(), key=_key):
        for assigned in _assigned(list(group)):
            schedules.append(_schedule_row(key, assigned))
            off += (_off_row(row, assigned.piece.schedule) for row in assigned.off)
    return {
        "int_fee_schedules": pa.Table.from_pylist(schedules, SCHEDULES),
        "int_fee_off_schedule": pa.Table.from_pylist(off, OFF_SCHEDULE),
    }


def _key(row: _Row) -> _Key:
    return row["product"], row["payment_method"]


def _assigned(rows: Sequence[_Row]) -> Iterator[_Assigned]:
    """Yield the pieces of a product and method with their records, in order of time.

    A record without a time belongs to the first piece that gives its wage, else to
    the last; one without an amount or a wage is off the piece of its time. Nothing is
    said where no record has both.
    """
    dated = [row for row in rows if _is_known(row) and row["occurred_at"]]
    basis = dated or [row for row in rows if _is_known(row)]
    found = pieces(
        np.array([row["amount_rial"] for row in basis], dtype=np.int64),
        np.array([row["wage_rial"] for row in basis], dtype=np.int64),
    )
    times = [basis[piece.start]["occurred_at"] for piece in found]
    members: list[list[_Row]] = [[] for _ in found]
    places = {
        id(row): number
        for number, piece in enumerate(found)
        for row in basis[piece.start : piece.stop]
    }
    for row in rows if found else ():
        place = places.get(id(row))
        members[_place(row, found, times) if place is None else place].append(row)
    for number, piece in enumerate(found):
        yield _Assigned(
            piece=piece,
            after=None if piece.after is None else basis[piece.after]["occurred_at"],
            since=times[number] if number else None,
            records=len(members[number]),
            off=[row for row in members[number] if not _fits(row, piece.schedule)],
        )


def _place(row: _Row, found: Sequence[Piece], times: Sequence[datetime | None]) -> int:
    """Return which piece a record that none was inferred from belongs to."""
    last = len(found) - 1
    at = row["occurred_at"]
    if at is None:
        fits = (n for n, piece in enumerate(found) if _fits(row, piece.schedule))
        return next(fits, last)
    begun = [n for n, time in enumerate(times) if time is not None and time <= at]
    return max(begun, default=0)


def _is_known(row: _Row) -> bool:
    return _usable(row["amount_rial"]) and _usable(row["wage_rial"])


def _usable(rials: int | None) -> bool:
    return rials is not None and 0 <= rials <= MAX_AMOUNT


def _fits(row: _Row, schedule: Schedule) -> bool:
    fits: bool = _is_known(row) and row["wage_rial"] == schedule.wage(
        row["amount_rial"]
    )
    return fits


def _schedule_row(key: _Key, assigned: _Assigned) -> dict[str, Any]:
    schedule = assigned.piece.schedule
    return {
        "product": key[0],
        "payment_method": key[1],
        "valid_after": assigned.after,
        "valid_from": assigned.since,
        "rate_bps": schedule.rate_bps,
        "fixed_rial": schedule.fixed,
        "minimum_rial": schedule.minimum,
        "maximum_rial": schedule.maximum,
        "vat_percent": schedule.vat_percent,
        "records": assigned.records,
        "fitting": assigned.fitting,
        "is_unique": assigned.piece.is_unique,
        "detail": _words(assigned),
    }


def _words(assigned: _Assigned) -> str:
    """Tell a schedule, how well it fits, and whether another would fit as well."""
    schedule = assigned.piece.schedule
    parts = []
    if schedule.rate_bps:
        percent = f"{schedule.rate_bps // 100}.{schedule.rate_bps % 100:02d}"
        parts.append(f"{percent.rstrip('0').rstrip('.')}% of the amount")
    if schedule.fixed or not parts:
        parts.append(f"{format_rials(schedule.fixed)} rials")
    words = " and ".join(parts)
    if schedule.minimum is not None:
        words += f", at least {format_rials(schedule.minimum)} rials"
    if schedule.maximum is not None:
        words += f", at most {format_rials(schedule.maximum)} rials"
    if schedule.vat_percent:
        words += f", plus {schedule.vat_percent}% VAT on the fee"
    fitting, records = assigned.fitting, assigned.records
    words += f": exactly the wage of {fitting:,} of {records:,} records."
    if not assigned.piece.is_unique:
        words += " It is not the only one that may hold."
    return words[0].upper() + words[1:]


def _off_row(row: _Row, schedule: Schedule) -> dict[str, Any]:
    amount, wage = row["amount_rial"], row["wage_rial"]
    expected = schedule.wage(amount) if _usable(amount) else None
    known = expected is not None and _usable(wage)
    return {
        **row,
        "expected_wage_rial": expected,
        "difference_rial": wage - expected if known else None,
    }
