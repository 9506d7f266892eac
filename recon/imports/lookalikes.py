"""Rows of a kind without a key that an earlier file may have brought already.

Two exports of one account overlap, and rows that are the same count once. That is so
too where only their spelling is another one: a number of the first export is a text in
the second, a date has a time of 00:00, a letter is Arabic, a column is empty. Where
one of the columns that are none of ours numbers the rows, none is the same; both
count, and it is told. (Settings may name that column: `tables.ROW_NUMBER`.)
"""

from array import array
from datetime import tzinfo

from recon.imports.duplicates import ENTRIES, Duplicates
from recon.imports.likeness import Likeness
from recon.imports.shape import Record
from recon.imports.stored_rows import HASH_DIGITS, SHORT, Evened, StoredRows, short_of
from recon.lake import Lake

TOPIC = (
    "the same as a row of an earlier file but for columns that are kept as they are, "
    "so both count (is one a row number? imports.columns may name it row_number)"
)
RESPELT = (
    "the same as a row of an earlier file, only spelt otherwise, so they count once"
)
_MANY = 0  # stands for the hash of more than one row


class Lookalikes:
    """The rows of earlier files, by all of their columns and by those of ours."""

    def __init__(self, lake: Lake, table: str, zone: tzinfo) -> None:
        """Take the lake as it is before the command, and the zone of the business."""
        self._likeness = Likeness(table)
        self._stored = StoredRows(lake, table, self._likeness)
        self._known = _Known()
        for group in self._stored.groups:
            self._known.near.update(group.near.tolist())
            self._known.whole.update(group.short[group.is_plain].tolist())
            self._known.paired.update(group.short[~group.is_plain].tolist())
        self._own = _Rows()
        self._file = self._stored.file_count
        self._has_next = True
        self.topic = ""
        """What is to be told of the last row of the present file, if anything."""
        is_of_banks = set(self._likeness.names).issuperset(ENTRIES)
        self._entries = Duplicates(zone) if is_of_banks else None
        if self._entries:
            shared = self._stored.shared(self._known.note, self._known.ours)
            self._entries.know(self._stored, shared)

    def stored_as(self, record: Record, digest: str, line: int) -> str:
        """Take a row of the present file, and return the hash that it is stored under.

        That is the hash of the one earlier row that it is but for its spelling, where
        there is one, else its own. `topic` then says whether it may be an earlier one.
        """
        self.topic = ""
        known, near = self._known, self._likeness.near(record)
        is_shared = near in known.near
        is_unsure = is_shared and not self._is_stored(digest)
        if is_unsure or self._has_next:
            ours, even = self._likeness.of(record, near)
            if is_unsure:
                for row in self._stored.evened(near):
                    known.note(row)
                is_shared = ours in known.ours
                if is_shared and not known.has(digest):
                    digest = self._respelt(even, digest)
            if self._has_next:
                self._own.add(near, ours, even, digest)
        if self._entries:
            self._entries.note(record, line, is_shared=is_shared)
        return digest

    def _is_stored(self, digest: str) -> bool:
        """Tell whether an earlier file has the very same row.

        Of a row that was read further that takes more than its first hash.
        """
        return len(digest) == HASH_DIGITS and short_of(digest) in self._known.whole

    def _respelt(self, even: int, digest: str) -> str:
        is_plain = len(digest) == HASH_DIGITS
        same = self._known.spelt.get(even, _MANY) if is_plain else _MANY
        self.topic = TOPIC if same == _MANY else RESPELT
        return digest if same == _MANY else f"{same:032x}"

    def duplicates(self) -> list[int]:
        """Return the lines of the present file that may be entries of an earlier one.

        These are of other texts; `topic` tells of others.
        """
        return self._entries.lines() if self._entries else []

    def begin_file(self, *, is_last: bool) -> None:
        """Count what came so far as rows of earlier files.

        Of the last file of a command nothing is kept.
        """
        if self._entries:
            self._entries.begin_file()
        self._own.move_to(self._known, self._file)
        self._own = _Rows()
        self._file += 1
        self._has_next = not is_last


class _Known:
    """What is known of the rows of earlier files, in what sets them apart."""

    def __init__(self) -> None:
        self.near: set[int] = set()
        self.whole: set[int] = set()  # by their hashes, of one reading
        self.paired: set[int] = set()  # and of two
        self.ours: dict[int, int] = {}  # of those that were evened: the first file
        self.spelt: dict[int, int] = {}  # as they are evened: what hash they have

    def has(self, digest: str) -> bool:
        """Tell whether there is a row of this hash, or whose first hash this is."""
        short = short_of(digest)
        return short in self.whole or short in self.paired

    def note(self, row: Evened) -> None:
        """Take a row of an earlier file that was evened."""
        self.ours[row.ours] = min(row.file, self.ours.get(row.ours, row.file))
        whole = row.digest
        if whole is not None and self.spelt.setdefault(row.even, whole) != whole:
            self.spelt[row.even] = _MANY


class _Rows:
    """The rows of one file, in 41 bytes each."""

    def __init__(self) -> None:
        self._near, self._ours, self._even = array("q"), array("q"), array("q")
        self._first, self._last = array("Q"), array("Q")
        self._is_plain = bytearray()

    def add(self, near: int, ours: int, even: int, digest: str) -> None:
        """Add a row by what it is near, its hashes as it is evened, and its own."""
        self._near.append(near)
        self._ours.append(ours)
        self._even.append(even)
        self._first.append(short_of(digest))
        self._last.append(int(digest[SHORT:HASH_DIGITS], 16))
        self._is_plain.append(len(digest) == HASH_DIGITS)

    def move_to(self, known: _Known, file: int) -> None:
        """Make them rows of an earlier file, of that number."""
        for near, ours, even, first, last, is_plain in zip(
            self._near,
            self._ours,
            self._even,
            self._first,
            self._last,
            self._is_plain,
            strict=True,
        ):
            whole = first << 64 | last if is_plain else None
            known.near.add(near)
            (known.whole if is_plain else known.paired).add(first)
            known.note(Evened(file, ours, even, whole))
