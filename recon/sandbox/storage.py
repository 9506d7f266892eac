"""A sandbox's state in SQLite, so that it can be stopped and started again."""

import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from recon.errors import UsageError

if TYPE_CHECKING:  # the state owns its store
    from recon.sandbox.state import State

_WORLD_RECORDS = (
    "mandates",
    "checkouts",
    "escrow_customers",
    "agreements",
    "webhooks",
    "tickets",
    "deposits",
    "gateway_transactions",
    "hosted_checkouts",
)
_WORLD_VALUES = (
    "business",
    "payment_methods",
    "accounts",
    "wallet_iban",
    "wallet_balance",
    "wallet_available",
)
_OWN_RECORDS = ("access_tokens", "mandate_requests", "gateway_sends")
_VALUE, _EVENT = "value", "events"
_CLOCK = "clock_offset"
_SCHEMA = """
create table if not exists thing (
    position integer primary key autoincrement,
    kind text not null,
    key text not null,
    body blob not null,
    unique (kind, key)
)
"""
_KEEP = """
insert into thing (kind, key, body) values (?, ?, ?)
on conflict (kind, key) do update set body = excluded.body
"""
_DROP = "delete from thing where kind = ? and key = ?"


class Store:
    """One SQLite file; every thing is a row, in the order in which it came to be."""

    def __init__(self, path: Path) -> None:
        """Open or make the file. Raises UsageError if it cannot be used."""
        self._lock = threading.Lock()
        with _usable(path):
            self._db = sqlite3.connect(path, check_same_thread=False)
            self._db.execute("pragma journal_mode = wal")
            self._db.execute(_SCHEMA)
        self._path = path

    def load(self, state: "State") -> bool:
        """Fill a state from the file; False if the file is new and empty.

        Raises UsageError if it keeps another business, or what is no such state.
        """
        with _usable(self._path):
            return self._loaded(state)

    def _loaded(self, state: "State") -> bool:
        rows = self._db.execute("select kind, key, body from thing order by position")
        things = [(kind, _read(key), _read(body)) for kind, key, body in rows]
        values = {key: body for kind, key, body in things if kind == _VALUE}
        if not values:
            return False
        if values["business"] != state.world.business:
            raise UsageError(f"{self._path} keeps the business {values['business']!r}")
        for name in _WORLD_RECORDS:
            getattr(state.world, name).clear()
        state.world.events.clear()
        for name in _WORLD_VALUES:
            setattr(state.world, name, values[name])
        state.clock_offset = values[_CLOCK]
        for kind, key, body in things:
            if kind == _EVENT:
                state.world.events.append(body)
            elif kind != _VALUE:
                _records(state, kind)[key] = body
        return True

    def save_all(self, state: "State") -> None:
        """Store everything anew, also what changed behind the routes' back."""
        rows = [
            *((_VALUE, name, body) for name, body in _values(state)),
            *((_EVENT, at, body) for at, body in enumerate(state.world.events)),
        ]
        for kind in _WORLD_RECORDS + _OWN_RECORDS:
            rows += [(kind, key, body) for key, body in _records(state, kind).items()]
        with self._lock, self._db:
            self._db.execute("delete from thing")
            self._keep(rows)

    def save(self, state: "State", changed: Iterable[tuple[str, Any]]) -> None:
        """Store what changed, in one transaction; the wallet always."""
        rows = [(_VALUE, key, body) for key, body in _values(state)]
        gone = []
        for kind, key in changed:
            if kind == _EVENT:
                rows.append((kind, key, state.world.events[key]))
            elif kind and key in _records(state, kind):
                rows.append((kind, key, _records(state, kind)[key]))
            elif kind:
                gone.append((kind, _write(key)))
        with self._lock, self._db:
            self._db.executemany(_DROP, gone)
            self._keep(rows)

    def _keep(self, rows: list[tuple[str, Any, Any]]) -> None:
        self._db.executemany(
            _KEEP, [(kind, _write(key), _write(body)) for kind, key, body in rows]
        )

    def close(self) -> None:
        """Close the file."""
        self._db.close()


@contextmanager
def _usable(path: Path) -> Iterator[None]:
    """Raise UsageError where a file is damaged, or holds what a sandbox never kept."""
    try:
        yield
    except sqlite3.Error as error:
        raise UsageError(f"{path} cannot keep the sandbox: {error}") from None
    except (ValueError, KeyError, AttributeError):
        told = f"{path} cannot keep the sandbox: it is no whole state of one"
        raise UsageError(told) from None


def _records(state: "State", kind: str) -> dict[Any, Any]:
    owner = state if kind in _OWN_RECORDS else state.world
    records: dict[Any, Any] = getattr(owner, kind)
    return records


def _values(state: "State") -> Iterator[tuple[str, Any]]:
    for name in _WORLD_VALUES:
        yield name, getattr(state.world, name)
    yield _CLOCK, state.clock_offset


def _write(value: Any) -> bytes:
    return msgspec.json.encode(value)


def _read(raw: bytes) -> Any:
    return msgspec.json.decode(raw)
