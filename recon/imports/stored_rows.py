"""The rows of earlier imports, as the next one compares its own with them.

Of a million rows a new file has few. So all are known by their hashes and by what no
spelling changes; they are evened only where another row is near, a group of rows at a
time.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from recon.imports.likeness import EXTRA, Likeness
from recon.lake import Lake
from recon.lake.columns import values_of

HASH_DIGITS = 32
"""So many has the hash of a row; one that was read further has two, with a colon."""
SHORT = 16
"""Digits of a hash that suffice to tell rows apart."""
_HASH = "record_hash"

_NONE = np.empty(0, dtype=np.int64)
_NO_HASH = np.empty(0, dtype=np.uint64)
Numbers = npt.NDArray[np.int64]
Marks = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Evened:
    """A row as it is evened: its hashes by columns of ours, and by all.

    `file` counts the files in their order; `digest` is None where it is a pair.
    """

    file: int
    ours: int
    even: int
    digest: int | None


@dataclass(frozen=True)
class Group:
    """A group of rows as they are stored, and what each is known by.

    `files` counts the files that were imported: a command may have brought several.
    """

    path: Path
    number: int
    files: Numbers
    near: Numbers
    short: npt.NDArray[np.uint64]
    is_plain: Marks


class StoredRows:
    """The rows of a table without a key, as the lake has them before a command."""

    def __init__(self, lake: Lake, table: str, likeness: Likeness) -> None:
        """Read by what every row is known."""
        self._lake = lake
        self._likeness = likeness
        self._evened: dict[int, Numbers] = {}
        self._places: dict[tuple[Path, int | None], int] = {}  # of files
        self.groups = [
            self._group(path, number)
            for path in lake.files(table)
            for number in range(lake.group_count(path))
        ]
        self.file_count = len(self._places)

    def _group(self, path: Path, number: int) -> Group:
        names = [*self._likeness.exact, _HASH, "page_no"]
        *exact, digests, pages = self._read(path, number, names)
        files = {
            page: self._places.setdefault((path, page), len(self._places))
            for page in dict.fromkeys(pages)
        }
        return Group(
            path,
            number,
            np.array([files[page] for page in pages], dtype=np.int64),
            near=np.array(self._likeness.nears(exact), dtype=np.int64),
            short=_shorts(digests),
            is_plain=np.array([len(each) == HASH_DIGITS for each in digests], np.bool_),
        )

    def values(self, group: Group, names: Sequence[str]) -> list[list[Any]]:
        """Return columns of a group, instants in microseconds since 1970."""
        return self._read(group.path, group.number, names)

    def _read(self, path: Path, number: int, names: Sequence[str]) -> list[list[Any]]:
        found: dict[str, list[Any]] = {name: [] for name in names}
        for batch in self._lake.read_batches(path, names, [number]):
            for name in names:
                found[name] += values_of(batch[name])
        return list(found.values())

    def evened(self, near: int) -> Iterator[Evened]:
        """Yield rows, among which are all that are near; each only once.

        They are those of the groups that have one, and of no group that was asked for.
        """
        nears, groups = self.index
        first = np.searchsorted(nears, near, side="left")
        last = np.searchsorted(nears, near, side="right")
        for at in set(groups[first:last].tolist()) - self._evened.keys():
            rows = list(self._of(self.groups[at]))
            self._evened[at] = np.array([row.ours for row in rows], dtype=np.int64)
            yield from rows

    @cached_property
    def index(self) -> tuple[Numbers, Numbers]:
        """Return what rows are near, in order, and the groups that have it, each once.

        Very many entries of one day and amount are near one another, and each asks.
        """
        counts = [len(group.near) for group in self.groups]
        groups = np.repeat(np.arange(len(counts)), counts)
        order = np.lexsort((groups, self._nears))
        nears, groups = self._nears[order], groups[order]
        is_new = (np.diff(nears) != 0) | (np.diff(groups) != 0)
        kept = np.concatenate([np.ones(min(len(nears), 1), np.bool_), is_new])
        return nears[kept], groups[kept]

    @cached_property
    def _nears(self) -> Numbers:
        return np.concatenate([_NONE, *(group.near for group in self.groups)])

    def shared(self, note: Callable[[Evened], None], first: Mapping[int, int]) -> Marks:
        """Tell of all rows whether a file before their own has them, too.

        Those of which only that tells are evened; `note` takes them, and `first` has
        then the first file of each hash by columns of ours.
        """
        files = np.concatenate([_NONE, *(each.files for each in self.groups)])
        plain = np.concatenate([_NONE == 0, *(each.is_plain for each in self.groups)])
        short = np.concatenate([_NO_HASH, *(each.short for each in self.groups)])
        found = np.zeros(len(files), dtype=np.bool_)
        found[plain] = _are_later(short[plain], files[plain])
        unsure = ~found & _are_later(self._nears, files)
        for near in np.unique(self._nears[unsure]).tolist():
            for row in self.evened(near):
                note(row)
        starts = np.cumsum([0, *(len(group.near) for group in self.groups)])
        for at, begin in enumerate(starts[:-1].tolist()):
            for place in np.flatnonzero(unsure[begin : starts[at + 1]]).tolist():
                ours = int(self._evened[at][place])
                found[begin + place] = first[ours] < files[begin + place]
        return found

    def _of(self, group: Group) -> Iterator[Evened]:
        names = [*self._likeness.names, EXTRA, _HASH]
        columns = zip(*self.values(group, names), strict=True)
        known = zip(group.files.tolist(), group.near.tolist(), columns, strict=True)
        for file, near, values in known:
            record = dict(zip(names, values, strict=True))
            is_plain = len(record[_HASH]) == HASH_DIGITS
            digest = int(record[_HASH], 16) if is_plain else None
            yield Evened(file, *self._likeness.of(record, near), digest)


def short_of(digest: str) -> int:
    """Return the first digits of a hash as a number of 8 bytes."""
    return int(digest[:SHORT], 16)


def _shorts(digests: Sequence[str]) -> npt.NDArray[np.uint64]:
    """Return what `short_of` gives for each of many hashes."""
    digits = bytes.fromhex("".join([digest[:SHORT] for digest in digests]))
    return np.frombuffer(digits, dtype=">u8").astype(np.uint64)


def _are_later(values: npt.NDArray[Any], files: Numbers) -> Marks:
    """Tell of each value whether a file before its own has it, too."""
    _, first, places = np.unique(values, return_index=True, return_inverse=True)
    later: Marks = files > files[first][places]
    return later
