"""Rows of a tabular file to records of a lake table, by a kind's columns."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import lru_cache
from typing import Any

from recon.errors import SettingsError
from recon.imports.agreement import Agreed, Agreement
from recon.imports.checksums import ibans_in
from recon.imports.columns import Column
from recon.imports.formats.detection import TABULAR, SheetReader
from recon.imports.formats.rows import Refusal, Row, Sheet, shortened
from recon.imports.naming import IMPORTS, Naming
from recon.imports.notices import Notices
from recon.imports.shape import NATIONAL_CODE, TERMS, UNREAD, Record, Shape
from recon.imports.sides import DIRECTION, Directed, Sides, UnreadLetters
from recon.imports.skipping import Skipping
from recon.imports.units import Title, title_of
from recon.journal import Journal
from recon.lake.schema import TABLES

ROW_NUMBER = "row_number"
"""A column that settings may name: it numbers a file's rows, and is no part of them."""

_ACCOUNT = "iban"
_MOST_SHAPES = 256  # that are kept; a file may have endless ones


@dataclass(frozen=True)
class Kind:
    """A KIND of import whose files are tables.

    `fixed` are values that every row gets. `check` looks at a whole record and raises
    Refusal with the column at fault; `doubt` says what looks wrong with one that is
    taken (a warning), if anything. `agrees` says which lines of a file must not
    contradict each other. `journaled` gives what was sent from here: it fills what
    a row leaves empty. `sides` are two columns that may stand in place of a signed one.
    `gone` is what a record says of its key when nothing stands under it any more.
    `running` is the column of the balance after each row (`running_balance`).
    Source: the interface's table of imports.
    """

    name: str
    table: str
    columns: tuple[Column, ...]
    fixed: tuple[tuple[str, str], ...] = ()
    check: Callable[[Record], None] | None = None
    doubt: Callable[[Record], str | None] | None = None
    agrees: tuple[Agreement, ...] = ()
    readers: Mapping[str, SheetReader] = field(default_factory=lambda: TABULAR)
    journaled: Callable[[Journal], Iterator[Record]] | None = None
    sides: Sides | None = None
    gone: tuple[tuple[str, str], ...] = ()
    running: Column | None = None

    def may_be_any(self, column: Column) -> bool:
        """Tell whether a key's column, where it is empty, may be any of its words.

        What an order's product is, one export may say and another leave empty.
        """
        is_of_key = column.name in TABLES[self.table].key
        return bool(self.gone and is_of_key and column.among and not column.filled)

    def naming(
        self,
        given: Mapping[str, str],
        values: Mapping[str, str] | None = None,
        words: Mapping[str, Mapping[str, str]] | None = None,
        section: str = IMPORTS,
    ) -> Naming:
        """Return how this kind's columns are called; SettingsError on a bad name.

        `given` is `[imports.columns.<kind>]`: our column → the file's header; `values`
        is `[imports.values.<kind>]`: our column → what it is where a file has none;
        `words` is `[imports.words.<kind>]`: our column → the file's word → ours.
        `section` is what stands in place of `imports` where a layout has them.
        """
        for table, said in (("columns", given), ("values", values), ("words", words)):
            self._refuse_no_table(f"{section}.{table}", said)
        columns = [column.name for column in self.columns]
        columns += [column.clock for column in self.columns if column.clock]
        columns += self.sides.names if self.sides else ()
        columns += [self.running.name] if self.running else []
        columns += [ROW_NUMBER] if ROW_NUMBER in given else []
        if self.sides and DIRECTION in {*given, *(words or {})}:
            columns.append(DIRECTION)
        known = [*columns, *TERMS, NATIONAL_CODE]
        naming = Naming(self.name, known, given, values, words, section)
        self._refuse_words(naming)
        return naming

    def skipping(
        self, given: Mapping[str, Sequence[str]], section: str = IMPORTS
    ) -> Skipping:
        """Return which rows of one file are passed over; SettingsError on a bad name.

        `given` is `[imports.skip.<kind>]`: the file's header → words under it.
        """
        self._refuse_no_table(f"{section}.skip", given)
        return Skipping(self.name, given, section)

    def _refuse_no_table(self, section: str, said: Mapping[str, Any] | None) -> None:
        if said and not self.readers.items() & TABULAR.items():
            raise SettingsError(
                f"{section}.{self.name}: {self.name} are no table; "
                "their fields have the provider's names"
            )

    def _refuse_words(self, naming: Naming) -> None:
        """Refuse words of ours that a column does not have."""
        columns = [*self.columns, *([self.sides.direction] if self.sides else [])]
        filled = {column.name for column in columns if column.filled}
        among = {column.name: column.among for column in columns} | TERMS
        for column, words in naming.words.items():
            allowed = among.get(column)
            empty = () if column in filled else ("",)
            for ours in words.values():
                if allowed and ours not in (*allowed, *empty):
                    listed = ", ".join(allowed) + (", or empty" if empty else "")
                    raise SettingsError(
                        f"{naming.table('words')}.{column}: {shortened(ours)} is not "
                        f"allowed: {listed}"
                    )

    def places(self, naming: Naming, names: Sequence[str]) -> dict[str, int]:
        """Return where each column is among a file's names, if it is there."""
        places = naming.places(names)
        return self.sides.settled(places, naming.given) if self.sides else places

    def sides_of(self, places: Collection[str]) -> Sides | Directed | None:
        """Return what says which way an amount went, where it is not its sign."""
        return self.sides.of(places) if self.sides else None

    def records(
        self,
        sheet: Sheet,
        zone: tzinfo,
        notices: Notices,
        naming: Naming | None = None,
        skipping: Skipping | None = None,
        passed_over: Callable[[int, Record], None] = lambda _line, _key: None,
    ) -> Iterator[tuple[int, Record]]:
        """Yield a sheet's records with their lines; Refusal on the first bad row.

        `notices` is also told which header of the file feeds which column, and which
        rows were passed over; `passed_over` gets a record with the key of each such
        row, where it has one that can be read, and `notices` those that have none.
        """
        naming = self.naming({}) if naming is None else naming
        skipping = self.skipping({}) if skipping is None else skipping
        shapes = _Shapes(self, zone, notices, naming, title_of(sheet))
        agreed = [Agreed(agreement) for agreement in self.agrees]
        if sheet.header is not None:
            given = (naming, sheet.header, notices)
            self.refuse_missing(
                *given, sparse=False, line=sheet.line, unread=sheet.unread
            )
            skipping.refuse_missing(sheet.header, line=sheet.line)
            self._refuse_row_above(sheet, zone, naming, skipping)
            self._doubt_account(sheet, naming, notices)
        line = 0
        for row in sheet.rows:
            try:
                if reason := skipping.reason(row):
                    notices.skip(reason, row.line)
                    if key := shapes.key(row, skipping.places(row)):
                        passed_over(row.line, key)
                    continue
                line = row.line
                record = shapes.record(row)
                for agreement in agreed:
                    agreement.take(record, row.line)
            except Refusal as refusal:
                refusal.line = row.line
                raise
            if self.doubt and (told := self.doubt(record)):
                notices.add(told, row.line)
            yield row.line, record
        if line or notices.skipped_rows:
            skipping.refuse_missing(list(notices.headers))
        known = {*notices.columns, *naming.values}
        unseen = [each for each in naming.given if each not in known]
        notices.refuse_blank_units(naming.table("values"))
        shapes.unread_letters.refuse(naming)
        if line and unseen:  # a sparse file may leave a column out, not in every row
            raise Refusal(naming.missing(unseen, list(notices.headers)))

    def _refuse_row_above(
        self, sheet: Sheet, zone: tzinfo, naming: Naming, skipping: Skipping
    ) -> None:
        """Refuse a row above the header that is one of its rows: it would be lost."""
        if sheet.header is None:
            return
        shapes, width = _Shapes(self, zone, Notices(), naming), len(sheet.header)
        for line, cells in sheet.titles:
            filled = [*cells[:width], *[""] * (width - len(cells))]
            row = Row(line, sheet.header, filled)
            try:
                if skipping.reason(row):
                    continue
                shapes.record(row)
            except Refusal:  # as it should be: a title is no row
                continue
            raise Refusal(
                f"stands above the header (line {sheet.line}) and reads as one of its "
                "rows: put the header above it",
                line=line,
            )

    def _doubt_account(self, sheet: Sheet, naming: Naming, notices: Notices) -> None:
        """Tell of titles that name another account than the one that is given."""
        given = naming.values.get(_ACCOUNT, "")
        is_given = given and _ACCOUNT not in naming.places(sheet.header or ())
        if not (self.sides and is_given):
            return
        named = [
            (line, iban)
            for line, cells in sheet.titles
            for iban in ibans_in(" ".join(map(str, cells)))
        ]
        if named and not {iban for _, iban in named} & {*ibans_in(given)}:
            line, other = named[0]
            told = f"names {other}, and the iban is given as {shortened(given)}"
            notices.add(f"a line above the header {told}", line)

    def refuse_missing(
        self,
        naming: Naming,
        names: tuple[str, ...],
        notices: Notices,
        *,
        sparse: bool,
        line: int = 1,
        unread: str = "",
    ) -> None:
        """Refuse a header without a required column, or one that settings name.

        A `sparse` one names only what its row fills: what may be empty may be absent.
        `unread` says where else the columns may stand.
        """
        places = self.places(naming, names)
        notices.saw(names, places)
        missing = self._missing(naming, places, sparse=sparse)
        if missing:
            told = filter(None, [naming.missing(missing, names), unread])
            raise Refusal("; ".join(told), line=line)

    def lacks(self, naming: Naming, names: Sequence[str]) -> int:
        """Tell how many columns that a file must have a row does not name."""
        try:
            places = self.places(naming, names)
        except Refusal:  # one of them twice: that is told of a header
            return 0
        return len(self._missing(naming, places, sparse=False))

    def _missing(
        self, naming: Naming, places: Mapping[str, int], *, sparse: bool
    ) -> list[str]:
        known = {*places, *naming.values}
        sides = self.sides_of(places)
        halves = sides.names if sides else ()
        known |= sides.replaced if sides else set()
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


class _Shapes:
    """The shapes of one file's rows, as they are met."""

    def __init__(
        self,
        kind: Kind,
        zone: tzinfo,
        notices: Notices,
        naming: Naming,
        title: Title | None = None,
    ) -> None:
        self._title = title
        self._kind = kind
        self._zone = zone
        self._notices = notices
        self._naming = naming
        self.unread_letters = UnreadLetters()
        self._of = lru_cache(_MOST_SHAPES)(self._shape)

    def record(self, row: Row) -> Record:
        """Return a row's record; Refusal where it cannot be taken."""
        if row.fault:
            raise row.fault
        shape = self._of(row.names)
        try:
            return shape.record(row)
        except Refusal as refusal:  # may be for want of a column that was not heard
            refusal.reason = "; ".join((refusal.reason, *shape.unheard))
            raise

    def key(self, row: Row, passing: Collection[int]) -> Record | None:
        """Return a record with the key of a row alone; None where it has none.

        `passing` are the cells that pass the row over.
        """
        if not TABLES[self._kind.table].key:
            return None
        try:
            return self._of(row.names).key(row, passing)
        except Refusal:
            if not self._kind.gone:
                self._notices.add(UNREAD, row.line)
            return None

    def _shape(self, names: tuple[str, ...]) -> Shape:
        self._kind.refuse_missing(self._naming, names, self._notices, sparse=True)
        given = (self._zone, self._notices, self._naming, self.unread_letters)
        return Shape(self._kind, names, *given, self._title)
