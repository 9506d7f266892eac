"""A provider of a few lines: an ASGI app that answers as it is told and remembers."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx

from recon.api.provider import Provider
from recon.journal import Journal
from recon.settings import (
    Business,
    CashIn,
    Escrow,
    Gateway,
    Hosted,
    Http,
    Secret,
    Settings,
    Unified,
)

KEYS = {
    "unified": "unified-canary-key",
    "cash_in": "cash-in-canary-key",
    "gateway": "gateway-canary-key",
    "hosted": "hosted-canary-key",
    "escrow": "escrow-canary-secret",
    "token": "escrow-canary-token",
}
TOKEN = {"token_type": "Bearer", "expires_in": 3600, "access_token": KEYS["token"]}


class Cut(Exception):  # noqa: N818 - what happens to a connection
    """The connection ends before an answer."""


def settings(base: str = "https://api.example", *, retries: int = 0) -> Settings:
    return Settings(
        business=Business(name="shop"),
        unified=Unified(
            base_url=base,
            page_url="https://pay.example",
            api_key=Secret(KEYS["unified"]),
        ),
        escrow=Escrow(base_url=base, client_id=7, client_secret=Secret(KEYS["escrow"])),
        cash_in=CashIn(base_url=base, api_key=Secret(KEYS["cash_in"])),
        gateway=Gateway(base_url=base, api_key=Secret(KEYS["gateway"])),
        hosted=Hosted(
            base_url=base,
            page_url="https://page.example",
            api_key=Secret(KEYS["hosted"]),
        ),
        http=Http(retries=retries),
    )


class StandIn:
    """Answers `METHOD /path` with what was put there, in turn, the last one for ever.

    An answer is `(status, body)`, an exception to raise, or a function of the request.
    `date` is what each says that the time is; empty: nothing.
    """

    date = ""

    def __init__(self) -> None:
        self.answers: dict[str, list[Any]] = {"POST /sso/oauth/token": [(201, TOKEN)]}
        self.seen: list[dict[str, Any]] = []

    def put(self, line: str, *answers: Any) -> None:
        self.answers[line] = list(answers)

    def bodies(self, line: str) -> list[Any]:
        return [each["json"] for each in self.seen if each["line"] == line]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        path = (scope.get("raw_path") or scope["path"].encode()).decode()
        request = {
            "line": f"{scope['method']} {path}",
            "query": dict(parse_qsl(scope["query_string"].decode())),
            "headers": {k.decode(): v.decode() for k, v in scope["headers"]},
            "json": json.loads(body) if body else None,
        }
        self.seen.append(request)
        answers = self.answers.get(request["line"]) or [(404, {"message": "no route"})]
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, Callable):  # type: ignore[arg-type]
            answer = answer(request)
            if asyncio.iscoroutine(answer):
                answer = await answer
        if isinstance(answer, Exception):
            raise answer
        status, content = answer
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        dated = [(b"date", self.date.encode())] if self.date else []
        head = {"type": "http.response.start", "status": status, "headers": dated}
        await send(head)
        await send({"type": "http.response.body", "body": raw})


class _Transport(httpx.ASGITransport):
    """Turns the app's `Cut` into what a cut connection raises."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        try:
            return await super().handle_async_request(request)
        except Cut:
            raise httpx.ReadError("cut") from None


class Desk:
    """A provider's stand-in, a journal and the clients between them."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.app = StandIn()
        self.path = folder / "journal.sqlite3"
        self.journal = Journal(self.path)
        self.provider = Provider(
            settings(), self.journal, transport=self.transport(), **options
        )

    def transport(self) -> httpx.AsyncBaseTransport:
        return _Transport(self.app)

    def outcomes(self) -> list[str]:
        return [str(request.outcome) for request in self.journal.requests()]


@asynccontextmanager
async def desk(folder: Path, **options: Any) -> AsyncIterator[Desk]:
    opened = Desk(folder, **options)
    try:
        yield opened
    finally:
        await opened.provider.aclose()
        opened.journal.close()


@contextmanager
def journal_bytes(folder: Path) -> Iterator[bytes]:
    files = folder.glob("journal*")
    yield b"".join(file.read_bytes() for file in files if file.is_file())
