"""The debit mandates of the unified service."""

from typing import Any

from recon.api.paging import ListPage
from recon.api.unified import UnifiedReads
from recon.pull.pulling import Found, Pulling, walk_list
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

    return await walk_list(
        pulling, reads.mandates, lambda mandate: mandate.id, take, TABLE
    )


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
