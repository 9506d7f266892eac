"""Rows of a tabular file to records of a lake table, by a kind's columns."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any

import msgspec

from recon import money
from recon.errors import SettingsError
from recon.imports.agreement import Agreed, Agreement
from recon.imports.checksums import national_code_holds
from recon.imports.columns import Column, Terms, plain_text
from recon.imports.formats.detection import TABULAR, SheetReader
from recon.imports.formats.rows import (
    MAX_CELL_BYTES,
    Cell,
    Refusal,
    Row,
    Sheet,
    shortened,
)
from recon.imports.naming import Naming, letters
from recon.imports.notices import Notices
from recon.imports.sides import Sides
from recon.imports.skipping import Skipping
from recon.journal import Journal
from recon.lake.schema import TABLES

Record = dict[str, Any]
_TERMS = {"currency": ("rial", "toman"), "calendar": ("jalali", "gregorian")}
_NATIONAL_CODE = "national_code"
ROW_NUMBER = "row_number"
"""A column that settings may name: it numbers a file's rows, and is no part of them."""

_CALENDARS = {"": False, "gregorian": False, "jalali": True}
_QUICK_CELL = MAX_CELL_BYTES // 4  # characters; so many are never too many bytes
_MAX_PLANS = 256


@dataclass(frozen=True)
class Kind:
    """A KIND of import whose files are tables.

    `fixed` are values that every row gets. `check` looks at a whole record and raises
    Refusal with the column at fault. `agrees` says which lines of a file must not
    contradict each other. `journaled` gives what was sent from here: it fills what
    a row leaves empty. `sides` are two columns that may stand in place of a signed one.
    Source: the interface's table of imports.
    """

    name: str
    table: str
    columns: tuple[Column, ...]
    fixed: tuple[tuple[str, str], ...] = ()
    check: Callable[[Record], None] | None = None
    agrees: Agreement | None = None
    readers: Mapping[str, SheetReader] = field(default_factory=lambda: TABULAR)
    journaled: Callable[[Journal], Iterator[Record]] | None = None
    sides: Sides | None = None

    def naming(
        self,
        given: Mapping[str, str],
        values: Mapping[str, str] | None = None,
        words: Mapping[str, Mapping[str, str]] | None = None,
    ) -> Naming:
        """Return how this kind's columns are called; SettingsError on a bad name.

        `given` is `[imports.columns.<kind>]`: our column → the file's header; `values`
        is `[imports.values.<kind>]`: our column → what it is where a file has none;
        `words` is `[imports.words.<kind>]`: our column → the file's word → ours.
        """
        for section, said in (("columns", given), ("values", values), ("words", words)):
            self._refuse_no_table(section, said)
        columns = [column.name for column in self.columns]
        columns += self.sides.names if self.sides else ()
        columns += [ROW_NUMBER] if ROW_NUMBER in given else []
        known = [*columns, *_TERMS, _NATIONAL_CODE]
        naming = Naming(self.name, known, given, values, words)
        self._refuse_words(naming)
        return naming

    def skipping(self, given: Mapping[str, Sequence[str]]) -> Skipping:
        """Return which rows of one file are passed over; SettingsError on a bad name.

        `given` is `[imports.skip.<kind>]`: the file's header → words under it.
        """
        self._refuse_no_table("skip", given)
        return Skipping(self.name, given)

    def _refuse_no_table(self, section: str, said: Mapping[str, Any] | None) -> None:
        if said and not self.readers.items() & TABULAR.items():
            raise SettingsError(
                f"imports.{section}.{self.name}: {self.name} are no table; "
                "their fields have the provider's names"
            )

    def _refuse_words(self, naming: Naming) -> None:
        """Refuse words of ours that a column does not have."""
        filled = {column.name for column in self.columns if column.filled}
        among = {column.name: column.among for column in self.columns} | _TERMS
        for column, words in naming.words.items():
            allowed = among.get(column)
            empty = () if column in filled else ("",)
            for ours in words.values():
                if allowed and ours not in (*allowed, *empty):
                    listed = ", ".join(allowed) + (", or empty" if empty else "")
                    raise SettingsError(
                        f"imports.words.{self.name}.{column}: {shortened(ours)} is not "
                        f"allowed: {listed}"
                    )

    def places(self, naming: Naming, names: Sequence[str]) -> dict[str, int]:
        """Return where each column is among a file's names, if it is there."""
        places = naming.places(names)
        return self.sides.settled(places, naming.given) if self.sides else places

    def sides_of(self, places: Collection[str]) -> Sides | None:
        """Return the two columns that a file has in place of one, if it has either."""
        sides = self.sides
        return sides if sides and any(name in places for name in sides.names) else None

    def records(
        self,
        sheet: Sheet,
        zone: tzinfo,
        notices: Notices,
        naming: Naming | None = None,
        skipping: Skipping | None = None,
    ) -> Iterator[tuple[int, Record]]:
        """Yield a sheet's records with their lines; Refusal on the first bad row.

        `notices` is also told which header of the file feeds which column, and which
        rows were passed over.
        """
        naming = self.naming({}) if naming is None else naming
        skipping = self.skipping({}) if skipping is None else skipping
        plans: dict[tuple[str, ...], _Plan] = {}
        agreed = Agreed(self.agrees) if self.agrees else None
        if sheet.header is not None:
            self._refuse_missing(naming, sheet.header, notices, sparse=False)
            skipping.refuse_missing(sheet.header, line=1)
        line = 0
        for row in sheet.rows:
            try:
                if reason := skipping.reason(row):
                    notices.skip(reason, row.line)
                    continue
                line = row.line
                plan = plans.get(row.names)
                if plan is None:
                    self._refuse_missing(naming, row.names, notices, sparse=True)
                    if len(plans) >= _MAX_PLANS:  # rows of endless shapes stay bounded
                        plans.clear()
                    plan = _Plan(self, row.names, zone, notices, naming)
                    plans[row.names] = plan
                record = plan.record(row)
                if agreed:
                    agreed.take(record, row.line)
            except Refusal as refusal:
                refusal.line = row.line
                raise
            yield row.line, record
        if line or notices.skipped_rows:
            skipping.refuse_missing(list(notices.headers))
        known = {*notices.columns, *naming.values}
        unseen = [each for each in naming.given if each not in known]
        if line and unseen:  # a sparse file may leave a column out, not in every row
            raise Refusal(naming.missing(unseen, list(notices.headers)))

    def _refuse_missing(
        self, naming: Naming, names: tuple[str, ...], notices: Notices, *, sparse: bool
    ) -> None:
        """Refuse a header without a required column, or one that settings name.

        A `sparse` one names only what its row fills: what may be empty may be absent.
        """
        places = self.places(naming, names)
        notices.saw(names, places)
        missing = self._missing(naming, places, sparse=sparse)
        if missing:
            raise Refusal(naming.missing(missing, names), line=1)

    def is_header(self, naming: Naming, names: Sequence[str]) -> bool:
        """Tell whether a row names every column that a file must have."""
        try:
            places = self.places(naming, [name.strip() for name in names])
        except Refusal:  # one of them twice: that is told of a header
            return True
        return not self._missing(naming, places, sparse=False)

    def _missing(
        self, naming: Naming, places: Mapping[str, int], *, sparse: bool
    ) -> list[str]:
        known = {*places, *naming.values}
        sides = self.sides_of(places)
        halves = sides.names if sides else ()
        known |= {sides.whole} if sides else set()
        missing = [
            column.name
            for column in self.columns
            if column.needed
            and column.name not in known
            and (column.filled or not sparse)
        ]
        if not sparse:
            also = (each for each in (*naming.given, *halves) if each not in missing)
            missing += [each for each in dict.fromkeys(also) if each not in known]
        return missing


class _Plan:
    """Which cell feeds which column, for rows of one shape."""

    def __init__(
        self,
        kind: Kind,
        names: tuple[str, ...],
        zone: tzinfo,
        notices: Notices,
        naming: Naming,
    ) -> None:
        self._naming = naming
        self._kind_name = kind.name
        self._zone = zone
        self._notices = notices
        self._check = kind.check
        self._terms_seen: dict[tuple[Cell, Cell], Terms] = {}
        place = kind.places(naming, names)
        self._unheard = [  # also where a value is given: the file may say another
            f"{shortened(name)} is kept as it is, not read as {column}"
            for column, name in naming.unheard(names, place)
        ]
        self._sides = kind.sides_of(place)
        joined = {self._sides.whole} if self._sides else set()
        lacking = {
            name: value
            for name, value in naming.values.items()
            if name not in place and name not in joined
        }
        notices.given |= lacking
        self._values = tuple(lacking.values())
        place |= {name: at for at, name in enumerate(lacking, start=len(names))}
        self._place = place
        self._words = [
            (at, name, naming.words[name])
            for name, at in place.items()
            if name in naming.words and at < len(names)
        ]
        self._fed = [
            (column, place[column.name])
            for column in kind.columns
            if column.name in place
        ]
        self._empty: Record = dict.fromkeys(TABLES[kind.table].columns.names)
        self._empty |= {column.name: column.default for column in kind.columns}
        self._empty |= dict(kind.fixed)
        self._currency, self._calendar = (place.get(name) for name in _TERMS)
        fed = {at for name, at in place.items() if name != _NATIONAL_CODE}
        self._extra = (
            sorted((name, at) for at, name in enumerate(names) if at not in fed)
            if "extra" in self._empty
            else []
        )
        self._national = place.get(_NATIONAL_CODE)

    def record(self, row: Row) -> Record:
        """Return a row's record; Refusal names the column at fault."""
        _refuse_long(row)
        cells = self._in_our_words((*row.cells, *self._values))
        for topic in self._unheard:
            self._notices.add(topic, row.line)
        terms = self._terms(cells)
        if self._currency is not None:
            self._notices.unit(str(cells[self._currency]), row.line)
        record = self._empty.copy()
        for column, at in self._fed:
            record[column.name] = self._value(column, cells[at], terms, row)
        if self._sides:
            record[self._sides.whole] = self._joined(self._sides, cells, terms, row)
        if self._extra:
            extra = {name: plain_text(cells[at]) for name, at in self._extra}
            record["extra"] = msgspec.json.encode(extra).decode()
        if self._national is not None:
            self._doubt_national_code(str(cells[self._national]).strip(), row)
        if self._check is not None:
            try:
                self._check(record)
            except Refusal as refusal:
                if refusal.column is not None:
                    refusal.column = self._naming.shown(refusal.column)
                raise
        return record

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
            self._doubt(_NATIONAL_CODE, "the checksum of a national code", row)

    def _value(self, column: Column, cell: Cell, terms: Terms, row: Row) -> Any:
        if cell == "" or (isinstance(cell, str) and cell.isspace()):
            if column.filled:
                raise self._refusal("is empty; it must be filled", column.name)
            return column.default
        try:
            value = column.read(cell, terms)
        except ValueError as error:
            other = self._of_words(column.name) if column.among else ""
            reason = f"{error}{other}"
            raise self._refusal(reason, column.name) from None
        if column.doubt is not None and column.doubt(value):
            self._doubt(column.name, column.doubted, row)
        return value

    def _of_words(self, column: str) -> str:
        section = f"[imports.words.{self._kind_name}.{column}]"
        return f"; {section} says what other words mean"

    def _joined(
        self, sides: Sides, cells: Sequence[Cell], terms: Terms, row: Row
    ) -> int:
        out, into = (
            self._value(column, cells[at], terms, row)
            if (at := self._place.get(column.name)) is not None
            else None
            for column in (sides.out, sides.into)
        )
        return sides.joined(out, into)

    def _doubt(self, column: str, what: str, row: Row) -> None:
        self._notices.add(f"column {self._naming.shown(column)} fails {what}", row.line)

    def _refusal(self, reason: str, column: str) -> Refusal:
        return Refusal(reason, column=self._naming.shown(column))

    def _terms(self, cells: Sequence[Cell]) -> Terms:
        currency = "" if self._currency is None else cells[self._currency]
        calendar = "" if self._calendar is None else cells[self._calendar]
        found = self._terms_seen.get((currency, calendar))
        if found is None:
            found = Terms(self._rials(currency), self._jalali(calendar), self._zone)
            self._terms_seen[currency, calendar] = found
        return found

    def _rials(self, currency: Cell) -> int:
        try:
            return money.to_rials(1, str(currency))
        except ValueError:
            reason = f"{shortened(str(currency))} is not allowed: rial, toman"
            reason += self._of_words("currency")
            raise self._refusal(reason, "currency") from None

    def _jalali(self, calendar: Cell) -> bool:
        try:
            return _CALENDARS[str(calendar).strip().lower()]
        except KeyError:
            among = "jalali, gregorian, or empty"
            reason = f"{shortened(str(calendar))} is not allowed: {among}"
            reason += self._of_words("calendar")
            raise self._refusal(reason, "calendar") from None


def _refuse_long(row: Row) -> None:
    texts = [cell for cell in row.cells if isinstance(cell, str)]
    if max(map(len, texts), default=0) <= _QUICK_CELL:
        return
    for name, cell in zip(row.names, row.cells, strict=True):
        if isinstance(cell, str) and len(cell.encode()) > MAX_CELL_BYTES:
            raise Refusal("a cell has more than 1 MiB", column=name)
