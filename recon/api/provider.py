"""Every product of one business, opened from its settings, over one journal."""

from collections.abc import Awaitable, Callable
from functools import cached_property
from typing import Self, TypeVar

import httpx

from recon.api.agreements import Agreements
from recon.api.cash_in import CashInReads
from recon.api.checkouts import Checkouts
from recon.api.client import Client
from recon.api.credentials import Product
from recon.api.customers import Customers, Tickets
from recon.api.deposits import Deposits
from recon.api.escrow import EscrowReads
from recon.api.gateway import Gateway
from recon.api.hosted import Hosted
from recon.api.mandates import Mandates
from recon.api.redaction import Redaction
from recon.api.sending import Journal, keep
from recon.api.unified import UnifiedReads
from recon.api.webhooks import Webhooks
from recon.errors import SettingsError
from recon.settings import Settings

Section = TypeVar("Section")


class Provider:
    """Every client of one business; an asynchronous context manager.

    A client is made when it is first asked for; that of a product whose section is
    absent is a SettingsError. The domains are those approved for callbacks, where
    they are known. `transport` replaces the network in tests.
    """

    def __init__(
        self,
        settings: Settings,
        journal: Journal,
        *,
        gateway_domain: str = "",
        hosted_domain: str = "",
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.settings = settings
        self.journal = journal
        self._gateway_domain = gateway_domain
        self._hosted_domain = hosted_domain
        self._transport = transport
        self._redaction = Redaction.of(settings)
        self._closing: list[Callable[[], Awaitable[None]]] = []

    @cached_property
    def gateway(self) -> Gateway:
        """The card gateway."""
        section = _present(self.settings.gateway, "gateway")
        return Gateway(
            self._opened(section),
            self.journal,
            base_url=section.base_url,
            zone=self.settings.gateway_zone,
            approved_domain=self._gateway_domain,
        )

    @cached_property
    def hosted(self) -> Hosted:
        """The hosted one-click page."""
        section = _present(self.settings.hosted, "hosted")
        return Hosted(
            self._opened(section),
            self.journal,
            section.page_url,
            self._hosted_domain,
        )

    @cached_property
    def deposits(self) -> Deposits:
        """Deposits into the wallet."""
        business = self.settings.business.name
        return Deposits(self.cash_in_client, self.journal, business)

    @cached_property
    def mandates(self) -> Mandates:
        """Permissions to withdraw."""
        section = _present(self.settings.unified, "unified")
        business = self.settings.business.name
        return Mandates(self.unified_client, self.journal, business, section.page_url)

    @cached_property
    def checkouts(self) -> Checkouts:
        """Unified checkouts and their payments."""
        section = _present(self.settings.unified, "unified")
        business = self.settings.business.name
        return Checkouts(self.unified_client, self.journal, business, section.page_url)

    @cached_property
    def agreements(self) -> Agreements:
        """Agreements held in escrow."""
        return Agreements(self.escrow_client, self.journal)

    @cached_property
    def customers(self) -> Customers:
        """The parties of agreements."""
        return Customers(self.escrow_client)

    @cached_property
    def tickets(self) -> Tickets:
        """Problems with agreements."""
        return Tickets(self.escrow_client)

    @cached_property
    def webhooks(self) -> Webhooks:
        """Where the escrow service sends its events."""
        return Webhooks(self.escrow_client)

    @cached_property
    def unified(self) -> UnifiedReads:
        """What the unified service answers: methods, mandates, checkouts."""
        section = _present(self.settings.unified, "unified")
        return UnifiedReads(self.unified_client, section, self.settings.business.name)

    @cached_property
    def escrow(self) -> EscrowReads:
        """What the escrow service answers: agreements, customers, webhooks."""
        return EscrowReads(self.escrow_client)

    @cached_property
    def cash_in(self) -> CashInReads:
        """What cash-in answers: accounts, balances."""
        return CashInReads(self.cash_in_client, self.settings.business.name)

    @cached_property
    def unified_client(self) -> Client:
        """The client of the unified service."""
        return self._opened(_present(self.settings.unified, "unified"))

    @cached_property
    def escrow_client(self) -> Client:
        """The client of the escrow service; one token serves all its parts."""
        return self._opened(_present(self.settings.escrow, "escrow"))

    @cached_property
    def cash_in_client(self) -> Client:
        """The client of cash-in."""
        return self._opened(_present(self.settings.cash_in, "cash_in"))

    async def aclose(self) -> None:
        """Close every connection. The journal stays open: it is its opener's."""
        while self._closing:
            await self._closing.pop()()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _opened(self, section: Product) -> Client:
        client = Client(
            section,
            self.settings.http,
            limits=self.settings.limits,
            transport=self._transport,
            capture=keep,
            redaction=self._redaction,
            clock_skew=self.settings.checks.clock_skew,
        )
        self._closing.append(client.aclose)
        return client


def _present(section: Section | None, name: str) -> Section:
    if section is None:
        raise SettingsError(f"the section {name} is absent: that product is not used")
    return section
