"""Walking a list whole while it moves, and proving that it was seen whole.

One walk from page 1 to the end is a *sweep*. A list is complete by one of three
proofs, tried after every sweep:

- `still`: the total never moved, every page had the rows that its total and place
  promise, the distinct ids are as many as the total, and both ends, read before all
  else, hold the same rows after it.
- `caught_up`: the total only rose, at the instant of one answer the distinct ids of
  this and the neighbouring sweeps were as many as its total, and the old first and
  last row are where growth at one end leaves them (see `anchors`).
- `from_start`: pages were read one after the other while the total only rose, each
  kept its promise, no fewer ids were met than there were rows at the start, and there
  was a sweep before of which none is missing. Rows then move only onto later pages,
  wherever new ones go in, so none of the rows of the start can have been passed over.

Else the list is swept again, a bounded number of times, and then it is incomplete,
with the reason. Unknown: the order of lists; no proof leans on one. From a list that
loses no row none can be missed, wherever rows go in. What only reading each page twice
would show: one row leaves and another goes in, both between the same two answers and
away from the ends (of [a][b][c][d], read as a, d, b, then [a][c][x][d]: c is passed
over, and 4 of 4 are met); from the third sweep on, which reads its end last, the other
may go in there, too.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import pyarrow as pa

from recon.api.anchors import Anchors, Growth
from recon.api.answers import Answer
from recon.api.ids import IdTexts
from recon.api.proofs import Certificate, Proof
from recon.api.sweeps import Sweep
from recon.api.together import together
from recon.errors import (
    ProviderError,
    RateLimited,
    Refused,
    Unauthenticated,
    Unavailable,
)
from recon.records.lists import Meta
from recon.settings import USUAL_LIMITS, Limits

Row = TypeVar("Row")

_CONCURRENT_SWEEPS = 2  # the ones after them read page after page
_CATCH_UP_PAGES = 50  # from each end
_TRIES_FOR_A_ROW = 3  # that rows which come in put onto another page
_SPARE_PAGES = 100  # a sweep may find so many more than twice the first answer's


@dataclass(frozen=True)
class ListPage(Generic[Row]):
    """One page: the number asked for, its rows, and where the answer says it stands."""

    number: int
    rows: Sequence[Row]
    meta: Meta
    answer: Answer[Any]
    unknown: Counter[str] = field(default_factory=Counter)


FetchPage = Callable[[int], Awaitable[ListPage[Row]]]
Take = Callable[[ListPage[Row]], None]


class Walk(Generic[Row]):
    """One list being walked: `ids` after `run` are those of the proven list."""

    def __init__(
        self,
        ask: FetchPage[Row],
        key: Callable[[Row], str],
        take: Take[Row],
        *,
        concurrency: int,
        limits: Limits = USUAL_LIMITS,
        ids: Callable[[], IdTexts] = IdTexts,
    ) -> None:
        """Take how a page is asked for, a row's id, and who gets every page."""
        self._no_ids = ids
        self._limits = limits
        self._ask = ask
        self._key = key
        self._take = take
        self._concurrency = concurrency
        self._sweep = Sweep()
        self._before = Sweep()
        self._union = ids()
        self._anchors = Anchors()
        self.certificate = Certificate()
        self.interrupted = False  # by an error, so that what was read is no whole sweep

    @property
    def ids(self) -> set[str]:
        """Return the distinct ids met: of the proven list, else of the last sweeps."""
        return {each for some in self.id_texts() for each in some.to_pylist()}

    def id_texts(self) -> Iterator[pa.StringArray]:
        """Yield `ids` as columns, some thousands at a time."""
        still = self.certificate.proof is Proof.STILL
        return self._union.texts(self._sweep.ids if still else None)

    @property
    def _distinct(self) -> int:
        still = self.certificate.proof is Proof.STILL
        return len(self._sweep.ids if still else self._union)

    async def run(self) -> Certificate:
        """Sweep until the list is proven whole, or cannot be; never raises for it."""
        try:
            while self.certificate.sweeps < self._limits.sweeps:
                concurrent = self.certificate.sweeps < _CONCURRENT_SWEEPS
                await self._sweep_once(self._concurrency if concurrent else 1)
                self.certificate.proof = await self._proved()
                self.certificate.reason = self._doubt()
                hopeless = self._stands() or self._sweep.ran_away
                if self.certificate.complete or hopeless:
                    break
        except ProviderError as error:
            self.certificate.reason = str(error)
            self.interrupted = True
        self._count_duplicates()
        self.certificate.distinct = self._distinct
        return self.certificate

    def _count_duplicates(self) -> None:
        """Count the rows of the sweep that ends whose id it had met already."""
        sweep = self._sweep
        self.certificate.duplicates += sweep.row_count - len(sweep.ids)

    async def _sweep_once(self, concurrency: int) -> None:
        self._count_duplicates()
        self._before = before = self._sweep
        if before.ids is self._union:
            before.ids = self._union.numbers_alone()
        if before.fell or len(self._union) > before.total:
            self._union = self._no_ids()  # some of these have left the list
            self._anchors = Anchors()
        self._sweep = sweep = Sweep(None if len(self._union) else self._union)
        sweep.in_order = concurrency == 1
        self.certificate.sweeps += 1
        first = await self._asked(1)
        total, rows = first.meta.total, len(first.rows)
        sweep.size = max(1, rows or first.meta.per_page)
        if rows >= total:
            sweep.size = max(sweep.size, first.meta.per_page)
        sweep.last = _pages(total, sweep.size)
        sweep.most = 2 * sweep.last + _SPARE_PAGES
        if sweep.last > self._limits.pages:
            raise Unavailable(
                f"the list says that it has {sweep.last:,} pages; "
                f"limits.pages is {self._limits.pages:,}"
            )
        self._took(first)
        self._anchors.drop_head([self._key(row) for row in first.rows], total)
        self._anchors.drop_tail([self._key(row) for row in first.rows], 0, total)
        early = self.certificate.sweeps <= _CONCURRENT_SWEEPS
        if sweep.last > 1 and (early or not self._anchors.far_row(Growth.HEAD)):
            await self._read_the_end_early()
        await self._walk(concurrency)
        if sweep.total and sweep.total % sweep.size == 0:
            await self._look_past_the_end()

    async def _read_the_end_early(self) -> None:
        """Read the last page before those in between, for its rows as they are now.

        A sweep in order reads it again in its turn, and takes it only then.
        """
        sweep = self._sweep
        page = await self._answered(sweep.last)
        if page:
            ids = [self._key(row) for row in page.rows]
            place = (page.number - 1) * sweep.size
            self._anchors.drop_tail(ids, place, page.meta.total)
            if self.certificate.sweeps <= _CONCURRENT_SWEEPS:
                sweep.ends[page.number] = ids
        if not sweep.in_order:
            sweep.early = sweep.last
            self._took(page)

    async def _walk(self, concurrency: int) -> None:
        """Read the other pages, so many at once; one that came is taken meanwhile."""
        sweep = self._sweep
        highest = 1
        under_way = asyncio.Semaphore(concurrency)

        async def work() -> None:
            nonlocal highest
            while highest < min(sweep.last, sweep.most):
                highest = number = highest + 1
                if number == sweep.early:
                    continue
                async with under_way:
                    page = await self._answered(number)
                try:
                    await asyncio.sleep(0)  # the next page is asked for before
                finally:
                    self._took(page)

        await together(work() for _ in range(min(2 * concurrency, sweep.last)))

    async def _answered(self, number: int) -> ListPage[Row] | None:
        """Ask for one page; a refusal of a page is a page without rows."""
        try:
            return await self._asked(number)
        except (Unauthenticated, RateLimited):
            raise
        except Refused as error:
            self._break(f"page {number} was refused ({error.status})")
            return None

    def _took(self, page: ListPage[Row] | None) -> None:
        if page is None:
            return
        sweep, meta = self._sweep, page.meta
        promised = max(0, min(sweep.size, meta.total - (page.number - 1) * sweep.size))
        if len(page.rows) != promised:
            had = f"{len(page.rows)} rows where {promised} were promised"
            self._break(f"page {page.number} had {had}")
        if meta.current_page != page.number:
            self._break(f"page {page.number} came as page {meta.current_page}")
        if page.number in (1, sweep.last):
            found = [self._key(row) for row in page.rows]
            sweep.turned |= sweep.ends.setdefault(page.number, found) != found
        self._take(page)
        self._note_ids(page)

    def _new_ids(self, page: ListPage[Row]) -> int:
        """Note a page's ids; returns how many no neighbouring sweep had met."""
        before = len(self._union)
        self._note_ids(page)
        return len(self._union) - before

    def _note_ids(self, page: ListPage[Row]) -> None:
        found = [self._key(row) for row in page.rows]
        self._sweep.row_count += len(found)
        self._union.note(found)
        if self._sweep.ids is not self._union:  # else the union began with this sweep
            self._sweep.ids.note(found)

    async def _asked(self, number: int) -> ListPage[Row]:
        """Ask for a page and note its total.

        Answers overtake one another: a total fell only if an answer that was there
        before this page was asked for had a higher one.
        """
        sweep, certificate = self._sweep, self.certificate
        highest_before = sweep.total
        page = await self._ask(number)
        total = page.meta.total
        certificate.pages += 1
        if sweep.first_total is None:
            sweep.first_total = sweep.total = total
        certificate.drift += total != sweep.total
        sweep.rose |= total > sweep.first_total
        sweep.fell |= total < highest_before
        sweep.total = total if sweep.fell else max(total, sweep.total)
        sweep.last = max(sweep.last, _pages(total, sweep.size))
        if certificate.first_total is None:
            certificate.first_total = total
        certificate.last_total = sweep.total
        return page

    def _break(self, what: str) -> None:
        self._sweep.broken = self._sweep.broken or what
        self._sweep.broken_pages += 1
        self.certificate.broken_pages += 1

    async def _look_past_the_end(self) -> None:
        """Read on past a full last page until a page brings nothing new.

        A total that is too low would hide the rows behind it. A provider that refuses
        or repeats a page past its end is fine; one that fails there is not asked on.
        """
        sweep = self._sweep
        for number in range(sweep.last + 1, sweep.most + 1):
            try:
                page = await self._asked_or_none(number)
            except Unavailable:
                return
            if page is None:
                return
            self._take(page)
            if not self._new_ids(page):
                return

    async def _proved(self) -> Proof | None:
        proof = self._sweep.proof(self._before)
        if proof is Proof.STILL and not await self._ends_hold():
            proof = None
        return proof or await self._caught_up()

    async def _ends_hold(self) -> bool:
        """Ask for both ends again: a row that came while another left shows there.

        A list of one page needs it not: one answer holds it all.
        """
        sweep = self._sweep
        if sweep.last == 1 or sweep.turned:
            return not sweep.turned
        ends = {1, sweep.last}
        pages = await together(self._asked_or_none(each) for each in ends)
        return not sweep.moved and all(
            page is not None
            and sweep.ends.get(page.number) == [self._key(row) for row in page.rows]
            for page in pages
        )

    async def _caught_up(self) -> Proof | None:
        """Read what came in meanwhile from both ends of a list that grew."""
        sweep = self._sweep
        if not sweep.rose or sweep.fell or sweep.ran_away:
            return None
        grown: Growth | None = None
        for start in (1, sweep.early or _pages(sweep.total, sweep.size)):
            for number in range(start, start + _CATCH_UP_PAGES):
                page = await self._asked_or_none(number)
                if page is None:
                    break
                total = page.meta.total
                known = [self._key(row) for row in page.rows]
                place = (number - 1) * sweep.size
                grown = self._anchors.grown(known, place, total) or grown
                new_count = self._new_ids(page)
                self._take(page)
                if sweep.fell:
                    return None
                if grown and len(self._union) == total:
                    alone = await self._grew_there_alone(grown)
                    return Proof.CAUGHT_UP if alone else None
                if not new_count and (start == 1 or number >= sweep.last):
                    break
        return None

    async def _grew_there_alone(self, grown: Growth) -> bool:
        """Ask for the old row of the other end: it has to be the end of the list still.

        Rows that come in meanwhile may put it onto another page.
        """
        sweep, anchors = self._sweep, self._anchors
        certified = self.certificate.last_total
        for _ in range(_TRIES_FOR_A_ROW):
            number = anchors.far_place(grown, sweep.total) // sweep.size + 1
            page = await self._asked_or_none(number)
            if page is None:
                break
            at = anchors.far_place(grown, page.meta.total) - (number - 1) * sweep.size
            if 0 <= at < len(page.rows):
                self.certificate.last_total = certified
                return self._key(page.rows[at]) == anchors.far_row(grown)
        return False

    async def _asked_or_none(self, number: int) -> ListPage[Row] | None:
        try:
            return await self._asked(number)
        except (Unauthenticated, RateLimited):
            raise
        except Refused:
            return None

    def _doubt(self) -> str | None:
        if self.certificate.complete:
            return None
        return self._sweep.doubt()

    def _stands(self) -> bool:
        """Tell whether two sweeps of a still list agree: a third would say no more."""
        sweep, before = self._sweep, self._before
        still = not sweep.moved and not before.moved
        same = sweep.total == before.total and sweep.ids.equals(before.ids)
        return still and same and before.first_total is not None


def _pages(total: int, size: int) -> int:
    return max(1, -(-total // size))
