"""Identifiers as they are spelt without marks and in plain digits, where that is safe.

A sheet's export may put a mark of direction or an apostrophe before a number, or write
it in the digits of its reader's language; then the order is found nowhere. Such marks
are left out, and Persian and Arabic digits are read as 0 to 9. But what the provider
itself has in those digits stays so. And what earlier files stored in another spelling
stays under that key until its import is taken back (--void): another row beside it
would count twice, so a later file's row of that key replaces it as before; so does
one of digits that were read as 0 to 9 before the provider's own were known. What the
books then spell otherwise than the provider is matched (`int_book_spellings`).
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import chain

import pyarrow as pa
import pyarrow.compute as pc

from recon.imports.columns import Column
from recon.imports.history import entries, imports_of
from recon.imports.notices import Notices
from recon.imports.shape import Record
from recon.imports.spelling import in_ascii
from recon.imports.tables import Kind
from recon.lake import Lake
from recon.lake.schema import TABLES

_MARKED = "column {} has marks or an apostrophe around it"
_IN_OTHER_DIGITS = "column {} is in Persian or Arabic digits"
_READ = "; read as 0 to 9"
LEFT_OUT = f"{_MARKED}; they are left out"
READ_PLAIN = _IN_OTHER_DIGITS + _READ
STILL_READ_PLAIN = (
    f"{_IN_OTHER_DIGITS}, as the provider has it{_READ}, as an earlier file was (else "
    "an order would stand twice)"
)
_KEPT = (
    ", kept as an earlier file has them (take that file back first, by --void, to {})"
)
KEPT = _MARKED + _KEPT.format("leave them out")
KEPT_DIGITS = _IN_OTHER_DIGITS + _KEPT.format("read them as 0 to 9")


_UNEVEN = """
bit_length("{0}") <> 8 * length("{0}")
or "{0}" < '!'
or "{0}" like '''%'
or "{0}" like '="%'
or right("{0}", 1) < '!'
"""
_Place = tuple[str, str]
"""A table of the lake, and a column of it."""


class Identifiers:
    """How the identifiers of one command's rows are spelt."""

    def __init__(self, kind: Kind, lake: Lake) -> None:
        """Take a kind, and the lake as it is before the command."""
        self._kind = kind.name
        self._columns = [each for each in kind.columns if each.even]
        self._table = kind.table
        self._lake = lake
        self._uneven: dict[_Place, set[str]] = {}
        self._names: dict[str, dict[str, set[str]]] = {}
        self._plain: dict[_Place, set[str]] = {}
        self._warnings: set[str] | None = None

    def evened(
        self, records: Iterator[tuple[int, Record]], notices: Notices
    ) -> Iterator[tuple[int, Record]]:
        """Yield records by line with even identifiers; `notices` are told of others."""
        for line, record in records:
            yield line, self.even(record, notices, line)

    def even(
        self, record: Record, notices: Notices | None = None, line: int = 0
    ) -> Record:
        """Return a record, or a key alone, with its identifiers evened."""
        for column in self._columns:
            given = record[column.name]
            if given is None or _is_plain(given):
                continue
            record[column.name], told = self._spelt(column, given)
            if notices:
                for each in told:
                    notices.add(each.format(column.name), line)
        return record

    def _spelt(self, column: Column, given: str) -> tuple[str, Collection[str]]:
        """Return how an identifier is spelt, and what is to be told of it."""
        bare = column.even(given) if column.even else given
        plain = in_ascii(bare)
        if given != bare and self._is_stored(column, given):
            return given, [KEPT]
        left_out = [LEFT_OUT] if given != bare else []
        if bare == plain:
            return bare, left_out
        is_named = bare in self._named_as(column, plain)
        if self._is_stored(column, bare):
            return bare, left_out if is_named else [*left_out, KEPT_DIGITS]
        if is_named and not self._was_read_plain(column, plain):
            return bare, left_out
        return plain, [*left_out, STILL_READ_PLAIN if is_named else READ_PLAIN]

    def _is_stored(self, column: Column, spelling: str) -> bool:
        """Tell whether earlier files have an uneven key so."""
        place = self._table, column.name
        return _is_of_key(place) and spelling in self._uneven_of(place)

    def _was_read_plain(self, column: Column, plain: str) -> bool:
        """Tell whether earlier files have a key in plain digits that came in others.

        Where the provider has it in several digits, it is several orders; and so it is
        where no file was ever read so: what is stored came as it is.
        """
        place = self._table, column.name
        return (
            _is_of_key(place)
            and len(self._named_as(column, plain)) == 1
            and plain in self._plain_of(place, column)
            and not any(
                plain in self._plain_of(other, column) for other in column.named_in
            )
            and self._is_told_of(column)
        )

    def _is_told_of(self, column: Column) -> bool:
        """Tell whether a file that counts was read in plain digits."""
        if self._warnings is None:
            files = entries(imports_of(self._lake.commits(), self._kind))
            self._warnings = {each for file in files for each in file.warnings}
        told = _IN_OTHER_DIGITS.format(column.name)
        return any(told in each and _READ in each for each in self._warnings)

    def _named_as(self, column: Column, plain: str) -> Collection[str]:
        """Return what the provider has uneven that is this in plain digits.

        It is without marks around it.
        """
        return self._named(column).get(plain, ())

    def _named(self, column: Column) -> dict[str, set[str]]:
        if column.name not in self._names:
            names = self._names[column.name] = defaultdict(set)
            for each in chain.from_iterable(map(self._uneven_of, column.named_in)):
                bare = column.even(each) if column.even else each
                names[in_ascii(bare)].add(bare)
        return self._names[column.name]

    def _uneven_of(self, place: _Place) -> set[str]:
        """Return what is uneven of a column, as the lake has it."""
        if place not in self._uneven:
            table, name = place
            found = self._uneven[place] = set()
            if self._lake.files(table):
                uneven = _UNEVEN.format(name)
                for batch in self._lake.current_batches(table, [name], where=uneven):
                    found.update(batch[name].to_pylist())
        return self._uneven[place]

    def _plain_of(self, place: _Place, column: Column) -> set[str]:
        """Return what a place of the lake has plain that the provider has uneven."""
        if place not in self._plain:
            table, name = place
            found = self._plain[place] = set()
            wanted = pa.array(self._named(column), pa.string())
            if self._lake.files(table):
                for batch in self._lake.current_batches(table, [name]):
                    some = batch.filter(pc.is_in(batch[name], value_set=wanted))
                    found.update(some[name].to_pylist())
        return self._plain[place]


def _is_of_key(place: _Place) -> bool:
    table, name = place
    return name in TABLES[table].key


def _is_plain(text: str) -> bool:
    return text.isascii() and not text.startswith(("'", '="'))
