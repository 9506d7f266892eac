"""The debit mandates of the unified service."""

from datetime import datetime
from typing import Any

from recon.api.paging import ListPage
from recon.api.unified import UnifiedReads
from recon.lake import Lake
from recon.pull.listing import Listing, Reopening, made_since, refuse_other_name
from recon.pull.pulling import Found, Pulling
from recon.pull.reading import read_list
from recon.records.unified import MANDATE_STATUSES, Mandate
from recon.settings import Unified

NAME = "mandates"
SECTION = "unified"
TABLE = "mandates"


async def fetch(pulling: Pulling) -> Found:
    """Walk the list of mandates."""
    settings = pulling.settings
    reads = UnifiedReads(
        pulling.client, settings.unified or Unified(), settings.business.name
    )

    def take(page: ListPage[Mandate]) -> None:
        pulling.keeper.keep(TABLE, map(mandate_row, page.rows), page.answer)
        pulling.keeper.note_states(
            "mandate.status", (row.status for row in page.rows), MANDATE_STATUSES
        )

    async def reread(mandate_id: str) -> None:
        answer = await reads.mandate(mandate_id)
        refuse_other_name(mandate_id, answer.value.id)
        pulling.keeper.keep(TABLE, [mandate_row(answer.value)], answer)

    return await read_list(
        pulling,
        Listing(
            reads.mandates,
            key=lambda mandate: mandate.id,
            take=take,
            table=TABLE,
            created_at=lambda mandate: mandate.created_at,
            reopening=Reopening(open_ids, reread),
        ),
    )


def open_ids(lake: Lake, since: datetime) -> list[str]:
    """Return the mandates since then that were not revoked."""
    open_since = f"{made_since(since)} and revoked_at is null"
    ids: list[str] = lake.current(TABLE, ["id"], where=open_since)["id"].to_pylist()
    return sorted(ids)


def mandate_row(mandate: Mandate) -> dict[str, Any]:
    """Return a mandate as a row of `mandates`; `limit` in rials."""
    return {
        "id": mandate.id,
        "payment_method": mandate.payment_method,
        "count": mandate.count,
        "limit": mandate.limit,
        "expires_at": mandate.expires_at,
        "customer_id": mandate.customer_id,
        "status": mandate.status,
        "created_at": mandate.created_at,
        "updated_at": mandate.updated_at,
        "revoked_at": mandate.revoked_at,
    }
