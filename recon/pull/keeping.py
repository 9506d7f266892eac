"""Keeping what came: pages as evidence first, then the rows that are new or changed."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from recon.api.answers import Answer
from recon.api.ids import IdSet
from recon.lake import Lake, Writing
from recon.lake.columns import array_of, microseconds
from recon.lake.schema import INSTANT, TABLES
from recon.lake.writing import hash_column, record_hash, record_hashes
from recon.pull.known import Known

Row = Mapping[str, Any]
Key = Hashable
Columns = Sequence[list[Any]]

_IDS_AT_ONCE = 50_000
_ROWS_AT_ONCE = 2_000
_MOST_NAMES = 100  # of unknown fields and states, in a certificate


class Place(Protocol):
    """Where rows come from: an answer, or what is left of a refused one."""

    @property
    def page_no(self) -> int | None:
        """Return the number of the page within the commit."""

    @property
    def received_at(self) -> datetime:
        """Return when it was received."""


@dataclass(frozen=True)
class _Captured:
    page_no: int | None
    received_at: datetime


_captured: ContextVar[_Captured | None] = ContextVar("captured", default=None)


def last_place() -> Place | None:
    """Return the place of the last answer that this task captured.

    It is how a refusal, which is raised, is traced to its page.
    """
    return _captured.get()


@dataclass
class Counts:
    """What one source brought. `new` and `changed` count rows of the source's table."""

    records: int = 0
    pages: int = 0
    new: int = 0
    changed: int = 0
    vanished: int = 0


def _keys(table: str, columns: Columns) -> Sequence[Key]:
    """Return the keys of rows: the value itself where one column is the key."""
    names, key = TABLES[table].columns.names, TABLES[table].key
    if len(key) == 1:
        (place,) = key
        only: Sequence[Key] = columns[names.index(place)]
        return only
    return list(zip(*(columns[names.index(name)] for name in key), strict=True))


class _Waiting:
    """Rows of one table that wait as columns, with where each came from."""

    def __init__(self, table: str) -> None:
        self._table = TABLES[table]
        self.columns: list[list[Any]] = [[] for _ in self._table.columns]
        self.page_nos: list[int | None] = []
        self.positions: list[int] = []
        self.seen_at: list[int | None] = []  # microseconds

    def add(self, columns: Columns, answer: Place) -> None:
        for column, more in zip(self.columns, columns, strict=True):
            column.extend(more)
        count = len(columns[0])
        self.page_nos.extend([answer.page_no] * count)
        self.positions.extend(range(1, count + 1))
        self.seen_at.extend([microseconds(answer.received_at)] * count)

    def table(self, hashes: list[bytes]) -> pa.Table:
        """Return them as the lake takes them."""
        arrays = {
            field.name: array_of(column, field.type)
            for field, column in zip(self._table.columns, self.columns, strict=True)
        }
        arrays["seen_at"] = array_of(self.seen_at, INSTANT)
        arrays["record_hash"] = hash_column(hashes)
        arrays["page_no"] = array_of(self.page_nos, pa.int32())
        arrays["position"] = array_of(self.positions, pa.int32())
        return pa.table(arrays)


class Keeper:
    """What one source's pull writes: its pages, its rows, its counts.

    `counts` speak of the table `main`; other tables of the source are kept alike.
    """

    def __init__(self, lake: Lake, writing: Writing, main: str) -> None:
        self.counts = Counts()
        self.unfamiliar: Counter[str] = Counter()
        self._lake = lake
        self._writing = writing
        self._main = main
        self._hashes: dict[str, Known] = {}
        self._met = IdSet()
        self._waiting: dict[str, _Waiting] = {}

    @property
    def record_count(self) -> int:
        """Return how many records came so far, those that wait included."""
        waiting = self._waiting.get(self._main)
        return self.counts.records + (len(waiting.positions) if waiting else 0)

    def capture(self, answer: Answer[None]) -> int:
        """Store an answer before anyone reads it; returns the number of its page."""
        self.counts.pages += 1
        page_no = self._writing.page(answer.page())
        _captured.set(_Captured(page_no, answer.received_at))
        return page_no

    def keep(
        self, table: str, rows: Iterable[Row], answer: Place | None = None
    ) -> None:
        """Write the rows that are new or differ from their last version.

        `answer` is the page they came from, in its order; without one a row brings
        its own `seen_at`.
        """
        self.settle(table)  # what waits is older
        names, key = TABLES[table].columns.names, TABLES[table].key
        kept = list(rows)
        digests = [record_hash([row.get(name) for name in names]) for row in kept]
        if len(key) == 1:
            keys: list[Key] = [row.get(key[0]) for row in kept]
        else:
            keys = [tuple(row.get(name) for name in key) for row in kept]
        self._meet(table, keys)
        fresh = []
        for index in self._fresh(table, keys, list(map(bytes.fromhex, digests))):
            place = {"page_no": answer.page_no, "position": index + 1} if answer else {}
            fresh.append({**kept[index], **place, "record_hash": digests[index]})
        if fresh:
            at = answer.received_at if answer else None
            self._writing.rows(table, fresh, seen_at=at)

    def keep_columns(self, table: str, columns: Columns, answer: Place) -> None:
        """Keep rows that come as the table's own columns, instants in microseconds.

        They are compared and written some thousands at a time; `settle` ends it.
        """
        waiting = self._waiting.setdefault(table, _Waiting(table))
        waiting.add(columns, answer)
        if len(waiting.positions) >= _ROWS_AT_ONCE:
            self.settle(table)

    def settle(self, table: str | None = None) -> None:
        """Compare and write what waits as columns, of one table or of all."""
        for name in list(self._waiting) if table is None else [table]:
            waiting = self._waiting.pop(name, None)
            if waiting is not None:
                keys = _keys(name, waiting.columns)
                self._meet(name, keys)
                hashes = record_hashes(waiting.columns)
                fresh = self._fresh(name, keys, hashes)
                if fresh:
                    rows = waiting.table(hashes)
                    whole = len(fresh) == len(keys)
                    self._writing.table(name, rows if whole else rows.take(fresh))

    def _meet(self, table: str, keys: Sequence[Key]) -> None:
        if table == self._main:
            self.counts.records += self._met.add(keys)

    def _fresh(
        self, table: str, keys: Sequence[Key], hashes: Sequence[bytes]
    ) -> list[int]:
        """Return the places of the rows that are new or changed, and count them."""
        known = self._known(table)
        latest: dict[Key, bytes] = dict(zip(keys, hashes, strict=True))
        before = known.get(keys)
        if len(latest) == len(keys) and not any(before):
            fresh, new_count = list(range(len(keys))), len(keys)
        else:
            latest, fresh, new_count = {}, [], 0
            for index, (key, now) in enumerate(zip(keys, hashes, strict=True)):
                last = latest.get(key, before[index])
                if last == now:
                    continue
                latest[key] = now
                new_count += last is None
                fresh.append(index)
        known.put(latest.keys(), latest.values())
        if table == self._main:
            self.counts.new += new_count
            self.counts.changed += len(fresh) - new_count
        return fresh

    def note_unknown(self, fields: Mapping[str, int]) -> None:
        """Count fields that no record knows (`Record.field`)."""
        self.unfamiliar.update(fields)

    def note_states(
        self, name: str, states: Iterable[str | None], observed: frozenset[str]
    ) -> None:
        """Count states beyond those that the contract shows (`name=state`)."""
        for state, count in Counter(states).items():
            if state is not None and state not in observed:
                self.unfamiliar[f"{name}={state}"] += count

    def seen(self, table: str, ids: Iterable[list[str]]) -> None:
        """Keep the ids of a whole sweep, and count which of the last one's are gone.

        `ids` come some at a time, each once.
        """
        met = IdSet()
        for some in ids:
            met.note(some)
            self._writing.seen(table, some)
        self.counts.vanished = met.lacks_of(self.standing(table))

    def notes(self) -> dict[str, int]:
        """Return the most frequent unknown fields and states, for the certificate."""
        return dict(self.unfamiliar.most_common(_MOST_NAMES))

    def _known(self, table: str) -> Known:
        """Return the hash of each record's newest version, by key."""
        if table not in self._hashes:
            self._hashes[table] = known = Known()
            key = TABLES[table].key
            found = self._lake.current(table, [*key, "record_hash"])
            for batch in found.to_batches(max_chunksize=_IDS_AT_ONCE):
                columns = [batch[name].to_pylist() for name in key]
                keys = columns[0] if len(key) == 1 else zip(*columns, strict=True)
                digests = batch["record_hash"].to_pylist()
                known.put(keys, map(bytes.fromhex, digests))
        return self._hashes[table]

    def standing(self, table: str) -> IdSet:
        """Return the ids that the last whole sweep met, or any pull after it."""
        last = self._lake.last_whole_sweep(table)
        (key,) = TABLES[table].key
        current = self._lake.current(table, [key, "pull_id"])
        standing = IdSet()
        if last is not None:
            commit, path = last
            current = current.filter(pc.field("pull_id") > commit.id)
            _note(standing, self._lake.read(path, ["id"])["id"])
        _note(standing, current[key])
        return standing


def _note(ids: IdSet, column: pa.ChunkedArray) -> None:
    for chunk in column.chunks:
        for start in range(0, len(chunk), _IDS_AT_ONCE):
            ids.note(chunk.slice(start, _IDS_AT_ONCE).to_pylist())
