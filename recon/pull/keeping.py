"""Keeping what came: pages as evidence first, then the rows that are new or changed."""

from collections import Counter
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import pyarrow.compute as pc
import pyarrow.parquet as pq

from recon.api.answers import Answer
from recon.lake import Lake, Writing
from recon.lake.schema import TABLES
from recon.lake.writing import record_hash

Row = Mapping[str, Any]
Key = tuple[Any, ...]

_IDS_AT_ONCE = 50_000
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
        self._hashes: dict[str, dict[Key, str]] = {}
        self._met: set[Key] = set()

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
        names = TABLES[table].columns.names
        key_names = TABLES[table].key
        known = self._known(table)
        fresh = []
        for position, row in enumerate(rows, start=1):
            values = [row.get(name) for name in names]
            key = tuple(row.get(name) for name in key_names)
            digest = record_hash(values)
            before = known.get(key)
            self._count(table, key, before, digest)
            if before == digest:
                continue
            known[key] = digest
            place = {"page_no": answer.page_no, "position": position} if answer else {}
            fresh.append({**row, **place, "record_hash": digest})
        if fresh:
            at = answer.received_at if answer else None
            self._writing.rows(table, fresh, seen_at=at)

    def note_unknown(self, fields: Mapping[str, int]) -> None:
        """Count fields that no record knows (`Record.field`)."""
        self.unfamiliar.update(fields)

    def note_states(
        self, name: str, states: Iterable[str | None], observed: frozenset[str]
    ) -> None:
        """Count states beyond those that the contract shows (`name=state`)."""
        self.unfamiliar.update(
            f"{name}={state}"
            for state in states
            if state is not None and state not in observed
        )

    def seen(self, table: str, ids: Iterable[str]) -> None:
        """Keep the ids of a whole sweep, and count which of the last one's are gone."""
        met = set(ids)
        self.counts.vanished = len(self.standing(table) - met)
        ordered = sorted(met)
        for start in range(0, max(1, len(ordered)), _IDS_AT_ONCE):
            self._writing.seen(table, ordered[start : start + _IDS_AT_ONCE])

    def notes(self) -> dict[str, int]:
        """Return the most frequent unknown fields and states, for the certificate."""
        return dict(self.unfamiliar.most_common(_MOST_NAMES))

    def _count(self, table: str, key: Key, before: str | None, digest: str) -> None:
        if table != self._main:
            return
        if key not in self._met:
            self._met.add(key)
            self.counts.records += 1
        if before is None:
            self.counts.new += 1
        elif before != digest:
            self.counts.changed += 1

    def _known(self, table: str) -> dict[Key, str]:
        """Return the hash of each record's newest version, by key."""
        if table not in self._hashes:
            key = TABLES[table].key
            found = self._lake.current(table, [*key, "record_hash"])
            keys = zip(*(found[name].to_pylist() for name in key), strict=True)
            digests = found["record_hash"].to_pylist()
            self._hashes[table] = dict(zip(keys, digests, strict=True))
        return self._hashes[table]

    def standing(self, table: str) -> set[str]:
        """Return the ids that the last whole sweep met, or any pull after it."""
        last = self._lake.last_whole_sweep(table)
        (key,) = TABLES[table].key
        current = self._lake.current(table, [key, "pull_id"])
        if last is None:
            return set(current[key].to_pylist())
        commit, path = last
        later = current.filter(pc.field("pull_id") > commit.id)[key]
        return {*pq.read_table(path)["id"].to_pylist(), *later.to_pylist()}
