"""The balance of a bank account after each entry, where its statement tells it.

It tells whether the next entry follows or one between is missing. No row depends on it:
a table's column is kept as it is, too, and one that cannot be read is only doubted.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from recon.imports.columns import Column, Terms
from recon.imports.formats.rows import Cell, Row, is_blank
from recon.imports.notices import Notices
from recon.lake import Writing
from recon.lake.columns import microseconds

BALANCES = "bank_balances"
"""The table of the lake that has them, each with the page and line of its entry."""

JUMP = "whose balance no other row of the file leads to: an entry before is missing"
"""What is told of a row of a table."""

_FOUND = "running_balance"  # beside a record's columns: statement, rials, is of a table
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

        In rials; None where a table tells none for the row, and one that is no amount
        is doubted.
        """
        is_of_table = self._place is not None
        cell = row.balance if self._place is None else cells[self._place]
        if self._column is None or cell is None:
            return {}
        balance = None
        if not is_blank(cell):
            try:
                balance = self._column.read(cell, terms)
            except ValueError:
                if is_of_table:
                    self._doubt("is no amount", row.line)
        is_told = is_of_table or balance is not None
        return {_FOUND: (row.statement, balance, is_of_table)} if is_told else {}

    def _doubt(self, why: str, line: int) -> None:
        topic = f"column {self.name} {why}, and shows no missing entry"
        self._notices.add(topic, line)


class Balances:
    """The balances of one file, and where those of a table jump.

    Each entry leads from a balance to a balance. So all together lead from the first to
    the last of the account, in whatever order they stand, unless one is missing. What
    jumps at most entries is no such balance. Until the last entry that came without one
    nobody can say it. A row takes 40 bytes.
    """

    def __init__(
        self, writing: Writing | None, page_no: int | None, seen_at: datetime
    ) -> None:
        """Take where the balances are written, if anywhere, and of which page."""
        self._writing = writing
        self._page_no = page_no
        self._seen_at = seen_at
        self._accounts: dict[str, int] = {}
        self._told = array("q")  # account, instant, before, after, line
        self._untold: dict[int, int] = {}  # account: the last instant without one

    def take(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Write a row of `bank_balances` for each record of an entry that has one."""
        found = []
        for record in records:
            if _FOUND in record:
                statement, balance, is_of_table = record[_FOUND]
                if is_of_table:
                    self._note(record, balance)
                if balance is None:
                    continue
                of_entry = {name: record[name] for name in _OF_ENTRY}
                found.append({**of_entry, "statement": statement, "balance": balance})
        self._write(found)

    def _write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        if self._writing is not None:
            self._writing.rows(BALANCES, rows, seen_at=self._seen_at)

    def _note(self, record: Mapping[str, Any], balance: int | None) -> None:
        account = self._accounts.setdefault(record["iban"], len(self._accounts))
        at = microseconds(record["booked_at"]) or 0
        if balance is None:
            self._untold[account] = max(at, self._untold.get(account, at))
            return
        before = balance - record["amount"]
        self._told.extend((account, at, before, balance, record["position"]))

    def end(self, unsound: Iterable[int]) -> list[int]:
        """Return the lines of entries of tables before which one is missing, in order.

        `unsound` are the statements that do not add up: each gets a row without a
        balance, by which the balances of its entries prove nothing.
        """
        self._write([{"statement": each, "page_no": self._page_no} for each in unsound])
        if not self._told:
            return []
        rows = np.frombuffer(self._told, dtype=np.int64).reshape(-1, 5)
        found: list[int] = []
        for account in self._accounts.values():
            of_account = rows[rows[:, 0] == account]
            if account in self._untold:
                of_account = of_account[of_account[:, 1] > self._untold[account]]
            found += _jumps(of_account)
        return sorted(found)


def _jumps(rows: npt.NDArray[np.int64]) -> list[int]:
    """Return the lines of one account's entries that lead from where none leads to."""
    before, after, line = rows[np.lexsort((rows[:, 4], rows[:, 1]))].T[2:]
    values, places = np.unique(np.concatenate((before, after)), return_inverse=True)
    opens, closes = places[: len(rows)], places[len(rows) :]
    lacking = np.bincount(opens, minlength=len(values))
    lacking -= np.bincount(closes, minlength=len(values))
    count = int(lacking[lacking > 0].sum()) - 1  # one is where all begin
    lines: list[int] = line[lacking[opens] > 0][1:].tolist()
    return lines[:count] if len(rows) > 2 * count else []
