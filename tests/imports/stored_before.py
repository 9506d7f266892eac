"""Statements as releases stored them that read less of such a file."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recon.lake import Lake, Page
from recon.lake.writing import record_hash
from tests.imports.import_cases import IBAN

TABLE = "bank_statement"


def entry(description: str | None, **changes: Any) -> dict[str, Any]:
    """A row of a million rials that left on 3 October, its hash that of its columns."""
    row = {
        "booked_at": datetime(2026, 10, 2, 20, 30, tzinfo=UTC),
        "amount": -1_000_000,
        "description": description,
        "iban": IBAN,
        "extra": '{"reference":"B1"}',
    } | changes
    return row | {"record_hash": record_hash(list(row.values()))}


def stored_before(lake: Lake, path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Import a file as an earlier release did: these rows, and its hash."""
    now = datetime.now(UTC)
    body = path.read_bytes()
    with lake.begin("import", TABLE) as writing:
        page = Page(
            method="IMPORT", url=f"file:{path.name}", received_at=now, body=body
        )
        page_no = writing.page(page)
        placed = [
            row | {"page_no": page_no, "position": at} for at, row in enumerate(rows)
        ]
        writing.rows(TABLE, placed, seen_at=now)
        file = {
            "name": path.name,
            "sha256": hashlib.sha256(body).hexdigest(),
            "timezone": "Asia/Tehran",
            "rows": len(rows),
            "repeated_rows": 0,
            "warnings": [],
            "skipped_rows": 0,
            "named": {},
        }
        writing.commit(counts={"files": 1}, certificate={"files": [file]})
