"""CSV: UTF-8, double quotes, one header row, and cells parted by commas.

Spreadsheets of some languages part them by semicolons, and tables of text by tabs:
which one a file has is told by its header, and said so.
"""

import codecs
import csv
import io
import math
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import BinaryIO, cast

from recon.imports.formats.rows import (
    MAX_LINE_CHARACTERS,
    MOST_TITLES,
    Lacks,
    Refusal,
    Row,
    Sheet,
    column_name,
    headed,
    header_names,
)

_CHUNK = 2**20
_COMMA = ","
_TRAILING = (
    ": is an amount with separators not in quotes? Where each line ends with a "
    "separator, the header must, too"
)
_UNEVEN = ": rows end alike; is an amount with separators not in quotes?"
_SEPARATORS = ",;\t|\u061b"


def read(file: BinaryIO, lacks: Lacks | None = None) -> Sheet:
    """Read CSV; a row's line is the physical one that it starts on.

    `lacks` finds the header below a file's titles.
    """
    separator = _separator(_start(file), lacks)
    sheet = _read(file, separator, lacks)
    if separator != _COMMA:
        sheet.warnings.insert(0, f"the cells are parted by {separator!r}, not a comma")
    return sheet


def read_edited(file: BinaryIO) -> Sheet:
    """Read CSV of ours as a spreadsheet saved it: its language chose the separator."""
    return _read(file, _separator(_start(file)))


def _start(file: BinaryIO) -> str:
    start = file.read(_CHUNK).decode("utf-8", "ignore").lstrip("\ufeff").lstrip()
    file.seek(0)
    return start


def _separator(start: str, lacks: Lacks | None = None) -> str:
    """Return what parts a header that is one; else what parts one that comes nearest.

    Where none does, it is what parts the first line into most cells.
    """
    fewest: dict[str, float] = {}
    for separator in _SEPARATORS:
        if lacks is None:
            break
        fewest[separator] = min(_lacking(start, separator, lacks), default=math.inf)
        if not fewest[separator]:
            return separator
    nearest = [each for each in fewest if fewest[each] == min(fewest.values())]
    first = start.splitlines()[0] if start else ""
    among = _SEPARATORS if len(nearest) != 1 else nearest
    return max(among, key=first.count)


def _lacking(start: str, separator: str, lacks: Lacks) -> Iterator[int]:
    """Yield how much each row lacks that may be the header, parted in that way."""
    rows = csv.reader(io.StringIO(start, newline=""), delimiter=separator)
    filled = (cells for cells in rows if any(map(str.strip, cells)))
    with suppress(csv.Error):
        for cells in islice(filled, MOST_TITLES + 1):
            yield lacks(list(map(column_name, cells)))


def _read(file: BinaryIO, separator: str, lacks: Lacks | None = None) -> Sheet:
    csv.field_size_limit(MAX_LINE_CHARACTERS)  # a cell's limit is told with its column
    found = headed(_rows(file, separator), lacks)
    if not found.cells:
        raise Refusal("is empty: the first line must name the columns", line=1)
    header = header_names(found.cells, found.line)
    rows = _filled(found.rows, header, len(found.cells))
    return Sheet(header, rows, found.notes, found.line, found.titles)


def _filled(
    rows: Iterator[tuple[int, list[str]]], header: tuple[str, ...], most: int
) -> Iterator[Row]:
    """Yield rows of as many cells as there are names; `most` are the header's cells.

    Empty cells beyond the names are dropped where the header has them, too, and each
    row has as many: else they may be what an amount pushed there that its separators
    of thousands parted in two ("250,000" is 250 then).
    """
    width = len(header)
    usual = 0
    for line, cells in rows:
        fault = _misfit(cells, width, most, usual)
        if fault:
            fault.line = line
        else:
            usual = len(cells)
        cells[width:] = [""] * (width - len(cells))
        yield Row(line, header, cells, fault)


def _misfit(cells: list[str], width: int, most: int, usual: int) -> Refusal | None:
    """Return why a row's cells are not those of its header; `usual` is 0 at first."""
    count = len(cells)
    told = f"has {count} cells where the header names {width} columns"
    if count < width or any(map(str.strip, cells[width:])):
        return Refusal(told)
    if count > most:
        return Refusal(told + _TRAILING)
    if usual and count != usual:
        return Refusal(f"has {count} cells where rows above have {usual}{_UNEVEN}")
    return None


def _rows(file: BinaryIO, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that hold anything, each with the line it starts on."""
    reader = csv.reader(_lines(file), delimiter=separator, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise Refusal(f"is not well-formed CSV: {error}", line=line) from None
        if any(map(str.strip, cells)):
            yield line, cells


def _lines(file: BinaryIO) -> Iterator[str]:
    text = io.TextIOWrapper(file, "utf-8-sig", newline="")
    try:
        while line := text.readline(MAX_LINE_CHARACTERS):
            if len(line) == MAX_LINE_CHARACTERS:
                raise Refusal("a line is longer than 32 MiB; is this CSV?")
            yield line
        text.detach()
    except UnicodeDecodeError:
        raise Refusal(
            "is not UTF-8; save it as CSV in UTF-8", line=_undecodable_line(text)
        ) from None


def _undecodable_line(text: io.TextIOWrapper) -> int:
    """Return the line of the first byte that is not UTF-8."""
    file = cast("BinaryIO", text.detach())
    file.seek(0)
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, before = 1, b""  # the last byte, which may be half the end of a line
    while chunk := file.read(_CHUNK):
        pending, _ = decoder.getstate()
        try:
            decoder.decode(chunk)
        except UnicodeDecodeError as error:
            return line + _line_ends((pending + chunk)[: error.start], before)
        line += _line_ends(chunk, before)
        before = chunk[-1:]
    return line


def _line_ends(part: bytes, before: bytes) -> int:
    """Return how many lines end in a part, by whatever sign, after the byte before."""
    ends = part.count(b"\n") + part.count(b"\r") - part.count(b"\r\n")
    return ends - (before == b"\r" and part.startswith(b"\n"))
