"""The wire itself: requests as httpx has them, bounded bodies, and what a cut means."""

import os
import ssl
import zlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

import recon
from recon.api import sockets
from recon.errors import SettingsError
from recon.hosts import is_host
from recon.setting_values import LOOPBACK
from recon.settings import Http
from recon.wording import reason_of

TROUBLE = (httpx.HTTPError, httpx.StreamError, *sockets.TROUBLE)
"""Everything that a transport raises when a request fails on its way."""

_NEVER_LEFT = (httpx.ConnectError, httpx.PoolTimeout)
_HEAD_BEGUN = "send_request_headers.started"  # of httpx's own transport

said = sockets.said

_GZIP = {"gzip", "x-gzip"}
"""What an answer may be packed with; anything else was not asked for."""


class TooLong(Exception):  # noqa: N818 - never leaves the client
    """A body over the bound."""


class Wire:
    """One host's connections: a transport, and what every request to it carries.

    `transport` replaces the one that the settings name. Redirects are not followed
    and cookies not kept.
    """

    def __init__(
        self, base_url: str, http: Http, transport: httpx.AsyncBaseTransport | None
    ) -> None:
        self._transport = transport or _transport(base_url, http)
        self._headers = {
            "accept": "application/json",
            "accept-encoding": "gzip",
            "user-agent": f"recon/{recon.__version__}",
        }
        patience = httpx.Timeout(http.timeout.total_seconds())
        self._extensions = {"timeout": patience.as_dict()}

    def request(
        self,
        method: str,
        address: str,
        headers: Mapping[str, str],
        params: Any,
        json: Any,
    ) -> httpx.Request:
        """Return a request that can be sent."""
        query = f"?{httpx.QueryParams(params)}" if params else ""
        return httpx.Request(
            method,
            httpx.URL(address + query),  # far cheaper than to merge parameters into one
            headers={**self._headers, **headers},
            json=json,
            extensions=self._extensions,
        )

    async def send(self, request: httpx.Request) -> httpx.Response:
        """Send a request; its answer's body is still to be read, and to be closed."""
        if isinstance(self._transport, httpx.AsyncHTTPTransport):
            _note_leaving(request)
        return await self._transport.handle_async_request(request)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._transport.aclose()


def _transport(base_url: str, http: Http) -> httpx.AsyncBaseTransport:
    """Open the transport of the settings."""
    proxy = proxy_of(base_url)
    if http.transport == "httpx":
        most = http.concurrency
        limits = httpx.Limits(max_connections=most, max_keepalive_connections=most)
        trust = certificates()
        return httpx.AsyncHTTPTransport(verify=trust, limits=limits, proxy=proxy)
    secure = urlsplit(base_url).scheme == "https"
    context = certificates() if secure else None
    return sockets.Sockets(http.concurrency, context, proxy)


def certificates() -> ssl.SSLContext:
    """Load whom to trust: from where OpenSSL's variables say, else certifi's.

    Raises SettingsError where they cannot be read.
    """
    try:
        return httpx.create_ssl_context()
    except OSError as error:  # an SSLError is one, too
        named = os.environ.get("SSL_CERT_FILE")
        place = f"SSL_CERT_FILE: {named}" if named else "the certificates of certifi"
        raise SettingsError(f"{place} cannot be read: {reason_of(error)}") from None


def proxy_of(address: str) -> str | None:
    """Return the environment's proxy to an address; this machine is reached without.

    Raises SettingsError, which repeats nothing of it, where it is no address.
    """
    parts = urlsplit(address)
    if parts.hostname in LOOPBACK or proxy_bypass(parts.netloc):
        return None
    found = getproxies()
    proxy = found.get(parts.scheme) or found.get("all")
    if proxy and not _is_proxy(proxy):
        raise SettingsError(
            "the environment's proxy must be an http or https address; what means "
            "something there is written as %40 (@), %2F (/), %23 (#) in its password"
        )
    return proxy


def _is_proxy(address: str) -> bool:
    """Tell whether it is an address whose name and password can be told to a proxy."""
    try:
        parts = urlsplit(address)
        _ = parts.port
        unquote(parts.netloc).encode("latin-1")
    except ValueError:
        return False
    rest = parts.path + parts.query + parts.fragment
    is_whole = is_host(parts.hostname or "") and "@" not in rest
    return is_whole and parts.scheme in {"http", "https"}


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


def may_have_left(request: httpx.Request, error: BaseException) -> bool:
    """Tell whether any of a request that failed may have reached its host."""
    found = request.extensions.get(sockets.LEFT)
    if found is None:  # of a transport that does not tell
        return not isinstance(error, _NEVER_LEFT)
    return bool(found)


def _note_leaving(request: httpx.Request) -> None:
    """Let httpx's own transport mark a request once it begins to leave.

    What a proxy is asked first, to open the way, is none of it.
    """

    async def note(event: str, told: Any) -> None:
        if event.endswith(_HEAD_BEGUN) and told["request"].method != b"CONNECT":
            request.extensions[sockets.LEFT] = True

    request.extensions |= {sockets.LEFT: False, "trace": note}


def proxy_password(base_url: str) -> str:
    """Return the password of the environment's proxy to an address; "" without one."""
    return unquote(urlsplit(proxy_of(base_url) or "").password or "")
