"""A provider on a bad day: every kind of answer that is none, from one seed.

`Weather` stands between the client and the sandbox. It counts only what was really
delivered: an answer in the place of the right one, a right one that was cut, spoilt or
held back too long, a connection that broke, a change of the list while it was read.
It never lies: what it delivers either is not the documented shape, or contradicts
itself (a page with too few rows), or is what the provider says at that moment.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from random import Random
from typing import Any

import httpx

STORM = 0.5
"""Above this share of spoilt answers it is a storm."""
LATE_SECONDS = 45.0  # later than the time-out of the settings
_SERVER_ERRORS = (500, 502, 503, 504)
_PASSING = (408, 425)
_WRONG: tuple[Any, ...] = (12.5, 1e3, True, [], {}, "12.5", "1e3", "۱۲x", -0.0)
"""No null: that an amount is not given is something the provider may say."""
_MONEY = {"amount", "wage_amount", "affected_amount", "limit", "wage", "total"}
_PAUSES = ("0", "1", "7", "31", "Wed, 21 Oct 2015 07:28:00 GMT", "soon", "-3", "")

Body = dict[str, Any]


class Weather(httpx.AsyncBaseTransport):
    """Strikes requests with probability `rate`; `delivered` counts by kind."""

    def __init__(
        self,
        inner: httpx.AsyncBaseTransport,
        seed: int,
        rate: float,
        *,
        between: Callable[[Random], str | None] = lambda _: None,
        doors: bool = False,
    ) -> None:
        """Wrap a provider; `between` changes its world, `doors` shuts some out.

        In a storm pages are never contradictory: that would end each list at once,
        and nothing else would ever be met.
        """
        self._inner = inner
        self._chance = Random(seed)
        self._rate = rate
        self._between = between
        calm = rate <= STORM
        self._kinds = [
            kind
            for kind in [*_KINDS, *(_DOORS if doors else ())]
            if calm or kind not in _CONTRADICTIONS
        ]
        self.delivered: Counter[str] = Counter()
        self.asked = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer as the weather is."""
        self.asked += 1
        if changed := self._between(self._chance):
            self.delivered[changed] += 1
        if self._chance.random() >= self._rate:
            return await self._inner.handle_async_request(request)
        kind = self._chance.choice(self._kinds)
        if kind in _SPOILT:
            return await self._spoilt(kind, request)
        self.delivered[kind] += 1
        return await _STRIKES[kind](self._chance, request)

    async def _spoilt(self, kind: str, request: httpx.Request) -> httpx.Response:
        """Spoil the right answer; where it cannot be, it passes and is not counted."""
        answer = await self._inner.handle_async_request(request)
        raw = await answer.aread()
        headers = [
            (name, value)
            for name, value in answer.headers.multi_items()
            if name != "content-length"
        ]
        content = _SPOILT[kind](self._chance, raw) if answer.is_success else None
        if content is None or content == raw:
            return httpx.Response(answer.status_code, headers=headers, content=raw)
        self.delivered[kind] += 1
        return httpx.Response(answer.status_code, headers=headers, content=content)


def _answer(status: int, body: Any, **headers: str) -> httpx.Response:
    return httpx.Response(status, json=body, headers=headers)


async def _rate_limited(chance: Random, _: httpx.Request) -> httpx.Response:
    pause = chance.choice(_PAUSES)
    headers = {"retry-after": pause} if pause else {}
    return httpx.Response(429, json={"message": "Too Many Attempts."}, headers=headers)


async def _server_error(chance: Random, _: httpx.Request) -> httpx.Response:
    status = chance.choice(_SERVER_ERRORS)
    if chance.random() < 0.5:
        return httpx.Response(status, html="<h1>Bad Gateway</h1>")
    return _answer(status, {"message": "Server Error"})


async def _passing(chance: Random, _: httpx.Request) -> httpx.Response:
    return _answer(chance.choice(_PASSING), {"message": "later"})


async def _html(_: Random, __: httpx.Request) -> httpx.Response:
    return httpx.Response(200, html="<html><body>Please wait</body></html>")


async def _empty(_: Random, __: httpx.Request) -> httpx.Response:
    return httpx.Response(200, content=b"")


async def _redirect(_: Random, __: httpx.Request) -> httpx.Response:
    return httpx.Response(302, headers={"location": "http://192.0.2.1/elsewhere"})


async def _no_connection(_: Random, request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("connection refused", request=request)


async def _reset(chance: Random, request: httpx.Request) -> httpx.Response:
    kinds = (httpx.ReadError, httpx.RemoteProtocolError, httpx.WriteError)
    raise chance.choice(kinds)("connection reset by peer", request=request)


async def _late(_: Random, request: httpx.Request) -> httpx.Response:
    await asyncio.sleep(LATE_SECONDS)
    raise httpx.ReadTimeout("late", request=request)


async def _broken_stream(_: Random, __: httpx.Request) -> httpx.Response:
    return httpx.Response(200, stream=_Broken())


async def _bad_encoding(_: Random, __: httpx.Request) -> httpx.Response:
    headers = {"content-encoding": "gzip"}
    return httpx.Response(200, stream=_Garbage(), headers=headers)


async def _shut(chance: Random, _: httpx.Request) -> httpx.Response:
    return _answer(chance.choice((401, 403)), {"message": "Unauthenticated."})


class _Broken(httpx.AsyncByteStream):
    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b'{"data": ['
        raise httpx.ReadError("connection reset by peer")


class _Garbage(httpx.AsyncByteStream):
    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b"no gzip at all"


_STRIKES: dict[str, Callable[..., Any]] = {
    "429": _rate_limited,
    "5xx": _server_error,
    "408_425": _passing,
    "html": _html,
    "empty": _empty,
    "redirect": _redirect,
    "no_connection": _no_connection,
    "reset": _reset,
    "late": _late,
    "broken_stream": _broken_stream,
    "bad_encoding": _bad_encoding,
    "shut_out": _shut,
}


def _truncated(chance: Random, raw: bytes) -> bytes | None:
    return raw[: chance.randrange(len(raw))] if raw else None


def _bad_bytes(chance: Random, raw: bytes) -> bytes | None:
    place = chance.randrange(len(raw) + 1)
    return raw[:place] + b"\xff" + raw[place:]


def _wrong_type(chance: Random, raw: bytes) -> bytes | None:
    """Give one amount of the answer a value that is no amount of the contract."""
    body = json.loads(raw)
    places = [*_amounts(body)]
    if not places:
        return None
    owner, name = chance.choice(places)
    owner[name] = chance.choice(_WRONG)
    return json.dumps(body).encode()


def _amounts(node: Any) -> Any:
    if isinstance(node, dict):
        for name, value in node.items():
            if name in _MONEY and isinstance(value, (int, str)):
                yield node, name
            else:
                yield from _amounts(value)
    elif isinstance(node, list):
        for each in node:
            yield from _amounts(each)


def _wrong_shape(chance: Random, raw: bytes) -> bytes | None:
    body = json.loads(raw)
    if not isinstance(body, dict) or not body:
        return None
    wrong: list[Any] = [[], {}, "text", 7, None, [body]]
    for name in body.keys() & {"data", "meta", "checkouts", "agreements"}:
        wrong.append({key: value for key, value in body.items() if key != name})
        wrong.append({**body, name: 7})
    return json.dumps(chance.choice(wrong)).encode()


def _of_list(raw: bytes) -> tuple[Body, list[Any], Body] | None:
    """Return a list's answer, its rows and its meta; None where it is no list."""
    body = json.loads(raw)
    data = body.get("data") if isinstance(body, dict) else None
    for owner in (body, data):
        if isinstance(owner, dict) and isinstance(owner.get("meta"), dict):
            for value in owner.values():
                if isinstance(value, list) and value:
                    return body, value, owner["meta"]
    return None


def _dropped_row(chance: Random, raw: bytes) -> bytes | None:
    found = _of_list(raw)
    if found is None:
        return None
    body, rows, _ = found
    del rows[chance.randrange(len(rows))]
    return json.dumps(body).encode()


def _repeated_row(chance: Random, raw: bytes) -> bytes | None:
    """Show one row twice and another not at all."""
    found = _of_list(raw)
    if found is None or len(found[1]) < 2:
        return None
    body, rows, _ = found
    one, other = chance.sample(range(len(rows)), 2)
    rows[one] = rows[other]
    return json.dumps(body).encode()


def _other_page(chance: Random, raw: bytes) -> bytes | None:
    found = _of_list(raw)
    if found is None:
        return None
    body, _, meta = found
    meta["current_page"] += chance.choice((-1, 1, 5))
    return json.dumps(body).encode()


def _wrong_total(chance: Random, raw: bytes) -> bytes | None:
    found = _of_list(raw)
    if found is None:
        return None
    body, _, meta = found
    meta["total"] += chance.choice((-1, 1, 3, 250))
    return json.dumps(body).encode()


_SPOILT: dict[str, Callable[[Random, bytes], bytes | None]] = {
    "truncated": _truncated,
    "bad_bytes": _bad_bytes,
    "wrong_type": _wrong_type,
    "wrong_shape": _wrong_shape,
    "dropped_row": _dropped_row,
    "repeated_row": _repeated_row,
    "other_page": _other_page,
    "wrong_total": _wrong_total,
}
_CONTRADICTIONS = {"dropped_row", "repeated_row", "other_page", "wrong_total"}
_DOORS = ("shut_out", "redirect")  # each ends a source at once
_KINDS = sorted({*_STRIKES, *_SPOILT} - {*_DOORS})
