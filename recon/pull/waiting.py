"""Rows on their way from a page to the lake: columns of values, and their hashes."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from recon.api.ids import Numbers, numbers_of
from recon.lake.columns import array_of, microseconds, whole_array
from recon.lake.schema import INSTANT, TABLES
from recon.lake.writing import hash_column, record_hashes
from recon.pull.known import Hashes, hashes_of

Columns = Sequence[Sequence[Any]]
"""Values of a table's own columns, in their order; instants in microseconds."""


class Place(Protocol):
    """Where rows come from: an answer, or what is left of a refused one."""

    @property
    def page_no(self) -> int | None:
        """Return the number of the page within the commit."""

    @property
    def received_at(self) -> datetime:
        """Return when it was received."""


class WaitingRows:
    """Rows of one table that wait to be compared and written, and where they stood."""

    def __init__(self, table: str) -> None:
        schema = TABLES[table].columns
        self.count = 0
        self._schema = schema
        self._keys = [schema.names.index(name) for name in TABLES[table].key]
        self._columns: list[list[Any]] = [[] for _ in schema]
        self._numbers: list[Numbers] = []
        self._hashes: list[bytes] = []
        self._counts: list[int] = []  # of rows, by page
        self._page_nos: list[int | None] = []
        self._seen_at: list[int | None] = []  # microseconds, by page

    def add(self, columns: Columns, place: Place) -> None:
        """Take a page's rows, in its order."""
        keys = [columns[each] for each in self._keys]
        only = keys[0] if len(keys) == 1 else list(zip(*keys, strict=True))
        self._numbers.append(numbers_of(only))
        self._hashes.extend(record_hashes(columns))
        for values, more in zip(self._columns, columns, strict=True):
            values.extend(more)
        count = len(only)
        self.count += count
        self._counts.append(count)
        self._page_nos.append(place.page_no)
        self._seen_at.append(microseconds(place.received_at))

    def numbers(self) -> Numbers:
        """Return the numbers of their keys."""
        return np.concatenate(self._numbers)

    def hashes(self) -> Hashes:
        """Return their hashes as numbers."""
        return hashes_of(self._hashes)

    def table(self) -> pa.Table:
        """Return them as the lake takes them."""
        arrays = {
            field.name: array_of(values, field.type)
            for values, field in zip(self._columns, self._schema, strict=True)
        }
        page = np.repeat(np.arange(len(self._counts)), self._counts)
        starts = np.cumsum(self._counts) - self._counts
        position = np.arange(1, len(page) + 1) - starts[page]
        seen_at = np.array(self._seen_at, dtype=np.int64)[page]
        page_nos = [self._page_nos[each] for each in page.tolist()]
        arrays["seen_at"] = whole_array(seen_at, INSTANT)
        arrays["record_hash"] = hash_column(self._hashes)
        arrays["page_no"] = array_of(page_nos, pa.int32())
        arrays["position"] = whole_array(position, pa.int32())
        return pa.table(arrays)
