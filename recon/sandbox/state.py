"""The running sandbox: a world, and what only its routes need to remember."""

import heapq
import secrets
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, cast

from starlette.requests import Request

from recon.sandbox.deliveries import Deliveries
from recon.sandbox.faults import Faults
from recon.sandbox.lists import Shelf
from recon.sandbox.storage import Store
from recon.sandbox.terms import Credentials, Terms
from recon.sandbox.world import Record, World
from recon.times import zone


@dataclass
class State:
    """One sandbox at work. What is not in the world is keyed by token."""

    world: World
    credentials: Credentials
    terms: Terms
    faults: Faults
    deliveries: Deliveries
    store: Store | None = None
    shelf: Shelf = field(default_factory=Shelf)
    access_tokens: dict[str, int] = field(default_factory=dict)  # until, Unix seconds
    mandate_requests: dict[str, Record] = field(default_factory=dict)
    gateway_sends: dict[str, Record] = field(default_factory=dict)  # until paid
    clock_offset: int = 0  # seconds that the clock was moved
    _changed: set[tuple[str, Any]] = field(default_factory=set)
    _queue: list[tuple[int, int, Record]] = field(default_factory=list)
    _customers: tuple[int, dict[str, Record]] = (0, {})

    def now(self) -> int:
        """Return the provider's present time in Unix seconds."""
        return self.world.timestamp()

    def local(self, at: int) -> datetime:
        """Return an instant on the business's clock."""
        return datetime.fromtimestamp(at, zone(self.terms.timezone))

    def move_clock(self, seconds: int) -> None:
        """Move the provider's clock; what falls due happens with the next request."""
        self.clock_offset += seconds
        self.world.now = shifted(self.world.now, timedelta(seconds=seconds))
        self.touch()

    def emit(self, slug: str, data: Record) -> None:
        """Let an event happen now and send it to the webhooks."""
        envelope = self.world.emit(slug, data, self.now())
        self.touch("events", len(self.world.events) - 1)
        self.deliveries.push(envelope)

    def queue(self, entry: Record) -> None:
        """Let a deposit entry land at its `_settles_at`, on the provider's clock."""
        row = (entry["_settles_at"], entry["gateway_transaction_id"], entry)
        heapq.heappush(self._queue, row)

    def catch_up(self) -> None:
        """Let everything happen that was due by now."""
        now = self.now() if self._queue else 0
        while self._queue and self._queue[0][0] <= now:
            due, _, entry = heapq.heappop(self._queue)
            self.world.settle(entry, due)
            self.touch("deposits", entry["track_id"])

    def touch(self, kind: str = "", key: Any = None) -> None:
        """Note what changed, so that it is stored before the answer leaves."""
        self._changed.add((kind, key))

    def flush(self) -> None:
        """Store what changed, where a path was given."""
        if self._changed:
            changed, self._changed = self._changed, set()
            if self.store is not None:
                self.store.save(self, changed)

    def customers(self) -> dict[str, Record]:
        """Return the customers of all checkouts by their id."""
        checkouts = self.world.checkouts
        if self._customers[0] != len(checkouts):
            found = {
                checkout["customer"]["id"]: checkout["customer"]
                for checkout in checkouts.values()
            }
            self._customers = (len(checkouts), found)
        return self._customers[1]

    def next_deposit_id(self) -> int:
        """Return an unused `gateway_transaction_id`, and those after it are free."""
        known = (
            entry["gateway_transaction_id"]
            for entries in self.world.deposits.values()
            for entry in entries
        )
        return max(known, default=500_000_000) + 1


def new_state(
    world: World,
    credentials: Credentials,
    terms: Terms,
    faults: Faults,
    store: Store | None,
) -> State:
    """Return the state of a world that starts to answer, from its store if it has one.

    Raises UsageError if the store holds another business.
    """
    deliveries = Deliveries(world, faults, terms.delivery_retry_seconds)
    state = State(world, credentials, terms, faults, deliveries, store)
    if store is not None and not store.load(state):
        store.save_all(state)
    if state.clock_offset:
        world.now = shifted(world.now, timedelta(seconds=state.clock_offset))
    for entries in world.deposits.values():
        for entry in entries:
            if "_settles_at" in entry:
                state.queue(entry)
    return state


def state_of(request: Request) -> State:
    """Return the state of the sandbox that got this request, brought up to now."""
    state = cast("State", request.app.state.sandbox)
    state.catch_up()
    return state


def new_id() -> str:
    """Return a fresh UUID as text."""
    return str(uuid.uuid4())


def new_token() -> str:
    """Return an alphanumeric token of 40 characters."""
    return secrets.token_hex(20)


def new_digits(length: int) -> str:
    """Return that many random digits, the first of them not zero."""
    return str(10 ** (length - 1) + secrets.randbelow(9 * 10 ** (length - 1)))


def shifted(clock: Callable[[], datetime], by: timedelta) -> Callable[[], datetime]:
    """Return a clock that runs like `clock`, `by` ahead of it."""
    return lambda: clock() + by
