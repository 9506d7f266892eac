"""Distinct ids in little memory: 64 bits of each, in sorted runs.

Two ids that share their 64 bits count as one, which happens in about one of forty
million lists of a million ids. What leans on such a count compares it with a total,
and a count that is too low proves nothing: the list then looks incomplete for once.
"""

from collections.abc import Collection, Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from recon.api.spool import Spool
from recon.lake.columns import texts

_MOST_NOTED = 8_192
_STEP = 3  # a run is merged into the one before it unless that is so much longer
_PACKING = "zstd"

LONGEST_RUN = 2**18
"""A run so long is left as it is: to merge it would take its memory again."""

Numbers = npt.NDArray[np.int64]


def numbers_of(ids: Collection[Hashable]) -> Numbers:
    """Return 64 bits of each id, in their order."""
    return np.fromiter(map(hash, ids), dtype=np.int64, count=len(ids))


def _distinct(numbers: Numbers) -> Numbers:
    """Return the distinct ones of some numbers, sorted."""
    numbers = np.sort(numbers)
    first = np.ones(len(numbers), dtype=np.bool_)
    first[1:] = numbers[1:] != numbers[:-1]
    return numbers[first]


def places_in(run: Numbers, wanted: Numbers) -> tuple[npt.NDArray[np.intp], Any]:
    """Return where numbers stand in a sorted run, and which of them do."""
    places = np.searchsorted(run, wanted)
    places[places == len(run)] = 0
    return places, run[places] == wanted


class IdSet:
    """A set that grows; it tells how many of the ids given to it are new."""

    def __init__(self) -> None:
        self._runs: list[Numbers] = []  # no number stands in two of them
        self._noted: list[Numbers] = []
        self._noted_count = 0
        self._count = 0

    def note(self, ids: Collection[Hashable]) -> None:
        """Take ids, some thousands at a time: cheaper than `add` of a few."""
        self._noted.append(numbers_of(ids))
        self._noted_count += len(ids)
        if self._noted_count >= _MOST_NOTED:
            self._take_noted()

    def add(self, ids: Collection[Hashable]) -> int:
        """Take ids; returns how many distinct ones of them were not there."""
        return self.add_numbers(numbers_of(ids))

    def add_numbers(self, numbers: Numbers) -> int:
        """Do what `add` does, with the numbers of ids."""
        self._take_noted()
        return len(self._take(_distinct(numbers)))

    def _take_noted(self) -> None:
        noted, self._noted, self._noted_count = self._noted, [], 0
        if noted:
            self._take(_distinct(np.concatenate(noted)))

    def _take(self, numbers: Numbers) -> Numbers:
        """Take distinct sorted numbers; returns those that were not there."""
        fresh = run = self._absent(numbers)
        self._count += len(fresh)
        while self._runs and len(self._runs[-1]) < min(_STEP * len(run), LONGEST_RUN):
            run = np.concatenate([self._runs.pop(), run])
            run.sort(kind="stable")
        if len(run):
            self._runs.append(run)
        return fresh

    def lacks(self, ids: Collection[Hashable]) -> int:
        """Return how many distinct ones of these ids are not there."""
        self._take_noted()
        return len(self._absent(_distinct(numbers_of(ids))))

    def missing(self, ids: Collection[str]) -> set[str]:
        """Return which of these ids are not there."""
        self._take_noted()
        absent = set(self._absent(_distinct(numbers_of(ids))).tolist())
        return {each for each in ids if hash(each) in absent}

    def holds(self, numbers: Numbers) -> npt.NDArray[np.bool_]:
        """Tell of each number of an id whether that id is there."""
        self._take_noted()
        held = np.zeros(len(numbers), dtype=np.bool_)
        for run in self._runs:
            held |= places_in(run, numbers)[1]
        return held

    def lacks_of(self, other: "IdSet") -> int:
        """Return how many ids of another set are not there."""
        other._take_noted()  # noqa: SLF001 - its own kind
        self._take_noted()
        return sum(len(self._absent(run)) for run in other._runs)  # noqa: SLF001

    def numbers_alone(self) -> "IdSet":
        """Return the set as it is now; what is added later is not in it."""
        self._take_noted()
        alone = IdSet()
        alone._runs, alone._count = [*self._runs], self._count
        return alone

    def __len__(self) -> int:
        self._take_noted()
        return self._count

    def __le__(self, other: "IdSet") -> bool:
        return other.lacks_of(self) == 0

    def equals(self, other: "IdSet") -> bool:
        """Tell whether both hold the same ids."""
        return len(self) == len(other) and self <= other

    def _absent(self, numbers: Numbers) -> Numbers:
        """Return which of some distinct sorted numbers are in no run."""
        for run in self._runs:
            numbers = numbers[~places_in(run, numbers)[1]]
        return numbers


class IdTexts(IdSet):
    """Distinct ids with their texts, which are kept packed.

    Those of a long list lie in a file of the folder, if one is given.
    """

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__()
        self._packed = Spool(folder)
        self._lengths: list[int] = []  # of each block, unpacked
        self._waiting: list[str] = []

    def note(self, ids: Collection[Any]) -> None:
        """Take ids, some thousands at a time: cheaper than `take` of a few."""
        self._waiting += ids
        if len(self._waiting) >= _MOST_NOTED:
            self._take_noted()

    def _take_noted(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting:
            self.take(waiting)

    def take(self, ids: Sequence[str]) -> int:
        """Take ids; returns how many distinct ones of them were not there."""
        self._take_noted()
        numbers = numbers_of(ids)
        fresh = self._take(_distinct(numbers))
        if len(fresh) < len(ids):
            distinct, places = np.unique(numbers, return_index=True)
            kept = places[np.isin(distinct, fresh, assume_unique=True)]
            kept.sort()  # as they came: their file is the same in any process
            ids = [ids[place] for place in kept.tolist()]
        if ids:
            plain = msgspec.msgpack.encode(ids)
            packed = pa.compress(plain, codec=_PACKING, asbytes=True)
            self._packed.add(packed)
            self._lengths.append(len(plain))
        return len(fresh)

    def texts(self, among: IdSet | None = None) -> Iterator[pa.StringArray]:
        """Yield the ids as columns, at least one; only those that `among` has too."""
        self._take_noted()
        every = among is None or among.equals(self)
        for ids in self._unpacked():
            absent = set() if every or among is None else among.missing(ids)
            yield texts([each for each in ids if each not in absent])

    def _unpacked(self) -> Iterator[list[str]]:
        """Yield the texts as they came, at least once."""
        for packed, length in zip(self._packed, self._lengths, strict=True):
            plain = pa.decompress(packed, length, codec=_PACKING, asbytes=True)
            yield msgspec.msgpack.decode(plain, type=list[str])
        if not self._lengths:
            yield []
