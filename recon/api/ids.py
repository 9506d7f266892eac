"""Distinct ids in little memory: 64 bits of each, in sorted runs.

Two ids that share their 64 bits count as one, which happens in about one of forty
million lists of a million ids. What leans on such a count compares it with a total,
and a count that is too low proves nothing: the list then looks incomplete for once.
"""

from collections.abc import Collection, Hashable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

_MOST_RECENT = 16_384
_MOST_NOTED = 2_000

Numbers = npt.NDArray[np.int64]


class IdSet:
    """A set that grows; it tells how many of the ids given to it are new."""

    def __init__(self) -> None:
        self._runs: list[Numbers] = []
        self._recent: set[int] = set()
        self._noted: list[int] = []
        self._settled_count = 0

    def note(self, ids: Collection[Hashable]) -> None:
        """Take ids, some thousands at a time: cheaper than `add` of a few."""
        self._noted.extend(map(hash, ids))
        if len(self._noted) >= _MOST_NOTED:
            self._take_noted()

    def add(self, ids: Collection[Hashable]) -> int:
        """Take ids; returns how many distinct ones of them were not there."""
        return self._add(set(map(hash, ids)))

    def _take_noted(self) -> None:
        noted, self._noted = self._noted, []
        if noted:
            self._add(set(noted))

    def _add(self, numbers: set[int]) -> int:
        fresh = self._absent(numbers)
        self._recent |= fresh
        if len(self._recent) >= _MOST_RECENT:
            self._settle()
        return len(fresh)

    def lacks(self, ids: Collection[Hashable]) -> int:
        """Return how many distinct ones of these ids are not there."""
        return len(self._absent(set(map(hash, ids))))

    def missing(self, ids: Collection[str]) -> set[str]:
        """Return which of these ids are not there."""
        absent = self._absent(set(map(hash, ids)))
        return {each for each in ids if hash(each) in absent}

    def lacks_of(self, other: "IdSet") -> int:
        """Return how many ids of another set are not there."""
        mine, others = self._numbers(), other._numbers()  # noqa: SLF001 - its own kind
        return len(others) - int(np.isin(others, mine, assume_unique=True).sum())

    def __len__(self) -> int:
        self._take_noted()
        return self._settled_count + len(self._recent)

    def __le__(self, other: "IdSet") -> bool:
        mine, others = self._numbers(), other._numbers()
        return bool(np.isin(mine, others, assume_unique=True).all())

    def equals(self, other: "IdSet") -> bool:
        """Tell whether both hold the same ids."""
        return len(self) == len(other) and self <= other

    def _absent(self, numbers: set[int]) -> set[int]:
        self._take_noted()
        absent = numbers - self._recent
        if self._runs and absent:
            wanted = np.fromiter(absent, dtype=np.int64, count=len(absent))
            for run in self._runs:
                places = np.searchsorted(run, wanted)
                places[places == len(run)] = 0
                wanted = wanted[run[places] != wanted]
            absent = set(wanted.tolist())
        return absent

    def _settle(self) -> None:
        """Turn what is recent into a run, and merge runs until they shorten fast."""
        run = np.fromiter(self._recent, dtype=np.int64, count=len(self._recent))
        run.sort()
        self._settled_count += len(run)
        self._recent = set()
        while self._runs and len(self._runs[-1]) < 3 * len(run):
            run = np.concatenate([self._runs.pop(), run])
            run.sort(kind="stable")
        self._runs.append(run)

    def _numbers(self) -> Numbers:
        self._take_noted()
        recent = np.fromiter(self._recent, dtype=np.int64, count=len(self._recent))
        return np.sort(np.concatenate([*self._runs, recent]))


class IdTexts(IdSet):
    """Distinct ids with their texts, which are kept as columns."""

    def __init__(self) -> None:
        super().__init__()
        self._chunks: list[pa.StringArray] = []
        self._latest: list[str] = []
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

    def take(self, ids: Collection[str]) -> int:
        """Take ids; returns how many distinct ones of them were not there."""
        distinct = dict(zip(map(hash, ids), ids, strict=True))
        fresh = self._absent(set(distinct))
        self.add([distinct[number] for number in fresh])
        self._latest += [distinct[number] for number in fresh]
        if len(self._latest) >= _MOST_RECENT:
            self._chunks.append(pa.array(self._latest, pa.string()))
            self._latest = []
        return len(fresh)

    def texts(self, among: IdSet | None = None) -> Iterator[list[str]]:
        """Yield the ids, some thousands at a time; only those that `among` has too."""
        self._take_noted()
        for chunk in [*self._chunks, pa.array(self._latest, pa.string())]:
            ids: list[str] = chunk.to_pylist()
            if among is not None:
                absent = among._absent(set(map(hash, ids)))  # noqa: SLF001 - its own kind
                ids = [each for each in ids if hash(each) not in absent]
            yield ids
