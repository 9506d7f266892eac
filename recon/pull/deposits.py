"""Deposits into the wallet: those the journal holds, and the list where there is one.

The word of the list, and of an import, is newer than the journal's, which has the
answer of the request. What the list leaves out (`track_id`, the times, the amount
requested, the fee, the account, the receipt) stays as it was known, but for what an
import told that was taken back.
Unknown: a list of deposits; the setting `cash_in.deposit_list_path`.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from recon.api.cash_in import CashInReads
from recon.api.paging import ListPage
from recon.errors import LakeError
from recon.journal import Journal, deposit_entries, deposit_track_ids, journaled
from recon.pull.listing import Listing
from recon.pull.pulling import Found, Pulling
from recon.pull.reading import read_list
from recon.pull.taken_back import mended
from recon.records.cash_in import DEPOSIT_STATUSES, DepositEntry, deposit_list
from recon.settings import CashIn, Settings

NAME = "deposits"
SECTION = "cash_in"
TABLE = "deposits"

_COMPLETED = (
    *("requested_at", "settled_at", "requested_amount"),
    *("wage", "iban", "receipt_url"),
)
_REMEMBERED = ("track_id", *_COMPLETED)


def skipped(settings: Settings) -> str | None:
    """Say why there is nothing to ask or to read; None if there is."""
    listed = settings.cash_in and settings.cash_in.deposit_list_path
    try:
        if listed or journaled(settings, _any_sent):
            return None
    except LakeError:  # nobody knows; to read it says what is wrong
        return None
    return "cash_in.deposit_list_path is empty, and no deposit was journaled"


def _any_sent(journal: Journal) -> Iterator[str]:
    """Yield the first deposit of the journal, if it has any."""
    return islice(deposit_track_ids(journal), 1)


def requests(settings: Settings) -> int | None:
    """Return 0 where only the journal is read; None where the list is walked."""
    listed = settings.cash_in and settings.cash_in.deposit_list_path
    return None if listed else 0


async def fetch(pulling: Pulling) -> Found:
    """Keep the journal's deposits and walk the list, if its path is set."""
    settings = pulling.settings
    cash_in = settings.cash_in or CashIn()
    sent = journaled(settings, deposit_entries)
    remembered = _Remembered(pulling, sent)
    sent = [row for row in sent if _key(row) not in remembered.told_since]
    sent += remembered.mended()
    if not cash_in.deposit_list_path:
        pulling.keeper.keep(TABLE, sent)
        return Found(certificate={"origin": "journal"})
    reads = CashInReads(pulling.client, settings.business.name)
    listed: set[tuple[str | None, str | None]] = set()

    async def ask(page: int) -> ListPage[DepositEntry]:
        return await reads.deposits(cash_in.deposit_list_path, page, settings.unified)

    def take(page: ListPage[DepositEntry]) -> None:
        rows = [remembered.completed(deposit_row(entry)) for entry in page.rows]
        listed.update(map(_key, rows))
        pulling.keeper.keep(TABLE, rows, page.answer)
        pulling.keeper.note_states(
            "deposit.status", (row.status for row in page.rows), DEPOSIT_STATUSES
        )

    # One entry under two requests is a finding, so both are rows.
    listing = Listing(ask, lambda entry: repr(_key(deposit_row(entry))), take, None)
    try:
        return await read_list(pulling, listing)
    finally:  # a list that fails, or takes too long, hides nothing that was sent
        left = [row for row in sent if _key(row) not in listed]
        pulling.keeper.keep(TABLE, left)


def deposit_row(entry: DepositEntry) -> dict[str, Any]:
    """Return a listed entry as a row of `deposits`; amounts in rials.

    An empty `track_id` is none, as where the list leaves it out.
    """
    named = (entry.track_id or "").strip(" ")
    return {
        "track_id": entry.track_id if named else None,
        **entry.columns(),
        "requested_at": entry.requested_at,
        "settled_at": entry.settled_at,
        "requested_amount": entry.requested_amount,
        "outcome": "",
        "origin": "list",
    }


def _listed(body: bytes) -> list[dict[str, Any]]:
    """Return the rows that a stored page of the list tells by itself."""
    return [deposit_row(entry) for entry in deposit_list(body).value.data]


def _key(row: dict[str, Any]) -> tuple[str | None, str | None]:
    return row.get("track_id"), row.get("gateway_transaction_id")


class _Remembered:
    """What is known of deposits besides their entry: by the lake, else the journal.

    A list that leaves out `track_id` is completed by `gateway_transaction_id` alone.
    `told_since` are the keys of which a list or an import has the last word. Rows of
    the list that an import completed which was taken back are mended; the `track_id`
    that it told stays, since it is the row's name.
    """

    def __init__(self, pulling: Pulling, sent: Iterable[dict[str, Any]]) -> None:
        self._by_key: dict[tuple[str | None, str], dict[str, Any]] = {}
        self._by_entry: dict[str, dict[str, Any]] = {}
        names = ["gateway_transaction_id", "origin", *_REMEMBERED]
        known = pulling.lake.current(TABLE, names).to_pylist()
        self.told_since = {_key(row) for row in known if row["origin"] != "journal"}
        found = mended(pulling.lake, NAME, TABLE, _COMPLETED, _listed)
        self._mended = [row for row in found.values() if row["origin"] == "list"]
        self._add(sent)
        self._add(found.get(_key(row), row) for row in known)

    def _add(self, rows: Iterable[dict[str, Any]]) -> None:
        for row in rows:
            entry_id = row.get("gateway_transaction_id")
            if entry_id is None:
                continue
            said = {
                name: row[name] for name in _REMEMBERED if row.get(name) is not None
            }
            by_key = self._by_key.setdefault((row.get("track_id"), entry_id), {})
            by_key.update(said)
            self._by_entry.setdefault(entry_id, {}).update(said)

    def mended(self) -> list[dict[str, Any]]:
        """Return the list's rows without what was taken back."""
        return [self.completed(row) for row in self._mended]

    def completed(self, row: dict[str, Any]) -> dict[str, Any]:
        track_id, entry_id = row["track_id"], row["gateway_transaction_id"]
        if track_id is None:
            known = self._by_entry.get(entry_id, {})
        else:
            known = self._by_key.get((track_id, entry_id), {})
        absent = {name: said for name, said in known.items() if row[name] is None}
        return row | absent
