"""Deliveries of escrow events: on disk before they are answered, doubted afterwards.

In the journal's file and as durable as its requests. Rows are only added: an event is
one row of `deliveries`, found again by `sha256` (here the hash of the event, not of
the bytes that it came in), and every reading of its agreement is one row of
`corroborations`, the newest of which counts.
"""

import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from recon.journal.damage import as_lake_error, readable
from recon.journal.file import JournalFile, connected, instant, stored
from recon.journal.journal import Journal
from recon.journal.schema import STEPS
from recon.journal.seals import check, seal

_BUSY_SECONDS = 20.0
_PORTION = 50  # bodies of up to 1 MiB read at once

_TABLES = (
    """
    create table if not exists delivery_store (
        number integer primary key check (number = 1),
        name text not null
    ) strict
    """,
    """
    create table if not exists corroborations (
        number integer primary key autoincrement,
        delivery integer not null references deliveries (number),
        tracking_code text not null,
        at text not null,
        verdict text not null,
        reason text not null,
        status integer,
        body blob not null,
        again_at text
    ) strict
    """,
    """
    create index if not exists corroborations_by_delivery
    on corroborations (delivery, number)
    """,
    """
    create index if not exists corroborations_by_agreement
    on corroborations (tracking_code)
    """,
    """
    create index if not exists corroborations_due
    on corroborations (again_at) where again_at is not null
    """,
)

_IS_NEWEST = """
    corroborations.number = (
        select max(later.number) from corroborations as later
        where later.delivery = corroborations.delivery
    )
"""


class Verdict(StrEnum):
    """What the provider's own record of an agreement says about an event.

    CONFIRMED: the record implies it. CONTRADICTED: the record says otherwise, or
    there is none. UNCONFIRMED: the record leaves it open, or was not read.
    """

    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"
    UNCONFIRMED = "unconfirmed"


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """A delivery to be stored; `event` is the hash of what makes two events one."""

    event: str
    received_at: datetime
    body: bytes = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Delivery(Arrival):
    """A stored delivery; numbers only grow."""

    number: int


@dataclass(frozen=True, kw_only=True)
class Corroboration:
    """One look at an agreement because of an event, with the answer as received.

    `again_at` is when it is to be looked at once more; None where this one stands.
    """

    delivery: int
    tracking_code: str
    at: datetime
    verdict: Verdict
    reason: str
    status: int | None = None
    body: bytes = field(default=b"", repr=False)
    again_at: datetime | None = None


class Deliveries(JournalFile):
    """The deliveries in a journal's file, made when absent. A context manager.

    Threads may share one; processes may open the same file at once. Raises LakeError
    when the file cannot be used, CorruptLake where it is damaged.
    """

    def __init__(self, path: Path) -> None:
        with as_lake_error(path):
            super().__init__(path, _opened(path))
        try:
            with as_lake_error(path):
                self._connection.execute("pragma synchronous = full")
                self._connection.execute("pragma foreign_keys = on")
                for statement in _TABLES:
                    self._connection.execute(statement)
                self._name()
                self._take_place()
        except BaseException:
            self._connection.close()
            raise

    @property
    def name(self) -> str:
        """Return what tells this journal from one begun anew at the same place."""
        return self._name()

    def add(self, arrivals: Sequence[Arrival]) -> list[bool]:
        """Store deliveries, all or none; on disk when it returns.

        Says of each whether it is a new event; a known one is not stored again. Raises
        LakeError where the file, or the log of what is not yet in it, is no longer in
        its place: nobody would find them.
        """
        with self._writing() as connection:
            self._refuse_elsewhere()
            are_new = [
                connection.execute(
                    "insert into deliveries"
                    " (received_at, sha256, signature_ok, body, seal)"
                    " values (?, ?, 1, ?, ?) on conflict (sha256) do nothing",
                    _row(each),
                ).rowcount
                == 1
                for each in arrivals
            ]
        self._refuse_elsewhere()
        return are_new

    def after(self, number: int) -> Iterator[Delivery]:
        """Yield the deliveries behind a number in the order in which they came.

        What comes while it yields is left for the next time: it has an end.
        """
        ((last,),) = self._rows("select max(number) from deliveries")
        while True:
            portion = self._rows(
                "select number, received_at, sha256, body, seal from deliveries"
                " where number > ? and number <= ? order by number limit ?",
                (number, last, _PORTION),
            )
            yield from map(self._delivery, portion)
            if len(portion) < _PORTION:
                return
            number = portion[-1][0]

    def of(self, numbers: Sequence[int]) -> list[Delivery]:
        """Return the deliveries of those numbers; a missing one is left out."""
        marks = ", ".join("?" * len(numbers))
        found = self._rows(
            "select number, received_at, sha256, body, seal from deliveries"
            f" where number in ({marks}) order by number",
            tuple(numbers),
        )
        return [self._delivery(row) for row in found]

    def count(self) -> int:
        """Return how many deliveries are stored."""
        return int(self._rows("select count(*) from deliveries")[0][0])

    def unread(self, after: int, limit: int) -> list[int]:
        """Return the first deliveries behind a number that nobody looked into yet."""
        found = self._rows(
            "select number from deliveries where number > ? and not exists ("
            " select 1 from corroborations where delivery = deliveries.number)"
            " order by number limit ?",
            (after, limit),
        )
        return [row[0] for row in found]

    def due(self, now: datetime, limit: int) -> list[int]:
        """Return deliveries whose agreement is to be looked at once more.

        What was looked at in the future was so by a clock that was wrong: it is due.
        """
        found = self._rows(
            "select delivery from corroborations where again_at is not null"
            f" and (again_at <= ? or at > ?) and {_IS_NEWEST}"
            " order by again_at limit ?",
            (stored(now), stored(now), limit),
        )
        return [row[0] for row in found]

    def open_of(self, tracking_code: str, limit: int) -> dict[int, Verdict]:
        """Return the deliveries of an agreement that are looked into, yet open."""
        found = self._rows(
            "select delivery, verdict from corroborations where tracking_code = ?"
            f" and verdict <> 'confirmed' and {_IS_NEWEST} order by delivery limit ?",
            (tracking_code, limit),
        )
        with readable(self.path, f"a look at {tracking_code}"):
            return {number: Verdict(verdict) for number, verdict in found}

    def look_count(self, delivery: int) -> int:
        """Return how often the agreement of a delivery was looked at because of it."""
        found = self._rows(
            "select count(*) from corroborations where delivery = ?", (delivery,)
        )
        return int(found[0][0])

    def judge(self, looks: Sequence[Corroboration]) -> None:
        """Store what was seen of agreements, all or none; LakeError as `add`."""
        with self._writing() as connection:
            self._refuse_elsewhere()
            connection.executemany(
                "insert into corroborations (delivery, tracking_code, at, verdict,"
                " reason, status, body, again_at) values (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        each.delivery,
                        each.tracking_code,
                        stored(each.at),
                        each.verdict.value,
                        each.reason,
                        each.status,
                        each.body,
                        each.again_at and stored(each.again_at),
                    )
                    for each in looks
                ],
            )

    def verdict(self, delivery: int) -> Corroboration | None:
        """Return the newest look at a delivery's agreement; None before the first."""
        found = self._rows(
            "select delivery, tracking_code, at, verdict, reason, status, body,"
            " again_at from corroborations where delivery = ?"
            " order by number desc limit 1",
            (delivery,),
        )
        with readable(self.path, f"the look at delivery {delivery}"):
            return _corroboration(found[0]) if found else None

    def _delivery(self, row: tuple[Any, ...]) -> Delivery:
        with readable(self.path, f"delivery {row[0]}"):
            return _delivery(row)

    def _name(self) -> str:
        ask = "select name from delivery_store"
        if not (found := self._rows(ask)):
            with self._writing() as connection:
                connection.execute(
                    "insert or ignore into delivery_store values (1, ?)",
                    (secrets.token_hex(16),),
                )
            found = self._rows(ask)
        return str(found[0][0])


def _opened(path: Path) -> sqlite3.Connection:
    """Connect to a journal that has its tables.

    Nothing else may open the file while a connection of this process is open: closing
    any descriptor of a file drops the locks that SQLite holds on it, and another
    process would then take the write-ahead log for abandoned. So the journal itself
    is opened, and closed, only where it has to be made or brought up.
    """
    if path.is_file():
        connection = connected(path, busy_seconds=_BUSY_SECONDS)
        try:
            (step,) = connection.execute("pragma user_version").fetchone()
        except BaseException:
            connection.close()
            raise
        if step == len(STEPS):
            return connection
        connection.close()
    Journal(path).close()
    return connected(path, busy_seconds=_BUSY_SECONDS)


def _row(arrival: Arrival) -> tuple[str, str, bytes, str]:
    said = (stored(arrival.received_at), arrival.event, arrival.body)
    return (*said, seal(*said))


def _delivery(row: tuple[Any, ...]) -> Delivery:
    number, received_at, event, body, sealed = row
    check(sealed, received_at, event, body)
    return Delivery(
        number=number,
        received_at=instant(received_at),
        event=event,
        body=bytes(body),
    )


def _corroboration(row: tuple[Any, ...]) -> Corroboration:
    return Corroboration(
        delivery=row[0],
        tracking_code=row[1],
        at=instant(row[2]),
        verdict=Verdict(row[3]),
        reason=row[4],
        status=row[5],
        body=bytes(row[6]),
        again_at=instant(row[7]) if row[7] else None,
    )
