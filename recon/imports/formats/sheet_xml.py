"""What a sheet's XML says, and the reader of its cells does not tell.

Rows that are not shown, rows whose numbers do not rise (all but the first are lost),
cells that are merged with those above, dates that say their zone, and formulas that
nothing has calculated.
"""

import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, BinaryIO, NamedTuple

from recon.imports.formats.rows import MAX_COLUMNS, Cell, Refusal, is_blank

_CHUNK = 2**20
_LONGEST_TAG = 4096  # bytes of a row's, with its attributes
_SHEETS = "xl/worksheets/"
_XML = ".xml"
_BESIDE = "customXml/"  # what programs keep for themselves, as long as they like
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")
_LONGEST_FORMULA = 2**16  # bytes of one with its result
_RESULT = re.compile(  # of a formula, that is not 0
    rb"<(?:\w+:)?f\b[^<>]{0,2000}(?:/>|>[^<>]{0,50000}</(?:\w+:)?f>)\s*"
    rb"<(?:\w+:)?v>[0.\s]{0,100}[^0.\s<]"
)
_WORKBOOK = "xl/workbook.xml"
_ON_OPENING = re.compile(rb"<(?:\w+:)?calcPr\b[^<>]*\bfullCalcOnLoad=[\"'](?:1|true)")
_ROW = rb"<(?:\w+:)?row\b(?P<row>[^<>]{0,2000})>(?P<cells>(?=\s*<(?:\w+:)?c\b))?"
_MERGED = (
    rb"<(?:\w+:)?mergeCell\b[^<>]{0,200}?\bref=[\"']"
    rb"(?P<left>[A-Z]{1,3})(?P<top>\d{1,7}):(?P<right>[A-Z]{1,3})(?P<bottom>\d{1,7})"
)
_ZONED = (
    rb"<(?:\w+:)?c\b(?=[^<>]{0,500}\bt=[\"']d[\"'])"
    rb"(?:(?=[^<>]{0,500}\br=[\"'](?P<zoned>[A-Z]{1,3})\d))?[^<>]{0,500}>\s*"
    rb"<(?:\w+:)?v>[^<]{0,40}T[\d:.]{0,40}(?:Z|[+-]\d\d:?\d\d)"
)
_TAG = re.compile(rb"|".join((_ROW, _MERGED)))
_TAG_OR_DATE = re.compile(rb"|".join((_ROW, _MERGED, _ZONED)))
_IS_DATE = re.compile(rb"\bt=[\"']d[\"']")
_NUMBER = re.compile(rb"\sr=[\"'](\d{1,7})[\"']")
_HIDDEN = re.compile(rb"\shidden=[\"'](?:1|true)[\"']")


class Merged(NamedTuple):
    """Cells that a sheet shows as one; lines and columns count from 1."""

    top: int
    bottom: int
    left: int
    right: int


@dataclass
class Markup:
    """What a sheet says of itself: `hidden` rows with cells, what is merged over lines.

    `zoned` are the columns with a date of which the sheet says the zone; all, where it
    does not say in which column that is.
    """

    hidden: int = 0
    merged: list[Merged] = field(default_factory=list)
    zoned: set[int] = field(default_factory=set)
    _line: int = 0

    def add(self, tag: re.Match[bytes]) -> None:
        """Take what a tag says; Refusal where a row's number does not rise."""
        if tag["row"] is not None:
            self._add_row(tag["row"], has_cells=tag["cells"] is not None)
        elif tag["top"] is not None:
            top, bottom = int(tag["top"]), int(tag["bottom"])
            if top < bottom:
                left, right = _place(tag["left"]), _place(tag["right"])
                self.merged.append(Merged(top, bottom, left, right))
        elif tag["zoned"] is not None:
            self.zoned.add(_place(tag["zoned"]))
        else:
            self.zoned.update(range(1, MAX_COLUMNS + 1))

    def _add_row(self, attributes: bytes, *, has_cells: bool) -> None:
        number = _NUMBER.search(attributes)
        line = int(number[1]) if number else self._line + 1
        if line <= self._line:
            told = f"follows row {self._line} in the sheet: open the file in Excel, "
            raise Refusal(f"{told}save it", line=line)
        self._line = line
        self.hidden += has_cells and bool(_HIDDEN.search(attributes))


class MergedBelow:
    """Which cells of a line are merged with a filled one above; lines come in order."""

    def __init__(self, merged: Sequence[Merged]) -> None:
        self._coming = sorted(merged, reverse=True)
        self._here: list[Merged] = []

    def columns(self, line: int, cells: Sequence[Cell]) -> list[int]:
        """Return the columns of a line's such cells, from 1; `cells` are all of it."""
        self._here = [each for each in self._here if each.bottom >= line]
        found = [at for each in self._here for at in _columns(each, len(cells))]
        while self._coming and self._coming[-1].top <= line:
            first = self._coming.pop()
            is_read = first.top == line and first.left <= len(cells)
            if is_read and not is_blank(cells[first.left - 1]):
                self._here.append(first)
        return found


def markup(file: BinaryIO, sheet: Any) -> Markup:
    """Read what a sheet that openpyxl has opened says of itself."""
    found = Markup()
    name = sheet._worksheet_path  # noqa: SLF001 - there is no public one
    try:
        with zipfile.ZipFile(file) as packed, packed.open(name) as part:
            for tag in _tags(part):
                found.add(tag)
    except Refusal:
        raise
    except Exception as error:  # noqa: BLE001 - damaged files raise of every kind
        raise damaged(error) from None
    return found


def refuse_long(file: BinaryIO) -> None:
    """Refuse a workbook in which 1 MiB begins no tag: no cell may be so long.

    A parser looks at a tag anew with each part of it that comes, until it ends: one of
    gigabytes, which are a few kilobytes where they are packed, would take days.
    """
    try:
        with zipfile.ZipFile(file) as packed:
            parts = (each for each in packed.namelist() if each.endswith(_XML))
            names = (each for each in parts if not each.startswith(_BESIDE))
            long = next((name for name in names if _has_no_tag(packed, name)), None)
    except Exception as error:  # noqa: BLE001 - damaged files raise of every kind
        raise damaged(error) from None
    if long is not None:
        raise Refusal(f"a cell or a tag has more than 1 MiB, in {long}")


def has_formulas(file: BinaryIO) -> bool:
    """Tell whether any sheet may have a formula; then its cells are looked at twice."""
    try:
        with zipfile.ZipFile(file) as packed:
            names = [name for name in packed.namelist() if name.startswith(_SHEETS)]
            return any(_holds(packed, name, _FORMULA, _LONGEST_TAG) for name in names)
    except Exception as error:  # noqa: BLE001 - damaged files raise of every kind
        raise damaged(error) from None


def is_uncalculated(file: BinaryIO, sheet: Any) -> bool:
    """Tell whether a sheet that openpyxl has opened waits for its formulas' results.

    Programs that calculate nothing write 0 for each of them, and into the workbook that
    whoever opens it calculates all.
    """
    name = sheet._worksheet_path  # noqa: SLF001 - there is no public one
    try:
        with zipfile.ZipFile(file) as packed:
            is_left = bool(_ON_OPENING.search(packed.read(_WORKBOOK)))
            return is_left and not _holds(packed, name, _RESULT, _LONGEST_FORMULA)
    except Exception as error:  # noqa: BLE001 - damaged files raise of every kind
        raise damaged(error) from None


def damaged(error: Exception) -> Refusal:
    """Return why a file is no workbook, without what it holds."""
    return Refusal(f"cannot be read as an Excel workbook: {type(error).__name__}")


def _holds(
    packed: zipfile.ZipFile, name: str, sought: re.Pattern[bytes], longest: int
) -> bool:
    """Tell whether a part has what is sought, which is of at most so many bytes."""
    before = b""
    with packed.open(name) as sheet:
        while chunk := sheet.read(_CHUNK):
            if sought.search(before + chunk):
                return True
            before = (before + chunk)[-longest:]
    return False


def _has_no_tag(packed: zipfile.ZipFile, name: str) -> bool:
    with packed.open(name) as part:
        while chunk := part.read(_CHUNK):
            if len(chunk) == _CHUNK and b"<" not in chunk:
                return True
    return False


def _tags(part: Any) -> Iterator[re.Match[bytes]]:
    """Yield the tags of a sheet that say something, in their order."""
    rest = b""
    while chunk := part.read(_CHUNK):
        seen = rest + chunk
        rest = seen[-_LONGEST_TAG:]
        end = len(seen) - len(rest)
        yield from (tag for tag in _tags_in(seen) if tag.start() < end)
    yield from _tags_in(rest)


def _tags_in(seen: bytes) -> Iterator[re.Match[bytes]]:
    tag = _TAG_OR_DATE if _IS_DATE.search(seen) else _TAG
    return tag.finditer(seen)


def _columns(merged: Merged, width: int) -> range:
    return range(merged.left, min(merged.right, width) + 1)


def _place(letters: bytes) -> int:
    """Return which column letters name, from 1."""
    return reduce(lambda before, letter: before * 26 + letter - ord("@"), letters, 0)
