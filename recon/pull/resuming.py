"""Going on with a list where a killed pull stopped, as far as that can be proven.

The first and the last page are always asked for anew. Only if both hold the records
that the killed pull saw there, and the same total, are pages in between taken from its
draft; of these only the young ones whose total is the same and whose records are all
final. They enter the sweep as if they had just come, with the time at which they came,
so the proofs of the walk judge them like any page. All else is asked for again. Once
another sweep reads pages anew, drafts of the list are older than what it stores: they
go, so that no later pull puts their records back over newer ones.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from recon.api.paging import FetchPage, ListPage
from recon.lake.pages import Page
from recon.pull.drafts import Draft, Left
from recon.pull.keeping import Keeper
from recon.records.decoding import Decoded
from recon.records.lists import ListBody
from recon.times import format_instant

Row = TypeVar("Row")

FEWEST_PAGES = 50
"""A shorter list is soon read again: it keeps no draft."""


@dataclass(frozen=True)
class Resumption(Generic[Row]):
    """How a stored page of a list is read, and which of its records are final.

    `asked` tells everything that the list's answers depend on: address and page size.
    """

    asked: str
    shape: Callable[[bytes], Decoded[ListBody[Row]]]
    is_final: Callable[[Row, datetime], bool]


class Resumed(Generic[Row]):
    """Asks for a list's pages, or takes them from what a killed pull left."""

    def __init__(
        self,
        ask: FetchPage[Row],
        key: Callable[[Row], str],
        how: Resumption[Row],
        keeper: Keeper,
        draft: Draft,
        left: Left | None,
        now: datetime,
    ) -> None:
        self.taken_count = 0
        self.oldest: datetime | None = None
        self._ask = ask
        self._key = key
        self._how = how
        self._keeper = keeper
        self.draft = draft
        self._left = left
        self._now = now
        self._first: ListPage[Row] | None = None
        self._last_agrees = False
        self._again = False

    async def ask(self, number: int) -> ListPage[Row]:
        """Return a page of the list: the `FetchPage` of a walk."""
        if number == 1:
            return await self._ask_first()
        if self._again and number != self._last:  # more than a look at both ends
            self._again = False
            self.draft.remove()
        page = self._taken(number)
        if page is None:
            page = await self._ask(number)
            if number == self._last:
                self._last_agrees = self._agrees(page)
        self._keep(page)
        return page

    def said(self) -> dict[str, Any]:
        """Return what the certificate says of it; nothing if no page was taken."""
        if self.oldest is None:
            return {}
        since = format_instant(self.oldest)
        return {"resumed": {"pages": self.taken_count, "oldest": since}}

    @property
    def _last(self) -> int:
        return self._first.meta.last_page if self._first else 0

    async def _ask_first(self) -> ListPage[Row]:
        page = await self._ask(1)
        if self._first is not None or not self._agrees(page):
            self._left = None  # another sweep reads all anew; or the list has moved
        if self._first is not None or page.meta.last_page < FEWEST_PAGES:
            self.draft.close()
        self._again = self._first is not None
        self._first = page
        self._keep(page)
        return page

    def _keep(self, page: ListPage[Row]) -> None:
        self.draft.keep(str(page.number), page.answer.page())

    def _agrees(self, page: ListPage[Row]) -> bool:
        """Tell whether a page that just came is the one that the killed pull saw."""
        found = self._read(page.number)
        if found is None:
            return False
        body = found[0].value
        ids = [self._key(row) for row in body.data]
        return body.meta == page.meta and ids == [self._key(row) for row in page.rows]

    def _taken(self, number: int) -> ListPage[Row] | None:
        """Return a page of the draft as one that just came, if it surely holds."""
        if not self._last_agrees or self._first is None or number >= self._last:
            return None
        found = self._read(number)
        if found is None or not self._holds(found[0].value, number):
            return None
        decoded, page = found
        body = decoded.value
        answer = self._keeper.capture_again(page)
        self.taken_count += 1
        self.oldest = min(self.oldest or page.received_at, page.received_at)
        return ListPage(number, body.data, body.meta, answer, decoded.unknown)

    def _holds(self, body: ListBody[Row], number: int) -> bool:
        meta = self._first.meta if self._first else None
        size = len(self._first.rows) if self._first else 0
        same = meta is not None and (
            len(body.data) == size
            and body.meta.total == meta.total
            and body.meta.last_page == meta.last_page
            and body.meta.per_page == meta.per_page
            and body.meta.current_page == number
        )
        return same and all(self._how.is_final(row, self._now) for row in body.data)

    def _read(self, number: int) -> tuple[Decoded[ListBody[Row]], Page] | None:
        """Return a page of the draft; None where there is none."""
        kept = self._left.get(str(number)) if self._left else None
        if kept is None:
            return None
        try:
            decoded = self._how.shape(kept.page.body)
        except (ValueError, RecursionError):
            return None
        return decoded, kept.page
