"""Names of hosts: which ones a client can ask for at all."""

import re
from contextlib import suppress
from ipaddress import ip_address

_LABEL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?")
_LONGEST = 253  # characters, all parts and the dots between them
_LIKE_IPV4 = re.compile(r"[0-9]+.[0-9]+.[0-9]+.[0-9]+")  # what httpx takes for one


def is_host(name: str) -> bool:
    """Tell whether a host may be called so: by a name in any letters, or by an IP.

    What is no such name ends a request with an error of the library that was to send
    it, and no two libraries agree in which.
    """
    if ":" in name or _LIKE_IPV4.fullmatch(name):
        with suppress(ValueError):
            return bool(ip_address(name))
        return False
    if not name.isascii() or "xn--" in name:
        name = _in_ascii(name)
    labels = name.removesuffix(".").split(".")
    return len(name) <= _LONGEST and all(map(_LABEL.fullmatch, labels))


def _in_ascii(name: str) -> str:
    """Return how a name in other letters is asked for; empty where none can be."""
    import httpx  # noqa: PLC0415 - it takes long, and most names are in ASCII

    with suppress(ValueError, httpx.InvalidURL):
        address = httpx.URL(f"https://{name}")
        _ = address.host  # which a request tells the server, in its own letters
        return address.raw_host.decode()
    return ""
