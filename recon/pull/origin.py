"""Whose records a lake holds: of one provider and one business, as its pulls say.

Records of a test system beside those of the real one, or of a second business, would
all count: no figure would be right, and nothing would look wrong before a whole sweep.
"""

from collections.abc import Iterable, Iterator, Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

from recon.lake import Commit, Lake
from recon.pull.pulling import Source
from recon.settings import Settings
from recon.times import format_instant

ORIGIN = "origin"
"""What a pull's certificate calls it."""

MOVED_FROM = "moved_from"
"""What it calls the origin until then, where it was told that this is the same one.

Only a pull that ended well has it: who did not answer may be somebody else.
"""

REMEDY = (
    "give another provider or business a lake.path of its own; where it is the same "
    "one, `recon pull --moved` goes on"
)
"""What to do about records of two origins."""

_LOOPBACK = "this machine"  # whatever the port: a sandbox's is another each time
_USUAL_PORTS = {"https": ":443", "http": ":80"}


def origin_of(settings: Settings, section: str) -> str:
    """Return the provider's host in a section's address, and the business."""
    base_url = getattr(settings, section).base_url
    return f"{_host(base_url)}, business {settings.business.name}"


def others(
    settings: Settings, lake: Lake, sources: Iterable[Source]
) -> dict[str, Commit]:
    """Return the newest pull of each source that asked another provider or business.

    Pulls that read no record say nothing: an address may have been wrong. Nor do those
    that were made before pulls said whom they had asked.
    """
    newest = {
        commit.source: commit for commit in lake.commits(kind="pull") if _says(commit)
    }
    return {
        source.NAME: newest[source.NAME]
        for source in sources
        if source.NAME in newest
        and newest[source.NAME].certificate[ORIGIN]
        != origin_of(settings, source.SECTION)
    }


def strangers(
    settings: Settings, lake: Lake, sources: Sequence[Source]
) -> Iterator[str]:
    """Say of which sources the lake has records of another provider or business.

    One line a source.
    """
    found = others(settings, lake, sources)
    for source in sources:
        if last := found.get(source.NAME):
            yield (
                f"{source.SECTION}.base_url or business.name: until "
                f"{format_instant(last.committed_at)} this lake's {source.NAME} came "
                f"from {last.certificate[ORIGIN]}; now they would come from "
                f"{origin_of(settings, source.SECTION)}"
            )


def _says(commit: Commit) -> bool:
    """Tell whether a pull says whose records a source has: by its own, or by a move."""
    said = commit.certificate
    return ORIGIN in said and (
        commit.counts.get("records", 0) > 0 or MOVED_FROM in said
    )


def _host(base_url: str) -> str:
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    try:
        is_loopback = ip_address(host).is_loopback
    except ValueError:
        is_loopback = host == "localhost"
    if is_loopback:
        return _LOOPBACK
    place = parts.netloc.rpartition("@")[2].lower()
    return place.removesuffix(_USUAL_PORTS.get(parts.scheme, ""))
