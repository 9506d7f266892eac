"""Refused deliveries, and how each is answered."""

import asyncio
import json

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

_UNREAD = {408, 413}
"""Answered while the sender may still be sending."""

_DRAINED_BYTES = 2**23
_DRAIN_SECONDS = 2.0


class Refusal(Exception):  # noqa: N818 - the field's word
    """Why a delivery is not taken; the reason goes to its sender."""

    def __init__(
        self, status: int, reason: str, *, retry_after: int | None = None
    ) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.retry_after = retry_after

    def answer(self) -> Response:
        """Return the answer to its sender."""
        headers = {}
        if self.retry_after is not None:
            headers["retry-after"] = str(self.retry_after)
        content = json.dumps({"error": self.reason})
        kind = _Early if self.status in _UNREAD else Response
        return kind(content, self.status, headers, "application/json")


class _Early(Response):
    """An answer before the whole request came: read on a little, then close.

    A connection closed over unread bytes is reset, and the sender may never see the
    answer. So what still comes is thrown away, within bounds.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.headers["connection"] = "close"
        await send(
            {
                "type": "http.response.start",
                "status": self.status_code,
                "headers": self.raw_headers,
            }
        )
        body = bytes(self.body)
        await send({"type": "http.response.body", "body": body, "more_body": True})
        if not _is_waiting(scope):
            await _drain(receive)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def _is_waiting(scope: Scope) -> bool:
    """Tell whether the sender asked before it sends: then nothing is under way."""
    return any(name == b"expect" for name, _ in scope["headers"])


async def _drain(receive: Receive) -> None:
    size = 0
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            while size < _DRAINED_BYTES:
                message: Message = await receive()
                size += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return
    except TimeoutError:
        return
