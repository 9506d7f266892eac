"""The wire itself: httpx over aiohttp, bounded bodies, and what a cut means."""

import zlib
from urllib.parse import urlsplit

import aiohttp
import httpx
import httpx_aiohttp

import recon
from recon.settings import Http

TROUBLE = (httpx.HTTPError, httpx.StreamError, aiohttp.ClientError, OSError)
"""Everything that the transport raises when a request fails on its way."""

_LOOPBACK = {"127.0.0.1", "localhost", "::1"}
_NEVER_LEFT = (
    httpx.ConnectError,
    httpx.PoolTimeout,
    aiohttp.ClientConnectorError,
    aiohttp.ConnectionTimeoutError,
)


_GZIP = {"gzip", "x-gzip"}
"""What an answer may be packed with; anything else was not asked for."""


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
            "accept-encoding": "gzip",
            "user-agent": f"recon/{recon.__version__}",
        },
        timeout=http.timeout.total_seconds(),
        limits=httpx.Limits(
            max_connections=http.concurrency, max_keepalive_connections=http.concurrency
        ),
        follow_redirects=False,
        trust_env=urlsplit(base_url).hostname not in _LOOPBACK,
    )


async def bounded(response: httpx.Response, most: int) -> bytes:
    """Read a body whole and unpacked, up to `most` bytes; TooLong beyond it.

    It is unpacked here, piece by piece and never further than the bound: httpx
    unpacks a piece whole, and a few bytes can hold gigabytes.
    """
    if response.is_stream_consumed:  # a transport that had it in memory
        if len(response.content) > most:
            raise TooLong
        return response.content
    unpacker = _unpacker(response.headers.get("content-encoding", ""))
    parts, size = [], 0
    async for raw in response.aiter_raw():
        part = raw if unpacker is None else _unpacked(unpacker, raw, most + 1 - size)
        size += len(part)
        if size > most:
            raise TooLong
        parts.append(part)
    if unpacker is not None and size and (not unpacker.eof or unpacker.unused_data):
        raise httpx.DecodingError("the packed answer is cut, or goes on past its end")
    return b"".join(parts)


def _unpacker(packing: str) -> "zlib._Decompress | None":
    """Return what unpacks a body; DecodingError on a packing nobody asked for."""
    named = [each.strip().lower() for each in packing.split(",") if each.strip()]
    named = [each for each in named if each != "identity"]
    if not named:
        return None
    if len(named) > 1 or named[0] not in _GZIP:
        raise httpx.DecodingError(f"packed as {packing[:40]!r}, which was not asked")
    return zlib.decompressobj(16 + zlib.MAX_WBITS)  # 16: of gzip


def _unpacked(unpacker: "zlib._Decompress", raw: bytes, most: int) -> bytes:
    """Unpack a piece, no further than `most` bytes (at least 1)."""
    try:
        return unpacker.decompress(raw, most)
    except zlib.error as error:
        raise httpx.DecodingError(f"cannot be unpacked: {error}") from None


def never_left(error: BaseException) -> bool:
    """Tell whether the connection was never made, so that nothing was sent."""
    return isinstance(error, _NEVER_LEFT) or isinstance(error.__cause__, _NEVER_LEFT)
