"""Rows of a kind without a key that an earlier file may have brought already.

Two exports of one account overlap, and rows that are the same count once. Where one of
their columns that is none of ours numbers the rows, none is the same; both count, and
nobody would be told. (Settings may name that column: `tables.ROW_NUMBER`.)
"""

from array import array

from recon.imports.shape import Record
from recon.lake import Lake
from recon.lake.schema import TABLES
from recon.lake.writing import record_hash

TOPIC = (
    "the same as a row of an earlier file but for columns that are kept as they are, "
    "so both count (is one a row number? imports.columns may name it row_number)"
)
_KEPT = "extra"
_ROWS_AT_ONCE = 10_000


class Lookalikes:
    """The rows of earlier files, by all of their columns and by those of ours."""

    def __init__(self, lake: Lake, table: str) -> None:
        self._names = [name for name in TABLES[table].columns.names if name != _KEPT]
        self._ours: set[int] = set()
        self._whole: set[int] = set()
        self._own = array("Q"), array("Q")  # of the present file, likewise
        for path in lake.files(table):
            stored = lake.read(path, [*self._names, "record_hash"])
            for batch in stored.to_batches(max_chunksize=_ROWS_AT_ONCE):
                for row in batch.to_pylist():
                    self.has(row)
                self.begin_file()

    def has(self, record: Record) -> bool:
        """Tell whether a row differs from one of an earlier file in no column of ours.

        The row has its `record_hash`; it is an earlier one when the next file begins.
        """
        ours = _short(record_hash([record[name] for name in self._names]))
        whole = _short(record["record_hash"])
        for kept, mark in zip(self._own, (ours, whole), strict=True):
            kept.append(mark)
        return ours in self._ours and whole not in self._whole

    def begin_file(self) -> None:
        """Count what came so far as rows of earlier files."""
        for known, own in zip((self._ours, self._whole), self._own, strict=True):
            known.update(own)
        self._own = array("Q"), array("Q")


def _short(digest: str) -> int:
    return int(digest[:16], 16)
