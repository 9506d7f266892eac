"""A file's rows, by their hashes: how many repeat, and whether others are the same."""

from array import array
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from recon.imports.shape import Record
from recon.lake.schema import TABLES
from recon.lake.writing import record_hash

_DIGITS = 16  # of a hash; 8 bytes a row


class Repeats:
    """Counts a file's rows, and those that equal an earlier one, in 16 bytes a row."""

    def __init__(self, table: str) -> None:
        """Take the table whose rows they become."""
        self._names = TABLES[table].columns.names
        self._key = TABLES[table].key
        self._hashes = array("Q")
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
        self._hashes.append(int(digest[:_DIGITS], 16))
        if self._key:
            self._keys.append(hash(tuple(record[name] for name in self._key)))
        record["record_hash"] = digest
        record["page_no"] = page_no
        record["position"] = line
        return record

    def are(self, digests: Iterable[str]) -> bool:
        """Tell whether rows with these hashes are the same, in whatever order."""
        others = array("Q", (int(digest[:_DIGITS], 16) for digest in digests))
        own = np.sort(_numbers(self._hashes))
        return np.array_equal(own, np.sort(_numbers(others)))

    def replace(self, keys: Iterable[tuple[Any, ...]]) -> bool:
        """Tell whether each of these keys is that of a row."""
        own = set(self._keys)
        return all(hash(key) in own for key in keys)


def _numbers(hashes: "array[int]") -> npt.NDArray[np.uint64]:
    return np.frombuffer(hashes, dtype=np.uint64)
