"""The agreements of the escrow service."""

from typing import Any

import msgspec

from recon.api.escrow import EscrowReads
from recon.api.paging import ListPage
from recon.pull.pulling import Found, Pulling, walk_list
from recon.records.escrow import AGREEMENT_STATES, Agreement

NAME = "agreements"
SECTION = "escrow"
TABLE = "agreements"


async def fetch(pulling: Pulling) -> Found:
    """Walk the list of agreements."""
    reads = EscrowReads(pulling.client)

    def take(page: ListPage[Agreement]) -> None:
        pulling.keeper.keep(TABLE, map(agreement_row, page.rows), page.answer)
        pulling.keeper.note_states(
            "agreement.state", (row.state for row in page.rows), AGREEMENT_STATES
        )

    return await walk_list(
        pulling,
        reads.agreements,
        lambda agreement: agreement.tracking_code,
        take,
        TABLE,
    )


def agreement_row(agreement: Agreement) -> dict[str, Any]:
    """Return an agreement as a row of `agreements`; `amount` in rials."""
    items = agreement.items
    row = {
        "tracking_code": agreement.tracking_code,
        "trace_id": agreement.trace_id,
        "description": agreement.description,
        "amount": agreement.amount,
        "state": agreement.state,
        "creator": agreement.creator,
        "created_at": agreement.created_at,
        "items": None if items is None else msgspec.json.encode(items).decode(),
    }
    for role in ("buyer", "seller"):
        party = agreement.party(role)
        row[f"{role}_state"] = party.state if party else None
        row[f"{role}_national_code"] = party.national_code if party else None
        row[f"{role}_mobile"] = party.mobile if party else None
    return row
