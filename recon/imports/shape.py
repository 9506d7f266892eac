"""Rows of one shape: which cell feeds which column, and what comes of each row."""

from collections.abc import Collection, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, Any

import msgspec

from recon.imports.checksums import national_code_holds
from recon.imports.columns import (
    Column,
    Terms,
    is_day,
    read_day_at,
    refuse_other_clock,
)
from recon.imports.formats.rows import (
    Cell,
    LongNumber,
    MergedCell,
    Refusal,
    Row,
    is_blank,
    plain_text,
    refuse_long,
    shortened,
)
from recon.imports.naming import Naming, letters
from recon.imports.notices import Notices
from recon.imports.running_balance import RunningBalance
from recon.imports.sides import Directed, Sides, UnreadLetters, refuse_unread
from recon.imports.spelling import unmarked
from recon.imports.units import Title, Units
from recon.lake.schema import TABLES

if TYPE_CHECKING:
    from recon.imports.tables import Kind

Record = dict[str, Any]

TERMS = {"currency": ("rial", "toman"), "calendar": ("jalali", "gregorian")}
"""Columns that say how the others of their row are meant, and their words."""

NATIONAL_CODE = "national_code"
"""A column that is kept as it is, and doubted where its checksum fails."""

UNREAD = (
    "passed over with a key that cannot be read, so that what an earlier file may have "
    "of it counts on"
)
"""What is told of such a row, unless nothing of it names an order (as in totals)."""

DESCRIBED = "described"
"""Beside a record's columns: what readers of before took for its description."""


class Shape:
    """Which cell feeds which column, for rows of one shape."""

    def __init__(
        self,
        kind: "Kind",
        names: tuple[str, ...],
        zone: tzinfo,
        notices: Notices,
        naming: Naming,
        unread_letters: UnreadLetters,
        title: Title | None = None,
    ) -> None:
        """Take how a kind's columns are called, and a title that says a unit.

        `unread_letters` are those of all rows of the file.
        """
        self._unread_letters = unread_letters
        self._naming = naming
        self._zone, self._notices = zone, notices
        self._check = kind.check
        self._terms_seen: dict[tuple[Cell, Cell], Terms] = {}
        place = kind.places(naming, names)
        self.unheard = [  # also where a value is given: the file may say another
            f"{shortened(name)} is kept as it is, not read as {column}"
            for column, name in naming.unheard(names, place)
        ]
        self._sides = kind.sides_of(place)
        self._signed = kind.sides.whole.name if kind.sides else ""
        joined = self._sides.replaced if self._sides else set()
        lacking = {
            name: value
            for name, value in naming.values.items()
            if name not in place and name not in joined
        }
        notices.given |= lacking
        self._values = tuple(lacking.values())
        place |= {name: at for at, name in enumerate(lacking, start=len(names))}
        self._place = place
        self._names, self._width = names, len(names)
        self._words = [
            (at, name, naming.words[name])
            for name, at in place.items()
            if name in naming.words and at < len(names)
        ]
        self._fed = [column for column in kind.columns if column.name in place]
        columns = (*kind.columns, *(self._sides.columns if self._sides else ()))
        monies = dict.fromkeys(each.name for each in columns if each.is_money)
        self._units = Units(monies, place, names, naming, title)
        key = TABLES[kind.table].key
        self._key = [column for column in self._fed if column.name in key]
        self._any = {column.name for column in self._key if kind.may_be_any(column)}
        self._has_gone = bool(kind.gone)
        self._empty: Record = dict.fromkeys(TABLES[kind.table].columns.names)
        self._empty |= {column.name: column.default for column in kind.columns}
        self._empty |= dict(kind.fixed)
        self._terms_given = {name: naming.values.get(name, "") for name in TERMS}
        kept = {NATIONAL_CODE}
        self._running: RunningBalance | None = None
        if kind.running:
            given = (place, names, naming, notices)
            self._running = RunningBalance(kind.running, kind.sides, *given)
            kept.add(kind.running.name)
        fed = {at for name, at in place.items() if name not in kept}
        self._extra = (
            sorted((name, at) for at, name in enumerate(names) if at not in fed)
            if "extra" in self._empty
            else []
        )
        self._national = place.get(NATIONAL_CODE)

    def key(self, row: Row, passing: Collection[int]) -> Record | None:
        """Return a row's record with its key alone; None where it cannot be read.

        Of the cells that pass the row over (`passing`), one that is none of a column's
        words is as good as empty: "cash" under the column of products.
        """
        cells = self._in_our_words((*row.cells, *self._values))
        jalali = self._jalali(self._term("calendar", cells))
        terms = Terms(1, jalali, self._zone)  # no amount is part of a key
        key: Record = dict.fromkeys(self._empty)
        unread = []
        for column in self._key:
            try:
                key[column.name] = self._value(column, cells, terms, row)
            except Refusal:
                if column.name not in self._any & self._names_at(passing):
                    unread.append(column)
        if not unread:
            return key
        if not self._has_gone or not any(column.filled for column in unread):
            self._notices.add(UNREAD, row.line)
        return None

    def _names_at(self, places: Collection[int]) -> set[str]:
        return {name for name, at in self._place.items() if at in places}

    def record(self, row: Row) -> Record:
        """Return a row's record; Refusal names the column at fault."""
        refuse_long(row)
        cells = self._in_our_words((*row.cells, *self._values))
        for topic in self.unheard:
            self._notices.add(topic, row.line)
        terms = self._terms(cells)
        currency = self._term("currency", cells)
        self._units.refuse_unread(row, currency)
        self._units.refuse_shown(cells, currency)
        if "currency" in self._place:
            self._notices.unit(currency, row.line)
        record = self._empty.copy()
        for column in self._fed:
            record[column.name] = self._value(column, cells, terms, row)
        if self._sides:
            record[self._signed] = self._joined(self._sides, cells, terms, row)
        elif self._signed and self._extra:
            amount = record[self._signed]
            told = [(name, cells[at]) for name, at in self._extra]
            refuse_unread(told, amount, self._naming.table("columns"))
            self._unread_letters.note(told, amount, row.line)
        if self._extra:
            extra = {name: plain_text(cells[at]) for name, at in self._extra}
            record["extra"] = msgspec.json.encode(extra).decode()
        if self._running:
            record |= self._running.of(cells, row, terms)
        if row.described is not None:
            record[DESCRIBED] = None if is_blank(row.described) else row.described
        if self._national is not None:
            self._doubt_national_code(str(cells[self._national]).strip(), row)
        self._refuse_unsound(record)
        return record

    def _refuse_unsound(self, record: Record) -> None:
        if self._check is None:
            return
        try:
            self._check(record)
        except Refusal as refusal:
            if refusal.column is not None:
                refusal.column = self._naming.shown(refusal.column)
            raise

    def _in_our_words(self, cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
        """Return a row's cells, with our words for those whose meaning is given."""
        if not self._words:
            return cells
        spoken = list(cells)
        for at, column, words in self._words:
            said = plain_text(cells[at])
            ours = words.get(letters(said))
            if ours is not None:
                spoken[at] = ours
                self._notices.word(column, said.strip(), ours)
        return tuple(spoken)

    def _doubt_national_code(self, code: str, row: Row) -> None:
        if code and not national_code_holds(code):
            self._doubt(NATIONAL_CODE, "fails the checksum of a national code", row)

    def _value(
        self, column: Column, cells: Sequence[Cell], terms: Terms, row: Row
    ) -> Any:
        cell = cells[self._place[column.name]]
        if self._is_empty(cell, column.name):
            if column.filled:
                raise self._naming.refusal("is empty; it must be filled", column.name)
            return column.default
        try:
            value = self._read(column, cells, terms, row)
        except ValueError as error:
            is_of_file = self._place[column.name] < self._width
            hint = (
                self._naming.of_words(column.name)
                if column.among and is_of_file
                else ""
            )
            raise self._naming.refusal(f"{error}{hint}", column.name) from None
        if column.even and isinstance(cell, LongNumber):
            self._doubt(column.name, LongNumber.why, row)
        if column.doubt is not None and (doubt := column.doubt(value)):
            self._doubt(column.name, doubt, row)
        return value

    def _is_empty(self, cell: Cell, column: str) -> bool:
        if isinstance(cell, MergedCell):
            raise self._naming.refusal(cell.why, column)
        return is_blank(cell)

    def _read(
        self, column: Column, cells: Sequence[Cell], terms: Terms, row: Row
    ) -> Any:
        """Read a filled cell; a day's, at the time that its row has in another one."""
        cell, clock_at = cells[self._place[column.name]], self._place.get(column.clock)
        if clock_at is None and not column.of_day:
            return column.read(cell, terms)
        clock = "" if clock_at is None else cells[clock_at]
        if not is_day(cell):
            value = column.read(cell, terms)
            if clock_at is not None and clock_at < self._width and not is_blank(clock):
                refuse_other_clock(value, clock, terms)
            return value
        if self._is_empty(clock, column.clock):
            if column.of_day:
                self._doubt(column.name, column.of_day, row)
            return column.read(cell, terms)
        return read_day_at(cell, clock, terms)

    def _joined(
        self, sides: Sides | Directed, cells: Sequence[Cell], terms: Terms, row: Row
    ) -> int:
        found: list[Any] = [
            self._value(column, cells, terms, row)
            if column.name in self._place
            else None
            for column in sides.columns
        ]
        return sides.joined(*found)

    def _doubt(self, column: str, what: str, row: Row) -> None:
        self._notices.add(f"column {self._naming.shown(column)} {what}", row.line)

    def _terms(self, cells: Sequence[Cell]) -> Terms:
        currency, calendar = (self._term(name, cells) for name in TERMS)
        found = self._terms_seen.get((currency, calendar))
        if found is None:
            rials = self._units.rials(currency)
            found = Terms(rials, self._jalali(calendar), self._zone)
            self._terms_seen[currency, calendar] = found
        return found

    def _term(self, name: str, cells: Sequence[Cell]) -> Cell:
        """Return what a row says of its terms; an empty cell, what is given for all."""
        at = self._place.get(name)
        cell = "" if at is None else cells[at]
        return self._terms_given[name] if self._is_empty(cell, name) else cell

    def _jalali(self, calendar: Cell) -> bool:
        word, known = unmarked(str(calendar)).lower(), TERMS["calendar"]
        if word and word not in known:
            among = f"{', '.join(known)}, or empty"
            reason = f"{shortened(str(calendar))} is not allowed: {among}"
            reason += self._naming.of_words("calendar")
            raise self._naming.refusal(reason, "calendar")
        return word == "jalali"
