"""What is known of a table's records: the hash of each one's newest version, by key.

Records are many, so they are held as sorted numbers, 24 bytes each, not as objects.
A key is held by 64 bits of it: two keys that share them look like one record that
changes, which stores a version too many and never one too few. A version counts as
known only if all 128 bits of its `record_hash` agree.
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

_MOST_RECENT = 16_384
_STEP = 3  # a run is merged into the one before it unless that is so much longer

Numbers = npt.NDArray[np.int64]
_Run = tuple[Numbers, npt.NDArray[np.void]]


class Known:
    """Hashes (16 bytes) by key, as sorted runs of growing length and a recent rest."""

    def __init__(self) -> None:
        self._runs: list[_Run] = []
        self._recent: dict[int, bytes] = {}

    def get(self, keys: Iterable[Hashable]) -> list[bytes | None]:
        """Return the newest hash of each key, None where it is new."""
        numbers = list(map(hash, keys))
        found: list[bytes | None] = list(map(self._recent.get, numbers))
        if self._runs and not all(found):
            wanted = np.array(numbers, dtype=np.int64)
            for keys_of_run, hashes in self._runs:  # the newest last: it is kept
                places = np.searchsorted(keys_of_run, wanted)
                places[places == len(keys_of_run)] = 0
                for index in np.flatnonzero(keys_of_run[places] == wanted).tolist():
                    if numbers[index] not in self._recent:
                        found[index] = hashes[places[index]].tobytes()
        return found

    def put(self, keys: Iterable[Hashable], hashes: Iterable[bytes]) -> None:
        """Take newer hashes; of one key's several the last counts."""
        self._recent.update(zip(map(hash, keys), hashes, strict=True))
        if len(self._recent) >= _MOST_RECENT:
            self._settle()

    def _settle(self) -> None:
        """Turn what is recent into a run, and merge runs until they shorten fast."""
        keys = np.fromiter(self._recent, dtype=np.int64, count=len(self._recent))
        hashes = np.frombuffer(b"".join(self._recent.values()), dtype="V16")
        order = np.argsort(keys)
        self._recent = {}
        self._runs.append((keys[order], hashes[order]))
        while len(self._runs) > 1 and _are_close(self._runs):
            newer, older = self._runs.pop(), self._runs.pop()
            self._runs.append(_merged(older, newer))


def _are_close(runs: Sequence[_Run]) -> bool:
    return len(runs[-2][0]) < _STEP * len(runs[-1][0])


def _merged(older: _Run, newer: _Run) -> _Run:
    """Put a newer run into an older one: both are sorted, so nothing is sorted anew."""
    keys, hashes = older
    places = np.searchsorted(keys, newer[0])
    within = np.minimum(places, len(keys) - 1)
    again = keys[within] == newer[0]
    hashes[within[again]] = newer[1][again]
    fresh = ~again
    places = places[fresh]
    merged: Any = np.insert(hashes, places, newer[1][fresh])
    return np.insert(keys, places, newer[0][fresh]), merged
