"""The balance of a bank account after each entry, where its statement tells it.

It tells whether the next entry follows or one between is missing. No row depends on it:
a table's column is kept as it is, too, and one that cannot be read is only doubted.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from recon.imports.columns import Column, Terms
from recon.imports.formats.rows import Cell, Row, is_blank
from recon.imports.notices import Notices

BALANCES = "bank_balances"
"""The table of the lake that has them, each with the page and line of its entry."""

_FOUND = "running_balance"  # beside a record's columns: the statement and its rials
_OF_ENTRY = ("iban", "booked_at", "amount", "page_no", "position")


class RunningBalance:
    """Where the rows of one shape have the balance after them, if anywhere."""

    def __init__(
        self, column: Column | None, places: Mapping[str, int], notices: Notices
    ) -> None:
        """Take a kind's column of it, and where each column is among the cells."""
        self._column = column
        self._notices = notices
        self.name = column.name if column else ""
        self._place = places.get(self.name)

    def of(self, cells: Sequence[Cell], row: Row, terms: Terms) -> dict[str, Any]:
        """Return what a row's record has beside its columns; nothing where no balance.

        In rials; one of a table that is no amount is doubted.
        """
        cell = row.balance if self._place is None else cells[self._place]
        if self._column is None or cell is None or is_blank(cell):
            return {}
        try:
            return {_FOUND: (row.statement, self._column.read(cell, terms))}
        except ValueError:
            if self._place is not None:
                topic = f"column {self.name} is no amount, and shows no missing entry"
                self._notices.add(topic, row.line)
            return {}


def balance_rows(records: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield a row of `bank_balances` for each record of an entry that has one."""
    for record in records:
        if _FOUND in record:
            statement, balance = record[_FOUND]
            of_entry = {name: record[name] for name in _OF_ENTRY}
            yield {**of_entry, "statement": statement, "balance": balance}
