"""A small provider of one list, which can be made hostile in one way at a time."""

import json
from collections.abc import Awaitable, Callable, Iterable
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs

import httpx

from recon.settings import Business, Http, LakeSettings, Secret, Settings, Unified

BUSINESS = "teahouse"
Send = Callable[[dict[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[dict[str, Any]]]


def mandate(number: int, **changes: Any) -> dict[str, Any]:
    """Return a valid mandate as the provider writes it."""
    return {
        "id": f"m{number:05d}",
        "payment_method": "debit-alvand",
        "count": 10,
        "limit": 5_000_000,
        "expires_at": 1_800_000_000,
        "customer_id": "u1",
        "status": "active",
        "created_at": 1_700_000_000 + number,
        "updated_at": 1_700_000_000 + number,
        "revoked_at": None,
        **changes,
    }


class Reply:
    """One raw answer."""

    def __init__(
        self,
        body: bytes | dict[str, Any] = b"{}",
        status: int = 200,
        headers: dict[str, str] | None = None,
    ) -> None:
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.status = status
        self.headers = headers or {}


class ListServer:
    """Serves `rows` page by page, the newest first, with `meta`.

    `before(server, number)` may change the rows before a page is answered;
    `instead(server, number, reply)` may replace the honest answer. `asked` counts.
    """

    def __init__(self, rows: Iterable[dict[str, Any]], *, most: int = 10_000) -> None:
        self.rows = list(rows)
        self.most = most  # rows a page at most, whatever is asked
        self.asked: list[int] = []
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        self.before: Callable[[ListServer, int], None] = lambda server, number: None
        self.instead: Callable[[ListServer, int, Reply], Reply | None] = (
            lambda server, number, reply: None
        )

    def meta(self, number: int, size: int) -> dict[str, Any]:
        total = len(self.rows)
        return {
            "current_page": number,
            "from": None,
            "last_page": max(1, -(-total // size)),
            "links": [],
            "path": "https://provider.test/mandates",
            "per_page": size,
            "to": None,
            "total": total,
        }

    def page(self, number: int, per_page: int) -> dict[str, Any]:
        size = min(per_page, self.most)
        start = (number - 1) * size
        return {
            "message": "",
            "data": self.rows[start : start + size],
            "meta": self.meta(number, size),
        }

    async def __call__(
        self, scope: dict[str, Any], receive: Receive, send: Send
    ) -> None:
        body = (await receive()).get("body", b"")
        query = {
            name: values[0]
            for name, values in parse_qs(scope["query_string"].decode()).items()
        }
        asked = json.loads(body) if body and not query else query
        number, per_page = int(asked.get("page", 1)), int(asked.get("per_page", 15))
        self.asked.append(number)
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        self.requests.append((scope["method"], scope["path"], headers, body))
        self.before(self, number)
        honest = Reply(self.page(number, per_page))
        reply = self.instead(self, number, honest) or honest
        await send(
            {
                "type": "http.response.start",
                "status": reply.status,
                "headers": [
                    (name.encode(), value.encode())
                    for name, value in reply.headers.items()
                ],
            }
        )
        await send({"type": "http.response.body", "body": reply.body})

    @property
    def transport(self) -> httpx.ASGITransport:
        return httpx.ASGITransport(self)  # type: ignore[arg-type]


def unified_settings(**changes: Any) -> Settings:
    """Return settings of the unified product only; few retries, small pages."""
    folder = changes.pop("folder", None)
    http = Http(
        concurrency=changes.pop("concurrency", 4),
        retries=changes.pop("retries", 2),
        timeout=timedelta(seconds=5),
    )
    unified = Unified(
        **{
            "base_url": "https://provider.test",
            "api_key": Secret("canary-key-of-unified"),
            "per_page": 10,
            **changes,
        }
    )
    given = {"folder": folder} if folder else {}
    return Settings(
        business=Business(name=BUSINESS),
        unified=unified,
        http=http,
        lake=LakeSettings(),
        **given,
    )
