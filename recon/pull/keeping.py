"""Keeping what came: pages as evidence first, then the rows that are new or changed."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any, Protocol, TypeVar

import numpy as np
import pyarrow as pa

from recon.api.answers import Answer
from recon.api.ids import IdSet, numbers_of
from recon.lake import Lake, Writing
from recon.lake.columns import array_of, microseconds, whole_array
from recon.lake.schema import INSTANT, TABLES
from recon.lake.writing import hash_column, record_hash, row_hashes
from recon.pull.known import Known, hashes_of

Row = Mapping[str, Any]
Key = Hashable
Record = TypeVar("Record")

_ROWS_AT_ONCE = 8_000
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


Shapes = Mapping[str, Callable[[Sequence[Record]], list[tuple[Any, ...]]]]
"""How records of one kind become rows, by table: in its columns' order, instants in
microseconds."""


class _Waiting:
    """Rows of one table that wait to become columns, and where they came from."""

    def __init__(self) -> None:
        self.rows: list[tuple[Any, ...]] = []
        self.hashes: list[bytes] = []
        self._counts: list[int] = []  # of rows, by page
        self._page_nos: list[int | None] = []
        self._seen_at: list[int | None] = []  # microseconds, by page

    def add(self, rows: Sequence[tuple[Any, ...]], answer: Place) -> None:
        self.rows.extend(rows)
        self.hashes.extend(row_hashes(rows))
        self._counts.append(len(rows))
        self._page_nos.append(answer.page_no)
        self._seen_at.append(microseconds(answer.received_at))

    def table(self, name: str) -> pa.Table:
        """Return them as the lake takes them."""
        fields = TABLES[name].columns
        columns = zip(*self.rows, strict=True)
        arrays = {
            field.name: array_of(column, field.type)
            for field, column in zip(fields, columns, strict=True)
        }
        page = np.repeat(np.arange(len(self._counts)), self._counts)
        ends = np.cumsum(self._counts)
        position = np.arange(1, len(page) + 1) - (ends - self._counts)[page]
        seen_at = np.array(self._seen_at, dtype=np.int64)[page]
        arrays["seen_at"] = whole_array(seen_at, INSTANT)
        arrays["record_hash"] = hash_column(self.hashes)
        page_nos = [self._page_nos[each] for each in page.tolist()]
        arrays["page_no"] = array_of(page_nos, pa.int32())
        arrays["position"] = whole_array(position, pa.int32())
        return pa.table(arrays)


def _keys(table: str, rows: Sequence[tuple[Any, ...]]) -> list[Key]:
    """Return the keys of rows: the value itself where one column is the key."""
    names, key = TABLES[table].columns.names, TABLES[table].key
    return list(map(itemgetter(*(names.index(name) for name in key)), rows))


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
        return self.counts.records + (len(waiting.rows) if waiting else 0)

    def capture(self, answer: Answer[None]) -> int:
        """Store an answer before anyone reads it; returns the number of its page."""
        self.counts.pages += 1
        page_no = self._stored(answer)
        _captured.set(_Captured(page_no, answer.received_at))
        return page_no

    def _stored(self, answer: Answer[None]) -> int:
        return self._writing.page(answer.page())

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

    def keep_plain(
        self, records: Sequence[Record], shapes: Shapes[Record], answer: Place
    ) -> None:
        """Keep the rows that shapes make of a page's records.

        They are made and hashed at once, while the records are at hand, and compared
        and written some thousands at a time; `settle` ends it.
        """
        for table, values in shapes.items():
            waiting = self._waiting.setdefault(table, _Waiting())
            waiting.add(values(records), answer)
            if len(waiting.rows) >= _ROWS_AT_ONCE:
                self.settle(table)

    def settle(self, table: str | None = None) -> None:
        """Compare and write what waits, of one table or of all."""
        for name in list(self._waiting) if table is None else [table]:
            waiting = self._waiting.pop(name, None)
            if waiting is None or not waiting.rows:
                continue
            keys = _keys(name, waiting.rows)
            self._meet(name, keys)
            fresh = self._fresh(name, keys, waiting.hashes)
            if fresh:
                rows = waiting.table(name)
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
        fresh: list[int] = []
        new_count = 0
        renewed = known.renew(numbers_of(keys), hashes_of(hashes))
        if renewed is not None:
            fresh, new_count = renewed[0].tolist(), renewed[1]
        else:  # a record came twice
            last = known.get(keys)
            latest: dict[Key, bytes] = {}
            for index, (key, each) in enumerate(zip(keys, hashes, strict=True)):
                held = latest.get(key, last[index])
                if held != each:
                    latest[key] = each
                    new_count += held is None
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

    def seen(self, table: str, ids: Iterable[list[str] | pa.StringArray]) -> None:
        """Keep the ids of a whole sweep, and count which of the last one's are gone.

        `ids` come some at a time, each once.
        """
        standing, met = self.standing(table), IdSet()
        for some in ids:
            self._writing.seen(table, some)
            if len(standing):
                met.note(some.to_pylist() if isinstance(some, pa.Array) else some)
        self.counts.vanished = met.lacks_of(standing)

    def notes(self) -> dict[str, int]:
        """Return the most frequent unknown fields and states, for the certificate."""
        return dict(self.unfamiliar.most_common(_MOST_NAMES))

    def _known(self, table: str) -> Known:
        """Return the hash of each record's newest version, by key."""
        if table not in self._hashes:
            self._hashes[table] = known = Known()
            key = TABLES[table].key
            if not self._lake.files(table):
                return known
            for batch in self._lake.current_batches(table, [*key, "record_hash"]):
                columns = [batch[name].to_pylist() for name in key]
                only = len(key) == 1
                keys = columns[0] if only else list(zip(*columns, strict=True))
                digests = "".join(batch["record_hash"].to_pylist())
                known.put_numbers(numbers_of(keys), hashes_of([bytes.fromhex(digests)]))
        return self._hashes[table]

    def standing(self, table: str) -> IdSet:
        """Return the ids that the last whole sweep met, or any pull after it."""
        last = self._lake.last_whole_sweep(table)
        (key,) = TABLES[table].key
        standing = IdSet()
        if last is None and not self._lake.files(table):
            return standing
        since = "true"
        if last is not None:
            commit, path = last
            since = f"pull_id > '{commit.id}'"
            for batch in self._lake.read_batches(path, ["id"]):
                standing.note(batch["id"].to_pylist())
        for batch in self._lake.current_batches(table, [key], where=since):
            standing.note(batch[key].to_pylist())
        return standing
