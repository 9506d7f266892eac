"""httpx's requests over aiohttp's sockets, with little in between.

httpx's own pool gets slower with concurrency, and httpx's client around a request
takes longer than reading a page does. So requests go to a transport directly, and
this one hands aiohttp their headers as they are and takes the body in the pieces in
which it came.
"""

import re
from collections.abc import AsyncIterator
from ssl import SSLContext
from typing import Any

import aiohttp
import httpx
from aiohttp import ClientTimeout
from aiohttp.connector import Connection
from aiohttp.tracing import Trace
from yarl import URL

TROUBLE = (aiohttp.ClientError, OSError)
"""What a request ends with that fails on its way."""

LEFT = "left"
"""The extension of a request that says whether any of it may be on its way: a bool. It
leaves over a connection to its host alone, which a proxy may never have opened."""

_QUOTED = re.compile(r""":?\s*(?:<RawResponse|(?:bytearray\()?\bb['"])""")
"""Where aiohttp and h11 begin to repeat what came."""

_PIECE_BYTES = 2**18
_IDLE_SECONDS = 3.0  # of a connection; servers close theirs after five, as a rule


class _Body(httpx.AsyncByteStream):
    """A body as it comes; left before its end, its connection is closed."""

    def __init__(self, answer: aiohttp.ClientResponse) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._answer.content.iter_any():
            yield piece

    async def aclose(self) -> None:
        self._answer.release()


class _Connections(aiohttp.TCPConnector):
    """Connections on which nothing has come that nobody asked for.

    It would be taken for the answer of the next request.
    """

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Trace],
        timeout: ClientTimeout,  # noqa: ASYNC109 - aiohttp's own
    ) -> Connection:
        for _ in range(self.limit):  # the kept ones, at most
            found = await super().connect(req, traces, timeout)
            if found.protocol is None or not found.protocol.should_close:
                return found
            found.close()
        return await super().connect(req, traces, timeout)


class Sockets(httpx.AsyncBaseTransport):
    """At most so many connections, through a proxy where one is named.

    It sets no limits of time: whoever asks does. Errors are `TROUBLE`.
    """

    def __init__(
        self, most: int, secure: SSLContext | None = None, proxy: str | None = None
    ) -> None:
        self._most = most
        self._secure = secure
        self._proxy = proxy
        self._session: aiohttp.ClientSession | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self._session is None:
            self._session = self._opened()
        request.extensions[LEFT] = False
        answer = await self._session.request(
            request.method,
            URL(str(request.url), encoded=True),
            headers=[
                (name.decode("ascii"), value.decode("latin-1"))
                for name, value in request.headers.raw
            ],
            data=request.content or None,
            allow_redirects=False,
            proxy=self._proxy,
            trace_request_ctx=request,
        )
        body = _Body(answer)
        return httpx.Response(answer.status, headers=answer.raw_headers, stream=body)

    def _opened(self) -> aiohttp.ClientSession:
        """Open the session within the loop that it serves."""
        session = aiohttp.ClientSession(
            connector=_Connections(
                limit=self._most,
                ssl=self._secure or True,
                keepalive_timeout=_IDLE_SECONDS,
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=ClientTimeout(total=None, sock_connect=None),
            auto_decompress=False,
            read_bufsize=_PIECE_BYTES,
            trace_configs=[_noting_connections()],
        )
        # It would send a DELETE or a PUT again, unasked, over a new connection.
        session._retry_connection = False  # noqa: SLF001 - there is no public switch
        return session

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()


def said(error: BaseException) -> str:
    """Return what an error says, in one line, but for what it quotes.

    What came of an answer holds people and secrets, also cut ones that nobody knows
    again; the address of a proxy its password, where the environment has one.
    """
    told = str(error)
    if isinstance(error, aiohttp.ClientResponseError):
        told = f"{error.status} {error.message}"
    told = _QUOTED.split(told)[0]
    return " ".join(told.split()) or type(error).__name__


def _noting_connections() -> aiohttp.TraceConfig:
    """Return what marks a request once it has a connection, new or kept.

    Where a new one is opened for it, the kept one was no good: nothing left over that.
    """

    async def note(_: aiohttp.ClientSession, context: Any, __: object) -> None:
        context.trace_request_ctx.extensions[LEFT] = True

    async def forget(_: aiohttp.ClientSession, context: Any, __: object) -> None:
        context.trace_request_ctx.extensions[LEFT] = False

    noting = aiohttp.TraceConfig()
    noting.on_connection_create_start.append(forget)
    noting.on_connection_create_end.append(note)
    noting.on_connection_reuseconn.append(note)
    return noting
