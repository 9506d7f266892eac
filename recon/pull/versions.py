"""Stored versions of a table's records, read file by file for what a pull must know.

A lake may hold several versions of every key. To find the newest, one file is read
after the other, the newest first, and only 16 bytes of each key stay in memory: no
text is sorted, however long it is and however many versions there are.
"""

from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from recon.api.ids import IdSet, Numbers, numbers_of
from recon.lake import Lake
from recon.lake.commits import Commit, StoredFile
from recon.lake.parts import Parts
from recon.lake.schema import TABLES
from recon.lake.voids import standing
from recon.pull.known import Hashes, Known, hashes_of

_NONE = np.empty(0, dtype=np.int64)
_NOWHERE = -1  # the page or the position of a row that came from none: the oldest


def newest_hashes(lake: Lake, table: str) -> Known:
    """Return the hash of each record's newest version, by key.

    Raises CorruptLake where a file cannot be read.
    """
    known = Known()
    for stored in reversed(_oldest_first(lake, table)):
        _add(known, lake, table, lake.file(stored))
    return known


def standing_ids(lake: Lake, table: str) -> IdSet:
    """Return the ids that a list's last whole sweep met, or any pull after it."""
    last = lake.last_whole_sweep(table)
    found = IdSet()
    if last is not None:
        for batch in lake.read_batches(last[1], ["id"]):
            found.note(batch["id"].to_pylist())
    for ids in ids_since(lake, table, last[0] if last else None):
        found.note(ids)
    return found


def ids_since(lake: Lake, table: str, commit: Commit | None) -> Iterator[list[Any]]:
    """Yield the ids of a list's records that came after a commit, some at a time."""
    (key,) = TABLES[table].key
    since = "" if commit is None else commit.id
    for stored in _originals(lake, table):
        if _pull_of(stored) > since:
            for batch in lake.read_batches(lake.file(stored), [key]):
                yield batch[key].to_pylist()


def _oldest_first(lake: Lake, table: str) -> Sequence[StoredFile]:
    """Return the files that hold each newest version, of which none is older in it.

    A compaction's newest versions go first, unless a pull that it does not cover
    began before one that it does: then all is read as it was written.
    """
    commits = lake.commits()
    parts = lake.parts(table, commits)
    later = sorted(parts.later, key=_pull_of)
    if later and _pull_of(later[0]) < _last_covered(commits, parts):
        return _originals(lake, table)
    return [*parts.compacted, *later]


def _last_covered(commits: Sequence[Commit], parts: Parts) -> str:
    """Return the last id among the commits that a compaction covers."""
    made = {commit.sequence: commit for commit in commits}.get(parts.made_by)
    covers = 0 if made is None else int(made.certificate["covers"])
    ids = (commit.id for commit in commits if commit.sequence <= covers)
    return max(ids, default="")


def _originals(lake: Lake, table: str) -> list[StoredFile]:
    """Return the files of a table's versions as they were written, the oldest first.

    Those of imports that were taken back are none.
    """
    commits = standing(lake.commits())
    files = (file for each in commits for file in each.files_of("records", table))
    return sorted(files, key=_pull_of)


def _pull_of(stored: StoredFile) -> str:
    """Return the id of the commit whose rows a file holds."""
    return Path(stored.path).stem


def _add(known: Known, lake: Lake, table: str, path: Path) -> None:
    """Add a file's newest versions of the keys that no newer file has."""
    key = TABLES[table].key
    found, repeated = Known(), [_NONE]
    for batch in lake.read_batches(path, [*key, "record_hash"]):
        numbers, hashes = _read(batch, key)
        there, _ = known.find(numbers)
        numbers, hashes = numbers[~there], hashes[~there]
        again, _ = found.find(numbers)
        fresh, places, counts = np.unique(
            numbers[~again], return_index=True, return_counts=True
        )
        repeated += [numbers[again], fresh[counts > 1]]
        found.put(fresh, hashes[~again][places])
    known.join(found)
    twice = np.unique(np.concatenate(repeated))  # few, as a rule
    if len(twice):
        known.renew(*_newest_within(lake, table, path, twice))


def _newest_within(
    lake: Lake, table: str, path: Path, twice: Numbers
) -> tuple[Numbers, Hashes]:
    """Return the newest of the versions that a file has of some keys, by its pages."""
    key = TABLES[table].key
    found: list[tuple[npt.NDArray[np.int64], ...]] = []
    columns = [*key, "record_hash", "page_no", "position"]
    for batch in lake.read_batches(path, columns):
        numbers, hashes = _read(batch, key)
        wanted = np.isin(numbers, twice)
        places = (_places(batch[name])[wanted] for name in ("page_no", "position"))
        found.append((numbers[wanted], hashes[wanted], *places))
    numbers, hashes, pages, positions = map(np.concatenate, zip(*found, strict=True))
    order = np.lexsort((positions, pages, numbers))
    numbers, hashes = numbers[order], hashes[order]
    last = np.append(numbers[1:] != numbers[:-1], True)
    return numbers[last], hashes[last]


def _read(batch: pa.RecordBatch, key: Sequence[str]) -> tuple[Numbers, Hashes]:
    """Return the numbers of a batch's keys, and its hashes."""
    columns: list[list[Hashable]] = [batch[name].to_pylist() for name in key]
    keys = columns[0] if len(key) == 1 else list(zip(*columns, strict=True))
    digests = "".join(batch["record_hash"].to_pylist())
    return numbers_of(keys), hashes_of([bytes.fromhex(digests)])


def _places(column: pa.Array) -> npt.NDArray[np.int64]:
    values = column.to_pylist()
    filled = (_NOWHERE if value is None else value for value in values)
    return np.fromiter(filled, dtype=np.int64, count=len(values))
