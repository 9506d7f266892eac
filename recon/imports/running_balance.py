"""The balance of a bank account after each entry, where its statement tells it.

It tells whether the next entry follows or one between is missing. No row depends on it:
a table's column is kept as it is, too, and one that cannot be read is only doubted.
"""

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import Any

import numpy as np
import numpy.typing as npt

from recon import money
from recon.imports.columns import Column, Terms
from recon.imports.formats.rows import (
    Cell,
    LongNumber,
    Row,
    ShownNumber,
    is_blank,
    shortened,
)
from recon.imports.naming import Naming
from recon.imports.notices import Notices
from recon.imports.sides import Sides, says_below_zero
from recon.imports.units import (
    FOREIGN,
    RIAL,
    SCALED,
    TOMAN,
    of_header,
    of_number_format,
    says_rial,
)
from recon.lake import Writing
from recon.lake.columns import microseconds

BALANCES = "bank_balances"
"""The table of the lake that has them, each with the page and line of its entry.

Entries of one line count on from it: by their places they are in order.
"""

JUMP = "whose balance no other row of the file leads to: an entry before is missing"
"""What is told of a row of a table."""

CONTRARY = (
    "whose balance moved the other way than its amount says, so they prove nothing (is "
    "each debit taken for a credit?)"
)
"""What is told of it where most others of the file agree in that."""

_FOUND = "running_balance"  # beside a record's columns: statement, rials, is of a table
_LEAST_CHAIN = 3  # entries; of fewer each jump may be where all begin
_MOST_UNLIKE = 10  # one of so many entries may be beside any rule
_NONE = np.empty(0, dtype=np.int64)
_OF_TABLE = 1  # the statement that a table is
_OF_ENTRY = ("iban", "booked_at", "amount", "page_no", "position")


class RunningBalance:
    """Where the rows of one shape have the balance after them, if anywhere."""

    def __init__(
        self,
        column: Column,
        sides: Sides | None,
        places: Mapping[str, int],
        names: Sequence[str],
        naming: Naming,
        notices: Notices,
    ) -> None:
        """Take a kind's column of it and its sides, and where each is in the cells."""
        self._column = column
        self._notices = notices
        self._shown = naming.shown(column.name)
        self._place = places.get(column.name)
        headers = dict(enumerate(names))
        at = len(names) if self._place is None else self._place
        self._unit = of_header(headers.get(at, ""))
        if self._unit is None and says_rial(headers.get(at, "")):
            self._unit = RIAL
        out, into = sides.names if sides else ("", "")
        has_sides = out in places or into in places
        unread = headers.keys() - set(places.values())
        self._sides = {
            place: headers[place]
            for place in (at - 1, at + 1)
            if has_sides and at in headers and place in unread
        }
        self._header_of_out = headers.get(places.get(out, len(names)), "")

    def of(self, cells: Sequence[Cell], row: Row, terms: Terms) -> dict[str, Any]:
        """Return what a row's record has beside its columns; nothing where no balance.

        In rials; None where a table tells none for the row, and one that cannot be sure
        is doubted.
        """
        if self._place is None:  # of a format that has it beside its entries
            told = None if row.balance is None else self._read(row.balance, terms)
            return {} if told is None else {_FOUND: (row.statement, told, False)}
        cell = cells[self._place]
        if is_blank(cell):
            return {_FOUND: (row.statement, None, True)}
        balance, why = self._doubted(cell, terms)
        why = why or self._side(balance or 0, cells)
        if why:
            topic = f"column {self._shown} {why}, and shows no missing entry"
            self._notices.add(topic, row.line)
        return {_FOUND: (row.statement, None if why else balance, True)}

    def _read(self, cell: Cell, terms: Terms) -> int | None:
        try:
            balance: int = self._column.read(cell, terms)
        except ValueError:
            return None
        return balance

    def _doubted(self, cell: Cell, terms: Terms) -> tuple[int | None, str]:
        """Return a table's balance, or why it is none that is sure."""
        unit = self._unit
        if isinstance(cell, ShownNumber):
            unit = of_number_format(cell.shown) or unit
        if unit in (SCALED, FOREIGN):
            return None, f"is in {unit}"
        if isinstance(cell, LongNumber):
            return None, cell.why
        if unit in (RIAL, TOMAN):  # whatever its row's amounts are in
            terms = replace(terms, rials=money.to_rials(1, unit))
        balance = self._read(cell, terms)
        return balance, "is no amount" if balance is None else ""

    def _side(self, balance: int, cells: Sequence[Cell]) -> str:
        """Say why a balance may be below zero though it has no minus; "" if it is not.

        Beside columns of debits and credits, a word that nobody reads is for its sign.
        """
        for at, header in self._sides.items() if balance > 0 else ():
            if says_below_zero(cells[at], self._header_of_out):
                word = shortened(str(cells[at]).strip())
                return f"has no minus beside {word} in column {header}"
        return ""


class Balances:
    """The balances of one file, and where those of a table jump.

    Each entry leads from a balance to a balance. So all together lead from the first to
    the last of the account, in whatever order they stand, unless one is missing. What
    jumps at most entries is no such balance, and that of a day's end, which stands
    beside each entry of the day, is none. An entry that came without one parts what is
    before it from what is after it. A row takes 48 bytes.
    """

    def __init__(
        self,
        writing: Writing | None,
        page_no: int | None,
        seen_at: datetime,
        zone: tzinfo,
    ) -> None:
        """Take where the balances are written, if anywhere, and of which page."""
        self._zone = zone
        self._writing = writing
        self._page_no = page_no
        self._seen_at = seen_at
        self._accounts: dict[str, int] = {}
        self._told = array("q")  # account, instant, before, after, line, day
        self._untold: dict[int, set[int]] = {}  # account: instants without one
        self._place = 0  # of the last one that was written

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
                self._place = max(record["position"], self._place + 1)
                of_entry["position"] = self._place
                found.append({**of_entry, "statement": statement, "balance": balance})
        self._write(found)

    def _write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        if self._writing is not None:
            self._writing.rows(BALANCES, rows, seen_at=self._seen_at)

    def _note(self, record: Mapping[str, Any], balance: int | None) -> None:
        account = self._accounts.setdefault(record["iban"], len(self._accounts))
        at = microseconds(record["booked_at"]) or 0
        if balance is None:
            self._untold.setdefault(account, set()).add(at)
            return
        before = balance - record["amount"]
        day = record["booked_at"].astimezone(self._zone).toordinal()
        self._told.extend((account, at, before, balance, record["position"], day))

    def end(self, unsound: Iterable[int]) -> list[tuple[int, str]]:
        """Return the lines of entries of tables that do not follow, and what is told.

        `unsound` are the statements that do not add up: each gets a row without a
        balance, by which the balances of its entries prove nothing.
        """
        told = np.frombuffer(self._told, dtype=np.int64) if self._told else _NONE
        rows = told.reshape(-1, 6)
        found: list[tuple[int, str]] = []
        for account in self._accounts.values():
            of_account = rows[rows[:, 0] == account]
            if _are_of_days(of_account):
                continue
            if contrary := _contrary(of_account):
                found += [(line, CONTRARY) for line in contrary]
                unsound = {*unsound, _OF_TABLE}
                continue
            for part in _parted(of_account, self._untold.get(account, set())):
                found += [(line, JUMP) for line in _jumps(part)]
        self._write([{"statement": each, "page_no": self._page_no} for each in unsound])
        return sorted(found)


def _parted(
    rows: npt.NDArray[np.int64], untold: Collection[int]
) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the rows between instants of which there is an entry without a balance."""
    ends = np.array(sorted(untold), dtype=np.int64)
    ordered = rows[np.argsort(rows[:, 1], kind="stable")]
    told = ordered[~np.isin(ordered[:, 1], ends)]
    parts = np.split(told, np.unique(np.searchsorted(told[:, 1], ends)))
    yield from (part for part in parts if len(part) >= _LEAST_CHAIN)


def _are_of_days(rows: npt.NDArray[np.int64]) -> bool:
    """Tell whether two or more entries of a day have one balance, as at its end."""
    _, _, before, after, _, day = rows[np.lexsort((rows[:, 3], rows[:, 5]))].T
    moved = before != after
    days, firsts, counts = np.unique(day[moved], return_index=True, return_counts=True)
    ends = after[moved]
    is_one = ends[firsts] == ends[firsts + counts - 1] if len(days) else counts > 1
    return bool(np.any(is_one & (counts > 1)))


def _jumps(rows: npt.NDArray[np.int64]) -> list[int]:
    """Return the lines of one account's entries that lead from where none leads to."""
    ordered = rows[np.lexsort((rows[:, 4], rows[:, 1]))]
    jumps, count = _opening(ordered)
    lines: list[int] = ordered[jumps, 4][1:].tolist()
    return lines[:count] if len(rows) > 2 * count else []


def _opening(rows: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.bool_], int]:
    """Tell of each entry whether it may lead from where none leads to; and how many do.

    One more is where all begin.
    """
    ends = np.concatenate((rows[:, 2], rows[:, 3]))
    values, places = np.unique(ends, return_inverse=True)
    opens, closes = places[: len(rows)], places[len(rows) :]
    lacking = np.bincount(opens, minlength=len(values))
    lacking -= np.bincount(closes, minlength=len(values))
    return lacking[opens] > 0, int(lacking[lacking > 0].sum()) - 1


def _contrary(rows: npt.NDArray[np.int64]) -> list[int]:
    """Return the lines of one account's entries whose balance went the other way.

    That is told where nearly each balance leads to the next one by the amount of its
    entry, in the order of the file, whose dates tell which way time goes in it; and
    where the entries follow each other better so than as they are in any order.
    """
    ordered = rows[np.argsort(rows[:, 4])]
    if len(rows) and ordered[0, 1] > ordered[-1, 1]:
        ordered = ordered[::-1]
    moved = np.diff(ordered[:, 3])
    amounts = (ordered[:, 3] - ordered[:, 2])[1:]
    other_way = (moved == -amounts) & (amounts != 0)
    count, unlike = np.sum(other_way), np.sum(np.abs(moved) != np.abs(amounts))
    is_sure = count >= _LEAST_CHAIN and _MOST_UNLIKE * unlike <= len(moved)
    if not is_sure or ordered[0, 1] == ordered[-1, 1]:
        return []
    turned = ordered.copy()
    turned[1:, 2] += np.where(other_way, 2 * amounts, 0)
    lines: list[int] = ordered[1:][other_way, 4].tolist()
    return lines if max(_opening(turned)[1], 0) < _opening(rows)[1] else []
