"""The agreements of the escrow service."""

from datetime import datetime
from typing import Any

import msgspec

from recon.api.escrow import EscrowReads
from recon.api.paging import ListPage
from recon.lake import Lake
from recon.pull.listing import Listing, Reopening, refuse_other_name
from recon.pull.pulling import Found, Pulling
from recon.pull.reading import read_list
from recon.records.escrow import AGREEMENT_STATES, FINAL_STATES, Agreement

NAME = "agreements"
SECTION = "escrow"
TABLE = "agreements"

_FINAL = ", ".join(f"'{state}'" for state in sorted(FINAL_STATES))
_MAY_GO_ON = f"coalesce(state, '') not in ({_FINAL})"


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
        refuse_other_name(tracking_code, answer.value.tracking_code)
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
    """Return the agreements that may go on and were made, or spoken of, since then.

    However old it is, one of which an event came is read again: an event proves
    nothing by itself, and may not be doubted by what was read long before it. Without
    a time of creation nobody knows that one is old.
    """
    codes, traces = _spoken_of(lake, since)
    names = ["tracking_code", "trace_id", "created_at"]
    return sorted(
        each["tracking_code"]
        for batch in lake.current_batches(TABLE, names, where=_MAY_GO_ON)
        for each in batch.to_pylist()
        if each["created_at"] is None
        or each["created_at"] >= since
        or each["tracking_code"] in codes
        or each["trace_id"] in traces
    )


def _spoken_of(lake: Lake, since: datetime) -> tuple[set[str], set[str]]:
    """Return the codes that events name since then; the traces where they name none."""
    codes, traces = set(), set()
    came = f"seen_at >= timestamptz '{since.isoformat()}'"
    names = ["tracking_code", "trace_id"]
    for batch in lake.current_batches("events", names, where=came):
        for event in batch.to_pylist():
            code = (event["tracking_code"] or "").strip(" ")
            if code:
                codes.add(code)
            elif event["trace_id"]:
                traces.add(event["trace_id"])
    return codes, traces


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
