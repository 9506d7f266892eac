"""Builders for tests of the lake: commits with rows, pages and ids."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from recon.lake import Commit, Lake, Page

MORNING = datetime(2026, 10, 1, 6, 30, tzinfo=UTC)


def page(body: bytes = b"{}", url: str = "https://provider.example/list") -> Page:
    return Page(url=url, received_at=MORNING, body=body)


def mandate(identity: str, **changes: Any) -> dict[str, Any]:
    return {"id": identity, "limit": 1_000_000, "status": "active"} | changes


def committed(
    lake: Lake,
    identities: Iterable[str],
    *,
    kind: str = "pull",
    source: str = "mandates",
    **changes: Any,
) -> Commit:
    """Commit one page and a mandate for each identity."""
    with lake.begin(kind, source) as writing:
        number = writing.page(page())
        rows = [mandate(each, page_no=number, **changes) for each in identities]
        writing.rows("mandates", rows)
        return writing.commit()


def ids(lake: Lake, as_of: datetime | None = None) -> list[str]:
    """Return the ids of every version visible at an instant, in commit order."""
    found: list[str] = lake.versions("mandates", as_of)["id"].to_pylist()
    return found
