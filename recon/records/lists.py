"""The envelopes of paginated lists: rows and `meta`.

Source: document 1, List customers; document 3, Pagination `meta`.
"""

from typing import ClassVar, Generic, TypeVar

import msgspec

from recon.records.decoding import Rials

Row = TypeVar("Row")


class Meta(msgspec.Struct, frozen=True, kw_only=True):
    """Where a page stands in its list; `total` counts rows, `last_page` pages."""

    COUNTS: ClassVar = ("current_page", "last_page", "per_page", "total")

    current_page: Rials
    last_page: Rials
    per_page: Rials
    total: Rials

    def __post_init__(self) -> None:
        for name in self.COUNTS:
            msgspec.structs.force_setattr(self, name, _count(getattr(self, name)))


class Links(msgspec.Struct, frozen=True, kw_only=True):
    """The addresses of neighbouring pages; never followed."""

    next: str | None = None


class ListBody(msgspec.Struct, Generic[Row], frozen=True, kw_only=True):
    """One page of a list."""

    data: tuple[Row, ...]
    meta: Meta
    links: Links | None = None


class PlainList(msgspec.Struct, Generic[Row], frozen=True, kw_only=True):
    """A list that comes whole."""

    data: tuple[Row, ...]


def _count(value: int | str) -> int:
    number = int(value) if isinstance(value, str) and value.isdigit() else value
    if not isinstance(number, int) or number < 0:
        raise ValueError("not a count")
    return number
