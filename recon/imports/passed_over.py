"""Rows that are passed over although an earlier file has their key.

An order that was paid on Monday and is cancelled in Tuesday's export is none of the
provider's any more: what Monday's file says of it would count on. Where the kind can
say so, a row of the key alone takes its place; else the file is refused.
"""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from recon.imports.formats.rows import Refusal
from recon.imports.shape import Record
from recon.imports.tables import Kind
from recon.lake import Lake
from recon.lake.schema import TABLES

TOPIC = "passed over, so that what an earlier file says of it counts no longer"

_Key = tuple[Any, ...]


class PassedOver:
    """The keys of one command's rows that are passed over, file by file."""

    def __init__(self, kind: Kind, lake: Lake) -> None:
        self._kind = kind
        self._lake = lake
        self._names = TABLES[kind.table].key
        self._lines: dict[_Key, int] = {}  # of the present file
        self._taken: set[int] = set()  # of the files before it
        self._own: set[int] = set()

    def note(self, line: int, key: Record) -> None:
        """Take the key of a row that is passed over."""
        self._lines[self._key(key)] = line

    def took(self, record: Record) -> None:
        """Take a row that counts; it is an earlier one when the next file begins."""
        self._own.add(hash(self._key(record)))

    def replaced(self) -> Iterator[tuple[int, Record]]:
        """Yield by line the records that replace what earlier files have; end a file.

        Refusal where the kind has none.
        """
        held = sorted((self._lines[key], key) for key in self._held())
        self._taken |= self._own
        self._lines, self._own = {}, set()
        for line, key in held:
            if not self._kind.gone:
                raise Refusal(
                    "is passed over, and what an earlier file has of it would count "
                    "on: take that file back first (--void)",
                    line=line,
                )
            names = TABLES[self._kind.table].columns.names
            known = dict(zip(self._names, key, strict=True)) | dict(self._kind.gone)
            yield line, dict.fromkeys(names) | known

    def _held(self) -> set[_Key]:
        """Return which keys an earlier file has, of this command or of another."""
        found = {key for key in self._lines if hash(key) in self._taken}
        if not self._lines or not self._lake.files(self._kind.table):
            return found
        wanted = pa.array({key[-1] for key in self._lines})
        gone = dict(self._kind.gone)
        names = [*self._names, *gone]
        for batch in self._lake.current_batches(self._kind.table, names):
            some = batch.filter(pc.is_in(batch[self._names[-1]], value_set=wanted))
            for row in some.to_pylist():
                is_gone = gone and all(row[name] == gone[name] for name in gone)
                if self._key(row) in self._lines and not is_gone:
                    found.add(self._key(row))
        return found

    def _key(self, record: Record) -> _Key:
        return tuple(record[name] for name in self._names)
