"""Rows that are passed over although an earlier file has their key.

An order that was paid on Monday and is cancelled in Tuesday's export is none of the
provider's any more: what Monday's file says of it would count on. Where the kind can
say so, a row of the key alone takes its place; else the file is refused. Each file that
passes over a known key says so itself: one of them may be taken back.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from recon.imports.formats.rows import Refusal
from recon.imports.notices import Notices
from recon.imports.shape import Record
from recon.imports.tables import Kind
from recon.lake import Lake
from recon.lake.schema import TABLES

TOPIC = "passed over, so that what an earlier file says of it counts no longer"

_Key = tuple[Any, ...]


class PassedOver:
    """The keys of one command's rows that are passed over, file by file.

    Where a part of a key may be empty and has few words (a product), an empty one is
    any of them: two keys that are the same but for it are of one record.
    """

    def __init__(self, kind: Kind, lake: Lake) -> None:
        self._kind = kind
        self._lake = lake
        self._names = TABLES[kind.table].key
        self._any = {
            self._names.index(column.name): (*column.among, None)
            for column in kind.columns
            if kind.may_be_any(column)
        }
        self._lines: dict[_Key, int] = {}  # of the present file
        self._taken: set[int] = set()  # of the files before it
        self._gone: set[int] = set()  # of those, what counts no longer
        self._own: set[int] = set()

    def note(self, line: int, key: Record) -> None:
        """Take the key of a row that is passed over."""
        self._lines[self._key(key)] = line

    def took(self, record: Record) -> None:
        """Take a row that counts; it is an earlier one when the next file begins."""
        self._own.add(hash(self._key(record)))

    def replaced(self, notices: Notices) -> Iterator[tuple[int, Record]]:
        """Yield by line the records that replace what earlier files have; end a file.

        `notices` are told of the lines by which something counts no longer. Refusal
        where the kind has no such record.
        """
        counting, gone = self._held()
        self._taken |= self._own
        self._gone = {*self._gone, *map(hash, counting)} - self._own
        self._lines, self._own = {}, set()
        if counting and not self._kind.gone:
            raise Refusal(
                "is passed over, and what an earlier file has of it would count "
                "on: take that file back first (--void)",
                line=min(counting.values()),
            )
        for line in sorted({*counting.values()}):
            notices.add(TOPIC, line)
        names = TABLES[self._kind.table].columns.names
        for key, line in sorted((counting | gone).items(), key=_place):
            known = dict(zip(self._names, key, strict=True)) | dict(self._kind.gone)
            yield line, dict.fromkeys(names) | known

    def _held(self) -> tuple[dict[_Key, int], dict[_Key, int]]:
        """Return the keys that earlier files have, of this command or of another.

        Each with the line that passes it over: first those that count, then those that
        an earlier file passed over.
        """
        counting: dict[_Key, int] = {}
        gone: dict[_Key, int] = {}
        for key, was_gone in chain(self._of_command(), self._of_lake()):
            for each in self._alike(key):
                if each in self._lines:
                    is_gone = was_gone or hash(key) in self._gone
                    (gone if is_gone else counting)[key] = self._lines[each]
                    break
        return counting, gone

    def _of_command(self) -> Iterator[tuple[_Key, bool]]:
        for line in self._lines:
            for key in self._alike(line):
                if hash(key) in self._taken:
                    yield key, False

    def _of_lake(self) -> Iterator[tuple[_Key, bool]]:
        """Yield keys that the lake may have of these rows, and whether each is gone."""
        if not self._lines or not self._lake.files(self._kind.table):
            return
        last = self._names[-1]
        kind_of_last = TABLES[self._kind.table].columns.field(last).type
        wanted = pa.array({key[-1] for key in self._lines}, type=kind_of_last)
        gone = dict(self._kind.gone)
        names = [*self._names, *gone]
        for batch in self._lake.current_batches(self._kind.table, names):
            some = batch.filter(pc.is_in(batch[last], value_set=wanted))
            for row in some.to_pylist():
                is_gone = bool(gone) and all(row[name] == gone[name] for name in gone)
                yield self._key(row), is_gone

    def _alike(self, key: _Key) -> Iterable[_Key]:
        """Return a key, and those that are of the same record."""
        found = [key]
        for at, words in self._any.items():
            others = words if key[at] is None else (None,)
            found += [(*key[:at], word, *key[at + 1 :]) for word in others]
        return found

    def _key(self, record: Record) -> _Key:
        return tuple(record[name] for name in self._names)


def _place(held: tuple[_Key, int]) -> tuple[int, str]:
    key, line = held
    return line, repr(key)
