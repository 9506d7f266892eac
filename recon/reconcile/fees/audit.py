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
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from recon.lake.schema import FLAG, INSTANT, RIALS, TEXT, WHOLE
from recon.money import format_rials
from recon.reconcile.engine import Engine
from recon.reconcile.fees.pieces import Piece, pieces
from recon.reconcile.fees.schedules import Flags, Schedule
from recon.wording import counted

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

`difference_rial` is what was charged less what the schedule gives; `amount_rial` is
what the wage was reckoned on, `base_rial` of int_wages.
"""

_WAGES = """
select product, coalesce(payment_method, '') as payment_method, record_id,
    related_id, occurred_at, base_rial as amount_rial, wage_rial
from int_wages
where not has_tariff
qualify row_number() over (
    partition by product, record_id
    order by related_id, occurred_at, base_rial, wage_rial
) = 1
order by product, 2, occurred_at nulls last, record_id
"""

MAX_AMOUNT = 10**16
"""Amounts and wages beyond this many rials tell no schedule, and are off every one."""

_KEYS = ("product", "payment_method")
_Row = Mapping[str, Any]
_Key = tuple[str, str]
Places = NDArray[np.int64]


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


def compute(engine: Engine) -> dict[str, pa.Table]:
    """Compute `int_fee_schedules` and `int_fee_off_schedule` from certain records.

    Only the records off their schedule become rows of Python: all of them may be
    many millions.
    """
    schedules: list[dict[str, Any]] = []
    off: list[dict[str, Any]] = []
    for key, records in _groups(engine.query(_WAGES)):
        for assigned in _assigned(records):
            schedules.append(_schedule_row(key, assigned))
            off += (_off_row(row, assigned.piece.schedule) for row in assigned.off)
    return {
        "int_fee_schedules": pa.Table.from_pylist(schedules, SCHEDULES),
        "int_fee_off_schedule": pa.Table.from_pylist(off, OFF_SCHEDULE),
    }


def _groups(wages: pa.Table) -> Iterator[tuple[_Key, pa.Table]]:
    """Yield each product and method with its records, which stand together."""
    sizes = wages.group_by(list(_KEYS), use_threads=False).aggregate(
        [([], "count_all")]
    )
    start = 0
    for group in sizes.to_pylist():
        count = group["count_all"]
        yield (group["product"], group["payment_method"]), wages.slice(start, count)
        start += count


class _Records:
    """The records of a product and method, in order of time, as columns.

    `instants` are microseconds since 1970 where `is_dated`; amounts and wages are 0
    where the two are not `is_known`. Rials.
    """

    def __init__(self, table: pa.Table) -> None:
        self.table = table
        at = table["occurred_at"]
        self.is_dated = _flags(at.is_valid())
        self.instants = _whole(at.cast(pa.int64()))
        amounts, wages = table["amount_rial"], table["wage_rial"]
        self.is_known = _usable_flags(amounts) & _usable_flags(wages)
        self.amounts = np.where(self.is_known, _whole(amounts), 0)
        self.wages = np.where(self.is_known, _whole(wages), 0)

    def at(self, place: int) -> datetime | None:
        """Return when a record occurred."""
        found: datetime | None = self.table["occurred_at"][place].as_py()
        return found

    def fits(self, schedule: Schedule) -> Flags:
        """Tell which records have exactly the wage of a schedule."""
        return self.is_known & schedule.fits(self.amounts, self.wages)


def _assigned(table: pa.Table) -> Iterator[_Assigned]:
    """Yield the pieces of a product and method with their records, in order of time.

    A record without a time belongs to the first piece that gives its wage, else to
    the last; one without an amount or a wage is off the piece of its time. Nothing is
    said where no record has both.
    """
    records = _Records(table)
    basis = np.flatnonzero(records.is_known & records.is_dated)
    if not len(basis):
        basis = np.flatnonzero(records.is_known)
    found = pieces(records.amounts[basis], records.wages[basis])
    homes = _homes(records, basis, found) if found else np.empty(0, np.int64)
    for number, piece in enumerate(found):
        is_member = homes == number
        off = np.flatnonzero(is_member & ~records.fits(piece.schedule))
        yield _Assigned(
            piece=piece,
            after=None if piece.after is None else records.at(int(basis[piece.after])),
            since=records.at(int(basis[piece.start])) if number else None,
            records=int(is_member.sum()),
            off=table.take(off).to_pylist(),
        )


def _homes(records: _Records, basis: Places, found: Sequence[Piece]) -> Places:
    """Return for each record the number of its piece."""
    last = len(found) - 1
    homes = np.full(len(records.is_known), last)
    for number in range(last, -1, -1):
        homes[records.fits(found[number].schedule)] = number
    starts = basis[[piece.start for piece in found]]
    begun = np.zeros(len(homes), np.int64)
    if records.is_dated[starts].all():
        begun = (
            records.instants[starts].searchsorted(records.instants, side="right") - 1
        )
    homes = np.where(records.is_dated, np.maximum(begun, 0), homes)
    for number, piece in enumerate(found):
        homes[basis[piece.start : piece.stop]] = number
    return homes


def _usable_flags(rials: pa.ChunkedArray) -> Flags:
    values = _whole(rials)
    return _flags(rials.is_valid()) & (values >= 0) & (values <= MAX_AMOUNT)


def _usable(rials: int | None) -> bool:
    return rials is not None and 0 <= rials <= MAX_AMOUNT


def _whole(column: pa.ChunkedArray) -> Places:
    values: Places = column.fill_null(0).to_numpy()
    return values


def _flags(column: pa.ChunkedArray) -> Flags:
    values: Flags = column.to_numpy()
    return values


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
    records = counted(assigned.records, "record")
    words += f": exactly the wage of {assigned.fitting:,} of {records}."
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
