"""Reading a list in part: its new end, and the records that are still open.

The proof is a count: at the instant of one answer, what the lake holds of the list
and what came in since are together as many as the answer's total. A record that left,
or came in elsewhere, breaks the sum, and the list is then read whole at once. So it is
where the total falls from one answer to the next: a record that leaves just then may
put another onto a page that was read, and the sum would be right without that one.
Where one left and another came in elsewhere between two readings, the sum is right by
chance: both are found by the next whole reading (`lake.full_every`) at the latest.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Generic, Self, TypeVar

from recon.api.ids import IdSet
from recon.api.paging import ListPage
from recon.api.together import together
from recon.errors import RateLimited, Refused, Unauthenticated
from recon.lake import Commit, Lake
from recon.pull.listing import Listing, NamedOtherwise, OpenIds, Reopening
from recon.pull.ordering import Order, OrderWatch
from recon.pull.pulling import Found, Pulling

Row = TypeVar("Row")

OPEN_FOR = timedelta(days=30)
"""An open record that is older is read again by whole pulls only, but for agreements
that an event came of since."""

_OF_THE_END = 2  # requests, about
_FURTHER_TRIES = 3  # where records come in while the end is read


class PartialRead(Generic[Row]):
    """One list being read in part; `reason` says why it could not be, if so."""

    def __init__(
        self, pulling: Pulling, listing: Listing[Row], order: Order, pages: int
    ) -> None:
        self.reason: str | None = None
        self._pulling = pulling
        self._listing = listing
        self._order = order
        self._most_pages = pages  # beyond them the whole list is no dearer
        self._standing = IdSet()
        self._fresh: set[str] = set()
        self._met: set[str] = set()
        self._page_count = 0
        self._total = 0  # the newest
        self._fell = False

    @classmethod
    def planned(cls, pulling: Pulling, listing: Listing[Row]) -> Self | None:
        """Return the reading in part that is due; None where the list is read whole."""
        last = pulling.base
        if last is None or last.certificate.get("order") is None:
            return None
        order = Order(last.certificate["order"])
        return cls(pulling, listing, order, pages_of(last))

    async def read(
        self, take: Callable[[ListPage[Row]], None], order: OrderWatch[Row]
    ) -> Found | None:
        """Read the new end and the open records; None if the proof fails."""
        listing, pulling = self._listing, self._pulling
        if listing.reopening is None or listing.table is None:
            return None
        self._standing = pulling.keeper.standing(listing.table)
        open_ids = reopened(pulling.lake, listing.reopening.open_ids, self._standing)
        if is_no_cheaper(len(open_ids), self._most_pages):
            self.reason = f"{len(open_ids)} open records cost as much as the whole list"
            return None
        if not await self._met_the_end(take, order):
            return None
        again = [each for each in open_ids if each not in self._met]
        if not await self._reread(again, listing.reopening):
            return None
        return Found(
            whole=False,
            certificate={
                "proof": "counted",
                "order": self._order.value,
                "known": len(self._standing),
                "fresh": len(self._fresh),
                "pages": self._page_count,
                "reread": len(again),
            },
        )

    async def _met_the_end(
        self, take: Callable[[ListPage[Row]], None], order: OrderWatch[Row]
    ) -> bool:
        """Read the end where new records go in, until the count is right."""
        for _ in range(_FURTHER_TRIES):
            page = await self._asked(1, take, order)
            size = max(1, len(page.rows))  # whatever `per_page` says
            number = 2
            if self._order is Order.OLDEST_FIRST:
                number = max(2, len(self._standing) // size)
            while self._goes_on(page, number, size):
                page = await self._asked(number, take, order)
                number += 1
            if self._page_count > self._most_pages:
                self.reason = "its new end is as long as the whole list"
                return False
            if self._fell:
                self.reason = "records left it while its new end was read"
                return False
            if not order.agrees(self._order):
                self.reason = f"its pages are no longer {self._order.value}"
                return False
            if self._is_counted(page):
                return True
            if page.meta.total < self._count:
                break
            order.forget()
        self.reason = f"it has {page.meta.total} records where {self._count} are known"
        return False

    def _goes_on(self, page: ListPage[Row], number: int, size: int) -> bool:
        """Tell whether the next page may hold records that are new.

        A count that is right before the whole new end was read may be so by chance: as
        many left the list as are still to come.
        """
        if self._page_count > self._most_pages or not page.rows:
            return False
        if number > -(-page.meta.total // size):
            return False
        if self._order is Order.OLDEST_FIRST:
            return True
        are_fresh = [self._listing.key(row) in self._fresh for row in page.rows]
        return are_fresh[-1] or (any(are_fresh) and not self._is_counted(page))

    async def _asked(
        self,
        number: int,
        take: Callable[[ListPage[Row]], None],
        order: OrderWatch[Row],
    ) -> ListPage[Row]:
        page = await self._listing.ask(number)
        self._page_count += 1
        self._fell |= page.meta.total < self._total
        self._total = page.meta.total
        take(page)
        found = {self._listing.key(row) for row in page.rows}
        self._met |= found
        self._fresh |= self._standing.missing(found)
        if page.meta.current_page != number:
            order.doubt()
        return page

    @property
    def _count(self) -> int:
        return len(self._standing) + len(self._fresh)

    def _is_counted(self, page: ListPage[Row]) -> bool:
        return self._count == page.meta.total

    async def _reread(self, ids: list[str], reopening: Reopening) -> bool:
        """Read open records again; a refusal of one means that it may have left.

        Where an answer names its record otherwise, only the list has its name.
        """
        waiting = iter(ids)

        async def work() -> None:
            for record_id in waiting:
                await reopening.reread(record_id)
                self._pulling.report(None)

        try:
            workers = min(self._pulling.client.concurrency, len(ids))
            await together(work() for _ in range(workers))
        except (Unauthenticated, RateLimited):
            raise
        except NamedOtherwise as error:
            self.reason = str(error)
            return False
        except Refused as error:
            self.reason = f"an open record was refused: {error}"
            return False
        return True


def reopened(lake: Lake, open_ids: OpenIds, standing: IdSet) -> list[str]:
    """Return the open records of a list that are read again one by one.

    `standing` are the ids that the list had: what its last whole sweep no longer met
    was told, and is not asked for; back in, it is counted.
    """
    found = open_ids(lake, lake.now() - OPEN_FOR)
    left = standing.missing(found)
    return [each for each in found if each not in left]


def is_no_cheaper(open_count: int, pages: int) -> bool:
    """Tell whether so many open records and the new end cost as much as all pages."""
    return open_count + _OF_THE_END >= pages


def pages_of(commit: Commit) -> int:
    """Return how many requests the last whole pull took, a sweep."""
    certificate: dict[str, Any] = commit.certificate
    sweeps = max(1, int(certificate.get("sweeps") or 1))
    return int(certificate.get("pages") or 0) // sweeps
