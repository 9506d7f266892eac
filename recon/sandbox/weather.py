"""The layer around the application that strikes requests and stores what changed.

Struck on a real socket, a request loses its connection; in process, where there is
none, it ends with ConnectionResetError.
"""

import asyncio
from collections.abc import MutableMapping
from typing import Any, cast

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recon.sandbox import unrest
from recon.sandbox.faults import ANSWERS, Fault
from recon.sandbox.state import State

TRANSPORT = "sandbox_transport"  # where the server leaves the connection
_CONTROLS = "/sandbox"
_HTML = b"<html><body><h1>Please wait</h1></body></html>"
_CHANGES = {"restated": unrest.restate, "vanished": unrest.vanish}


class Weather:
    """Wraps the application: faults on the way in, storing on the way out."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application whose state holds the sandbox."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let it fail as a rule wants."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state = cast("State", scope["app"].state.sandbox)
        send = _storing(state, send)
        path: str = scope["path"]
        if not state.faults.rules or path.startswith(_CONTROLS):
            await self._app(scope, receive, send)
            return
        await _change(state, scope["method"], path)
        fault = state.faults.draw_any(ANSWERS, scope["method"], path)
        if fault is None:
            await self._app(scope, receive, send)
        elif fault.kind == "truncated":
            await self._app(scope, receive, _Halved(scope, send))
        else:
            if fault.after:
                await self._app(scope, receive, _swallow)
                state.flush()
            await _strike(fault, scope, send)


async def _change(state: State, method: str, path: str) -> None:
    """Let time pass and the world change, before the request is answered."""
    wait = state.faults.draw("latency", method, path)
    if wait is not None:
        await asyncio.sleep(wait.seconds)
    name = unrest.list_of(path)
    if name is None or method != "GET":
        return
    if state.faults.draw("insert", method, path):
        unrest.insert(state, name)
    for kind, change in _CHANGES.items():
        rule = state.faults.draw(kind, method, path)
        if rule is not None:
            change(state, name, rule.record)


async def _strike(fault: Fault, scope: Scope, send: Send) -> None:
    match fault.kind:
        case "cut":
            cut(scope)
        case "rate_limited":
            pause = str(max(0, round(fault.seconds)))
            await _answer(send, 429, {"message": "Too Many Attempts."}, pause)
        case "not_json":
            await _send(send, 200, b"text/html; charset=utf-8", _HTML)
        case _:
            await _answer(send, fault.status, _server_error(scope["path"]))


def _server_error(path: str) -> dict[str, Any]:
    """Return the body of a 5xx: cash-in documents its own."""
    if "/cash-in/" in path:
        text = "Server error: make sure the money was not withdrawn before retrying."
        return {"status": 0, "errors": {"error": text}}
    return {"message": "Server Error"}


async def _answer(send: Send, status: int, body: Any, retry_after: str = "") -> None:
    raw = msgspec.json.encode(body)
    await _send(send, status, b"application/json", raw, retry_after)


async def _send(
    send: Send, status: int, kind: bytes, body: bytes, retry_after: str = ""
) -> None:
    headers = [(b"content-type", kind), (b"content-length", b"%d" % len(body))]
    if retry_after:
        headers.append((b"retry-after", retry_after.encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def cut(scope: Scope) -> None:
    """Cut the connection of a request; ConnectionResetError where there is none."""
    extras: MutableMapping[str, Any] = scope.get("state", {})
    transport = extras.get(TRANSPORT)
    if transport is None:
        raise ConnectionResetError("the sandbox cut the connection")
    transport.abort()


class _Halved:
    """Sends the head of an answer, half of its body, and cuts the connection."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send

    async def __call__(self, message: Message) -> None:
        if message["type"] != "http.response.body":
            await self._send(message)
            return
        half = message.get("body", b"")[: len(message.get("body", b"")) // 2]
        in_process = TRANSPORT not in self._scope.get("state", {})
        await self._send({**message, "body": half, "more_body": not in_process})
        if not in_process:
            self._scope["state"][TRANSPORT].close()


async def _swallow(message: Message) -> None:
    del message


def _storing(state: State, send: Send) -> Send:
    """Store what a request changed before its answer leaves."""

    async def storing(message: Message) -> None:
        if message["type"] == "http.response.start":
            state.flush()
        await send(message)

    return storing
