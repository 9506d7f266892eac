"""What is known of a table's records: the hash of each one's newest version, by key.

Records are many, so they are held as sorted numbers, 24 bytes each, not as objects.
A key is held by 64 bits of it: two keys that share them look like one record that
changes, which stores a version too many and never one too few. A version counts as
known only if all 128 bits of its `record_hash` agree.
"""

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from recon.api import ids
from recon.api.ids import Numbers, numbers_of, places_in

_MOST_RECENT = 16_384
_STEP = 3  # a run is merged into the one before it unless that is so much longer

Hashes: TypeAlias = npt.NDArray[np.int64]
"""Hashes of 16 bytes each, as two columns."""

Places: TypeAlias = npt.NDArray[np.intp]

_Run = tuple[Numbers, Hashes]


def hashes_of(hashes: Iterable[bytes]) -> Hashes:
    """Return hashes as numbers."""
    return np.frombuffer(b"".join(hashes), dtype=np.int64).reshape(-1, 2)


class Known:
    """Hashes (16 bytes) by key, as sorted runs of growing length and a recent rest."""

    def __init__(self) -> None:
        self._runs: list[_Run] = []
        self._recent: dict[int, bytes] = {}  # of keys that came a few at a time

    def get(self, keys: Collection[Hashable]) -> list[bytes | None]:
        """Return the newest hash of each key, None where it is new."""
        there, hashes = self.find(numbers_of(keys))
        every = hashes.tobytes()
        found = (every[16 * place : 16 * place + 16] for place in range(len(keys)))
        return [each if is_ else None for each, is_ in zip(found, there, strict=True)]

    def find(self, numbers: Numbers) -> tuple[npt.NDArray[np.bool_], Hashes]:
        """Return which keys are known, and the newest hash of those."""
        order = np.argsort(numbers)
        there = np.empty(len(numbers), dtype=np.bool_)
        hashes = np.empty((len(numbers), 2), dtype=np.int64)
        there[order], hashes[order] = self._held(numbers[order])
        return there, hashes

    def renew(self, numbers: Numbers, hashes: Hashes) -> tuple[Places, int] | None:
        """Take the newest hashes of some keys where they are other than before.

        Returns the places of those keys and how many of them are new; None, and takes
        nothing, where a key stands among them twice.
        """
        order = np.argsort(numbers)
        wanted, now = numbers[order], hashes[order]
        if np.any(wanted[1:] == wanted[:-1]):
            return None
        there, before = self._held(wanted)
        changes = (before[:, 0] != now[:, 0]) | (before[:, 1] != now[:, 1]) | ~there
        if np.any(changes):
            self._settle()
            self._append((wanted[changes], now[changes]))
        return np.sort(order[changes]), len(there) - int(np.count_nonzero(there))

    def _held(self, wanted: Numbers) -> tuple[npt.NDArray[np.bool_], Hashes]:
        """Return which sorted keys are known, and the newest hash of those."""
        there = np.zeros(len(wanted), dtype=np.bool_)
        hashes = np.zeros((len(wanted), 2), dtype=np.int64)
        for keys_of_run, hashes_of_run in self._runs:  # the newest last: it is kept
            places, held = places_in(keys_of_run, wanted)
            there |= held
            hashes[held] = hashes_of_run[places[held]]
        if self._recent:
            for place, number in enumerate(wanted.tolist()):
                if number in self._recent:
                    there[place] = True
                    hashes[place] = hashes_of([self._recent[number]])[0]
        return there, hashes

    def put(self, keys: Collection[Hashable], hashes: Iterable[bytes]) -> None:
        """Take newer hashes; of one key's several the last counts."""
        self._recent.update(zip(map(hash, keys), hashes, strict=True))
        if len(self._recent) >= _MOST_RECENT:
            self._settle()

    def put_numbers(self, numbers: Numbers, hashes: Hashes) -> None:
        """Take newer hashes of distinct keys."""
        self._settle()
        order = np.argsort(numbers)
        if len(order):
            self._append((numbers[order], hashes[order]))

    def _settle(self) -> None:
        """Turn what is recent into a run."""
        recent, self._recent = self._recent, {}
        if recent:
            self.put_numbers(
                np.fromiter(recent, dtype=np.int64, count=len(recent)),
                hashes_of(recent.values()),
            )

    def _append(self, run: _Run) -> None:
        """Take a newer run, and merge runs until they shorten fast."""
        self._runs.append(run)
        while len(self._runs) > 1 and _are_close(self._runs):
            newer, older = self._runs.pop(), self._runs.pop()
            self._runs.append(_merged(older, newer))


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
    both = (np.empty(len(stays), dtype=np.int64), np.empty((len(stays), 2), np.int64))
    for whole, old, new in zip(both, older, (added, newer[1][~held]), strict=True):
        whole[before], whole[at] = old, new
    return both
