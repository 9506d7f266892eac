"""The sandbox as an ASGI application: every product of the contract under one host."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recon.sandbox.answers import Refusal, answer, refuse
from recon.sandbox.faults import Fault, Faults
from recon.sandbox.routes import (
    agreements,
    cash_in,
    checkouts,
    controls,
    escrow,
    gateway,
    hosted,
    mandates,
    payments,
    trading,
    unified,
    webhooks,
)
from recon.sandbox.state import new_state
from recon.sandbox.storage import Store
from recon.sandbox.terms import SANDBOX_KEYS, USUAL_TERMS, Credentials, Terms
from recon.sandbox.weather import Weather
from recon.sandbox.world import World

__all__ = ["ROUTES", "Credentials", "Fault", "Faults", "Terms", "create_app"]

ROUTES: list[Route] = [
    *checkouts.ROUTES,
    *agreements.ROUTES,
    *mandates.ROUTES,
    *escrow.ROUTES,
    *cash_in.ROUTES,
    *unified.ROUTES,
    *payments.ROUTES,
    *trading.ROUTES,
    *webhooks.ROUTES,
    *gateway.ROUTES,
    *hosted.ROUTES,
    *controls.ROUTES,
]


def create_app(
    world: World,
    credentials: Credentials = SANDBOX_KEYS,
    *,
    faults: Faults | None = None,
    terms: Terms = USUAL_TERMS,
    path: Path | None = None,
) -> Starlette:
    """Return the sandbox of a world; requests change that world.

    With a path, its state is kept there in SQLite and, where the file holds one,
    continued from there: the world then becomes what was kept. Raises UsageError if
    the file cannot be used or keeps another business.
    """
    handlers: Mapping[Any, Any] = {Refusal: refuse, HTTPException: _no_such_thing}
    app = Starlette(
        routes=ROUTES, exception_handlers=handlers, middleware=[Middleware(Weather)]
    )
    app.router.redirect_slashes = False
    store = Store(path) if path is not None else None
    app.state.sandbox = new_state(world, credentials, terms, faults or Faults(), store)
    return app


async def _no_such_thing(_: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    return answer({"message": error.detail}, error.status_code)
