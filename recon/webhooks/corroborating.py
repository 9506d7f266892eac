"""Doubting events: each makes its agreement be read again, and compared.

Runs beside the receiver and never delays an answer. What is to be done stands in the
journal, so a stop loses nothing, and a flood of events takes no memory. The provider
is asked once an agreement, not once an event, and at a bounded pace: whoever forges
events must not turn this program against the provider.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import httpx

from recon.api.answers import Answer
from recon.api.client import Client
from recon.api.escrow import EscrowReads
from recon.api.redaction import Redaction
from recon.errors import (
    NotFound,
    ProviderError,
    ReconError,
    Refused,
    UsageError,
)
from recon.imports.delivered import NotAnEnvelope, read_delivery
from recon.imports.shape import Record
from recon.journal.deliveries import Corroboration, Deliveries, Delivery, Verdict
from recon.records.escrow import Agreement
from recon.settings import Settings
from recon.webhooks.seldom import Say, Seldom
from recon.webhooks.verdicts import Finding, judge

_AT_ONCE = 200  # deliveries looked into in one round
_GONE = {404, 410}
_LONGEST_REASON = 300
_UNREADABLE_CODES = {"", ".", ".."}

_answer: ContextVar[Answer[None] | None] = ContextVar("answer", default=None)


@dataclass(frozen=True)
class Pace:
    """How patiently agreements are read, in seconds.

    The pauses are those before further looks: where there was no answer, and where
    it contradicts, for an event may be faster than the record. `between` separates
    reads.
    """

    unanswered: tuple[float, ...] = (10.0, 60.0, 600.0, 3600.0)
    contradicted: tuple[float, ...] = (10.0, 60.0)
    between: float = 0.2
    idle: float = 5.0  # before what is due is looked for again


USUAL_PACE = Pace()


@asynccontextmanager
async def corroborating(
    settings: Settings,
    deliveries: Deliveries,
    say: Say,
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
    client = Client(
        settings.escrow,
        modest,
        limits=settings.limits,
        transport=transport,
        capture=_keep,
        redaction=Redaction.of(settings),
    )
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
        say: Say,
        pace: Pace = USUAL_PACE,
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._reads = reads
        self._deliveries = deliveries
        self._trouble = Seldom("events are not corroborated", say)
        self._doubts = Seldom("contradicted", say)
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
                self._trouble.note(str(error))
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
        known = dict.fromkeys(numbers, Verdict.UNCONFIRMED)
        if not isinstance(found, Finding):
            known |= self._deliveries.open_of(tracking_code, _AT_ONCE)
        looks = []
        for delivery in self._deliveries.of(sorted(known)):
            finding = self._finding(delivery, found)
            is_asked = delivery.number in numbers
            if not is_asked and finding.verdict is known[delivery.number]:
                continue
            pauses = self._pauses(found, finding)
            count = self._deliveries.look_count(delivery.number)
            pause = pauses[count] if count < len(pauses) else None
            looks.append(
                _look_at(delivery.number, tracking_code, finding, answer, pause)
            )
        self._store(looks)

    def _finding(
        self, delivery: Delivery, found: Agreement | Finding | None
    ) -> Finding:
        """Judge a delivery; silence takes nothing back that was contradicted."""
        if isinstance(found, Finding):
            before = self._deliveries.verdict(delivery.number)
            if before is not None and before.verdict is Verdict.CONTRADICTED:
                return Finding(before.verdict, before.reason)
            return found
        event = _event(delivery.body)
        if event is None:
            return Finding(Verdict.UNCONFIRMED, "it can no longer be read")
        return judge(event, found)

    def _pauses(
        self, found: Agreement | Finding | None, finding: Finding
    ) -> tuple[float, ...]:
        if isinstance(found, Finding):
            return self._pace.unanswered
        is_contradicted = finding.verdict is Verdict.CONTRADICTED
        return self._pace.contradicted if is_contradicted else ()

    def _store(self, looks: Sequence[Corroboration]) -> None:
        self._deliveries.judge(looks)
        for look in looks:
            self.counts[look.verdict.value] += 1
            if look.verdict is Verdict.CONTRADICTED:
                self._doubts.note(f"{look.reason} (delivery {look.delivery})")


def _event(body: bytes) -> Record | None:
    try:
        return read_delivery(body)
    except NotAnEnvelope:
        return None


def _named(event: Record | None) -> str:
    return (event or {}).get("tracking_code") or ""


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
    pause: float | None = None,
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
        again_at=None if pause is None else now + timedelta(seconds=pause),
    )


def _keep(answer: Answer[None]) -> None:
    """Hold the answer of the read under way, a refusal's too, as evidence."""
    _answer.set(answer)
