"""What is known of a table's records: the hash of each one's newest version, by key.

Records are many, so they are held as sorted numbers, 16 bytes each, not as objects.
A key is held by 64 bits of it: two keys that share them look like one record that
changes, which stores a version too many and never one too few. Of the 128 bits of a
`record_hash` 64 are made likewise, with what each process draws anew. They are only
compared with those of another version of the same key: so one change of 2^64 is taken
for none, and nobody can look for versions that agree.
"""

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from recon.api import ids
from recon.api.ids import IdSet, Numbers, numbers_of, places_in

_STEP = 3  # a run is merged into the one before it unless that is so much longer

Hashes: TypeAlias = npt.NDArray[np.int64]
"""64 bits of each hash."""

Places: TypeAlias = npt.NDArray[np.intp]

_Run = tuple[Numbers, Hashes]


def hashes_of(hashes: Iterable[bytes]) -> Hashes:
    """Return hashes of 16 bytes, which may be joined, as numbers."""
    return numbers_of(np.frombuffer(b"".join(hashes), dtype="V16").tolist())


class Known:
    """Hashes by key, as sorted runs of growing length."""

    def __init__(self) -> None:
        self._runs: list[_Run] = []

    def get(self, keys: Collection[Hashable]) -> list[int | None]:
        """Return the newest hash of each key, None where it is new."""
        return _each(*self.find(numbers_of(keys)))

    def find(self, numbers: Numbers) -> tuple[npt.NDArray[np.bool_], Hashes]:
        """Return which keys are known, and the newest hash of those."""
        order = np.argsort(numbers)
        there = np.empty(len(numbers), dtype=np.bool_)
        hashes = np.empty(len(numbers), dtype=np.int64)
        there[order], hashes[order] = self._held(numbers[order])
        return there, hashes

    def renew(self, numbers: Numbers, hashes: Hashes) -> tuple[Places, int]:
        """Take the newest hashes of some keys where they are other than before.

        Returns the places of those keys, in order, and how many of them are new.
        """
        order = np.argsort(numbers)
        wanted, now = numbers[order], hashes[order]
        if np.any(wanted[1:] == wanted[:-1]):
            return self._renew_each(numbers, hashes)
        there, before = self._held(wanted)
        changed, new = there & (before != now), ~there
        if np.any(changed):
            self._overwrite(wanted[changed], now[changed])
        if np.any(new):
            self._append((wanted[new], now[new]))
        return np.sort(order[changed | new]), int(np.count_nonzero(new))

    def _renew_each(self, numbers: Numbers, hashes: Hashes) -> tuple[Places, int]:
        """Take them one after the other: a key stands among them twice."""
        before = _each(*self.find(numbers))
        given = zip(numbers.tolist(), before, hashes.tolist(), strict=True)
        newest: dict[int, int] = {}
        places, new_count = [], 0
        for place, (number, held, now) in enumerate(given):
            last = newest.get(number, held)
            if last != now:
                newest[number] = now
                new_count += last is None
                places.append(place)
        self.put(_array(newest), _array(newest.values()))
        return np.array(places, dtype=np.intp), new_count

    def _held(self, wanted: Numbers) -> tuple[npt.NDArray[np.bool_], Hashes]:
        """Return which sorted keys are known, and the newest hash of those."""
        there = np.zeros(len(wanted), dtype=np.bool_)
        hashes = np.zeros(len(wanted), dtype=np.int64)
        for keys_of_run, hashes_of_run in self._runs:  # the newest last: it is kept
            places, held = places_in(keys_of_run, wanted)
            there |= held
            hashes[held] = hashes_of_run[places[held]]
        return there, hashes

    def _overwrite(self, wanted: Numbers, now: Hashes) -> None:
        """Take newer hashes of sorted keys that are known, where they lie."""
        for keys_of_run, hashes_of_run in self._runs:
            places, held = places_in(keys_of_run, wanted)
            hashes_of_run[places[held]] = now[held]

    def put(self, numbers: Numbers, hashes: Hashes) -> None:
        """Take newer hashes of distinct keys."""
        order = np.argsort(numbers)
        if len(order):
            self._append((numbers[order], hashes[order]))

    def join(self, other: "Known") -> None:
        """Take what another knows, of whose keys none is known here."""
        for run in other._runs:  # noqa: SLF001 - its own kind
            self._append(run)

    def keep(self, ids: IdSet) -> None:
        """Forget the keys that are none of these ids: to whoever asks, they are new."""
        for place, (keys, hashes_of_run) in enumerate(self._runs):
            held = ids.holds(keys)
            if not np.all(held):
                self._runs[place] = keys[held], hashes_of_run[held]
        self._runs = [run for run in self._runs if len(run[0])]

    def _append(self, run: _Run) -> None:
        """Take a newer run, and merge runs until they shorten fast."""
        self._runs.append(run)
        while len(self._runs) > 1 and _are_close(self._runs):
            newer, older = self._runs.pop(), self._runs.pop()
            self._runs.append(_merged(older, newer))


def _each(there: npt.NDArray[np.bool_], hashes: Hashes) -> list[int | None]:
    """Return hashes one by one, None where there is none."""
    found = zip(there.tolist(), hashes.tolist(), strict=True)
    return [each if is_ else None for is_, each in found]


def _array(numbers: Collection[int]) -> Numbers:
    return np.fromiter(numbers, dtype=np.int64, count=len(numbers))


def _are_close(runs: Sequence[_Run]) -> bool:
    return len(runs[-2][0]) < min(_STEP * len(runs[-1][0]), ids.LONGEST_RUN)


def _merged(older: _Run, newer: _Run) -> _Run:
    """Put a newer run into an older one, which it takes; both are sorted."""
    keys, hashes = older
    places, held = places_in(keys, newer[0])
    hashes[places[held]] = newer[1][held]
    added = newer[0][~held]
    if not len(added):
        return older
    at = np.searchsorted(keys, added) + np.arange(len(added))
    stays = np.ones(len(keys) + len(added), dtype=np.bool_)
    stays[at] = False
    before = np.flatnonzero(stays)
    both = (np.empty(len(stays), dtype=np.int64), np.empty(len(stays), dtype=np.int64))
    for whole, old, new in zip(both, older, (added, newer[1][~held]), strict=True):
        whole[before], whole[at] = old, new
    return both
