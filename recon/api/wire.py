"""The wire itself: httpx over aiohttp, bounded bodies, and what a cut means."""

from urllib.parse import urlsplit

import aiohttp
import httpx
import httpx_aiohttp

import recon
from recon.settings import Http

LARGEST_BODY_BYTES = 64 * 2**20
"""A longer answer is cut off and counts as no answer."""

TROUBLE = (httpx.HTTPError, httpx.StreamError, aiohttp.ClientError, OSError)
"""Everything that the transport raises when a request fails on its way."""

_LOOPBACK = {"127.0.0.1", "localhost", "::1"}
_NEVER_LEFT = (
    httpx.ConnectError,
    httpx.PoolTimeout,
    aiohttp.ClientConnectorError,
    aiohttp.ConnectionTimeoutError,
)


class TooLong(Exception):  # noqa: N818 - never leaves the client
    """A body over the bound."""


def opened(
    base_url: str, http: Http, transport: httpx.AsyncBaseTransport | None
) -> httpx.AsyncClient:
    """Open the httpx client; proxies of the environment serve other machines only."""
    return httpx_aiohttp.HttpxAiohttpClient(
        transport=transport,
        headers={
            "accept": "application/json",
            "user-agent": f"recon/{recon.__version__}",
        },
        timeout=http.timeout.total_seconds(),
        limits=httpx.Limits(
            max_connections=http.concurrency, max_keepalive_connections=http.concurrency
        ),
        follow_redirects=False,
        trust_env=urlsplit(base_url).hostname not in _LOOPBACK,
    )


async def bounded(response: httpx.Response) -> bytes:
    """Read a body whole, up to the bound; TooLong beyond it."""
    parts, size = [], 0
    async for part in response.aiter_bytes():
        size += len(part)
        if size > LARGEST_BODY_BYTES:
            raise TooLong
        parts.append(part)
    return b"".join(parts)


def never_left(error: BaseException) -> bool:
    """Tell whether the connection was never made, so that nothing was sent."""
    return isinstance(error, _NEVER_LEFT) or isinstance(error.__cause__, _NEVER_LEFT)
