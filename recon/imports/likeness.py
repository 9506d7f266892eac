"""What two rows have alike: by what no spelling changes, and by all, evened.

A number of one export is a text in another, a date has a time of 00:00, a letter is
Arabic, a column is empty, or has another header in the files of another layout. Rows
that are the same but for that have the same hashes.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from struct import Struct
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from recon.imports.naming import PERSIAN
from recon.imports.shape import Record
from recon.imports.spelling import TO_ASCII, UNSEEN
from recon.lake.columns import microseconds
from recon.lake.schema import TABLES
from recon.money import SEPARATORS

EXTRA = "extra"
"""The columns that are kept as they are, of tables without a key."""

_EVEN: dict[int, int | str | None] = {
    **dict.fromkeys(map(ord, UNSEEN)),
    **TO_ASCII,
    **PERSIAN,
}
_UNEVEN = re.compile(f"[{re.escape(''.join(map(chr, _EVEN)))}]|[^\\S ]|  ")
_DAY = re.compile(
    r"(\d{4})[-/](\d\d?)[-/](\d\d?)(?:[T ](\d\d?):(\d\d)(?::(\d\d)(?:\.0+)?)?)?"
)
_CLOCK = re.compile(r"(\d\d?):(\d\d)(?::(\d\d)(?:\.0+)?)?")
_NUMBER = re.compile(  # as an amount may be written
    rf"([-\u2212]?) ?0*(\d{{1,3}}(?:[{SEPARATORS}]\d{{3}})+|\d+)(?:[.\u066b]0+)?"
)


class Likeness:
    """The hashes by which rows of a table are alike; they hold in this process alone.

    Instants are datetimes or microseconds since 1970.
    """

    def __init__(self, table: str) -> None:
        columns = TABLES[table].columns
        self.names = [name for name in columns.names if name != EXTRA]
        """The columns of ours."""
        self.exact = [
            name
            for name in self.names
            if not pa.types.is_string(columns.field(name).type)
        ]
        """Those of them that no spelling changes: the amount, and when."""
        self._texts = [name for name in self.names if name not in self.exact]
        self._packed = Struct(f"<{len(self.exact)}q")

    def near(self, record: Mapping[str, Any]) -> int:
        """Return a row's hash by what no spelling changes.

        It is that of bytes: Python's hashes of -1 and -2 are one.
        """
        values = [microseconds(record[name]) for name in self.exact]
        return hash(self._packed.pack(*values))

    def nears(self, columns: Sequence[Sequence[int]]) -> list[int]:
        """Return the hashes of many rows, given by their columns of `exact`."""
        rows = np.array(columns, dtype="<i8").T.tobytes()
        size = self._packed.size
        return [hash(rows[at : at + size]) for at in range(0, len(rows), size)]

    def of(self, record: Record, near: int) -> tuple[int, int]:
        """Return a row's hash by its columns of ours, and by all; both evened."""
        texts = [
            text if text is None else even_text(text)
            for text in [record[name] for name in self._texts]
        ]
        ours = hash((near, *texts))
        return ours, hash((ours, *_even_extra(record[EXTRA] or "{}")))


def _even_extra(extra: str) -> list[str]:
    """Return what columns hold that are kept as they are, but the empty ones, evened.

    Not what they are called: that is the layout's, and no part of a row.
    """
    columns: dict[str, Any] = msgspec.json.decode(extra)
    return sorted(filter(None, map(_even_cell, columns.values())))


def _even_cell(cell: str) -> str:
    """Return a cell as every spelling of its number, day or time of day is."""
    if cell.isascii() and cell.isdigit():
        return cell.lstrip("0") or "0"
    return _even_word(cell)


@lru_cache(maxsize=4096)
def _even_word(cell: str) -> str:
    even = even_text(cell)
    if day := _DAY.fullmatch(even):
        year, month, date, *clock = day.groups()
        at = _even_clock(*clock) if clock[0] else ""
        at = "" if at == "00:00:00" else f"T{at}"
        return f"{year}-{int(month):02}-{int(date):02}{at.removesuffix('T')}"
    if clock_alone := _CLOCK.fullmatch(even):
        return _even_clock(*clock_alone.groups())
    if number := _NUMBER.fullmatch(even):
        digits = "".join(filter(str.isdigit, number[2]))
        return f"-{digits}" if number[1] else digits
    return even


def _even_clock(hours: str, minutes: str, seconds: str | None) -> str:
    return f"{int(hours):02}:{minutes}:{seconds or '00'}"


def even_text(text: str) -> str:
    """Return a text without marks, in Persian letters, single spaces, digits 0 to 9."""
    if not text.isascii():
        if not _UNEVEN.search(text):  # most have nothing of it
            return text.strip(" ")
        text = text.translate(_EVEN)
    return " ".join(text.split())
