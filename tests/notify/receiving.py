"""What `apprise` is to the tests, and what receives messages on loopback."""

import json
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener


class Unfollowed(HTTPRedirectHandler):
    """Takes a redirect for the failure that it is."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Sender:
    """What `apprise.Apprise` is, as far as this project asks of it."""

    log = logging.getLogger("apprise")
    asset = SimpleNamespace(http_redirects=True)

    def __init__(self) -> None:
        self.url = ""
        self.asset = copy(self.asset)

    def add(self, url: str) -> bool:
        if "explode" in url:
            raise ValueError(f"cannot parse {url}")
        self.url = url
        if not url.startswith("json://"):
            self.log.error("unsupported: %s", url)
            return False
        return True

    def notify(
        self, body: str, title: str = "", notify_type: Any = "", body_format: str = ""
    ) -> bool:
        sent = {"title": title, "message": body, "type": notify_type}
        assert body_format == "text"
        where = f"http://127.0.0.1:{urlsplit(self.url).port}/"
        follow = () if self.asset.http_redirects else (Unfollowed,)
        try:
            with build_opener(*follow).open(
                Request(where, json.dumps(sent).encode(), method="POST"), timeout=5
            ) as answer:
                return bool(answer.status == 200)
        except OSError:
            self.log.warning("failed to send to %s", self.url)
            return False


FAKE = SimpleNamespace(
    Apprise=Sender,
    NotifyType=SimpleNamespace(SUCCESS="success", WARNING="warning", FAILURE="failure"),
)


@contextmanager
def listener(sent_to: str = "") -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Give a json:// address on loopback, and what is posted to it.

    With `sent_to` it redirects there; a GET is answered as a front page is.
    """
    got: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            got.append(json.loads(self.rfile.read(length)))
            self.send_response(301 if sent_to else 200)
            if sent_to:
                self.send_header("location", sent_to.replace("json:", "http:"))
            self.end_headers()

        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"json://127.0.0.1:{server.server_port}/", got
        finally:
            server.shutdown()
            thread.join()
