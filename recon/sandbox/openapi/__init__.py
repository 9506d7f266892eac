"""The sandbox in OpenAPI, written from the contract and served at `/openapi.json`.

What the sandbox has of its own, under `/sandbox`, is left out.
"""

from collections.abc import Mapping
from typing import Any

from recon.sandbox.openapi import escrow, payments, unified
from recon.sandbox.openapi.schema import (
    FLAG,
    TEXT,
    WHOLE,
    Schema,
    every,
    or_null,
    shape,
)
from recon.sandbox.world import World

_META = shape(
    **{
        "current_page": WHOLE,
        "from": or_null(WHOLE),
        "last_page": WHOLE,
        "links": every(shape(url=or_null(TEXT), label=TEXT, active=FLAG)),
        "path": TEXT,
        "per_page": WHOLE,
        "to": or_null(WHOLE),
        "total": WHOLE,
    }
)
_ERROR = shape(
    ("errors",),
    message=TEXT,
    code=TEXT,
    errors={"type": "object", "additionalProperties": TEXT},
)
_BEARER = {"type": "http", "scheme": "bearer"}
_HEADER = {"type": "apiKey", "in": "header", "name": "x-api-key"}


def document(world: World) -> Schema:
    """Return the description; examples of ids are those of the world's records."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "A payment provider on loopback", "version": "1"},
        "paths": {
            **escrow.paths(
                _first(world.agreements),
                _first(world.escrow_customers),
                _first(world.webhooks),
            ),
            **payments.paths(
                world.business,
                _first(world.gateway_transactions),
                _first(world.hosted_checkouts),
            ),
            **unified.paths(
                world.business,
                checkout_id=_first(world.checkouts),
                mandate_id=_first(world.mandates),
                payment_id=_first_payment(world),
            ),
        },
        "components": {
            "schemas": {
                "Meta": _META,
                "Error": _ERROR,
                **escrow.SCHEMAS,
                **payments.SCHEMAS,
                **unified.SCHEMAS,
            },
            "securitySchemes": {
                "unified_key": _HEADER,
                "hosted_key": _HEADER,
                "cash_in_key": _BEARER,
                "escrow_token": _BEARER,
            },
        },
    }


def _first(records: Mapping[Any, Any]) -> str:
    return str(next(iter(records), ""))


def _first_payment(world: World) -> str:
    payments_of = (checkout["payments"] for checkout in world.checkouts.values())
    return next((str(found[0]["id"]) for found in payments_of if found), "")
