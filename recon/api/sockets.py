"""httpx's requests over aiohttp's sockets, with little in between.

httpx's own pool gets slower with concurrency, and httpx's client around a request
takes longer than reading a page does. So requests go to a transport directly, and
this one hands aiohttp their headers as they are and takes the body in the pieces in
which it came.
"""

from collections.abc import AsyncIterator
from ssl import SSLContext

import aiohttp
import httpx
from yarl import URL

TROUBLE = (aiohttp.ClientError, OSError)
"""What a request ends with that fails on its way."""

NEVER_LEFT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)
"""Those of them that say that no connection was made."""

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
        )
        body = _Body(answer)
        return httpx.Response(answer.status, headers=answer.raw_headers, stream=body)

    def _opened(self) -> aiohttp.ClientSession:
        """Open the session within the loop that it serves."""
        session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=self._most,
                ssl=self._secure or True,
                keepalive_timeout=_IDLE_SECONDS,
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
            auto_decompress=False,
            read_bufsize=_PIECE_BYTES,
        )
        # It would send a DELETE or a PUT again, unasked, over a new connection.
        session._retry_connection = False  # noqa: SLF001 - there is no public switch
        return session

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()
