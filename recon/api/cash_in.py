"""Reading cash-in: active accounts, balances, and deposits where a list is given.

Source: document 2, part A.
"""

from recon.api.answers import Answer
from recon.api.client import Client
from recon.api.lists import list_page
from recon.api.paging import ListPage
from recon.api.paths import of_cash_in, segment
from recon.errors import SettingsError
from recon.records import cash_in
from recon.records.cash_in import Account, Balance, DepositEntry
from recon.records.decoding import Decoded
from recon.records.lists import PlainList
from recon.settings import Unified


class CashInReads:
    """The questions that cash-in answers about one business."""

    def __init__(self, client: Client, business: str) -> None:
        self._client = client
        self._business = segment(business)
        self._root = of_cash_in(business)

    async def accounts(self) -> Answer[Decoded[PlainList[Account]]]:
        """Return the active accounts."""
        return await self._client.read("GET", self._root, decode=cash_in.account_list)

    async def balance(self, iban: str) -> Answer[Balance]:
        """Return the balance of an active IBAN, in rials.

        Refused, with `iban` in its errors, when the IBAN is not acceptable.
        """
        return await self._client.read(
            "POST", f"{self._root}/balance", json={"iban": iban}, decode=cash_in.balance
        )

    async def deposits(
        self, list_path: str, page: int, like: Unified | None = None
    ) -> ListPage[DepositEntry]:
        """Return one page of the deposits, from the path that the provider gave.

        `{business}` in the path is filled in. Unknown: such a list; taken to be paged,
        and asked, `like` the unified ones. SettingsError if the path is no path.
        """
        if "://" in list_path:
            raise SettingsError(
                "cash_in.deposit_list_path: must be a path at cash_in.base_url"
            )
        path = "/" + list_path.replace("{business}", self._business).lstrip("/")
        like = like or Unified()
        return await list_page(
            self._client,
            path,
            page,
            cash_in.deposit_list,
            per_page=like.per_page,
            parameters=like.list_parameters,
        )
