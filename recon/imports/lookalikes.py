"""Rows of a kind without a key that an earlier file may have brought already.

Two exports of one account overlap, and rows that are the same count once. That is so
too where only their spelling is another one: a number of the first export is a text in
the second, a date has a time of 00:00, a letter is Arabic, a column is empty. Where
one of the columns that are none of ours numbers the rows, none is the same; both
count, and it is told. (Settings may name that column: `tables.ROW_NUMBER`.)
"""

import re
from array import array
from collections.abc import Iterator
from datetime import tzinfo
from functools import lru_cache
from typing import Any

import msgspec

from recon.imports import duplicates
from recon.imports.duplicates import Duplicates
from recon.imports.naming import PERSIAN
from recon.imports.shape import Record
from recon.imports.spelling import TO_ASCII, UNSEEN
from recon.lake import Lake
from recon.lake.schema import TABLES
from recon.lake.writing import record_hash

TOPIC = (
    "the same as a row of an earlier file but for columns that are kept as they are, "
    "so both count (is one a row number? imports.columns may name it row_number)"
)
RESPELT = (
    "the same as a row of an earlier file, only spelt otherwise, so they count once"
)
_KEPT = "extra"
_SHORT = 16  # digits of a hash
_ROWS_AT_ONCE = 10_000
_MANY = 0  # stands for the hash of more than one row

_EVEN: dict[int, int | str | None] = {
    **dict.fromkeys(map(ord, UNSEEN)),
    **TO_ASCII,
    **PERSIAN,
}
_DAY = re.compile(
    r"(\d{4})[-/](\d\d?)[-/](\d\d?)(?:[T ](\d\d?):(\d\d)(?::(\d\d)(?:\.0+)?)?)?"
)
_CLOCK = re.compile(r"(\d\d?):(\d\d)(?::(\d\d)(?:\.0+)?)?")
_NUMBER = re.compile(r"(-?)0*(\d{1,3}(?:,\d{3})+|\d+)(?:\.0+)?")


class Lookalikes:
    """The rows of earlier files, by all of their columns and by those of ours."""

    def __init__(self, lake: Lake, table: str, zone: tzinfo) -> None:
        """Take the lake as it is before the command, and the zone of the business."""
        self._names = [name for name in TABLES[table].columns.names if name != _KEPT]
        self._ours: set[int] = set()
        self._whole: set[int] = set()
        self._spelt: dict[int, int] = {}  # rows as they are evened: what hash they have
        self._own = _Rows()
        self.topic = ""
        """What is to be told of the last row of the present file, if anything."""
        is_of_banks = {*self._names} >= duplicates.ENTRIES
        self._entries = Duplicates(zone) if is_of_banks else None
        for path in lake.files(table):
            stored = lake.read(path, [*self._names, _KEPT, "record_hash"])
            for batch in stored.to_batches(max_chunksize=_ROWS_AT_ONCE):
                for row in batch.to_pylist():
                    self._note(row, row["record_hash"], 0, *self._evened(row))
                self.begin_file()

    def stored_as(self, record: Record, digest: str, line: int) -> str:
        """Take a row of the present file, and return the hash that it is stored under.

        That is the hash of the one earlier row that it is but for its spelling, where
        there is one, else its own. `topic` then says whether it may be an earlier one.
        """
        ours, even = self._evened(record)
        self.topic = ""
        if ours in self._ours and _short(digest) not in self._whole:
            same = self._spelt.get(even, _MANY) if _is_plain(digest) else _MANY
            self.topic = TOPIC if same == _MANY else RESPELT
            digest = digest if same == _MANY else f"{same:032x}"
        self._note(record, digest, line, ours, even)
        return digest

    def _note(
        self, record: Record, digest: str, line: int, ours: int, even: int
    ) -> None:
        self._own.add(ours, even, digest)
        if self._entries:
            self._entries.note(record, line, is_shared=ours in self._ours)

    def duplicates(self) -> list[int]:
        """Return the lines of the present file that may be entries of an earlier one.

        These are of other texts; `topic` tells of others.
        """
        return self._entries.lines() if self._entries else []

    def begin_file(self) -> None:
        """Count what came so far as rows of earlier files."""
        if self._entries:
            self._entries.begin_file()
        own, self._own = self._own, _Rows()
        self._ours.update(own.ours)
        self._whole.update(own.whole)
        for even, digest in own.spelt():
            if self._spelt.setdefault(even, digest) != digest:
                self._spelt[even] = _MANY

    def _evened(self, record: Record) -> tuple[int, int]:
        """Return a row's hash by its columns of ours, and by all; both evened."""
        ours = [record[name] for name in self._names]
        texts = [_even_text(each) if isinstance(each, str) else each for each in ours]
        return (
            _short(record_hash(texts)),
            _short(record_hash([*texts, _even_extra(record[_KEPT] or "{}")])),
        )


class _Rows:
    """The rows of one file, in 32 bytes each."""

    def __init__(self) -> None:
        self.ours, self.whole = array("Q"), array("Q")
        self._even, self._last = array("Q"), array("Q")

    def add(self, ours: int, even: int, digest: str) -> None:
        """Add a row with its hashes: by columns of ours, by all, and its own."""
        self.ours.append(ours)
        self.whole.append(_short(digest))
        self._even.append(even if _is_plain(digest) else _MANY)
        self._last.append(int(digest[_SHORT : 2 * _SHORT], 16))

    def spelt(self) -> Iterator[tuple[int, int]]:
        """Yield rows as they are evened, with their hashes."""
        for even, first, last in zip(self._even, self.whole, self._last, strict=True):
            if even != _MANY:
                yield even, first << 64 | last


def _even_extra(extra: str) -> list[list[str]]:
    """Return columns that are kept as they are, but those that are empty, evened."""
    columns: dict[str, Any] = msgspec.json.decode(extra)
    even = ([_even_text(name), _even_cell(cell)] for name, cell in columns.items())
    return sorted(each for each in even if each[1])


@lru_cache(maxsize=4096)
def _even_cell(cell: str) -> str:
    """Return a cell as every spelling of its number, day or time of day is."""
    even = _even_text(cell)
    if day := _DAY.fullmatch(even):
        year, month, date, *clock = day.groups()
        at = _even_clock(*clock) if clock[0] else ""
        at = "" if at == "00:00:00" else f"T{at}"
        return f"{year}-{int(month):02}-{int(date):02}{at.removesuffix('T')}"
    if clock_alone := _CLOCK.fullmatch(even):
        return _even_clock(*clock_alone.groups())
    if number := _NUMBER.fullmatch(even):
        return f"{number[1]}{number[2].replace(',', '')}"
    return even


def _even_clock(hours: str, minutes: str, seconds: str | None) -> str:
    return f"{int(hours):02}:{minutes}:{seconds or '00'}"


def _even_text(text: str) -> str:
    """Return a text without marks, in Persian letters, single spaces, digits 0 to 9."""
    return " ".join((text if text.isascii() else text.translate(_EVEN)).split())


def _is_plain(digest: str) -> bool:
    """Tell whether a hash is no pair of what earlier releases read, and what is now."""
    return len(digest) == 2 * _SHORT


def _short(digest: str) -> int:
    return int(digest[:_SHORT], 16)
