"""What every reader gives: rows of cells with the line that they stand on."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, islice
from typing import Generic, TypeVar

MAX_CELL_BYTES = 2**20
MAX_LINE_CHARACTERS = 32 * 2**20
MAX_COLUMNS = 1_000
MOST_TITLES = 30  # rows above a header
_SHOWN_CHARACTERS = 80
_QUICK_CELL = MAX_CELL_BYTES // 4  # characters; so many are never too many bytes
_MARK = "\ufeff"  # of the byte order
_MISREAD_MARK = "\u00ef\u00bb\u00bf"  # a byte-order mark of UTF-8, read as Latin

_EXACT_DIGITS = 15  # of a number, in Excel
# Formats of numbers that show their digits and nothing else.
_PLAIN_FORMAT = re.compile(r"General|@|(?:#,##)?[0#](?:\.[0#]+)?")


class LongNumber(str):
    """The digits of a number of which Excel may not keep the last ones."""

    __slots__ = ()
    why = "is a number of 16 digits or more, of which Excel keeps 15"

    @property
    def is_beyond(self) -> bool:
        """Tell whether it has more digits than Excel keeps; others may be rounded."""
        return len(self.strip("-0.").replace(".", "")) > _EXACT_DIGITS


class ShownNumber(str):
    """The digits of a number, and the format by which its sheet shows it."""

    __slots__ = ("shown",)
    shown: str


class NoText(str):
    """What is neither text nor plain number, as a text: true, 1e20, an object."""

    __slots__ = ()


class MergedCell(str):
    """An empty cell that its sheet shows as one with the filled cell above it."""

    __slots__ = ()
    why = "is merged with the cell above it: unmerge them and fill each"


class UnclearTime(datetime):
    """A typed time of which nobody can tell the zone; `why` says it."""

    why: str

    @classmethod
    def of(cls, moment: datetime, why: str) -> "UnclearTime":
        """Return a time that is not to be read as one, and why."""
        unclear = cls.combine(moment.date(), moment.timetz())
        unclear.why = why
        return unclear


Cell = str | datetime
"""A cell's text as it stands in the file ("" is empty), or a typed date and time."""


class Refusal(Exception):  # noqa: N818 - the field's word
    """Why a file is not taken, and where; the door adds the file's name."""

    def __init__(
        self, reason: str, *, line: int | None = None, column: str | None = None
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column

    def place(self, name: str) -> str:
        """Return where in a file of that name it is."""
        line = "" if self.line is None else f", line {self.line}"
        column = "" if self.column is None else f", column {self.column}"
        return f"{name}{line}{column}"


Lacks = Callable[[Sequence[str]], int]
"""Tells how many of the columns that a file must have a row's cells do not name."""

C = TypeVar("C", bound=Cell)


@dataclass(frozen=True)
class Row:
    """One row: `line` counts from 1; `names` are its columns, in the cells' order.

    `fault` is why it cannot be taken, unless it is passed over. `described` is what
    readers of before took for its description, where they took less of the file: it
    tells which row this is, beside those that were stored then. `balance` is that of
    the account after the row, where its format has one, and `statement` counts the
    statements of the file.
    """

    line: int
    names: tuple[str, ...]
    cells: Sequence[Cell]
    fault: Refusal | None = None
    described: str | None = None
    balance: str | None = None
    statement: int = 1


@dataclass(frozen=True)
class Sheet:
    """A file opened for reading: `header` is None where every row names its cells.

    It stands on a `line`, below `titles`, with theirs. `unread` says what of the file
    is not looked at, as a second sheet. `unsound` gets the numbers of statements whose
    entries do not lead from one of their balances to the other.
    """

    header: tuple[str, ...] | None
    rows: Iterator[Row]
    warnings: list[str] = field(default_factory=list)
    line: int = 1
    titles: Sequence[tuple[int, Sequence[Cell]]] = ()
    unread: str = ""
    unsound: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Headed(Generic[C]):
    """The row that names the columns, what stands around it, and what to tell of it."""

    line: int
    cells: list[C]
    rows: Iterator[tuple[int, list[C]]]
    titles: Sequence[tuple[int, list[C]]] = ()
    notes: list[str] = field(default_factory=list)


def is_blank(cell: Cell) -> bool:
    """Tell whether nothing stands in a cell."""
    return cell == "" or (isinstance(cell, str) and cell.isspace())


def plain_text(cell: Cell) -> str:
    """Return a cell as text; a typed date in ISO 8601."""
    return cell.isoformat() if isinstance(cell, datetime) else str(cell)


def refuse_long(row: Row) -> None:
    """Raise Refusal where a cell has more bytes than one may have."""
    texts = [cell for cell in row.cells if isinstance(cell, str)]
    if max(map(len, texts), default=0) <= _QUICK_CELL:
        return
    for name, cell in zip(row.names, row.cells, strict=True):
        if isinstance(cell, str) and len(cell.encode()) > MAX_CELL_BYTES:
            raise Refusal("a cell has more than 1 MiB", column=name)


def column_name(cell: Cell) -> str:
    """Return what a cell of a header names: its text without spaces around it.

    A byte-order mark in front of it is none of the name. Where two programs each wrote
    one, or files were joined, it stands within the text.
    """
    return str(cell).strip().removeprefix(_MARK)


def header_names(cells: Sequence[Cell], line: int) -> tuple[str, ...]:
    """Return the column names of a header row; Refusal on a repeated or missing one.

    Unnamed columns at the end are dropped here: their cells must then be empty.
    """
    names = [column_name(cell) for cell in cells]
    if names and names[0].startswith(_MISREAD_MARK):
        raise Refusal(
            "was opened as another encoding than UTF-8 and saved so: its texts are "
            "spoilt; open the first file as UTF-8",
            line=line,
        )
    while names and not names[-1]:
        names.pop()
    if len(names) > MAX_COLUMNS:
        raise Refusal(f"has more than {MAX_COLUMNS:,} columns", line=line)
    if "" in names:
        raise Refusal(
            f"column {names.index('') + 1} of the header has no name", line=line
        )
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        shown = ", ".join(map(shortened, repeated))
        raise Refusal(f"the header names a column twice: {shown}", line=line)
    return tuple(names)


def headed(rows: Iterator[tuple[int, list[C]]], lacks: Lacks | None) -> Headed[C]:
    """Return the row that names the columns, and the rows below it.

    It is the first; where that is none and one of the next is, as below the titles of a
    bank's export, it is that one. Where none is, it is the one that comes near, else
    the first, and every other row that was looked at is given as one below it. An empty
    file has an empty header.
    """
    line, cells = next(rows, (1, []))
    if lacks is None or not cells or not (first := lacks(_names(cells))):
        return Headed(line, cells, rows)
    seen = [(line, cells)]
    nearest, fewest = 0, first // 2 + 1
    for at, further in islice(rows, MOST_TITLES):
        missing = lacks(_names(further))
        if not missing:
            note = f"line {at} names the columns; above it nothing is read"
            return Headed(at, further, rows, seen, [note])
        if missing < fewest:
            nearest, fewest = len(seen), missing
        seen.append((at, further))
    line, cells = seen.pop(nearest)
    return Headed(line, cells, chain(seen, rows))


def _names(cells: Sequence[Cell]) -> list[str]:
    return list(map(column_name, cells))


def typed_number(digits: str) -> str:
    """Return the digits of a number that its file says is one.

    In a text, three zeros after a point may be thousands; here they are a fraction.
    """
    return digits.removesuffix("0") if digits.endswith(".000") else digits


def marked_number(digits: str) -> str:
    """Return the digits of a number of Excel; long ones are known as such."""
    is_long = len(digits.partition(".")[0].lstrip("-")) > _EXACT_DIGITS
    return LongNumber(digits) if is_long else digits


def shown_number(digits: str, shown: str) -> str:
    """Return the digits of a number of Excel with its format, unless that is plain."""
    if isinstance(digits, LongNumber) or _PLAIN_FORMAT.fullmatch(shown):
        return digits
    number = ShownNumber(digits)
    number.shown = shown
    return number


def shortened(text: str) -> str:
    """Return a text fit for one line of a message."""
    if len(text) <= _SHOWN_CHARACTERS:
        return repr(text)
    return f"{text[:_SHOWN_CHARACTERS]!r}… ({len(text):,} characters)"
