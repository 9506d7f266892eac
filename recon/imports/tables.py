"""Rows of a tabular file to records of a lake table, by a kind's columns."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any

import msgspec

from recon import money
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
from recon.imports.notices import Notices
from recon.lake.schema import TABLES

Record = dict[str, Any]
_TERMS = ("currency", "calendar")
_CALENDARS = {"": False, "gregorian": False, "jalali": True}
_QUICK_CELL = MAX_CELL_BYTES // 4  # characters; so many are never too many bytes
_MAX_PLANS = 256


@dataclass(frozen=True)
class Kind:
    """A KIND of import whose files are tables.

    `fixed` are values that every row gets. `check` looks at a whole record and raises
    Refusal with the column at fault. Source: the interface's table of imports.
    """

    name: str
    table: str
    columns: tuple[Column, ...]
    fixed: tuple[tuple[str, str], ...] = ()
    check: Callable[[Record], None] | None = None
    readers: Mapping[str, SheetReader] = field(default_factory=lambda: TABULAR)

    def records(
        self, sheet: Sheet, zone: tzinfo, notices: Notices
    ) -> Iterator[tuple[int, Record]]:
        """Yield a sheet's records with their lines; Refusal on the first bad row."""
        plans: dict[tuple[str, ...], _Plan] = {}
        if sheet.header is not None:
            _refuse_missing(self, sheet.header, sparse=False)
        for row in sheet.rows:
            try:
                plan = plans.get(row.names)
                if plan is None:
                    _refuse_missing(self, row.names, sparse=True)
                    if len(plans) >= _MAX_PLANS:  # rows of endless shapes stay bounded
                        plans.clear()
                    plan = plans[row.names] = _Plan(self, row.names, zone, notices)
                record = plan.record(row)
            except Refusal as refusal:
                refusal.line = row.line
                raise
            yield row.line, record


class _Plan:
    """Which cell feeds which column, for rows of one shape."""

    def __init__(
        self, kind: Kind, names: tuple[str, ...], zone: tzinfo, notices: Notices
    ) -> None:
        self._zone = zone
        self._notices = notices
        self._check = kind.check
        self._terms_seen: dict[tuple[Cell, Cell], Terms] = {}
        place = {name: at for at, name in enumerate(names)}
        self._fed = [
            (column, place[column.name])
            for column in kind.columns
            if column.name in place
        ]
        self._empty: Record = dict.fromkeys(TABLES[kind.table].columns.names)
        self._empty |= {column.name: column.default for column in kind.columns}
        self._empty |= dict(kind.fixed)
        self._currency, self._calendar = (place.get(name) for name in _TERMS)
        known = {column.name for column in kind.columns} | set(_TERMS)
        further = [name for name in names if name not in known]
        self._extra = (
            sorted((name, place[name]) for name in further)
            if "extra" in self._empty
            else []
        )
        self._national = place.get("national_code")

    def record(self, row: Row) -> Record:
        """Return a row's record; Refusal names the column at fault."""
        cells = row.cells
        _refuse_long(row)
        terms = self._terms(cells)
        record = self._empty.copy()
        for column, at in self._fed:
            record[column.name] = self._value(column, cells[at], terms, row.line)
        if self._extra:
            extra = {name: plain_text(cells[at]) for name, at in self._extra}
            record["extra"] = msgspec.json.encode(extra).decode()
        if self._national is not None:
            code = str(cells[self._national]).strip()
            if code and not national_code_holds(code):
                self._notices.add(
                    "column national_code fails the checksum of a national code",
                    row.line,
                )
        if self._check is not None:
            self._check(record)
        return record

    def _value(self, column: Column, cell: Cell, terms: Terms, line: int) -> Any:
        if cell == "" or (isinstance(cell, str) and cell.isspace()):
            if column.filled:
                raise Refusal("is empty; it must be filled", column=column.name)
            return column.default
        try:
            value = column.read(cell, terms)
        except ValueError as error:
            raise Refusal(str(error), column=column.name) from None
        if column.doubt is not None and column.doubt(value):
            self._notices.add(f"column {column.name} fails {column.doubted}", line)
        return value

    def _terms(self, cells: Sequence[Cell]) -> Terms:
        currency = "" if self._currency is None else cells[self._currency]
        calendar = "" if self._calendar is None else cells[self._calendar]
        found = self._terms_seen.get((currency, calendar))
        if found is None:
            found = Terms(_rials(str(currency)), _jalali(str(calendar)), self._zone)
            self._terms_seen[currency, calendar] = found
        return found


def _rials(currency: str) -> int:
    try:
        return money.to_rials(1, currency)
    except ValueError:
        raise Refusal(
            f"{shortened(currency)} is not allowed: rial, toman", column="currency"
        ) from None


def _jalali(calendar: str) -> bool:
    try:
        return _CALENDARS[calendar.strip().lower()]
    except KeyError:
        raise Refusal(
            f"{shortened(calendar)} is not allowed: jalali, gregorian, or empty",
            column="calendar",
        ) from None


def _refuse_missing(kind: Kind, names: tuple[str, ...], *, sparse: bool) -> None:
    """Refuse a header without a required column.

    A `sparse` one names only what its row fills: what may be empty may be absent.
    """
    missing = [
        column.name
        for column in kind.columns
        if column.needed and column.name not in names and (column.filled or not sparse)
    ]
    if missing:
        have = ", ".join(map(shortened, names[:20])) or "none"
        raise Refusal(
            f"required columns are missing: {', '.join(missing)} (there are {have})",
            line=1,
        )


def _refuse_long(row: Row) -> None:
    texts = [cell for cell in row.cells if isinstance(cell, str)]
    if max(map(len, texts), default=0) <= _QUICK_CELL:
        return
    for name, cell in zip(row.names, row.cells, strict=True):
        if isinstance(cell, str) and len(cell.encode()) > MAX_CELL_BYTES:
            raise Refusal("a cell has more than 1 MiB", column=name)
