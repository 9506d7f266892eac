"""A provider that answers once more what it answered a pull, in the same order.

A pull's stored pages are its answers in the order in which they came. Each is handed
to the request that asks what its page says was asked, once everything that can be
asked before it has been: then the pull takes the same steps again.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx
import msgspec

from recon.api.answers import Answer
from recon.api.client import RECEIVED_AT
from recon.api.pace import Gate
from recon.errors import CorruptLake, LakeError
from recon.lake.pages import Page

_QUIET_TURNS = 25  # of the loop without a new request: all that can be asked is
_TOKEN = {"access_token": "none", "expires_in": 10**6, "token_type": "Bearer"}
_TOKEN_PATH = "/oauth/token"  # noqa: S105 - an address, not a secret


@dataclass(eq=False)
class _Waiting:
    request: httpx.Request
    answer: asyncio.Future[Page] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    def fits(self, page: Page) -> bool:
        """Tell whether a page answers this request, wherever the provider was then."""
        request = self.request
        if request.method != page.method or _target(str(request.url)) != _target(
            page.url
        ):
            return False
        return not page.asked or page.asked.encode() == _asked(request)


class OpenGate(Gate):
    """Lets every request through at once: kept pages cost nobody anything."""

    def __init__(self) -> None:
        super().__init__(at_once=1_000_000, per_second=None)

    def slow_down(self, seconds: float) -> None:
        """Take no notice: whoever was to wait has waited then."""


class KeptPages(httpx.AsyncBaseTransport):
    """Answers from the pages of one pull, given in their order from number 1.

    A request that no page answers fails as if the provider could not be reached.
    """

    def __init__(self, pages: Iterator[Page]) -> None:
        self._pages = enumerate(pages, 1)
        self._head: tuple[int, Page] | None = None  # the next, once looked at
        self._handed: list[tuple[int, Page]] = []  # and not captured yet
        self._waiting: list[_Waiting] = []
        self._came = 0  # requests
        self._work: asyncio.Task[None] | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Wait for the turn of the page that answers this."""
        if request.url.path.endswith(_TOKEN_PATH):  # its answers are never stored
            return httpx.Response(201, json=_TOKEN)
        waiting = _Waiting(request)
        self._waiting.append(waiting)
        self._came += 1
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._answer())
        page = await waiting.answer
        return httpx.Response(
            page.status,
            headers=page.headers,
            content=page.body,
            extensions={RECEIVED_AT: page.received_at},
        )

    def number_of(self, answer: Answer[None]) -> int:
        """Return the number of the page that an answer is, as it is captured."""
        for place, (number, page) in enumerate(self._handed):
            if page.received_at == answer.received_at and page.body == answer.body:
                del self._handed[place]
                return number
        raise CorruptLake(f"{answer.url}: an answer that is no page")

    async def _answer(self) -> None:
        """Answer whoever waits, as long as somebody does."""
        while True:
            await self._quiet()
            self._waiting = [each for each in self._waiting if not each.answer.done()]
            if not self._waiting:
                return
            try:
                if not self._answer_some():
                    unreachable = httpx.ConnectError("no page answers this")
                    self._waiting[0].answer.set_exception(unreachable)
            except LakeError as error:  # the pages cannot be read on: for everybody
                for each in self._waiting:
                    each.answer.set_exception(error)

    def _answer_some(self) -> bool:
        """Hand out the next pages that fit those who wait; False if none ever will.

        They go out in one turn of the loop: where an error ended the pull, all that
        is stored had come before it was noticed.
        """
        found = False
        while (head := self._head or next(self._pages, None)) is not None:
            self._head = head
            fits = (each for each in self._waiting if each.fits(head[1]))
            fitting = next(fits, None)
            if fitting is not None:
                self._waiting.remove(fitting)
                self._handed.append(head)
                fitting.answer.set_result(head[1])
                found = True
            elif found:
                return True
            self._head = None  # given, or asked for by nobody
        return found

    async def _quiet(self) -> None:
        """Wait until nothing more is asked."""
        turns = 0
        while turns < _QUIET_TURNS:
            before = self._came
            await asyncio.sleep(0)
            turns = turns + 1 if self._came == before else 0


def _target(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.path, parts.query


def _asked(request: httpx.Request) -> bytes:
    """Return a request's JSON body as pages have it: without the credential."""
    sent = msgspec.json.decode(request.content) if request.content else None
    if isinstance(sent, dict):
        sent.pop("api_key", None)
    return msgspec.json.encode(sent)
