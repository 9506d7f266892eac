"""Since when a trade is final or disputed, by what events and lists tell of it."""

from datetime import datetime, timedelta
from typing import Any

from recon.reconcile.engines import DuckEngine
from tests.builders import AS_OF, lake_tables
from tests.raw_rows import AT
from tests.reconcile.test_matching import SETTINGS

Row = dict[str, Any]
VERDICT = "agreement_change_state_from_investigation"


def hours(count: int) -> datetime:
    return AT + timedelta(hours=count)


def told(name: str, kind: str, at: int, state: str | None = None) -> Row:
    return {"tracking_code": name, "type": kind, "created": hours(at), "state": state}


def positions(
    agreements: list[Row], events: list[Row], commits: list[Row] | None = None
) -> dict[str, Row]:
    given = {"agreements": agreements, "events": events, "commits": commits or []}
    with DuckEngine.open(lake_tables(given), SETTINGS, AS_OF) as engine:
        rows = engine.table("int_escrow_positions").to_pylist()
    return {row["tracking_code"]: row for row in rows}


def test_a_trade_is_final_since_the_last_event_that_only_an_open_one_has() -> None:
    """And since its payment at the earliest; pulls of other lists say nothing."""
    kinds = {
        "agreement_created": 3,
        "buyer_agreed_agreement": 3,
        "seller_agreed_agreement": 3,
        "buyer_submitted_ticket": 3,
        "seller_submitted_ticket": 3,
        "buyer_agreed_early": 2,
        "seller_checked_out": 2,
        f"{VERDICT} contract": 3,
        f"{VERDICT} other": 2,
    }
    events = []
    for name in kinds:
        kind, _, state = name.partition(" ")
        at = 1 if kind == "buyer_agreed_early" else 3
        kind = kind.replace("_early", "_agreement")
        events += [told(name, "buyer_paid_agreement", 2)]
        events += [told(name, kind, at, state or None)]
    pulls = [
        {"source": "checkouts", "complete": False},
        {"source": "agreements", "kind": "import", "complete": False},
        {"source": "agreements"},
    ]
    found = positions(
        [
            {"tracking_code": name, "state": "finalize", "pull_id": "3"}
            for name in kinds
        ],
        events,
        [each | {"pull_id": "2", "started_at": hours(4)} for each in pulls],
    )
    assert {name: row["finalized_at"] for name, row in found.items()} == {
        name: hours(at) for name, at in kinds.items()
    }


def test_every_spelling_of_a_cancelled_trade_is_known() -> None:
    spellings = ("cancel", "canceled", "cancelled")
    states = [{"tracking_code": each, "state": each} for each in spellings]
    events = [told(f"by {each}", VERDICT, 2, each) for each in spellings]
    others = [{"tracking_code": f"by {each}"} for each in spellings]
    found = positions([*states, *others, {"tracking_code": "open"}], events)
    assert [name for name, row in found.items() if not row["is_cancelled"]] == ["open"]
    assert {found[f"by {each}"]["cancelled_at"] for each in spellings} == {hours(2)}


def test_a_dispute_ends_with_a_verdict_or_with_the_trade() -> None:
    kinds = (VERDICT, "agreement_finalized", "agreement_cancelled")
    found = positions(
        [{"tracking_code": kind} for kind in (*kinds, "buyer_submitted_ticket")],
        [told(kind, kind, at) for kind in kinds for at in (2, 3)],
    )
    ends = {name: row["dispute_ended_at"] for name, row in found.items()}
    assert ends == dict.fromkeys(kinds, hours(3)) | {"buyer_submitted_ticket": None}


def test_a_ticket_of_an_earlier_dispute_does_not_date_the_next_one() -> None:
    states = ["contract", "investigation", "contract", "investigation"]
    versions = [
        {"tracking_code": "a", "state": state, "pull_id": f"{at}", "seen_at": hours(at)}
        for at, state in enumerate(states)
    ]
    ticket = told("a", "buyer_submitted_ticket", 1)
    found = positions(versions, [ticket])
    assert found["a"]["disputed_since"] == hours(3)
