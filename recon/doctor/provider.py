"""Whether the provider can be reached, knows us, and agrees about the time.

One read that changes nothing is asked of each product that has one, once, with a
short time-out. A product without such a read (the gateway and the hosted page answer
only about a token) is called on, and hung up on before anything is said.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import httpx

from recon.api.answers import Answer
from recon.api.cash_in import CashInReads
from recon.api.client import Client
from recon.api.escrow import EscrowReads
from recon.api.redaction import Redaction
from recon.api.unified import UnifiedReads
from recon.doctor.configuration import CREDENTIALS, PRODUCTS, credential_missing
from recon.doctor.findings import Finding, ok, problem, warning
from recon.doctor.reach import Why, goes_through_proxy, why_unreachable
from recon.errors import (
    ExitCode,
    ProviderError,
    RateLimited,
    Refused,
    SettingsError,
    Unauthenticated,
)
from recon.settings import Http, Settings, variable_of
from recon.times import format_instant, http_date

LONGEST = timedelta(seconds=10)
"""How long one question may take, if `http.timeout` is not shorter."""
_AREAS = ("reach", "credentials", "clock")
_DATE_STEP = timedelta(seconds=1)  # a Date header's resolution


@dataclass
class _Call:
    """One question, when it was asked, and the last answer's Date."""

    asked_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    answered_at: datetime | None = None
    date: str | None = None

    def capture(self, answer: Answer[None]) -> None:
        self.answered_at = answer.received_at
        self.date = answer.headers.get("date")


def short(http: Http) -> Http:
    """Return how hard the doctor asks: once, and not for long."""
    return replace(http, retries=0, timeout=min(http.timeout, LONGEST))


async def findings(
    settings: Settings, transport: httpx.AsyncBaseTransport | None = None
) -> list[Finding]:
    """Ask every product of the settings at once; `transport` replaces the network."""
    asked = [
        product
        for product in PRODUCTS
        if (section := getattr(settings, product)) is not None and section.base_url
    ]
    found = await asyncio.gather(
        *(_product(settings, product, transport) for product in asked)
    )
    flat = [finding for each in found for finding in each]
    return sorted(flat, key=lambda finding: _AREAS.index(finding.area))


async def _product(
    settings: Settings, product: str, transport: httpx.AsyncBaseTransport | None
) -> list[Finding]:
    try:
        return await _examined(settings, product, transport)
    except SettingsError as error:  # a proxy or certificates of the environment
        do = "correct that variable of the environment, or unset it"
        return [problem("reach", f"{product}: {error}", do, ExitCode.USAGE)]


async def _examined(
    settings: Settings, product: str, transport: httpx.AsyncBaseTransport | None
) -> list[Finding]:
    host = _host(settings, product)
    if credential_missing(settings, product):
        return [await _called(settings, product, host)]
    if product not in _READS:
        return [await _called(settings, product, host), _unproven(product)]
    call = _Call()
    section = getattr(settings, product)
    async with Client(
        section,
        short(settings.http),
        limits=settings.limits,
        transport=transport,
        capture=call.capture,
        redaction=Redaction.of(settings),
    ) as client:
        try:
            await _READS[product](client, settings)
        except ProviderError as error:
            judged = await _trouble(settings, product, error)
        else:
            judged = ok("credentials", f"{product}: accepted")
    known = [judged, *_clock(host, call, settings.checks.clock_skew)]
    if judged.area == "credentials":  # whoever judges it has been reached
        return [ok("reach", f"{product}: {host} answers"), *known]
    return known


async def _methods(client: Client, settings: Settings) -> None:
    if settings.unified:
        business = settings.business.name
        await UnifiedReads(client, settings.unified, business).payment_methods()


async def _agreements(client: Client, _: Settings) -> None:
    await EscrowReads(client).agreements(1)


async def _accounts(client: Client, settings: Settings) -> None:
    await CashInReads(client, settings.business.name).accounts()


_READS: Mapping[str, Callable[[Client, Settings], Awaitable[None]]] = {
    "unified": _methods,
    "escrow": _agreements,
    "cash_in": _accounts,
}
"""A read of each product that needs the credential and changes nothing."""


def _unproven(product: str) -> Finding:
    return ok(
        "credentials",
        f"{product}: is set; not tried, since it answers only about a token",
    )


async def _trouble(settings: Settings, product: str, error: ProviderError) -> Finding:
    """Say which of reach, credential and address is the matter."""
    keys = " and ".join(variable_of(product, key) for key in CREDENTIALS[product])
    told = f"{product}: {error}"
    if isinstance(error, Unauthenticated):
        if error.status is None:  # neither 401 nor 403: its address may be none
            keys = f"{product}.base_url, {keys}"
        do = f"check {keys}, and that the provider lets this machine's address in"
        return problem("credentials", told, do, ExitCode.INCOMPLETE)
    if isinstance(error, RateLimited):
        do = "the provider asks for less: try again later, or set http.rate_limit"
        return problem("reach", told, do, ExitCode.INCOMPLETE)
    if isinstance(error, Refused):
        do = f"check business.name and {product}.base_url; then ask the provider"
        return problem("credentials", told, do, ExitCode.INCOMPLETE)
    if error.status is None and (why := await _why_unreachable(settings, product)):
        return _unreachable(product, _host(settings, product), why)
    do = f"check {product}.base_url; if it is right, try again later"
    return problem("reach", told, do, ExitCode.INCOMPLETE)


async def _called(settings: Settings, product: str, host: str) -> Finding:
    if goes_through_proxy(_address(settings, product)):
        return ok("reach", f"{product}: {host} is reached through a proxy; not tried")
    why = await _why_unreachable(settings, product)
    if why:
        return _unreachable(product, host, why)
    return ok("reach", f"{product}: {host} can be reached")


def _unreachable(product: str, host: str, why: Why) -> Finding:
    told = f"{product}: {host}: {why.told}"
    do = f"{why.do} ({product}.base_url)"
    return problem("reach", told, do, ExitCode.INCOMPLETE)


async def _why_unreachable(settings: Settings, product: str) -> Why | None:
    address = _address(settings, product)
    return await why_unreachable(address, short(settings.http).timeout)


def _address(settings: Settings, product: str) -> str:
    return str(getattr(settings, product).base_url)


def _host(settings: Settings, product: str) -> str:
    return urlsplit(_address(settings, product)).netloc


def _clock(host: str, call: _Call, tolerance: timedelta) -> list[Finding]:
    """Compare this machine's clock with the Date of an answer.

    The provider wrote it between the question and the answer, in whole seconds, so
    only what lies outside of that is skew.
    """
    if call.answered_at is None:
        return []
    theirs = http_date(call.date or "")
    if theirs is None:
        return [ok("clock", f"{host} does not say what time it has")]
    early = call.asked_at - _DATE_STEP - theirs
    late = theirs - call.answered_at
    skew = max(early, late, timedelta())
    seconds = f"{skew.total_seconds():,.0f} s"
    if skew <= tolerance:
        return [ok("clock", f"{host} and this machine agree within {seconds}")]
    side = "behind" if late > early else "ahead of"
    told = f"this machine is {seconds} {side} {host} ({format_instant(theirs)} there)"
    do = "set this machine's clock by NTP; if it is right, raise checks.clock_skew"
    return [problem("clock", told, do)]


def skipped(settings: Settings) -> list[Finding]:
    """Say so where nothing could be asked at all."""
    if any(getattr(settings, product) is not None for product in PRODUCTS):
        return []
    told = "no product has a section, so nothing can be pulled"
    do = "add [unified], [escrow], [cash_in], [gateway] or [hosted] to the settings"
    return [warning("reach", told, do)]
