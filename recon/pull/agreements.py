"""The agreements of the escrow service."""

from datetime import datetime
from typing import Any

import msgspec

from recon.api.escrow import EscrowReads
from recon.api.paging import ListPage
from recon.lake import Lake
from recon.pull.listing import Listing, Reopening, made_since
from recon.pull.pulling import Found, Pulling
from recon.pull.reading import read_list
from recon.records.escrow import AGREEMENT_STATES, Agreement

NAME = "agreements"
SECTION = "escrow"
TABLE = "agreements"

_OPEN = {"draft", "contract", "investigation"}


async def fetch(pulling: Pulling) -> Found:
    """Walk the list of agreements."""
    reads = EscrowReads(pulling.client)
    known = pulling.lake.current(TABLE, ["tracking_code", "creator"]).to_pylist()
    creators = {each["tracking_code"]: each["creator"] for each in known}

    def row(agreement: Agreement) -> dict[str, Any]:
        # Only show names the creator: a list without it takes nothing back.
        found = agreement_row(agreement)
        creator = found["creator"] or creators.get(agreement.tracking_code)
        creators[agreement.tracking_code] = creator
        return found | {"creator": creator}

    def take(page: ListPage[Agreement]) -> None:
        pulling.keeper.keep(TABLE, map(row, page.rows), page.answer)
        pulling.keeper.note_states(
            "agreement.state", (each.state for each in page.rows), AGREEMENT_STATES
        )

    async def reread(tracking_code: str) -> None:
        answer = await reads.agreement(tracking_code)
        pulling.keeper.keep(TABLE, [row(answer.value)], answer)

    return await read_list(
        pulling,
        Listing(
            reads.agreements,
            key=lambda agreement: agreement.tracking_code,
            take=take,
            table=TABLE,
            created_at=lambda agreement: agreement.created_at,
            reopening=Reopening(open_ids, reread),
        ),
    )


def open_ids(lake: Lake, since: datetime) -> list[str]:
    """Return the agreements since then in a state that is known to go on."""
    fresh = lake.current(TABLE, ["tracking_code", "state"], where=made_since(since))
    found = fresh.to_pylist()
    return sorted(each["tracking_code"] for each in found if each["state"] in _OPEN)


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
