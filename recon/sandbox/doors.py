"""Who may come in: the credential of each product, checked before anything else.

Source: the parts Authentication and Errors of the three documents.
"""

import hmac
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from recon.sandbox.answers import Refusal, coded
from recon.sandbox.state import State, state_of

Handler = Callable[[State, Request], Awaitable[Response]]
Endpoint = Callable[[Request], Awaitable[Response]]

NOT_ACTIVE = "The cash-in tool is not active for this business."


def same(given: str, expected: str) -> bool:
    """Compare two secrets in constant time."""
    return hmac.compare_digest(given.encode(), expected.encode())


def unified(handler: Handler) -> Endpoint:
    """Let in who holds the unified key. Source: document 3, Authentication."""

    async def endpoint(request: Request) -> Response:
        state = state_of(request)
        _check_key(request, state.credentials.unified_key)
        if request.path_params["business"] != state.world.business:
            raise not_found("business")
        return await handler(state, request)

    return endpoint


def hosted(handler: Handler) -> Endpoint:
    """Let in who holds the hosted key. Source: document 2, Authentication."""

    async def endpoint(request: Request) -> Response:
        state = state_of(request)
        _check_key(request, state.credentials.hosted_key)
        if not state.terms.hosted_active:
            raise coded(403, "forbidden_error", "The application is not active.")
        return await handler(state, request)

    return endpoint


def escrow(handler: Handler) -> Endpoint:
    """Let in who holds a living access token. Source: document 1, Authentication."""

    async def endpoint(request: Request) -> Response:
        state = state_of(request)
        until = state.access_tokens.get(_bearer(request))
        if until is None or until <= state.now():
            raise Refusal(401, {"error": "Unauthenticated"})
        return await handler(state, request)

    return endpoint


def cash_in(handler: Handler) -> Endpoint:
    """Let in who holds the cash-in key. Source: document 2, Errors, A."""

    async def endpoint(request: Request) -> Response:
        state = state_of(request)
        if not same(_bearer(request), state.credentials.cash_in_key):
            raise Refusal(401, {"status": 0, "error": "Unauthenticated"})
        if request.path_params["business"] != state.world.business:
            raise Refusal(404, failed("Business not found."))
        if not state.terms.cash_in_active:
            raise Refusal(422, failed(NOT_ACTIVE))
        return await handler(state, request)

    return endpoint


def failed(message: str) -> dict[str, object]:
    """Return the cash-in body of an error that belongs to no field."""
    return {"status": 0, "errors": {"error": message}}


def not_found(thing: str) -> Refusal:
    """Refuse an unknown record. Unknown: the contract shows no such answer."""
    return coded(404, "not_found_error", f"No such {thing}.")


def _check_key(request: Request, key: str) -> None:
    if not same(request.headers.get("x-api-key", ""), key):
        raise coded(401, "unauthenticated_error", "Unauthenticated.")


def _bearer(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""
