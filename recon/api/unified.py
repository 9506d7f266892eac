"""Reading the unified payment service: methods, mandates, checkouts.

Source: document 3, Endpoints. What changes something is in the modules of sending.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from recon.api.answers import Answer
from recon.api.client import Client
from recon.api.lists import list_page
from recon.api.paging import ListPage
from recon.api.paths import of_unified, record_segment
from recon.records import envelopes, unified
from recon.records.decoding import Decoded
from recon.records.lists import ListBody, PlainList
from recon.records.unified import Checkout, Mandate, PaymentMethod
from recon.settings import Unified

Row = TypeVar("Row")
CheckoutList = Callable[[bytes], Decoded[ListBody[Any]]]


class UnifiedReads:
    """The questions that the unified service answers about one business."""

    def __init__(self, client: Client, settings: Unified, business: str) -> None:
        self._client = client
        self._settings = settings
        self._root = of_unified(business)

    async def payment_methods(
        self,
        *,
        mobile: str | None = None,
        modes: Sequence[str] = (),
        types: Sequence[str] = (),
        limit: int | None = None,
        is_healthy: bool | None = None,
    ) -> Answer[Decoded[PlainList[PaymentMethod]]]:
        """Return the payment methods with their availability.

        `limit` (rials) keeps the methods whose ceiling reaches it. Unknown: how a
        query carries a list and a flag; as `name[]` repeated, and as 1 or 0.
        """
        given: dict[str, Any] = {
            "mobile": mobile,
            "modes": list(modes) or None,
            "types": list(types) or None,
            "limit": limit,
            "is_healthy": is_healthy,
        }
        asked = {name: value for name, value in given.items() if value is not None}
        path = f"{self._root}/payment-methods"
        decode = unified.payment_method_list
        if self._settings.list_parameters == "body":
            body = asked or None
            return await self._client.read("GET", path, json=body, decode=decode)
        query = {
            f"{name}[]" if isinstance(value, list) else name: int(value)
            if isinstance(value, bool)
            else value
            for name, value in asked.items()
        }
        return await self._client.read("GET", path, params=query, decode=decode)

    async def checkouts(
        self, page: int, shape: CheckoutList = unified.checkout_list
    ) -> ListPage[Any]:
        """Return one page of the checkouts, each with its payments.

        As `unified` records, or as those of another `shape`.
        """
        return await self._page("checkouts", page, shape)

    async def mandates(self, page: int) -> ListPage[Mandate]:
        """Return one page of the mandates."""
        return await self._page("mandates", page, unified.mandate_list)

    async def _page(
        self, name: str, page: int, shape: Callable[[bytes], Decoded[ListBody[Row]]]
    ) -> ListPage[Row]:
        return await list_page(
            self._client,
            f"{self._root}/{name}",
            page,
            shape,
            per_page=self._settings.per_page,
            parameters=self._settings.list_parameters,
        )

    async def checkout(self, checkout_id: str) -> Answer[Checkout]:
        """Return one checkout; a debit payment comes with its whole mandate."""
        return await self._client.read(
            "GET",
            f"{self._root}/checkouts/{record_segment(checkout_id)}",
            decode=envelopes.about(
                checkout_id,
                lambda checkout: checkout.id,
                unified.checkout_answer,
            ),
        )

    async def mandate(self, mandate_id: str) -> Answer[Mandate]:
        """Return one mandate."""
        return await self._client.read(
            "GET",
            f"{self._root}/mandates/{record_segment(mandate_id)}",
            decode=envelopes.about(
                mandate_id,
                lambda mandate: mandate.id,
                unified.mandate_answer,
            ),
        )
