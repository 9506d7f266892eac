"""Paginated lists, newest first: the envelopes of unified and escrow, made once a page.

The rows of a page are encoded on every request, which is cheap; only when those bytes
differ from the last time are they turned into the contract's shape again. So a page
is fast while nothing happens and never stale, whoever changed the world.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from itertools import islice
from math import ceil
from typing import Any

import msgspec

from recon.sandbox.world import Record

_encode = msgspec.json.Encoder().encode

_KEPT_PAGES = 4096
_LINKS_WITHOUT_GAP = 13
_LINKS_EACH_SIDE = 3

Records = dict[Any, Record] | list[Record]
Shape = Callable[[Record], Record]


@dataclass(frozen=True, slots=True)
class Page:
    """Which page of a list is asked for: `number` counts from 1."""

    number: int
    size: int

    @property
    def start(self) -> int:
        """Return how many newer rows come before this page."""
        return (self.number - 1) * self.size


class Shelf:
    """Pages that were made before, by list and page, each beside its raw rows."""

    def __init__(self) -> None:
        self._pages: dict[Hashable, tuple[bytes, bytes]] = {}

    def page(
        self,
        key: Hashable,
        rows: list[Record],
        make: Callable[[list[Record]], Any],
    ) -> bytes:
        """Return the body of a page; `key` names all that it depends on but rows."""
        raw = _encode(rows)
        known = self._pages.get(key)
        if known is not None and known[0] == raw:
            return known[1]
        body = _encode(make(rows))
        if len(self._pages) >= _KEPT_PAGES:
            self._pages.clear()
        self._pages[key] = (raw, body)
        return body


def rows_of(records: Records, page: Page) -> list[Any]:
    """Return the rows of a page of records that stand in order of creation."""
    start = min(page.start, len(records))
    wanted = islice(reversed(records), start, start + page.size)
    return [records[key] for key in wanted] if isinstance(records, dict) else [*wanted]


def meta(page: Page, total: int, path: str) -> Record:
    """Return the `meta` of a page. Source: document 3, Pagination; document 1."""
    last = max(1, ceil(total / page.size))
    shown = max(0, min(page.size, total - page.start))
    return {
        "current_page": page.number,
        "from": page.start + 1 if shown else None,
        "last_page": last,
        "links": _numbered_links(page.number, last, path),
        "path": path,
        "per_page": page.size,
        "to": page.start + shown if shown else None,
        "total": total,
    }


def links(page: Page, total: int, path: str) -> Record:
    """Return the `links` of an escrow list. Source: document 1, List customers."""
    last = max(1, ceil(total / page.size))
    return {
        "first": _address(path, 1),
        "last": _address(path, last),
        "prev": _neighbour(path, page.number - 1, last),
        "next": _neighbour(path, page.number + 1, last),
    }


def _address(path: str, number: int) -> str:
    return f"{path}?page={number}"


def _neighbour(path: str, number: int, last: int) -> str | None:
    return _address(path, number) if 1 <= number <= last else None


def _numbered_links(current: int, last: int, path: str) -> list[Record]:
    numbers = [
        {
            "url": _address(path, number) if number else None,
            "label": str(number) if number else "...",
            "active": number == current,
        }
        for number in _shown_numbers(current, last)
    ]
    before = _neighbour(path, current - 1, last)
    after = _neighbour(path, current + 1, last)
    return [
        {"url": before, "label": "&laquo; Previous", "active": False},
        *numbers,
        {"url": after, "label": "Next &raquo;", "active": False},
    ]


def _shown_numbers(current: int, last: int) -> list[int]:
    """Return the page numbers that get a link; 0 stands for a gap."""
    if last <= _LINKS_WITHOUT_GAP:
        return list(range(1, last + 1))
    near = range(current - _LINKS_EACH_SIDE, current + _LINKS_EACH_SIDE + 1)
    wanted = sorted({1, 2, last - 1, last, *near} & set(range(1, last + 1)))
    numbers: list[int] = []
    for number in wanted:
        if numbers and number - numbers[-1] > 1:
            numbers.append(0)
        numbers.append(number)
    return numbers
