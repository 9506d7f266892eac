"""What the provider's own record of an agreement says about an event. Pure.

A record confirms an event only where it implies it. Order is not assumed: an event
may come long after the state that it speaks of. Source: document 1, States and
transitions, Events; what a state implies is the interface's `escrow_event_missing`,
what contradicts is its `escrow_event_uncorroborated`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from recon.imports.shape import Record
from recon.journal.deliveries import Verdict
from recon.records.escrow import CANCELLED_STATES, Agreement

_MONEY_OR_END = {
    "buyer_paid_agreement",
    "payment_refunded_to_buyer",
    "agreement_finalized",
    "seller_checked_out",
}
_IMPLIED_BY_FINALIZE = {"buyer_paid_agreement", "agreement_finalized"}
_TICKETS = {"buyer_submitted_ticket", "seller_submitted_ticket"}
_FROM_INVESTIGATION = "agreement_change_state_from_investigation"

_ROLE_MOBILE = {
    "seller_agreed_agreement": ("seller", "applicant_mobile"),
    "buyer_agreed_agreement": ("buyer", "applicant_mobile"),
    "seller_submitted_ticket": ("seller", "reporter_mobile"),
    "buyer_submitted_ticket": ("buyer", "reporter_mobile"),
}
_NATIONAL_DIGITS = 10  # of a mobile number without its prefix, 0 or +98


@dataclass(frozen=True)
class Finding:
    """A verdict and why, in one line without personal data."""

    verdict: Verdict
    reason: str


def judge(event: Record, agreement: Agreement | None) -> Finding:
    """Compare an event (a row of `events`) with the agreement that it names.

    None is an agreement that the provider does not know.
    """
    if agreement is None:
        return Finding(Verdict.CONTRADICTED, "the provider knows no such agreement")
    data = msgspec.json.decode(event["data"])
    for contradiction in _CONTRADICTIONS:
        reason = contradiction(event, data, agreement)
        if reason:
            return Finding(Verdict.CONTRADICTED, reason)
    reason = _implied(event, agreement)
    if reason:
        return Finding(Verdict.CONFIRMED, reason)
    state = f"the agreement is in {agreement.state}"
    return Finding(Verdict.UNCONFIRMED, f"{state}, which leaves it open")


def _implied(event: Record, agreement: Agreement) -> str:
    """Say what implies the event; empty where nothing does."""
    kind, state = event["type"], agreement.state
    in_state = f"the agreement is in {state}"
    implied = (
        (kind in _IMPLIED_BY_FINALIZE and state == "finalize")
        or (kind in _TICKETS and state == "investigation")
        or (kind == "agreement_cancelled" and state in CANCELLED_STATES)
        or (kind == _FROM_INVESTIGATION and _same(event["state"], state))
    )
    if implied:
        return in_state
    if kind == "agreement_created":
        return "the agreement exists"
    role = kind.partition("_agreed_agreement")[0]
    party = agreement.party(role) if kind.endswith("_agreed_agreement") else None
    return f"the {role} has accepted" if party and party.state == "accepted" else ""


def _another_trade(event: Record, _: Mapping[str, Any], agreement: Agreement) -> str:
    told, known = event["trace_id"], agreement.trace_id
    return "its trace_id is another" if told and known and told != known else ""


def _still_draft(event: Record, _: Mapping[str, Any], agreement: Agreement) -> str:
    kind = event["type"]
    is_end = kind in _MONEY_OR_END or (
        kind == _FROM_INVESTIGATION and event["state"] == "finalize"
    )
    return "the agreement is a draft" if is_end and agreement.state == "draft" else ""


def _still_pending(event: Record, _: Mapping[str, Any], agreement: Agreement) -> str:
    role, _mark, rest = event["type"].partition("_agreed_")
    party = agreement.party(role) if rest == "agreement" else None
    pending = party is not None and party.state == "pending"
    return f"the {role} has not accepted" if pending else ""


def _another_amount(event: Record, _: Mapping[str, Any], agreement: Agreement) -> str:
    """Compare rials: what is paid is the agreement's, what goes out is not more."""
    told, known = event["amount"], agreement.amount
    if told is None or known is None:
        return ""
    match event["type"]:
        case "buyer_paid_agreement":
            wrong = told != known
        case "payment_refunded_to_buyer" | "seller_checked_out":
            wrong = told > known
        case _:
            wrong = False
    return f"its amount is {told:,} rials, the agreement's {known:,}" if wrong else ""


def _another_creator(
    event: Record, data: Mapping[str, Any], agreement: Agreement
) -> str:
    told = data.get("creator_role") if event["type"] == "agreement_created" else None
    known = agreement.creator
    return "its creator is another" if told and known and told != known else ""


def _another_person(
    event: Record, data: Mapping[str, Any], agreement: Agreement
) -> str:
    """Compare the mobile of who acted. Unknown: whether a payer must be the buyer."""
    role, name = _ROLE_MOBILE.get(event["type"], ("", ""))
    party = agreement.party(role) if role else None
    told, known = _national(data.get(name)), _national(party and party.mobile)
    return f"its {name} is not the {role}'s" if told and known and told != known else ""


_CONTRADICTIONS: tuple[Callable[[Record, Mapping[str, Any], Agreement], str], ...] = (
    _another_trade,
    _still_draft,
    _still_pending,
    _another_amount,
    _another_creator,
    _another_person,
)


def _same(told: str | None, known: str) -> bool:
    return told is not None and told == known


def _national(mobile: Any) -> str:
    """Return a mobile number without its prefix, however it was written."""
    digits = "".join(filter(str.isdecimal, mobile)) if isinstance(mobile, str) else ""
    return digits[-_NATIONAL_DIGITS:]
