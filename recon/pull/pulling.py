"""What a source gets to work with, and what it says when it is done."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from recon.api.answers import Answer
from recon.api.client import Client
from recon.api.paging import Ask, ListPage, Walk
from recon.api.proofs import Proof
from recon.lake import Lake
from recon.lake.schema import TABLES
from recon.pull.keeping import Keeper
from recon.settings import Settings

Row = TypeVar("Row")


@dataclass(frozen=True)
class Tick:
    """Where a source stands: pages and records so far, retries; counts.

    `pages_total` is None while it is unknown. `status` is `running` until the end,
    then one of those of an outcome.
    """

    source: str
    status: str = "running"
    pages: int = 0
    pages_total: int | None = None
    records: int = 0
    retries: int = 0


Progress = Callable[[Tick], None]
"""Called often, from the thread that pulls; must be quick."""


@dataclass(frozen=True)
class Found:
    """How a source ended. `error` says why it is not complete, in one line.

    `whole` is false where a list was read in part on purpose; `certificate` is the
    proof of completeness, as JSON values.
    """

    complete: bool = True
    whole: bool = True
    error: str | None = None
    certificate: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Pulling:
    """One source being pulled."""

    source: str
    settings: Settings
    lake: Lake
    client: Client
    keeper: Keeper
    report: Callable[[int | None], None]  # pages in all, where known
    full: bool = False


class Source(Protocol):
    """A module of this folder that is a source."""

    NAME: str
    SECTION: str
    TABLE: str

    def fetch(self, pulling: Pulling, /) -> Awaitable[Found]:
        """Read the source into the lake; ProviderError ends it as incomplete."""


async def walk_list(
    pulling: Pulling,
    ask: Ask[Row],
    key: Callable[[Row], str],
    take: Callable[[ListPage[Row]], None],
    table: str | None,
) -> Found:
    """Walk a list until it is proven whole; the ids of a proven one are kept.

    `table` is where the list's records are found by id; None keeps no ids.
    """

    def took(page: ListPage[Row]) -> None:
        take(page)
        pulling.keeper.note_unknown(page.unknown)
        pulling.report(page.meta.last_page)

    walk = Walk(ask, key, took, concurrency=pulling.client.concurrency)
    certificate = await walk.run()
    if certificate.complete and table:
        pulling.keeper.seen(table, walk.ids)
    return Found(
        complete=certificate.complete,
        error=certificate.reason,
        certificate=certificate.to_dict(),
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
    pulling.keeper.seen(table, [row[key] for row in kept])
    pulling.report(1)
    proof = {"proof": Proof.ONE_ANSWER.value, "sweeps": 1, "pages": 1}
    return Found(certificate={**proof, "distinct": len(kept)})
