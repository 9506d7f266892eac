"""Deposits: money from the business's bank account to its wallet.

Source: document 2, part A, Deposit.
"""

from recon.api.client import Client
from recon.api.paths import of_cash_in
from recon.api.sending import Journal, Sender
from recon.errors import Refused
from recon.records import cash_in, limits
from recon.records.cash_in import DepositEntry
from recon.records.requests import Operation


class Deposits:
    """Deposits of one business."""

    def __init__(self, client: Client, journal: Journal, business: str) -> None:
        self._sender = Sender(client, journal)
        self._path = f"{of_cash_in(business)}/deposit"

    async def deposit(
        self,
        iban: str,
        amount: int,
        track_id: str,
        *,
        description: str | None = None,
        comment: str | None = None,
    ) -> tuple[DepositEntry, ...]:
        """Move `amount` rials from the account `iban` to the wallet.

        Returns the entries that the request became; a large one is split. `track_id`
        is the business's own, unique and case-sensitive. After OutcomeUnknown, make
        sure that the money was not withdrawn, then see `deposit_again`.
        """
        return await self._send(
            iban, amount, track_id, description, comment, again=False
        )

    async def deposit_again(
        self,
        iban: str,
        amount: int,
        track_id: str,
        *,
        description: str | None = None,
        comment: str | None = None,
    ) -> tuple[DepositEntry, ...]:
        """Send a deposit of unknown outcome once more, under the same `track_id`.

        The provider registers a `track_id` once: either this is the deposit, or it
        refuses the `track_id`, and the earlier one is thereby known to be registered.
        """
        return await self._send(
            iban, amount, track_id, description, comment, again=True
        )

    async def _send(
        self,
        iban: str,
        amount: int,
        track_id: str,
        description: str | None,
        comment: str | None,
        *,
        again: bool,
    ) -> tuple[DepositEntry, ...]:
        body = {
            "iban": limits.text("iban", iban),
            "amount": limits.rials("amount", amount),
            "track_id": limits.text("track_id", track_id),
        }
        if description is not None:
            body["description"] = limits.text("description", description)
        if comment is not None:
            body["comment"] = limits.text("comment", comment)
        return await self._sender.once(
            Operation.DEPOSIT,
            track_id,
            "POST",
            self._path,
            json=body,
            decode=_entries,
            again=again,
            proof=_is_registered,
        )


def _entries(body: bytes) -> tuple[DepositEntry, ...]:
    entries = cash_in.deposit_answer(body).value.data.cash_in
    if not entries:
        raise ValueError("no entry")
    return entries


def _is_registered(refusal: Refused) -> bool:
    """Source: document 2, Errors, A. Only `track_id` then is at fault."""
    return set(refusal.errors) == {"track_id"}
