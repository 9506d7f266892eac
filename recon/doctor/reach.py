"""At which step a connection to an address fails, in words that say what to do."""

import asyncio
import socket
import ssl
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit

from recon.api.wire import certificates, proxy_of


@dataclass(frozen=True)
class Why:
    """What fails, and what to do about it."""

    told: str
    do: str


async def why_unreachable(address: str, patience: timedelta) -> Why | None:
    """Connect, say nothing, hang up; None if it works.

    Whom a pull trusts is trusted here. Where a proxy of the environment is between,
    nothing is tried and None returned.
    """
    if goes_through_proxy(address):
        return None
    try:
        async with asyncio.timeout(patience.total_seconds()):
            await _connect(address)
    except (OSError, UnicodeError) as error:
        return _explained(error, patience)
    return None


def goes_through_proxy(address: str) -> bool:
    """Tell whether the environment names a proxy for an address."""
    return proxy_of(address) is not None


async def _connect(address: str) -> None:
    parts = urlsplit(address)
    secure = parts.scheme == "https"
    context = certificates() if secure else None
    port = parts.port or (443 if secure else 80)
    _, writer = await asyncio.open_connection(parts.hostname, port, ssl=context)
    writer.transport.abort()  # nothing was said, so nothing is to be closed


def _explained(error: OSError | UnicodeError, patience: timedelta) -> Why:
    """Put an error of connecting into words; the narrower kinds come first."""
    match error:
        case socket.gaierror() | UnicodeError():
            told = f"its name is not known ({_said(error, 'strerror')})"
            do = "check the address, and this machine's name server"
        case ssl.SSLCertVerificationError():
            told = f"its certificate is not accepted: {_said(error, 'verify_message')}"
            do = (
                "check the address and this machine's clock; a file of other "
                "authorities to trust can be named in SSL_CERT_FILE"
            )
        case ssl.SSLError():
            told = f"no secure connection ({_said(error, 'reason')})"
            do = "check that the address is one of https"
        case TimeoutError():
            told = f"no connection within {patience.total_seconds():g} s"
            do = "check the address, and whether a firewall is between"
        case _:
            told = f"no connection ({_said(error, 'strerror')})"
            do = "check the address and the port, and whether a firewall is between"
    return Why(told, do)


def _said(error: Exception, name: str) -> str:
    """Return what an error says; not every one has the attribute of its kind."""
    return str(getattr(error, name, None) or error or type(error).__name__)
