"""Narrowing: a run over what is outstanding, in place of one over everything.

Where a clearing stands, a run reads the compacted rows that it left outstanding, those
that a later row speaks of, and all later rows: no other row can change what it finds.
Where anything that the clearing rests on is another, the run is whole.
"""

import logging

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from recon import log
from recon.errors import CorruptLake
from recon.lake import Commit, Lake
from recon.lake.parts import CLEARING
from recon.lake.schema import CLEARED, TABLES
from recon.reconcile.clearing.basis import LARGE, Basis
from recon.reconcile.clearing.clearing import tables_of, too_many
from recon.reconcile.engine import RawTable
from recon.reconcile.engines.duckdb import DuckEngine
from recon.reconcile.findings import Findings, find
from recon.reconcile.opening import table_of

_ROUNDS = 3

_REOPENED_BOOKS = """
select orders.*
from raw_books_compacted as orders
semi join (
    select
        coalesce(
            nullif(trim(checkout_number), ''), nullif(trim(request_id), '')
        ) as number
    from reopened_checkouts
) as numbers
    on trim(orders.reference) = numbers.number
anti join outstanding_books
    on
        orders.product is not distinct from outstanding_books.product
        and orders.reference is not distinct from outstanding_books.reference
"""

_TOUCHED = """
select touched.checkout_id
from int_touched_checkouts as touched
anti join known
    on touched.checkout_id = known.checkout_id
"""

_KNOWN = """
select id as checkout_id from outstanding_checkouts
union
select checkout_id from outstanding_payments
"""

_OTHER_TERMS = """
select uses.mandate_id
from raw_cleared_uses as uses
left join stg_unified__mandates as mandates
    on uses.mandate_id = mandates.mandate_id
where
    uses.payment_method is distinct from mandates.payment_method
    or uses.monthly_count is distinct from mandates.monthly_count
    or uses."limit" is distinct from mandates.limit_rial
    or uses.expires_at is distinct from mandates.expires_at
    or uses.revoked_at is distinct from mandates.revoked_at
"""

_CROWDED = """
select uses.mandate_id
from raw_cleared_uses as uses
inner join (
    select mandate_id, month, count(*) as use_count
    from int_mandate_payments
    where is_done
    group by mandate_id, month
) as later
    on uses.mandate_id = later.mandate_id
where
    uses.use_counts[list_position(uses.months, later.month)] + later.use_count
    > uses.monthly_count
"""

_OF_MANDATES = """
select distinct lines.checkout_id
from raw_payments_compacted as lines
semi join touched_mandates
    on lines.mandate_id = touched_mandates.mandate_id
anti join read_already
    on lines.checkout_id = read_already.checkout_id
where lines.checkout_id is not null
"""


def find_narrowly(lake: Lake, whole: DuckEngine) -> Findings | None:
    """Return what a run finds by a clearing; None where only a whole one can tell.

    `whole` is an open engine over everything, of which little is read.
    """
    clearings = lake.commits(whole.as_of, kind=CLEARING)
    if not clearings:
        return None
    try:
        basis = msgspec.convert(clearings[-1].certificate, Basis)
        if not basis.stands(lake, whole):
            return None
        narrow = _Narrow(lake, whole, clearings[-1])
    except msgspec.ValidationError:
        return None  # it is of another version
    except CorruptLake:
        log.note("clearing.damaged", logging.WARNING)
        return None
    return narrow.findings(basis)


class _Narrow:
    """The compacted rows that a run reads: outstanding ones, and those reopened."""

    def __init__(self, lake: Lake, whole: DuckEngine, clearing: Commit) -> None:
        self._lake = lake
        self._whole = whole
        commits = lake.commits(whole.as_of)
        self._compacted = {
            name: lake.parts(name, commits).compacted
            for name in ("checkouts", "payments")
        }
        held = {(file.folder, file.table): lake.file(file) for file in clearing.files}
        self._outstanding = {
            name: lake.read(held["outstanding", name]) for name in LARGE
        }
        self._movements = lake.read(held["cleared", "movements"])
        self._uses = table_of([held["cleared", "uses"]], CLEARED["uses"], lake.key)
        whole.add({f"outstanding_{name}": t for name, t in self._outstanding.items()})
        whole.add({"known": whole.query(_KNOWN)})

    def findings(self, basis: Basis) -> Findings | None:
        """Return what these rows give; None where they are too many, or not enough."""
        reopened = self._whole.query(_TOUCHED)
        for _ in range(_ROUNDS):
            if self._too_many(reopened):
                return None
            with self._whole.over(self._tables(reopened)) as engine:
                more = self._of_mandates(engine, reopened)
                if not more.num_rows:
                    findings = find(engine, carrying=True)
                    return findings if basis.holds(engine, findings) else None
            reopened = pa.concat_tables([reopened, more])
        return None

    def _tables(self, reopened: pa.Table) -> dict[str, RawTable]:
        again = self._again(reopened["checkout_id"].combine_chunks())
        rows = {
            name: pa.concat_tables([self._outstanding[name], again[name]])
            for name in LARGE
        }
        moved = pa.concat_tables([self._movements, _taken_back(again["payments"])])
        tables = tables_of(self._whole, rows, moved)
        return {**tables, "cleared_uses": self._uses}

    def _again(self, checkout_ids: pa.Array) -> dict[str, pa.Table]:
        """Return the compacted rows of these checkouts, which are not outstanding."""
        checkouts, payments = (
            self._lake.rows_of(name, self._compacted[name], column, checkout_ids)
            for name, column in (("checkouts", "id"), ("payments", "checkout_id"))
        )
        self._whole.add({"reopened_checkouts": checkouts})
        books = self._whole.query(_REOPENED_BOOKS).cast(TABLES["books"].schema)
        return {
            "checkouts": checkouts,
            "payments": payments.filter(pc.is_valid(payments["id"])),
            "books": books,
        }

    def _of_mandates(self, engine: DuckEngine, reopened: pa.Table) -> pa.Table:
        """Return further checkouts, of mandates of other terms or used too often."""
        touched = pa.concat_tables(map(engine.query, (_CROWDED, _OTHER_TERMS)))
        if not touched.num_rows:
            return reopened.slice(0, 0)
        known = pa.concat_tables([self._whole.table("known"), reopened])
        self._whole.add({"touched_mandates": touched, "read_already": known})
        return self._whole.query(_OF_MANDATES)

    def _too_many(self, reopened: pa.Table) -> bool:
        rows = reopened.num_rows + self._outstanding["checkouts"].num_rows
        return too_many(self._compacted["checkouts"], rows)


def _taken_back(payments: pa.Table) -> pa.Table:
    """Return what reopened payments moved as they were cleared, with the other sign."""
    done = payments.filter(
        pc.and_kleene(
            pc.equal(payments["status"], "done"), payments["paid_at"].is_valid()
        )
    )
    return pa.table(
        [done["paid_at"], pc.negate(done["affected_amount"])],
        schema=CLEARED["movements"],
    )
