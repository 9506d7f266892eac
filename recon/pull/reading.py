"""Reading a list: whole with proof, or in part where that is cheaper and can be proven.

A list is read whole with `--full`, when its last whole pull is `lake.full_every` ago,
when its order is not known from its own pages, and when reading it in part would not
save requests. Else its new end is read, and the open records one by one.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from recon.api.answers import Answer
from recon.api.ids import IdTexts
from recon.api.paging import ListPage, Walk
from recon.api.proofs import Proof
from recon.lake.schema import TABLES
from recon.lake.storage import DRAFTS
from recon.pull.drafts import Draft, Left
from recon.pull.listing import Listing
from recon.pull.ordering import OrderWatch
from recon.pull.partial import PartialRead
from recon.pull.pulling import Found, Pulling
from recon.pull.resuming import Resumed

Row = TypeVar("Row")


async def read_list(pulling: Pulling, listing: Listing[Row]) -> Found:
    """Read a list, in part if that is due and can be proven, else whole."""
    order: OrderWatch[Row] = OrderWatch(listing.created_at)

    def take(page: ListPage[Row]) -> None:
        listing.take(page)
        order.see(page.number, page.rows)
        pulling.keeper.note_unknown(page.unknown)
        pulling.report(page.meta.last_page)

    in_part = PartialRead.planned(pulling, listing)
    if in_part is not None:
        found = await in_part.read(take, order)
        if found is not None:
            return found
        order = OrderWatch(listing.created_at)
    found = await _read_whole(pulling, listing, take)
    learned = {
        "order": order.found(),
        "not_in_part": in_part.reason if in_part else None,
    }
    certificate = {name: said for name, said in learned.items() if said is not None}
    return replace(found, certificate={**found.certificate, **certificate})


async def _read_whole(
    pulling: Pulling, listing: Listing[Row], take: Callable[[ListPage[Row]], None]
) -> Found:
    """Walk a list until it is proven whole; the ids of a proven one are kept."""
    concurrency, lake = pulling.client.concurrency, pulling.lake
    folder = None if lake.key else lake.root / DRAFTS  # it is not encrypted there
    resumed = _resumed(pulling, listing)
    walk = Walk(
        resumed.ask if resumed else listing.ask,
        listing.key,
        take,
        concurrency=concurrency,
        limits=pulling.client.limits,
        ids=partial(IdTexts, folder),
    )
    certificate = await walk.run()
    if resumed and not walk.interrupted:
        pulling.after_commit.append(resumed.draft.remove)
    if certificate.complete and listing.table:
        pulling.keeper.seen(listing.table, walk.id_texts())
    return Found(
        complete=certificate.complete,
        error=certificate.reason,
        certificate=certificate.to_dict() | (resumed.said() if resumed else {}),
    )


def _resumed(pulling: Pulling, listing: Listing[Row]) -> Resumed[Row] | None:
    """Return what goes on with a pull that was killed or cut, where the list can."""
    how, lake = listing.resumption, pulling.lake
    if how is None:
        return None
    left = Left.find(lake, pulling.source, how.asked)
    draft = Draft(lake, pulling.source, how.asked, pulling.pull_id)
    pulling.at_end.append(draft.close)
    return Resumed(
        listing.ask, listing.key, how, pulling.keeper, draft, left, lake.now()
    )


def keep_whole(
    pulling: Pulling,
    table: str,
    rows: Iterable[Mapping[str, Any]],
    answer: Answer[Any],
) -> Found:
    """Keep a list that came whole in one answer, and the ids of it."""
    kept = list(rows)
    (key,) = TABLES[table].key
    pulling.keeper.keep(table, kept, answer)
    pulling.keeper.seen(table, [list({row[key]: None for row in kept})])
    pulling.report(1)
    proof = {"proof": Proof.ONE_ANSWER.value, "sweeps": 1, "pages": 1}
    return Found(certificate={**proof, "distinct": len(kept)})
