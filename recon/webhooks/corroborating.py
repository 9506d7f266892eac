"""Doubting events: each makes its agreement be read again, and compared.

Runs beside the receiver and never delays an answer. What is to be done stands in the
journal, so a stop loses nothing, and a flood of events takes no memory. The provider
is asked once an agreement, not once an event, and at a bounded pace: whoever forges
events must not turn this program against the provider.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import httpx

from recon.api.answers import Answer
from recon.api.client import Client
from recon.api.escrow import EscrowReads
from recon.errors import (
    NotFound,
    ProviderError,
    ReconError,
    Refused,
    UsageError,
)
from recon.imports.delivered import NotAnEnvelope, read_delivery
from recon.imports.tables import Record
from recon.journal.deliveries import Corroboration, Deliveries, Verdict
from recon.records.escrow import Agreement
from recon.settings import Settings
from recon.webhooks.verdicts import Finding, judge

_AT_ONCE = 200  # deliveries looked into in one round
_GONE = {404, 410}
_LONGEST_REASON = 300
_UNREADABLE_CODES = {"", ".", ".."}

_answer: ContextVar[Answer[None] | None] = ContextVar("answer", default=None)


@dataclass(frozen=True)
class Pace:
    """How patiently agreements are read, in seconds.

    `again` are the pauses before further looks where the first gave no answer, or one
    that contradicts: an event may be faster than the list. `between` separates reads.
    """

    again: tuple[float, ...] = (10.0, 60.0, 600.0, 3600.0)
    between: float = 0.2
    idle: float = 5.0  # before what is due is looked for again


USUAL_PACE = Pace()


@asynccontextmanager
async def corroborating(
    settings: Settings,
    deliveries: Deliveries,
    say: Callable[[str], None],
    *,
    pace: Pace = USUAL_PACE,
    transport: httpx.AsyncBaseTransport | None = None,
) -> AsyncIterator["Corroborator | None"]:
    """Re-read agreements while the context lasts; None without escrow settings.

    Raises SettingsError where the escrow section lacks a part of its credential.
    """
    if settings.escrow is None:
        say("no escrow section: events stay unconfirmed")
        yield None
        return
    modest = replace(
        settings.http, concurrency=1, retries=min(settings.http.retries, 1)
    )
    client = Client(settings.escrow, modest, transport=transport, capture=_keep)
    async with client:
        corroborator = Corroborator(EscrowReads(client), deliveries, say, pace)
        work = asyncio.create_task(corroborator.run())
        try:
            yield corroborator
        finally:
            work.cancel()
            with suppress(asyncio.CancelledError):
                await work


class Corroborator:
    """Looks into the deliveries of a journal, oldest first, for ever."""

    def __init__(
        self,
        reads: EscrowReads,
        deliveries: Deliveries,
        say: Callable[[str], None],
        pace: Pace = USUAL_PACE,
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._reads = reads
        self._deliveries = deliveries
        self._say = say
        self._pace = pace
        self._news = asyncio.Event()
        self._through = 0  # all up to this number were looked into

    def wake(self) -> None:
        """Say that a delivery was stored."""
        self._news.set()

    async def run(self) -> None:
        """Look into what is new or due, until cancelled."""
        while True:
            self._news.clear()
            try:
                busy = await self.round()
            except ReconError as error:  # the journal, for once: later it may be well
                self._say(f"events are not corroborated: {error}")
                busy = False
            if not busy:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._news.wait(), self._pace.idle)

    async def round(self) -> bool:
        """Look into some deliveries; tells whether there were any."""
        found = await asyncio.to_thread(self._next)
        for tracking_code, numbers in found.items():
            await self._look(tracking_code, numbers)
        return bool(found)

    def _next(self) -> dict[str, list[int]]:
        """Return the next deliveries by the agreement that they name."""
        new = self._deliveries.unread(self._through, _AT_ONCE)
        numbers = {*new, *self._deliveries.due(datetime.now(UTC), _AT_ONCE)}
        found: dict[str, list[int]] = {}
        for delivery in self._deliveries.of(sorted(numbers)):
            code = _named(_event(delivery.body))
            found.setdefault(code, []).append(delivery.number)
        if new:
            self._through = new[0] - 1
        return found

    async def _look(self, tracking_code: str, numbers: Sequence[int]) -> None:
        if tracking_code in _UNREADABLE_CODES:
            finding = Finding(Verdict.UNCONFIRMED, "it names no agreement")
            looks = [_look_at(number, "", finding, None) for number in numbers]
            await asyncio.to_thread(self._store, looks)
            return
        _answer.set(None)
        found: Agreement | Finding | None
        try:
            found = (await self._reads.agreement(tracking_code)).value
        except NotFound:
            found = None
        except (ProviderError, UsageError) as error:
            found = None if _is_gone(error) else _unanswered(error)
        answer = _answer.get()
        await asyncio.to_thread(self._judge, tracking_code, numbers, found, answer)
        await asyncio.sleep(self._pace.between)

    def _judge(
        self,
        tracking_code: str,
        numbers: Sequence[int],
        found: Agreement | Finding | None,
        answer: Answer[None] | None,
    ) -> None:
        """Judge the deliveries, and earlier ones of the agreement that are open."""
        earlier = []
        if not isinstance(found, Finding):
            earlier = self._deliveries.open_of(tracking_code, _AT_ONCE)
        looks = []
        for delivery in self._deliveries.of(sorted({*numbers, *earlier})):
            event = _event(delivery.body)
            finding = found if isinstance(found, Finding) else _judged(event, found)
            again = self._pause(delivery.number, finding, answered=found is not finding)
            if delivery.number in numbers or finding.verdict is Verdict.CONFIRMED:
                looks.append(
                    _look_at(delivery.number, tracking_code, finding, answer, again)
                )
        self._store(looks)

    def _pause(
        self, delivery: int, finding: Finding, *, answered: bool
    ) -> timedelta | None:
        """Return how long until the next look; None where this one stands."""
        if answered and finding.verdict is not Verdict.CONTRADICTED:
            return None
        looks = self._deliveries.look_count(delivery)
        pauses = self._pace.again
        return timedelta(seconds=pauses[looks]) if looks < len(pauses) else None

    def _store(self, looks: Sequence[Corroboration]) -> None:
        self._deliveries.judge(looks)
        for look in looks:
            if look.again_at is not None:
                continue
            self.counts[look.verdict.value] += 1
            if look.verdict is Verdict.CONTRADICTED:
                self._say(f"delivery {look.delivery} is contradicted: {look.reason}")


def _event(body: bytes) -> Record | None:
    try:
        return read_delivery(body)
    except NotAnEnvelope:
        return None


def _named(event: Record | None) -> str:
    return (event or {}).get("tracking_code") or ""


def _judged(event: Record | None, agreement: Agreement | None) -> Finding:
    if event is None:
        return Finding(Verdict.UNCONFIRMED, "it can no longer be read")
    return judge(event, agreement)


def _is_gone(error: ReconError) -> bool:
    """Tell whether a refusal says that there is no such agreement.

    Unknown: the answer for an unknown `tracking_code`; a code that ends so is taken
    for it, as in the documented `user_not_found` and `not_found_error`.
    """
    if not isinstance(error, Refused):
        return False
    return error.status in _GONE or "not_found" in (error.code or "")


def _unanswered(error: ReconError) -> Finding:
    return Finding(Verdict.UNCONFIRMED, f"not read: {type(error).__name__}")


def _look_at(
    number: int,
    tracking_code: str,
    finding: Finding,
    answer: Answer[None] | None,
    again: timedelta | None = None,
) -> Corroboration:
    now = datetime.now(UTC)
    return Corroboration(
        delivery=number,
        tracking_code=tracking_code,
        at=now,
        verdict=finding.verdict,
        reason=finding.reason[:_LONGEST_REASON],
        status=answer.status if answer else None,
        body=answer.body if answer else b"",
        again_at=now + again if again else None,
    )


def _keep(answer: Answer[None]) -> None:
    """Hold the answer of the read under way, a refusal's too, as evidence."""
    _answer.set(answer)
