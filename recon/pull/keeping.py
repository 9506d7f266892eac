"""Keeping what came: pages as evidence first, then the rows that are new or changed."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

import pyarrow as pa

from recon.api.answers import Answer
from recon.api.ids import IdSet, Numbers, numbers_of
from recon.lake import Lake, Page, Writing
from recon.lake.schema import TABLES
from recon.lake.writing import record_hash
from recon.pull.known import Hashes, Known, Places, hashes_of
from recon.pull.versions import newest_hashes, standing_ids
from recon.pull.waiting import Columns, Place, WaitingRows

Row = Mapping[str, Any]
Key = Hashable
Record = TypeVar("Record")

_ROWS_AT_ONCE = 8_000
_MOST_NAMES = 100  # of unknown fields and states, in a certificate


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


Shapes = Mapping[str, Callable[[Sequence[Record]], Columns]]
"""How records of one kind become rows, by table."""


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
        self._standing: dict[str, IdSet] = {}
        self._met: IdSet | None = None
        self._waiting: dict[str, WaitingRows] = {}

    @property
    def record_count(self) -> int:
        """Return how many records came so far, those that wait included."""
        waiting = self._waiting.get(self._main)
        return self.counts.records + (waiting.count if waiting else 0)

    def capture(self, answer: Answer[None]) -> int:
        """Store an answer before anyone reads it; returns the number of its page."""
        self.counts.pages += 1
        page_no = self._stored(answer)
        _captured.set(_Captured(page_no, answer.received_at))
        return page_no

    def capture_again(self, page: Page) -> Answer[None]:
        """Store what a killed pull had received, as an answer that just came."""
        answer = Answer.of_page(page)
        return answer.stored_as(self.capture(answer))

    def _stored(self, answer: Answer[None]) -> int:
        return self._writing.page(answer.page())

    def keep(
        self, table: str, rows: Iterable[Row], answer: Place | None = None
    ) -> None:
        """Write the rows that are new, back, or differ from their last version.

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
        numbers = numbers_of(keys)
        fresh = []
        hashes = hashes_of([bytes.fromhex("".join(digests))])
        for index in self._fresh(table, numbers, hashes).tolist():
            place = {"page_no": answer.page_no, "position": index + 1} if answer else {}
            fresh.append({**kept[index], **place, "record_hash": digests[index]})
        if fresh:
            at = answer.received_at if answer else None
            self._writing.rows(table, fresh, seen_at=at)

    def keep_plain(
        self, records: Sequence[Record], shapes: Shapes[Record], answer: Place
    ) -> None:
        """Keep the rows that shapes make of a page's records.

        They are made and hashed at once, and compared and written some thousands at a
        time; `settle` ends it.
        """
        for table, columns in shapes.items():
            if table not in self._waiting:
                self._waiting[table] = WaitingRows(table)
            waiting = self._waiting[table]
            waiting.add(columns(records), answer)
            if waiting.count >= _ROWS_AT_ONCE:
                self.settle(table)

    def settle(self, table: str | None = None) -> None:
        """Compare and write what waits, of one table or of all."""
        for name in list(self._waiting) if table is None else [table]:
            waiting = self._waiting.pop(name, None)
            if waiting is None or not waiting.count:
                continue
            fresh = self._fresh(name, waiting.numbers(), waiting.hashes())
            if len(fresh):
                rows = waiting.table()
                whole = len(fresh) == waiting.count
                self._writing.table(name, rows if whole else rows.take(fresh))

    def _fresh(self, table: str, numbers: Numbers, hashes: Hashes) -> Places:
        """Return the places of the rows that are new or changed, and count them."""
        fresh, new_count = self._known(table).renew(numbers, hashes)
        if table == self._main:
            met = self._met  # none where the lake held none: each is new once
            records = new_count if met is None else met.add_numbers(numbers)
            self.counts.records += records
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
        found = list(states)
        strange = {*found} - observed - {None}
        if strange:
            told = (f"{name}={state}" for state in found if state in strange)
            self.unfamiliar.update(told)

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
        """Return the hash of each record's newest version, by key.

        What the last whole sweep no longer met is as unknown: where it is back, its row
        is written once more, though it is the same, and so has not vanished.
        """
        if table not in self._hashes:
            parts = self._lake.parts(table, self._lake.commits(), fetched=False)
            held = bool(parts.compacted or parts.later)
            known = newest_hashes(self._lake, table) if held else Known()
            if held and table == self._main:
                self._met = IdSet()
                if self._lake.last_whole_sweep(table) is not None:
                    known.keep(self.standing(table))
            self._hashes[table] = known
        return self._hashes[table]

    def standing(self, table: str) -> IdSet:
        """Return the ids that a list had before this pull (`standing_ids`)."""
        if table not in self._standing:
            self._standing[table] = standing_ids(self._lake, table)
        return self._standing[table]
