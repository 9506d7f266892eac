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

from recon.api.ids import Numbers, numbers_of, places_in

_MOST_RECENT = 16_384
_STEP = 3  # a run is merged into the one before it unless that is so much longer

Hashes: TypeAlias = npt.NDArray[np.int64]
"""Hashes of 16 bytes each, as two columns."""

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
        wanted = numbers[order]
        there = np.zeros(len(numbers), dtype=np.bool_)
        hashes = np.zeros((len(numbers), 2), dtype=np.int64)
        for keys_of_run, hashes_of_run in self._runs:  # the newest last: it is kept
            places, held = places_in(keys_of_run, wanted)
            there[order[held]] = True
            hashes[order[held]] = hashes_of_run[places[held]]
        if self._recent:
            for place, number in enumerate(numbers.tolist()):
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
    return len(runs[-2][0]) < _STEP * len(runs[-1][0])


def _merged(older: _Run, newer: _Run) -> _Run:
    """Put a newer run into an older one; both are sorted."""
    keys = np.concatenate([older[0], newer[0]])
    order = np.argsort(keys, kind="stable")  # of equal keys the newer comes last
    keys = keys[order]
    last = np.append(keys[1:] != keys[:-1], True)
    return keys[last], np.concatenate([older[1], newer[1]])[order[last]]
