"""A file's rows, by their hashes: how many repeat, and whether others are the same.

A row of a bank statement has two hashes: that of what earlier releases read of it,
which knows it again beside rows that they stored, and that of all that is read now.
"""

from array import array
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from recon.imports.shape import DESCRIBED, Record
from recon.imports.stored_rows import short_of
from recon.lake.schema import TABLES
from recon.lake.writing import hash_pair, record_hash


class Repeats:
    """Counts a file's rows, and those that equal an earlier one, in 24 bytes a row."""

    def __init__(
        self, table: str, stored_as: Callable[[Record, str, int], str] | None = None
    ) -> None:
        """Take the table whose rows they become.

        `stored_as` takes each row with its hash and line, and returns the hash that it
        is stored under: that of an earlier row that is the same, else its own.
        """
        self._names = TABLES[table].columns.names
        self._key = TABLES[table].key
        self._stored_as = stored_as
        self._hashes = array("Q")
        self._before = array("Q")  # of what earlier releases read
        self._keys = array("q")

    @property
    def count(self) -> int:
        """Return how many rows were noted."""
        return len(self._hashes)

    @property
    def repeated(self) -> int:
        """Return how many of them equal one before them."""
        return self.count - len(np.unique(_numbers(self._hashes)))

    def note(self, line: int, record: Record, page_no: int | None) -> Record:
        """Return the record with its hash, page and line."""
        digest = record_hash([record[name] for name in self._names])
        if DESCRIBED in record:
            then = record | {"description": record.pop(DESCRIBED)}
            digest = hash_pair(
                record_hash([then[name] for name in self._names]), digest
            )
        if self._stored_as:
            digest = self._stored_as(record, digest, line)
        self._hashes.append(short_of(digest.rpartition(":")[2]))
        self._before.append(short_of(digest))
        if self._key:
            self._keys.append(hash(tuple(record[name] for name in self._key)))
        record["record_hash"] = digest
        record["page_no"] = page_no
        record["position"] = line
        return record

    @property
    def tell_more(self) -> bool:
        """Tell whether any has a text that earlier releases did not read."""
        return self._hashes != self._before

    def are(self, digests: Iterable[str]) -> bool:
        """Tell whether rows with these hashes are the same, in whatever order.

        What earlier releases did not read makes no other row.
        """
        others = array("Q", map(short_of, digests))
        own = np.sort(_numbers(self._before))
        return np.array_equal(own, np.sort(_numbers(others)))

    def replace(self, keys: Iterable[tuple[Any, ...]]) -> bool:
        """Tell whether each of these keys is that of a row."""
        own = set(self._keys)
        return all(hash(key) in own for key in keys)


def _numbers(hashes: "array[int]") -> npt.NDArray[np.uint64]:
    return np.frombuffer(hashes, dtype=np.uint64)
