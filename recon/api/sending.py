"""Sending what counts once: in the journal before it leaves, and after it returns.

The journal itself is another room: whoever opens the clients hands one in.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from datetime import datetime
from typing import Any, Protocol, TypeVar

from recon.api.answers import Answer
from recon.api.client import Client, Decode
from recon.errors import (
    LakeError,
    OutcomeUnknown,
    ProviderError,
    Refused,
    Unavailable,
)
from recon.records.requests import Outcome, Request

Value = TypeVar("Value")

TookEffect = Callable[[Refused], bool]
"""Says whether a refusal shows that the same request took effect earlier."""

_received: ContextVar[Answer[None] | None] = ContextVar("received", default=None)


class Journal(Protocol):
    """What sending needs of a journal (see `recon.journal.Journal`)."""

    def begin(
        self,
        operation: str,
        subject: str,
        body: Mapping[str, Any],
        *,
        again: bool = False,
    ) -> int:
        """Write a request down; raises UsageError if it was sent before."""

    def end(
        self,
        number: int,
        outcome: Outcome,
        *,
        status: int | None = None,
        answer: bytes = b"",
        note: str = "",
        at: datetime | None = None,
    ) -> None:
        """Write down what became of it; `at` is when, the present if None."""

    def requests(self, operation: str = "", subject: str = "") -> Iterator[Request]:
        """Yield what was sent."""

    def unknown(self) -> list[Request]:
        """Return what has an unknown outcome."""

    def mentioning(self, operation: str, text: str) -> list[Request]:
        """Return what was answered with that text in the body."""


def keep(answer: Answer[None]) -> None:
    """Hold the answer of the request under way: the capture of clients that send.

    It is how a refusal's own words reach the journal as evidence.
    """
    _received.set(answer)


class Sender:
    """A product's client together with the journal."""

    def __init__(self, client: Client, journal: Journal) -> None:
        self.client = client
        self.journal = journal

    async def once(
        self,
        operation: str,
        subject: str,
        method: str,
        path: str,
        *,
        json: Mapping[str, Any] | None = None,
        decode: Decode[Value],
        again: bool = False,
        proof: TookEffect | None = None,
        noted: Mapping[str, Any] | None = None,
    ) -> Value:
        """Send one request and return what its answer says.

        `subject` is what the request is about, `noted` what the journal keeps of it
        beside or instead of parts of its body. A subject that was sent before is
        refused (UsageError) unless `again`. Raises Refused where nothing happened,
        Unavailable where nothing left this machine, OutcomeUnknown where nobody
        knows, and where it took effect but the journal could not be told: a LakeError
        always says that nothing was sent.
        """
        body = {**(json or {}), **(noted or {})}
        number = await self._begin(operation, subject, body, again=again)
        _received.set(None)
        try:
            answer = await self.client.send(method, path, json=json, decode=decode)
        except BaseException as error:
            # At once, not in a thread: a cancelled task would not wait for it.
            try:
                self._end_badly(number, error)
                if isinstance(error, Refused) and proof and proof(error):
                    self._settle_earlier(operation, subject, number, Outcome.DONE)
            except LakeError as failed:  # what became of the request is worth more
                error.add_note(f"the journal could not be told: {failed}")
            raise
        try:
            await asyncio.to_thread(
                self.journal.end,
                number,
                Outcome.ANSWERED,
                status=answer.status,
                answer=answer.body,
                at=answer.given_at(self.client.clock_skew),
            )
            if again:
                earlier = Outcome.UNDONE if proof else Outcome.DONE
                self._settle_earlier(operation, subject, number, earlier)
        except LakeError as error:
            told = f"{operation} {subject}".strip()
            raise OutcomeUnknown(
                f"{told} took effect ({answer.status}), but that could not be written "
                f"into the journal: {error}",
                status=answer.status,
            ) from error
        return answer.value

    async def _begin(
        self, operation: str, subject: str, body: Mapping[str, Any], *, again: bool
    ) -> int:
        writing = asyncio.ensure_future(
            asyncio.to_thread(self.journal.begin, operation, subject, body, again=again)
        )
        try:
            return await asyncio.shield(writing)
        except asyncio.CancelledError:
            number = await writing
            self.journal.end(number, Outcome.NOT_SENT, note="cancelled before sending")
            raise

    def _end_badly(self, number: int, error: BaseException) -> None:
        status = error.status if isinstance(error, ProviderError) else None
        answer = _received.get()
        # An answer of another status is that of an earlier attempt with an old token.
        theirs = answer.body if answer and answer.status == status else b""
        self.journal.end(
            number,
            _outcome_of(error),
            status=status,
            answer=theirs,
            note=f"{type(error).__name__}: {error}",
        )

    def _settle_earlier(
        self, operation: str, subject: str, number: int, outcome: Outcome
    ) -> None:
        """Take a later answer as what became of earlier unknown ones of a subject."""
        for request in self.journal.requests(operation, subject):
            if request.outcome is Outcome.UNKNOWN:
                self.journal.end(
                    request.number, outcome, note=f"told by request {number}"
                )


def _outcome_of(error: BaseException) -> Outcome:
    match error:
        case Refused():
            return Outcome.REFUSED
        case Unavailable():  # of a sending: it never left
            return Outcome.NOT_SENT
        case _:
            return Outcome.UNKNOWN
