"""Builders for tests of imports: valid rows of each kind, and files of each format."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

from recon.imports.importing import ImportReport, take
from recon.lake import Lake
from recon.settings import Business, Settings

SETTINGS = Settings(business=Business(name="shop"))
IBAN = "IR820540102680020817909002"

VALID: dict[str, dict[str, str]] = {
    "books": {
        "reference": "1001",
        "amount": "1200000",
        "status": "paid",
        "occurred_at": "2026-10-01T10:00:00+03:30",
        "product": "unified",
        "description": "two lamps",
    },
    "balances": {
        "at": "2026-10-01T00:00:00Z",
        "balance": "5000000",
        "available_balance": "-20",
        "iban": IBAN,
    },
    "deposits": {
        "track_id": "7f0c",
        "gateway_transaction_id": "31",
        "amount": "1000000000",
        "amount_toman": "100000000",
        "wage": "5000",
        "wage_toman": "500",
        "status": "INIT",
        "iban": IBAN,
        "receipt_url": "https://receipts.example/31",
        "requested_at": "2026-10-01T10:00:00Z",
        "settled_at": "",
        "requested_amount": "1200000000",
        "outcome": "",
    },
    "adjustments": {
        "at": "2026-10-02",
        "amount": "-250000",
        "kind": "withdrawal",
        "description": "to the bank",
    },
    "bank_statement": {
        "booked_at": "2026-10-02",
        "amount": "-1000000000",
        "description": "transfer",
        "iban": IBAN,
    },
    "tariff": {
        "product": "gateway",
        "payment_method": "*",
        "rate_bps": "100",
        "fixed": "1200",
        "minimum": "",
        "maximum": "40000",
        "valid_from": "2026-01-01",
    },
    "gateway_tokens": {
        "token": "tok-1",
        "amount": "150000",
        "factor_number": "1001",
        "sent_at": "1760000000",
        "real_amount": "148500",
        "wage": "1500",
        "verified_at": "2026-10-01T10:05:00Z",
    },
    "hosted_checkouts": {
        "checkout_id": "hc-1",
        "amount": "150000",
        "checkout_number": "1001",
        "sent_at": "2026-10-01T10:00:00Z",
    },
}

STORED = {
    "books": {
        "reference": "1001",
        "amount": 1_200_000,
        "status": "paid",
        "occurred_at": datetime(2026, 10, 1, 6, 30, tzinfo=UTC),
        "product": "unified",
        "description": "two lamps",
        "extra": None,
    },
    "balances": {
        "at": datetime(2026, 10, 1, tzinfo=UTC),
        "iban": IBAN,
        "balance": 5_000_000,
        "available_balance": -20,
        "origin": "import",
    },
    "deposits": {
        "track_id": "7f0c",
        "gateway_transaction_id": "31",
        "amount": 1_000_000_000,
        "amount_toman": 100_000_000,
        "wage": 5_000,
        "wage_toman": 500,
        "status": "INIT",
        "iban": IBAN,
        "receipt_url": "https://receipts.example/31",
        "requested_at": datetime(2026, 10, 1, 10, tzinfo=UTC),
        "settled_at": None,
        "requested_amount": 1_200_000_000,
        "outcome": None,
        "origin": "import",
    },
    "adjustments": {
        "at": datetime(2026, 10, 1, 20, 30, tzinfo=UTC),
        "amount": -250_000,
        "kind": "withdrawal",
        "description": "to the bank",
        "extra": None,
    },
    "bank_statement": {
        "booked_at": datetime(2026, 10, 1, 20, 30, tzinfo=UTC),
        "amount": -1_000_000_000,
        "description": "transfer",
        "iban": IBAN,
        "extra": None,
    },
    "tariff": {
        "product": "gateway",
        "payment_method": "*",
        "rate_bps": 100,
        "fixed": 1_200,
        "minimum": None,
        "maximum": 40_000,
        "valid_from": datetime(2025, 12, 31, 20, 30, tzinfo=UTC),
        "extra": None,
    },
    "gateway_tokens": {
        "token": "tok-1",
        "amount": 150_000,
        "factor_number": "1001",
        "sent_at": datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC),
        "real_amount": 148_500,
        "wage": 1_500,
        "verified_at": datetime(2026, 10, 1, 10, 5, tzinfo=UTC),
    },
    "hosted_checkouts": {
        "checkout_id": "hc-1",
        "amount": 150_000,
        "checkout_number": "1001",
        "sent_at": datetime(2026, 10, 1, 10, tzinfo=UTC),
    },
}
"""What is stored of the valid row of each kind."""
TABLE_OF = {kind: kind for kind in VALID} | {"hosted_checkouts": "hosted_requests"}


def changed(kind: str, /, **cells: str) -> dict[str, str]:
    """Return a valid row with some cells changed or added."""
    return VALID[kind] | cells


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]], **options: Any) -> Path:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), **({"lineterminator": "\n"} | options))
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    return path


def write_excel(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(list(rows[0]))
    for row in rows:
        sheet.append(list(row.values()))
    book.save(path)
    return path


def write_parquet(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    pq.write_table(pa.Table.from_pylist([dict(row) for row in rows]), path)
    return path


def write_json_lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(dict(row)) + "\n" for row in rows))
    return path


WRITERS = {
    ".csv": write_csv,
    ".xlsx": write_excel,
    ".parquet": write_parquet,
    ".jsonl": write_json_lines,
}


def taken(lake: Lake, kind: str, *paths: Path, **options: Any) -> ImportReport:
    """Import files with the settings of an ordinary shop in Tehran."""
    return take(kind, list(paths), SETTINGS, lake, **options)


def stored(lake: Lake, kind: str) -> list[dict[str, Any]]:
    """Return every stored row of a kind, in the order of its commits."""
    rows: list[dict[str, Any]] = lake.versions(TABLE_OF.get(kind, kind)).to_pylist()
    return rows
