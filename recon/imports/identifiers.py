"""Identifiers as they are spelt without marks and in plain digits, where that is safe.

A sheet's export may put a mark of direction or an apostrophe before a number, or write
it in the digits of its reader's language; then the order is found nowhere. Such marks
are left out, and Persian and Arabic digits are read as 0 to 9. But what the provider
itself has in those digits stays so. And what earlier files stored in another spelling
stays under that key until its import is taken back (--void): another row beside it
would count twice, so a later file's row of that key replaces it as before.
"""

from collections.abc import Collection, Iterator

from recon.imports.columns import Column
from recon.imports.notices import Notices
from recon.imports.shape import Record
from recon.imports.spelling import in_ascii
from recon.imports.tables import Kind
from recon.lake import Lake
from recon.lake.schema import TABLES

_MARKED = "column {} has marks or an apostrophe around it"
_IN_OTHER_DIGITS = "column {} is in Persian or Arabic digits"
LEFT_OUT = f"{_MARKED}; they are left out"
READ_PLAIN = f"{_IN_OTHER_DIGITS}; read as 0 to 9"
_KEPT = (
    ", kept as an earlier file has them (take that file back first, by --void, to {})"
)
KEPT = _MARKED + _KEPT.format("leave them out")
KEPT_DIGITS = _IN_OTHER_DIGITS + _KEPT.format("read them as 0 to 9")


class Identifiers:
    """How the identifiers of one command's rows are spelt."""

    def __init__(self, kind: Kind, lake: Lake) -> None:
        """Take a kind, and the lake as it is before the command."""
        self._columns = [each for each in kind.columns if each.even]
        self._table = kind.table
        self._lake = lake
        self._uneven: dict[tuple[str, str], set[str]] = {}

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
        if bare == plain or self._is_named(column, bare):
            return bare, left_out
        if self._is_stored(column, bare):
            return bare, [*left_out, KEPT_DIGITS]
        return plain, [*left_out, READ_PLAIN]

    def _is_stored(self, column: Column, spelling: str) -> bool:
        """Tell whether earlier files have a key so."""
        is_of_key = column.name in TABLES[self._table].key
        return is_of_key and spelling in self._uneven_of(self._table, column.name)

    def _is_named(self, column: Column, spelling: str) -> bool:
        """Tell whether the provider has it so."""
        return any(spelling in self._uneven_of(*place) for place in column.named_in)

    def _uneven_of(self, table: str, name: str) -> set[str]:
        """Return what is uneven of a column, as the lake has it."""
        if (table, name) not in self._uneven:
            found = self._uneven[table, name] = set()
            if self._lake.files(table):
                for batch in self._lake.current_batches(table, [name]):
                    values = batch[name].unique().to_pylist()
                    found.update(each for each in values if not _is_plain(each or ""))
        return self._uneven[table, name]


def _is_plain(text: str) -> bool:
    return text.isascii() and not text.startswith("'")
