"""Sending over real sockets: refused connections, and a process killed midway."""

import asyncio
import os
import socket
import subprocess
import sys
import textwrap
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from recon.api.provider import Provider
from recon.errors import (
    Unavailable,
)
from recon.journal import AlreadySent, Journal, deposit_entries
from recon.records.requests import Outcome
from tests.api_writes.stand_in_provider import settings


def test_a_refused_connection_is_known_not_to_be_sent(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]

    async def case() -> None:
        with Journal(tmp_path / "journal.sqlite3") as journal:
            base = f"http://127.0.0.1:{port}"
            async with Provider(settings(base), journal) as provider:
                with pytest.raises(Unavailable):
                    await provider.deposits.deposit("IR1", 5_000, "t-1")
            (request,) = journal.requests()
            assert request.outcome is Outcome.NOT_SENT

    asyncio.run(case())


KILLED = """
    import asyncio, sys
    from pathlib import Path
    from recon.api.provider import Provider
    from recon.journal import Journal
    from tests.api_writes.stand_in_provider import settings

    async def main():
        journal = Journal(Path(sys.argv[2]))
        async with Provider(settings(sys.argv[1]), journal) as provider:
            await provider.deposits.deposit("IR1", 5_000, "t-1")

    asyncio.run(main())
"""


class _Silent(BaseHTTPRequestHandler):
    """Takes a request, says that it came, and never answers."""

    came: threading.Event
    count = 0

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        type(self).count += 1
        self.came.set()
        threading.Event().wait(20)

    def log_message(self, *_: Any) -> None:
        pass


def test_a_process_killed_between_sending_and_answer_is_found(tmp_path: Path) -> None:
    _Silent.came, _Silent.count = threading.Event(), 0
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Silent)
    server.daemon_threads = True
    server.block_on_close = False
    threading.Thread(target=server.serve_forever, daemon=True).start()
    path = tmp_path / "journal.sqlite3"
    base = f"http://127.0.0.1:{server.server_address[1]}"
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(KILLED), base, str(path)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    try:
        assert _Silent.came.wait(30)
    finally:
        child.kill()
        child.wait(30)

    async def next_start() -> None:
        with Journal(path) as journal:
            (unknown,) = journal.unknown()
            assert unknown.subject == "t-1"
            assert [row["outcome"] for row in deposit_entries(journal)] == ["unknown"]
            async with Provider(settings(base), journal) as provider:
                with pytest.raises(AlreadySent):
                    await provider.deposits.deposit("IR1", 5_000, "t-1")

    asyncio.run(next_start())
    server.shutdown()
    server.server_close()
    assert _Silent.count == 1
