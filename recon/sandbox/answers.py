"""Answers of the provider: JSON bodies, and refusals in each product's own shape."""

from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

_encode = msgspec.json.Encoder().encode
_JSON = "application/json"

DONE = "The operation was successful."
INVALID = "The given data was invalid."

Errors = dict[str, list[str]]


class Refusal(Exception):  # noqa: N818 - it is an answer, not a mishap
    """Ends a request with this status and JSON body."""

    def __init__(
        self, status: int, body: Any, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(status)
        self.status = status
        self.body = body
        self.headers = headers


def answer(body: Any, status: int = 200) -> Response:
    """Return a JSON answer."""
    return Response(_encode(body), status, media_type=_JSON)


def done(data: Any = None, status: int = 200) -> Response:
    """Return the answer that all went well, with `data` where there is any."""
    return answer({"message": DONE} | ({} if data is None else {"data": data}), status)


def answer_bytes(body: bytes) -> Response:
    """Return an answer whose JSON was made before."""
    return Response(body, media_type=_JSON)


async def refuse(_: Request, refusal: Exception) -> Response:
    """Turn a refusal into its answer."""
    if not isinstance(refusal, Refusal):
        raise refusal
    return Response(
        _encode(refusal.body), refusal.status, refusal.headers, media_type=_JSON
    )


def coded(
    status: int, code: str, message: str, errors: dict[str, Any] | None = None
) -> Refusal:
    """Refuse as unified, hosted and escrow do: `{message, code}`, maybe `errors`."""
    body: dict[str, Any] = {"message": message, "code": code}
    if errors is not None:
        body["errors"] = errors
    return Refusal(status, body)
