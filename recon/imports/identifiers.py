"""Identifiers as they are spelt without marks: unless an earlier file has them with.

A sheet's export may put a mark of direction or an apostrophe before a number; then the
order is found nowhere. Such marks are left out. But what earlier releases stored with
them stays under that key until its import is taken back (--void): another row beside it
would count twice, so a later file's row of that key replaces it as before.
"""

from collections.abc import Iterator

from recon.imports.notices import Notices
from recon.imports.shape import Record
from recon.imports.tables import Kind
from recon.lake import Lake
from recon.lake.schema import TABLES

LEFT_OUT = "column {} has marks or an apostrophe around it; they are left out"
KEPT = (
    "column {} has marks or an apostrophe around it, kept as an earlier file has them "
    "(take that file back first, by --void, to leave them out)"
)


class Identifiers:
    """How the identifiers of one command's rows are spelt."""

    def __init__(self, kind: Kind, lake: Lake) -> None:
        """Take a kind, and the lake as it is before the command."""
        self._even = {each.name: each.even for each in kind.columns if each.even}
        self._table = kind.table
        self._lake = lake
        self._known: dict[str, set[str]] = {}

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
        for name, even in self._even.items():
            given = record[name]
            if given is None or _is_plain(given) or even(given) == given:
                continue
            is_known = given in self._known_of(name)
            if not is_known:
                record[name] = even(given)
            if notices:
                notices.add((KEPT if is_known else LEFT_OUT).format(name), line)
        return record

    def _known_of(self, name: str) -> set[str]:
        """Return what is uneven of a column of the key, as the lake has it."""
        if name not in TABLES[self._table].key:
            return set()
        if name not in self._known:
            found = self._known[name] = set()
            if self._lake.files(self._table):
                for batch in self._lake.current_batches(self._table, [name]):
                    values = batch[name].unique().to_pylist()
                    found.update(each for each in values if not _is_plain(each or ""))
        return self._known[name]


def _is_plain(text: str) -> bool:
    return text.isascii() and not text.startswith("'")
