"""A page: one response body, or one imported file, exactly as received."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from recon.errors import CorruptLake
from recon.lake.columns import apart, array_of, repeated
from recon.lake.schema import PAGES


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """Evidence of one answer, and of what it answers.

    `url` and `asked`, the JSON body of the request where it had one, never hold a
    credential; `headers` are chosen.
    """

    method: str = "GET"
    url: str
    asked: str = ""
    status: int = 200
    headers: dict[str, str] = {}
    received_at: datetime
    body: bytes

    @property
    def sha256(self) -> str:
        """Return the hash of the body in hex."""
        return hashlib.sha256(self.body).hexdigest()


def table_of_pages(pull_id: str, pages: Sequence[tuple[int, Page]]) -> pa.Table:
    """Return pages of a commit, each with its number, as the lake keeps them."""
    found = [page for _, page in pages]
    values: dict[str, Sequence[Any]] = {
        "page_no": [number for number, _ in pages],
        "method": [page.method for page in found],
        "url": [page.url for page in found],
        "asked": [page.asked or None for page in found],
        "status": [page.status for page in found],
        "headers": [msgspec.json.encode(page.headers).decode() for page in found],
        "received_at": [page.received_at for page in found],
        "sha256": [page.sha256 for page in found],
    }
    columns: dict[str, pa.Array | pa.ChunkedArray] = {
        name: array_of(column, PAGES.field(name).type)
        for name, column in values.items()
    }
    columns["body"] = apart([page.body for page in found])
    columns["pull_id"] = repeated(pull_id, len(found))
    return pa.table([columns[name] for name in PAGES.names], schema=PAGES)


def page_of(row: Mapping[str, Any], path: Path) -> Page:
    """Return a stored row as its page; CorruptLake where it is not what was stored."""
    try:
        page = Page(
            method=row["method"],
            url=row["url"],
            asked=row.get("asked") or "",  # lakes of earlier versions have it not
            status=row["status"],
            headers=msgspec.json.decode(row["headers"]),
            received_at=row["received_at"],
            body=row["body"],
        )
        intact = page.sha256 == row["sha256"]
    except Exception as error:  # noqa: BLE001 - a damaged file raises of every kind
        told = f"{path}: page {row.get('page_no')} is damaged: {error!r}"
        raise CorruptLake(told) from None
    if not intact:
        told = f"{path}: page {row['page_no']} is damaged: its hash is another"
        raise CorruptLake(told)
    return page
