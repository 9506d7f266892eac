"""Rows that are passed over: `[imports.skip.<kind>]`, a header and words under it.

A shop's export of its orders has those that were paid in cash on delivery, or through
another provider; a bank's ends with a line of totals. Such a row is not read at all,
whatever stands in its other cells.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from recon.errors import SettingsError
from recon.imports.formats.rows import (
    MergedCell,
    Refusal,
    Row,
    plain_text,
    shortened,
)
from recon.imports.naming import letters, place_of, there_are

_SKIP = "not "
_MOST_SHAPES = 256  # that are kept; a file may have endless ones


class Skipping:
    """The headers of one file, and the words under each that pass a row over."""

    def __init__(
        self, kind: str, given: Mapping[str, Sequence[str]], section: str
    ) -> None:
        """Take the file's header → its words; the empty word is an empty cell.

        `section` is the one of the settings that has them. SettingsError on an empty
        header, one that is there twice, or without words.
        """
        self._section = f"{section}.skip.{kind}"
        self._given = {
            header: {letters(word): word for word in words}
            for header, words in given.items()
        }
        self._seen: set[str] = set()
        self._found = lru_cache(_MOST_SHAPES)(self._look)
        heard: dict[str, str] = {}
        for header, words in given.items():
            if not letters(header):
                raise SettingsError(f"{self._section}: a header is empty")
            if not words:
                raise SettingsError(
                    f"{self._section}: {shortened(header)} has no words"
                )
            other = heard.setdefault(letters(header), header)
            if other != header:
                both = f"{shortened(other)} and {shortened(header)}"
                raise SettingsError(f"{self._section}: {both} are one header")

    @property
    def way(self) -> dict[str, str]:
        """Return what makes a file read in this way another one than in another."""
        return {
            f"{_SKIP}{letters(header)}: {word}": ""
            for header, words in self._given.items()
            for word in words
        }

    def reason(self, row: Row) -> str | None:
        """Say why a row is passed over; None where it is not.

        Refusal where a header of the settings fits two names of the file, and where
        only a cell could tell that is merged with the one above it: it is not empty,
        as people see it.
        """
        for header, word, _ in self._holding(row):
            what = shortened(word) if letters(word) else "empty"
            return f"passed over, since {shortened(header)} is {what}"
        for header, at in self._found(row.names).items():
            if isinstance(row.cells[at], MergedCell):
                raise Refusal(MergedCell.why, column=header)
        return None

    def places(self, row: Row) -> set[int]:
        """Return which of a row's cells pass it over."""
        return {at for _, _, at in self._holding(row) if at is not None}

    def _holding(self, row: Row) -> Iterator[tuple[str, str, int | None]]:
        """Yield the headers whose cell passes a row over, with its word and place."""
        if not self._given:
            return
        places = self._found(row.names)
        for header, words in self._given.items():
            at = places.get(header)  # where a row names its cells, one may be absent
            cell = "" if at is None else row.cells[at]
            word = words.get(letters(plain_text(cell)))
            if word is not None and not isinstance(cell, MergedCell):
                yield header, word, at

    def refuse_missing(self, names: Sequence[str], line: int | None = None) -> None:
        """Refuse where no row's names had a header: all rows would count.

        `names` are those of the file.
        """
        heard = set(map(letters, names))
        missing = [
            header
            for header in self._given
            if header not in self._seen and letters(header) not in heard
        ]
        if missing:
            told = f"{self._section} names columns that are missing: "
            told += ", ".join(map(shortened, missing))
            raise Refusal(f"{told} {there_are(names)}", line=line)

    def _look(self, names: tuple[str, ...]) -> dict[str, int]:
        """Return where the headers are among a row's names."""
        places = {each: place_of(each, names, self._section) for each in self._given}
        found = {header: at for header, at in places.items() if at is not None}
        self._seen.update(found)
        return found
