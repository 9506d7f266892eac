"""The sandbox's own controls, under `/sandbox`: faults, clock, deliveries, overview.

None of this is the provider's.
"""

import dataclasses
from datetime import UTC, timedelta
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recon.sandbox.answers import answer
from recon.sandbox.faults import KINDS, Fault
from recon.sandbox.fields import Fields, body_of
from recon.sandbox.openapi import document
from recon.sandbox.routes.agreements import agreement_at
from recon.sandbox.routes.trading import end_investigation
from recon.sandbox.state import State, state_of
from recon.sandbox.trades import CANCELLED, CONTRACT, FINALIZE
from recon.times import format_instant, parse_duration, parse_instant

BASE = "/sandbox"
_RULE = {field.name for field in dataclasses.fields(Fault)}


async def show_overview(request: Request) -> Response:
    """Answer with the time, the balances and how much of everything there is."""
    state = state_of(request)
    world = state.world
    return answer(
        {
            "business": world.business,
            "now": format_instant(world.now()),
            "wallet_balance": world.wallet_balance,
            "wallet_available": world.wallet_available,
            "escrow_held": _escrow_held(state),
            "checkouts": len(world.checkouts),
            "mandates": len(world.mandates),
            "agreements": len(world.agreements),
            "deposits": len(world.deposits),
            "gateway_transactions": len(world.gateway_transactions),
            "hosted_checkouts": len(world.hosted_checkouts),
            "events": len(world.events),
        }
    )


def _escrow_held(state: State) -> int:
    """Return the rials that buyers paid and that went to nobody yet."""
    held = 0
    for event in state.world.events:
        amount = int(event["data"].get("amount", 0))
        if event["type"] == "buyer_paid_agreement":
            held += amount
        elif event["type"] in {"payment_refunded_to_buyer", "seller_checked_out"}:
            held -= amount
    return held


async def show_faults(request: Request) -> Response:
    """Answer with the rules in force and the kinds there are."""
    state = state_of(request)
    return answer({"faults": state.faults.as_rows(), "kinds": dict(KINDS)})


async def put_faults(request: Request) -> Response:
    """Put the rules of `{"faults": [{"kind": …}]}` in force, in place of all others."""
    state = state_of(request)
    given = Fields(await body_of(request))
    rules: list[Fault] = []
    for field in given.each("faults"):
        for name in field.body.keys() - _RULE:
            field.wrong(name, "is no part of a rule.")
        try:
            rules.append(msgspec.convert(field.body, Fault))
        except (msgspec.ValidationError, ValueError) as error:
            field.wrong("kind", f"makes no rule: {error}")
    given.check()
    state.faults.replace(*rules)
    return await show_faults(request)


async def clear_faults(request: Request) -> Response:
    """Put no rule in force."""
    state_of(request).faults.replace()
    return await show_faults(request)


async def show_clock(request: Request) -> Response:
    """Answer with the provider's time."""
    now = state_of(request).world.now()
    return answer({"now": format_instant(now), "timestamp": int(now.timestamp())})


async def move_clock(request: Request) -> Response:
    """Move the clock on by `{"advance": "90m"}` or to `{"now": "2026-10-01T…"}`."""
    state = state_of(request)
    given = Fields(await body_of(request))
    try:
        state.move_clock(_seconds(state, given.body))
    except (ValueError, OverflowError) as error:
        given.wrong("advance", f"or now cannot be read: {error}")
    given.check()
    return await show_clock(request)


def _seconds(state: State, body: dict[str, Any]) -> int:
    if "now" in body:
        to = parse_instant(str(body["now"]), UTC)
        ahead = to - state.world.now().replace(microsecond=0)
    else:
        ahead = parse_duration(body.get("advance", ""))
    seconds = int(ahead.total_seconds())
    _ = state.world.now() + timedelta(seconds=seconds)  # a date that exists
    return seconds


async def show_deliveries(request: Request) -> Response:
    """Answer with what was sent to webhooks, and how that went."""
    return answer({"deliveries": state_of(request).deliveries.as_rows()})


async def close_investigation(request: Request) -> Response:
    """End the investigation of an agreement with `{"state": "finalize"}` or another."""
    state = state_of(request)
    agreement = agreement_at(state, request)
    given = Fields(await body_of(request))
    next_state = given.text("state", among=(FINALIZE, CANCELLED, CONTRACT))
    given.check()
    end_investigation(state, agreement, next_state or FINALIZE)
    return answer({"state": agreement["state"]})


async def show_description(request: Request) -> Response:
    """Answer with the OpenAPI description of what is the provider's."""
    return answer(document(state_of(request).world))


ROUTES = [
    Route("/openapi.json", show_description, methods=["GET"]),
    Route(BASE, show_overview, methods=["GET"]),
    Route(f"{BASE}/faults", show_faults, methods=["GET"]),
    Route(f"{BASE}/faults", put_faults, methods=["PUT", "POST"]),
    Route(f"{BASE}/faults", clear_faults, methods=["DELETE"]),
    Route(f"{BASE}/clock", show_clock, methods=["GET"]),
    Route(f"{BASE}/clock", move_clock, methods=["POST"]),
    Route(f"{BASE}/deliveries", show_deliveries, methods=["GET"]),
    Route(
        f"{BASE}/agreements/{{tracking_code}}/close",
        close_investigation,
        methods=["POST"],
    ),
]
