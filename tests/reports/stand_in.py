"""A run's result made by hand: the tables that a report reads, and nothing else."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from typing import Any

import duckdb
import pyarrow as pa

from recon.errors import ExitCode
from recon.lake.schema import TABLES
from recon.reconcile.models import names_read
from recon.reports import (
    bank_matches,
    breaks,
    duplicate_payments,
    failures,
    fees,
    flows,
    journal,
    matches,
    rollforward,
    settlements,
)
from recon.settings import Business

AS_OF = datetime(2026, 3, 2, 3, 0, tzinfo=UTC)
WALLET = "IR062960000000100324200001"
_DATABASE = duckdb.connect()
"""Opened once: what a cursor of it registers is that cursor's own."""


@dataclass
class SourceStandIn:
    records: int = 10
    pages: int = 1
    new: int = 2
    changed: int = 1
    vanished: int = 0
    complete: bool = True
    partial: bool = False
    read_at: datetime = AS_OF
    last_whole_sweep: datetime | None = AS_OF
    error: str | None = None
    certificate: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class ResultStandIn:
    """Answers from the tables it was given; a model that it lacks is empty."""

    tables: Mapping[str, pa.Table] = field(default_factory=dict)
    break_rows: Sequence[Mapping[str, Any]] = ()
    interval_rows: Sequence[Mapping[str, Any]] = ()
    sources: Mapping[str, Any] = field(
        default_factory=lambda: {"checkouts": SourceStandIn()}
    )
    never_read: Sequence[str] = ()
    not_run: Sequence[str] = ()
    complete: bool = True
    as_of: datetime = AS_OF
    run_id: str = "20260302T030000.000000Z-00000001"
    is_kept: bool = False
    newest_commit: str = "20260302T030000.000000Z-00000000"
    zone: tzinfo = Business(name="shop").timezone

    @property
    def breaks(self) -> pa.Table:
        return rows(breaks.COLUMNS, self.break_rows)

    @property
    def rollforward(self) -> pa.Table:
        return rows(rollforward.COLUMNS, self.interval_rows)

    def table(self, model: str) -> pa.Table:
        return self.tables.get(model, _EMPTY[model])

    def sql(self, query: str, **parameters: Any) -> pa.Table:
        with _DATABASE.cursor() as connection:
            connection.execute("set TimeZone = 'UTC'")
            known = _EMPTY | dict(self.tables)
            for name in names_read(query, "the query") & known.keys():
                connection.register(name, known[name])
            found = connection.sql(query, params=parameters or None)
            return found.to_arrow_table()

    def stream(self, query: str, order: Sequence[str] = ()) -> Iterator[pa.Table]:
        found = self.sql(query)
        if order:
            found = found.sort_by([(name, "ascending") for name in order])
        for batch in found.to_batches(max_chunksize=2):
            yield pa.Table.from_batches([batch])

    def exit_code(self) -> ExitCode:
        if not self.complete:
            return ExitCode.INCOMPLETE
        loud = {"error", "critical"}
        is_open = any(
            row["status"] == "open" and row["severity"] in loud
            for row in self.break_rows
        )
        return ExitCode.BREAKS_OPEN if is_open else ExitCode.CLEAN


FEE_DAYS = pa.schema(
    [
        field
        for field in fees.COLUMNS
        if field.name not in ("difference", "effective_bps")
    ]
    + [pa.field("business_date", pa.date32())]
)

DATE, TEXT, WHOLE = pa.date32(), pa.string(), pa.int64()
INSTANT, FLAG = pa.timestamp("us", "UTC"), pa.bool_()
DATED_MATCHES = pa.schema(
    [*matches.COLUMNS, ("business_date", DATE), ("occurred_at", INSTANT)]
)

UNLISTED = pa.schema(
    [("status", TEXT), ("amount_rial", WHOLE), ("business_date", DATE)]
)
"""Deposits of a status that the settings do not list: what the summary asks for."""

CHANGES = pa.schema(
    [
        *((f"{end}_wallet", TEXT) for end in ("from", "to")),
        *((f"{end}_at", INSTANT) for end in ("from", "to")),
        ("to_rial", WHOLE),
    ]
)
"""Where the wallet changed, what moved, and balances that are none of its."""
MOVEMENTS = pa.schema([("occurred_at", INSTANT), ("effect_rial", WHOLE)])
OTHERS = pa.schema([("wallet", TEXT), ("snapshot_at", INSTANT)])
ENDS = pa.schema([(f"{end}_at", INSTANT) for end in ("first", "last", "until")])

COVERAGE = pa.schema([("kind", TEXT), ("row_count", WHOLE)])
"""The files of the business, and what none of them covers."""
UNCOVERED = pa.schema(
    [
        *((name, TEXT) for name in ("kind", "subject")),
        ("business_date", DATE),
        *((name, WHOLE) for name in ("count", "amount")),
        *((f"covered_{end}", DATE) for end in ("from", "to")),
    ]
)

UNJUDGED = pa.schema(
    [
        *((name, TEXT) for name in ("why", "subject", "name")),
        ("business_date", DATE),
        *((name, WHOLE) for name in ("count", "amount")),
    ]
)
"""The money of which no check speaks."""

UNDECIDED = pa.schema(
    [
        *((name, TEXT) for name in ("kind", "iban")),
        *((name, DATE) for name in ("after_date", "before_date", "business_date")),
        ("amount_rial", WHOLE),
    ]
)
"""What the bank may have booked between two statements: what the summary asks for."""

TOLD_FIGURES = (
    *("expected_closing", "closing"),
    *("difference", "unexplained"),
)
"""Those of an interval beside its words, in rials."""

MODEL_COLUMNS: dict[str, pa.Schema] = {
    "hours": pa.schema(
        [
            ("business_date", DATE),
            ("business_hour", WHOLE),
            ("product", TEXT),
            ("payment_method", TEXT),
            *((name, WHOLE) for name in ("attempts", "failed", "done", "done_amount")),
        ]
    ),
    "escrow": pa.schema(
        [
            ("tracking_code", TEXT),
            ("trace_id", TEXT),
            ("state", TEXT),
            ("amount", WHOLE),
            *((name, INSTANT) for name in ("created_at", "paid_at")),
            ("paid_date", DATE),
            *((name, WHOLE) for name in ("paid", "refunded", "paid_out", "held")),
            ("held_days", WHOLE),
            *((f"is_{name}", FLAG) for name in ("disputed", "finalized", "cancelled")),
        ]
    ),
    "mandates": pa.schema(
        [
            *((name, TEXT) for name in ("mandate_id", "payment_method", "status")),
            *((name, WHOLE) for name in ("monthly_count", "used_this_month")),
            *((name, WHOLE) for name in ("withdrawal_limit", "largest_withdrawal")),
            ("done", WHOLE),
            *((name, INSTANT) for name in ("last_used_at", "created_at", "expires_at")),
            ("expiry_date", DATE),
            ("revoked_at", INSTANT),
            ("is_usable", FLAG),
        ]
    ),
    "mandate_ages": pa.schema(
        [
            ("business_date", DATE),
            ("payment_method", TEXT),
            *((name, WHOLE) for name in ("age_weeks", "attempts", "done")),
        ]
    ),
    "explanations": pa.schema(
        [
            ("wallet", TEXT),
            ("to_at", INSTANT),
            *((name, TEXT) for name in ("item_id", "product", "record_id", "kind")),
            ("effect_rial", WHOLE),
            ("solution", WHOLE),
            ("is_unique", FLAG),
        ]
    ),
    "differences": pa.schema(
        [
            ("wallet", TEXT),
            ("from_at", INSTANT),
            ("to_at", INSTANT),
            *((f"{name}_rial", WHOLE) for name in TOLD_FIGURES),
            ("detail", TEXT),
        ]
    ),
}
"""The models behind charts, by the name of their view."""

_MODELS = {
    "hours": "report_hours",
    "escrow": "report_escrow",
    "mandates": "report_mandates",
    "mandate_ages": "report_mandate_ages",
    "explanations": "int_wallet_explanations",
    "differences": "int_wallet_rollforward",
}

_EMPTY = {
    **{_MODELS[name]: each.empty_table() for name, each in MODEL_COLUMNS.items()},
    "report_flows": flows.COLUMNS.empty_table(),
    "report_failures": failures.COLUMNS.empty_table(),
    "report_duplicate_payments": duplicate_payments.COLUMNS.empty_table(),
    "report_bank_matches": bank_matches.COLUMNS.empty_table(),
    "report_settlements": settlements.COLUMNS.empty_table(),
    "report_journal": journal.COLUMNS.empty_table(),
    "report_fees": FEE_DAYS.empty_table(),
    "report_matches": DATED_MATCHES.empty_table(),
    "int_bank_undecided": UNDECIDED.empty_table(),
    "int_unlisted_deposits": UNLISTED.empty_table(),
    "int_wallet_changes": CHANGES.empty_table(),
    "int_certain_movements": MOVEMENTS.empty_table(),
    "int_other_snapshots": OTHERS.empty_table(),
    "int_wallet_ends": ENDS.empty_table(),
    "report_coverage": COVERAGE.empty_table(),
    "report_uncovered": UNCOVERED.empty_table(),
    "report_unjudged": UNJUDGED.empty_table(),
    **{f"raw_{name}": table.schema.empty_table() for name, table in TABLES.items()},
}


def rows(columns: pa.Schema, given: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Make a table of those columns; what a row does not name is null."""
    return pa.Table.from_pylist([dict(row) for row in given], schema=columns)


def a_break(**changed: Any) -> dict[str, Any]:
    return {
        "break_id": "0123456789abcdef",
        "check": "payment_wallet_identity",
        "severity": "critical",
        "product": "unified",
        "record_id": "5e0d1f5c-0000-4000-8000-000000000001",
        "related_id": None,
        "occurred_at": datetime(2026, 3, 1, 10, 0, tzinfo=UTC),
        "business_date": date(2026, 3, 1),
        "expected": 990_000,
        "actual": 980_000,
        "difference": -10_000,
        "detail": "1,000,000 less the wage of 10,000 is 990,000",
        "first_seen": datetime(2026, 3, 2, 3, 0, tzinfo=UTC),
        "age_days": 0,
        "status": "open",
    } | changed


def an_interval(**changed: Any) -> dict[str, Any]:
    return {
        "wallet": WALLET,
        "from_at": datetime(2026, 2, 28, 20, 30, tzinfo=UTC),
        "to_at": datetime(2026, 3, 1, 20, 30, tzinfo=UTC),
        "opening": 5_000_000,
        "payments": 990_000,
        "gateway": 0,
        "hosted": 0,
        "deposits": 0,
        "adjustments": -1_000_000,
        "expected_closing": 4_990_000,
        "closing": 4_980_000,
        "difference": -10_000,
        "explained": 0,
        "unexplained": -10_000,
    } | changed


def told(interval: Mapping[str, Any], detail: str = "") -> dict[str, Any]:
    """An interval as `int_wallet_rollforward` has it, with words on its rest."""
    figures = {f"{name}_rial": interval[name] for name in TOLD_FIGURES}
    return {**interval, **figures, "detail": detail}


def a_flow(**changed: Any) -> dict[str, Any]:
    return {
        "business_date": date(2026, 3, 1),
        "product": "unified",
        "payment_method": "debit-north",
        "count": 3,
        "amount": 3_000_000,
        "wage": 30_000,
        "affected": 2_970_000,
    } | changed


def a_failure(**changed: Any) -> dict[str, Any]:
    return {
        "business_date": date(2026, 3, 1),
        "product": "unified",
        "payment_method": "debit-north",
        "code": "WITHDRAWAL_TIMEOUT",
        "attempts": 10,
        "failed": 2,
        "amount_failed": 700_000,
    } | changed
