"""The sandbox as an ASGI application: every product of the contract under one host."""

from collections.abc import Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recon.sandbox.answers import Refusal, answer, refuse
from recon.sandbox.routes import cash_in, checkouts, escrow, unified
from recon.sandbox.state import new_state
from recon.sandbox.terms import SANDBOX_KEYS, USUAL_TERMS, Credentials, Terms
from recon.sandbox.world import World

ROUTES: list[Route] = [
    *checkouts.ROUTES,
    *unified.ROUTES,
    *escrow.ROUTES,
    *cash_in.ROUTES,
]


def create_app(
    world: World,
    credentials: Credentials = SANDBOX_KEYS,
    *,
    terms: Terms = USUAL_TERMS,
) -> Starlette:
    """Return the sandbox of a world; requests change that world."""
    handlers: Mapping[Any, Any] = {Refusal: refuse, HTTPException: _no_such_thing}
    app = Starlette(routes=ROUTES, exception_handlers=handlers)
    app.router.redirect_slashes = False
    app.state.sandbox = new_state(world, credentials, terms)
    return app


async def _no_such_thing(_: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    return answer({"message": error.detail}, error.status_code)
