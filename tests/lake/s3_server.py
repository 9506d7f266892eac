"""A small S3 on loopback that keeps to its conditions, and fails where it is told.

It knows what the lake uses: objects with tags and times, conditional puts, lists in
parts, uploads in parts. `faults` are asked about each request: what to do wrong.
"""

import hashlib
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape, unescape

KEY_ID = "AKIACANARYCANARY"
SECRET = "secret-canary-of-the-bucket"
BUCKET = "ledger-bucket"
LISTED_AT_ONCE = 40
REFUSALS = {
    "failed": (500, "InternalError"),
    "denied": (403, "AccessDenied"),
    "conflict": (409, "ConditionalRequestConflict"),
    "slow": (400, "RequestTimeout"),
}


@dataclass
class Stored:
    content: bytes
    at: datetime

    @property
    def tag(self) -> str:
        return f'"{hashlib.md5(self.content, usedforsecurity=False).hexdigest()}"'


Fault = Callable[[str, str], str]
"""Gets the method and the key; says what is to go wrong, or nothing.

`lost`: done, but the answer is cut. `failed`: not done, 500. `done 500`: done, and 500.
`denied`: 403. `conflict`: not done, 409. `slow`: not done, 400. `cut`: half of the
body. `flipped`: a bit of the body is another. `short`: half of the body, which says
that it is all.
"""


@dataclass
class Store:
    """What the server holds; a test may look at it and change it."""

    objects: dict[str, Stored] = field(default_factory=dict)
    fault: Fault = staticmethod(lambda _method, _key: "")
    hidden: set[str] = field(default_factory=set)  # from lists only
    ignores_conditions: bool = False
    ahead: timedelta = timedelta()  # of the store's clock
    requests: list[tuple[str, str]] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    url: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)
    uploads: dict[str, dict[int, bytes]] = field(default_factory=dict)

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def age(self, hours: int) -> None:
        """Let everything that is stored have been written earlier."""
        for stored in self.objects.values():
            stored.at -= timedelta(hours=hours)


_Answer: TypeAlias = tuple[int, dict[str, str], bytes]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    store: Store

    def log_message(self, *_: Any) -> None:
        pass

    def _handle(self) -> None:
        parts = urlsplit(self.path)
        length = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(length)
        bucket, _, key = unquote(parts.path).lstrip("/").partition("/")
        self.query = parse_qs(parts.query, keep_blank_values=True)
        store = self.store
        store.requests.append((self.command, key))
        store.headers.append(str(self.headers))
        fault = store.fault(self.command, key)
        if bucket != BUCKET:
            return self._refuse(404, "NoSuchBucket")
        if fault in REFUSALS:
            return self._refuse(*REFUSALS[fault])
        with store.lock:
            status, headers, content = self._answer(key, body)
        if fault == "lost":
            self.close_connection = True
            return None
        if fault == "done 500":
            return self._refuse(500, "InternalError")
        if fault == "flipped":
            middle = len(content) // 2
            flipped = bytes([content[middle] ^ 1])
            content = content[:middle] + flipped + content[middle + 1 :]
        if fault == "short":
            content = content[: len(content) // 2]
        return self._send(status, headers, content, cut=fault == "cut")

    do_GET = do_HEAD = do_PUT = do_POST = _handle  # noqa: N815

    def _answer(self, key: str, body: bytes) -> _Answer:
        if self.command in {"GET", "HEAD"}:
            return self._read(key) if key else (200, {}, self._listed())
        if "delete" in self.query:
            return self._delete(body)
        if "uploadId" in self.query or "uploads" in self.query:
            return self._in_parts(key, body)
        return self._put(key, body)

    def _read(self, key: str) -> _Answer:
        stored = self.store.objects.get(key)
        if stored is None:
            return _error(404, "NoSuchKey")
        headers = {
            "etag": stored.tag,
            "last-modified": format_datetime(stored.at, usegmt=True),
        }
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("range") or "")
        if asked is None:
            return 200, headers, stored.content
        start, end = int(asked[1]), int(asked[2]) + 1
        some, size = stored.content[start:end], len(stored.content)
        headers["content-range"] = f"bytes {start}-{start + len(some) - 1}/{size}"
        return 206, headers, some

    def _delete(self, body: bytes) -> _Answer:
        keys = [each.decode() for each in re.findall(rb"<Key>(.*?)</Key>", body)]
        for each in keys:
            self.store.objects.pop(unescape(each), None)
        done = "".join(f"<Deleted><Key>{each}</Key></Deleted>" for each in keys)
        return 200, {}, _xml("DeleteResult", done)

    def _put(self, key: str, body: bytes) -> _Answer:
        store, before = self.store, self.store.objects.get(key)
        if not store.ignores_conditions:
            if self.headers.get("if-none-match") == "*" and before:
                return _error(412, "PreconditionFailed")
            wanted = self.headers.get("if-match")
            if wanted and before is None:
                return _error(404, "NoSuchKey")
            if wanted and before and wanted != before.tag:
                return _error(412, "PreconditionFailed")
        said = self.headers.get("x-amz-content-sha256", "")
        if len(said) == 64 and said != hashlib.sha256(body).hexdigest():
            return _error(400, "XAmzContentSHA256Mismatch")
        store.objects[key] = Stored(body, store.now())
        return 200, {"etag": store.objects[key].tag}, b""

    def _in_parts(self, key: str, body: bytes) -> _Answer:
        store = self.store
        if "uploads" in self.query:
            name = str(len(store.uploads))
            store.uploads[name] = {}
            text = (
                f"<Bucket>{BUCKET}</Bucket><Key>{key}</Key><UploadId>{name}</UploadId>"
            )
            return 200, {}, _xml("InitiateMultipartUploadResult", text)
        (name,) = self.query["uploadId"]
        if self.command == "PUT":
            store.uploads[name][int(self.query["partNumber"][0])] = body
            return 200, {"etag": Stored(body, store.now()).tag}, b""
        parts = store.uploads.pop(name)
        content = b"".join(parts[number] for number in sorted(parts))
        store.objects[key] = Stored(content, store.now())
        text = f"<Key>{key}</Key><ETag>{store.objects[key].tag}</ETag>"
        return 200, {}, _xml("CompleteMultipartUploadResult", text)

    def _listed(self) -> bytes:
        prefix = self.query.get("prefix", [""])[0]
        after = self.query.get("continuation-token", [""])[0]
        found = sorted(
            key
            for key in self.store.objects
            if key.startswith(prefix) and key not in self.store.hidden and key > after
        )
        some = found[:LISTED_AT_ONCE]
        more = len(found) > len(some)
        last = escape(some[-1]) if more else ""
        token = f"<NextContinuationToken>{last}</NextContinuationToken>"
        contents = "".join(
            f"<Contents><Key>{escape(key)}</Key>"
            f"<LastModified>{self.store.objects[key].at:%Y-%m-%dT%H:%M:%S.000Z}"
            f"</LastModified><ETag>{escape(self.store.objects[key].tag)}</ETag>"
            f"<Size>{len(self.store.objects[key].content)}</Size></Contents>"
            for key in some
        )
        text = (
            f"<Name>{BUCKET}</Name><KeyCount>{len(some)}</KeyCount>"
            f"<IsTruncated>{str(more).lower()}</IsTruncated>"
            f"{token if more else ''}{contents}"
        )
        return _xml("ListBucketResult", text)

    def _refuse(self, status: int, code: str) -> None:
        self._send(*_error(status, code))

    def _send(
        self, status: int, headers: dict[str, str], content: bytes, *, cut: bool = False
    ) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content[: len(content) // 2] if cut else content)
        if cut:
            self.close_connection = True


def _xml(name: str, text: str) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?><{name}>{text}</{name}>'.encode()


def _error(status: int, code: str) -> _Answer:
    text = f"<Code>{code}</Code><Message>{KEY_ID} asked</Message>"
    return status, {}, _xml("Error", text)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients are killed here."""


@contextmanager
def serving() -> Iterator[Store]:
    """Serve an empty bucket until the context ends."""
    store = Store()
    handler = type("Handler", (_Handler,), {"store": store})
    server = _Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    store.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield store
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
