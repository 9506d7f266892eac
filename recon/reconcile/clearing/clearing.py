"""Clearing: what a whole run proved plain, so that later runs need not read it.

A run over millions of records finds a few breaks. Of all others no rule can say
anything until a later row speaks of them: they are cleared. A clearing is a commit of
its own, like a compaction. It keeps copies of the compacted rows that are outstanding,
and what the cleared ones come to. It is kept only where the outstanding rows alone
give exactly what the whole run found. `narrowing` reads it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import msgspec
import pyarrow as pa

from recon import log
from recon.lake import Commit, Lake, StoredFile, compaction
from recon.lake.parts import CLEARING
from recon.lake.schema import CLEARED
from recon.reconcile.clearing.basis import LARGE, Basis
from recon.reconcile.engine import RawTable
from recon.reconcile.engines.duckdb import DuckEngine
from recon.reconcile.findings import Findings, carried, find
from recon.reconcile.given import BREAK_NAMES, OPEN_SPANS

FEWEST_ROWS = 500_000
"""Of compacted payments: a whole run over fewer takes a few seconds."""

LARGEST_SHARE = 4
"""One in so many: more compacted rows to read again, and a whole run is no dearer."""

_FOR_EVER = datetime(2900, 1, 1, tzinfo=UTC)

_COUNTS = (
    "select count(record_id) as n from int_book_far_records where product = 'unified'",
    "select count(*) as n from int_outstanding_checkouts",
)
"""How many checkouts stay outstanding, after how many do at least, which is soon
counted: where the books ended long ago these alone may be too many."""

_OUTSTANDING = {
    "checkouts": """
select lines.*
from raw_checkouts_compacted as lines
left join int_outstanding_checkouts as outstanding
    on lines.id = outstanding.checkout_id
where outstanding.checkout_id is not null or lines.id is null
""",
    "payments": """
select lines.*
from raw_payments_compacted as lines
left join int_outstanding_checkouts as outstanding
    on lines.checkout_id = outstanding.checkout_id
where
    outstanding.checkout_id is not null
    or lines.checkout_id is null
    or lines.id is null
""",
    "books": """
select orders.*
from raw_books_compacted as orders
anti join (
    select
        coalesce(
            nullif(trim(lines.checkout_number), ''),
            nullif(trim(lines.request_id), '')
        ) as number
    from raw_checkouts_compacted as lines
    anti join int_outstanding_checkouts as outstanding
        on lines.id = outstanding.checkout_id
    where lines.id is not null
) as cleared
    on trim(orders.reference) = cleared.number
""",
}
"""The compacted rows that stay: an order does, unless its checkout is cleared."""

_USES = """
with monthly as (
    select
        uses.mandate_id,
        uses.month,
        count(*) filter (where uses.is_done) as use_count,
        uses.mandate_payment_method as payment_method,
        uses.monthly_count,
        uses.limit_rial,
        uses.expires_at,
        uses.revoked_at
    from int_mandate_payments as uses
    anti join read_payments
        on uses.payment_id = read_payments.id
    where uses.mandate_id is not null
    group by
        uses.mandate_id,
        uses.month,
        uses.mandate_payment_method,
        uses.monthly_count,
        uses.limit_rial,
        uses.expires_at,
        uses.revoked_at
)
select
    mandate_id,
    list(month order by month) filter (where month is not null) as months,
    list(use_count order by month) filter (where month is not null) as use_counts,
    payment_method,
    monthly_count,
    limit_rial as "limit",
    expires_at,
    revoked_at
from monthly
group by
    mandate_id, payment_method, monthly_count, limit_rial, expires_at, revoked_at
"""


def is_due(lake: Lake) -> bool:
    """Tell whether a clearing saves time: so much is compacted, and stays so."""
    commits = lake.commits()
    parts = {name: lake.parts(name, commits) for name in LARGE}
    if any(compaction.is_due(each) for each in parts.values()):
        return False  # it would end with the compaction
    return sum(file.rows for file in parts["payments"].compacted) >= FEWEST_ROWS


@dataclass(frozen=True)
class Outstanding:
    """The compacted rows that stay, what the others come to, and what that rests on."""

    rows: Mapping[str, pa.Table]
    movements: pa.Table
    uses: pa.Table
    basis: Basis
    as_of: datetime


def clear(lake: Lake, whole: DuckEngine, findings: Findings) -> Commit | None:
    """Keep what a whole run, whose engine is still open, leaves outstanding.

    Returns None where they are many, or alone give anything else than it found: then
    the runs that follow are whole as before.
    """
    found = outstanding(lake, whole, findings)
    return keep(lake, found) if found else None


def outstanding(
    lake: Lake, whole: DuckEngine, findings: Findings
) -> Outstanding | None:
    """Return what a whole run leaves outstanding, proven, or None as `clear` does."""
    basis = Basis.of(lake, whole, findings)
    whole.add(
        {
            "raw_break_names": _break_names(findings.breaks),
            "raw_open_spans": _open_spans(whole, findings, basis.last_snapshot_at),
        }
    )
    compacted = lake.parts("checkouts", lake.commits(whole.as_of)).compacted
    for sql in _COUNTS:
        if too_many(compacted, whole.query(sql)["n"][0].as_py()):
            log.note("clearing.too_many")
            return None
    rows = {name: whole.query(sql) for name, sql in _OUTSTANDING.items()}
    with whole.over(tables_of(whole, rows)) as narrow:
        movements = _cleared_movements(narrow, findings)
        whole.add({"read_payments": narrow.query("select id from raw_payments")})
    uses = whole.query_as_written(_USES).cast(CLEARED["uses"])
    with whole.over(tables_of(whole, rows, movements)) as narrow:
        known = replace(findings, carried=carried(whole))
        if not find(narrow, carrying=True).same_as(known):
            log.note("clearing.differs")
            return None
    return Outstanding(rows, movements, uses, basis, whole.as_of)


def keep(lake: Lake, found: Outstanding) -> Commit:
    """Commit what is outstanding."""
    with lake.begin(CLEARING, "records") as writing:
        for name, rows in found.rows.items():
            writing.copies("outstanding", name, rows)
        writing.cleared("movements", found.movements)
        writing.cleared("uses", found.uses)
        return writing.commit(
            counts={name: rows.num_rows for name, rows in found.rows.items()},
            certificate=msgspec.to_builtins(found.basis),
            as_of=found.as_of,
        )


def too_many(compacted: Iterable[StoredFile], checkouts: int) -> bool:
    """Tell whether so many of the compacted checkouts are too many to read again."""
    return checkouts * LARGEST_SHARE > sum(file.rows for file in compacted)


def tables_of(
    whole: DuckEngine,
    rows: Mapping[str, pa.Table],
    movements: pa.Table | None = None,
) -> dict[str, RawTable]:
    """Return the tables of an engine that reads only these compacted rows.

    `rows` has those of each of the large tables, `movements` what the others moved.
    """
    whole.add({f"read_{name}": rows[name] for name in ("checkouts", "payments")})
    tables: dict[str, RawTable] = {f"{name}_compacted": rows[name] for name in LARGE}
    for name in ("checkouts", "payments"):
        tables[f"{name}_superseded"] = whole.query(
            f"select versions.* from raw_{name}_superseded as versions "
            f"semi join read_{name} on versions.id = read_{name}.id"
        )
    tables["cleared_movements"] = (
        CLEARED["movements"].empty_table() if movements is None else movements
    )
    return tables


def _break_names(breaks: pa.Table) -> pa.Table:
    """Return whatever in a break may be an id or a number of a record."""
    names: set[str] = set()
    for column in ("record_id", "related_id"):
        for text in breaks[column].unique().drop_null().to_pylist():
            bare = [text, text.partition(":")[2], text.rpartition(":")[0]]
            names.update(
                word.strip() for each in bare for word in [each, *each.split()]
            )
    return pa.table({"name": sorted(names - {""})}, schema=BREAK_NAMES)


def _open_spans(
    whole: DuckEngine, findings: Findings, last_snapshot_at: datetime | None
) -> pa.Table:
    """Return when what moved may yet be asked for, as an explanation or a hint.

    It is all of an interval that is not explained, and what is after the last one. Of
    one that is, only what a clock's skew may have moved over its ends.
    """
    checks = whole.settings.checks
    spans = []
    for row in findings.rollforward.to_pylist():
        ends = row["from_at"], row["to_at"]
        if abs(row["unexplained_rial"]) > checks.tolerance:
            spans.append(ends)
        elif abs(row["difference_rial"]) > checks.tolerance:
            spans += [(end, end) for end in ends]
    if last_snapshot_at is not None:
        spans.append((last_snapshot_at, _FOR_EVER))
    skew = checks.clock_skew
    rows = [{"from_at": begin - skew, "until_at": end + skew} for begin, end in spans]
    return pa.Table.from_pylist(rows, OPEN_SPANS)


def _cleared_movements(narrow: DuckEngine, findings: Findings) -> pa.Table:
    """Return what the payments that `narrow` does not read moved in each interval."""
    sums = narrow.query("select to_at, payments_rial from int_wallet_certain_sums")
    read = dict(zip(*(column.to_pylist() for column in sums.columns), strict=True))
    flow = findings.rollforward.select(["to_at", "payments_rial"]).to_pylist()
    moved = [
        {
            "occurred_at": row["to_at"],
            "amount": row["payments_rial"] - read[row["to_at"]],
        }
        for row in flow
    ]
    return pa.Table.from_pylist(moved, CLEARED["movements"])
