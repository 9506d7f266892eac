"""What a list is to its source: how it is asked, kept, and read in part."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from recon.api.paging import FetchPage, ListPage
from recon.errors import ProviderError
from recon.lake import Lake
from recon.pull.ordering import Moment
from recon.pull.resuming import Resumption

Row = TypeVar("Row")

OpenIds = Callable[[Lake, datetime], list[str]]
"""Gives the ids of the records that are not final and came since an instant."""


class NamedOtherwise(ProviderError):  # noqa: N818 - what the answer does
    """The answer about one record writes its id otherwise than its list does."""


@dataclass(frozen=True)
class Reopening:
    """How the open records of a list are found and read again.

    `open_ids` gives the ids of those that are not final and came, or were heard of,
    after an instant; `reread` asks for one of them through its detail and keeps it, or
    raises NamedOtherwise: kept, it would be a second record.
    """

    open_ids: OpenIds
    reread: Callable[[str], Awaitable[None]]


def refuse_other_name(asked: str, named: str) -> None:
    """Raise NamedOtherwise where an answer does not name just the id asked for."""
    if named != asked:
        raise NamedOtherwise(f"the answer about {asked} calls it {named}")


def made_since(moment: datetime) -> str:
    """Return the condition that a record was made then or later, as SQL."""
    return f"created_at >= timestamptz '{moment.isoformat()}'"


@dataclass(frozen=True)
class Listing(Generic[Row]):
    """A list that is walked.

    `table` is where its records are found by id; None keeps no ids. Without `table`,
    `created_at` or `reopening` the list is always read whole; without `resumption` a
    killed pull of it begins anew.
    """

    ask: FetchPage[Row]
    key: Callable[[Row], str]
    take: Callable[[ListPage[Row]], None]
    table: str | None
    created_at: Callable[[Row], Moment | None] | None = None
    reopening: Reopening | None = None
    resumption: Resumption[Row] | None = None
