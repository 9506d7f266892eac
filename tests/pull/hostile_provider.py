"""A provider of one list on loopback that answers badly, in one way at a time."""

import asyncio
import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs

import uvicorn

from tests.pull.provider_stub import checkout

SIZE = 10  # rows a page
COUNT = 100  # rows of a list that nobody touched
BUSINESS = "teahouse"

Body = dict[str, Any]
Row = dict[str, Any]
Instead = Callable[["HostileList", int, Body], "Reply | Body | None"]


class Reply:
    """An answer that is no page. It is cut where `cut` is true, and never ends where
    `endless` is: then one byte comes every tenth of a second."""

    def __init__(
        self,
        content: bytes | Body = b"",
        status: int = 200,
        headers: dict[str, str] | None = None,
        *,
        cut: bool = False,
        endless: bool = False,
    ) -> None:
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.content, self.status, self.headers = raw, status, headers or {}
        self.cut, self.endless = cut, endless


def checkout_of(number: int) -> Row:
    """Return a checkout of the unified list."""
    return checkout(number)


def agreement_of(number: int) -> Row:
    """Return an agreement of the escrow list."""
    return {
        "tracking_code": f"c{number}",
        "trace_id": f"t{number}",
        "description": "tea",
        "amount": 1000 + number,
        "state": "draft",
        "parties": [],
        "created_at": 1_790_000_000 + number,
    }


MAKERS: dict[str, Callable[[int], Row]] = {
    "checkouts": checkout_of,
    "agreements": agreement_of,
}
KEYS = {"checkouts": "id", "agreements": "tracking_code"}


class HostileList:
    """Serves the list of one source, the newest first, under any path of it.

    `before(self, number)` may change `rows` before a page is made, `instead(self,
    number, body)` may change the body or give another answer. `asked` counts the
    requests of each page, `cap` is the most rows of a page.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.make = MAKERS[source]
        self.rows = [self.make(number) for number in range(COUNT, 0, -1)]
        self.cap = SIZE
        self.asked: Counter[int] = Counter()
        self.hosts: set[str] = set()
        self.placed: set[str] = set()  # where the parameters of requests stood
        self.calm()

    def calm(self) -> None:
        """From now on answer as the contract says."""
        self.cap = SIZE
        self.before: Callable[[HostileList, int], None] = lambda it, number: None
        self.instead: Instead = lambda it, number, body: None

    @property
    def ids(self) -> set[str]:
        """Return the ids of the rows that the list holds now."""
        return {row[KEYS[self.source]] for row in self.rows}

    def page(self, number: int) -> Body:
        """Return a page as an honest provider writes it."""
        total, start = len(self.rows), (number - 1) * self.cap
        last = max(1, -(-total // self.cap))
        meta = {
            "current_page": number,
            "last_page": last,
            "per_page": self.cap,
            "total": total,
        }
        rows = self.rows[start : start + self.cap]
        body: Body = {"message": "", "data": rows, "meta": meta}
        if self.source == "agreements":
            after = f"/agreements?page={number + 1}" if number < last else None
            body["links"] = {"first": None, "last": None, "prev": None, "next": after}
        return body

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        sent = (await receive()).get("body", b"")
        if scope["path"].endswith("/oauth/token"):
            token = {"access_token": "t", "expires_in": 3600, "token_type": "Bearer"}
            await _answer(send, Reply(token, 201))
            return
        self.hosts |= {
            value.decode() for name, value in scope["headers"] if name == b"host"
        }
        query = parse_qs(scope["query_string"].decode())
        self.placed.add("body" if sent else "query")
        number = json.loads(sent)["page"] if sent else int(query["page"][0])
        self.asked[number] += 1
        self.before(self, number)
        body = json.loads(json.dumps(self.page(number)))
        found = self.instead(self, number, body)
        reply = found if isinstance(found, Reply) else Reply(found or body)
        await _answer(send, reply)


async def _answer(send: Any, reply: Reply) -> None:
    named = {"content-type": "application/json", **reply.headers}
    if reply.cut or reply.endless:
        named["content-length"] = str(len(reply.content) + 1000)
    headers = [(name.encode(), value.encode()) for name, value in named.items()]
    start = {"type": "http.response.start", "status": reply.status, "headers": headers}
    await send(start)
    body = {"type": "http.response.body", "body": reply.content}
    if not reply.endless:
        await send(body)
        return
    await send({**body, "more_body": True})
    for _ in range(20):
        await asyncio.sleep(0.1)
        await send({**body, "body": b" ", "more_body": True})


class Host:
    """A server on loopback; `app` is what answers, and may be another each test."""

    def __init__(self, listener: socket.socket) -> None:
        self.app: Any = None
        self.address = f"http://127.0.0.1:{listener.getsockname()[1]}"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.app(scope, receive, send)


@contextmanager
def hosted() -> Iterator[Host]:
    """Serve on a free port of loopback while the context lasts."""
    listener = socket.create_server(("127.0.0.1", 0))
    host = Host(listener)
    config = uvicorn.Config(
        host, log_config=None, log_level="critical", access_log=False, lifespan="off"
    )
    config.timeout_graceful_shutdown = 1
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    until = time.monotonic() + 30
    while not server.started:
        assert thread.is_alive()
        assert time.monotonic() < until
        time.sleep(0.005)
    try:
        yield host
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()
