"""The sandbox on a real socket, in a thread of its own, on loopback only."""

import asyncio
import ipaddress
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from recon.errors import UsageError
from recon.sandbox.app import create_app
from recon.sandbox.faults import Faults
from recon.sandbox.state import State
from recon.sandbox.terms import SANDBOX_KEYS, USUAL_TERMS, Credentials, Terms
from recon.sandbox.weather import TRANSPORT
from recon.sandbox.world import World

_START_SECONDS = 30
_STOP_SECONDS = 10


def _connection(**options: Any) -> Any:
    """Make a connection of uvicorn's that its requests can reach, to cut it."""
    protocol_type: Any = AutoHTTPProtocol  # httptools where it is installed, else h11
    protocol = protocol_type(**options)
    begin = protocol.connection_made

    def connection_made(transport: asyncio.Transport) -> None:
        protocol.app_state = {**protocol.app_state, TRANSPORT: transport}
        begin(transport)

    protocol.connection_made = connection_made
    return protocol


class Running:
    """A sandbox that listens; `base_url` is the address of every product."""

    def __init__(self, app: Starlette, listener: socket.socket) -> None:
        self.app = app
        self.host, self.port = listener.getsockname()[:2]
        self._listener = listener
        http: Any = _connection  # a function that makes connections will do
        config = uvicorn.Config(
            app,
            http=http,
            log_config=None,
            log_level="critical",
            access_log=False,
            lifespan="off",
        )
        config.timeout_graceful_shutdown = 1
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, args=([listener],), name="sandbox", daemon=True
        )

    @property
    def base_url(self) -> str:
        """Return `http://host:port`, without a slash at its end."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def start(self) -> None:
        """Start to listen; returns once requests are answered."""
        self._thread.start()
        until = time.monotonic() + _START_SECONDS
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > until:
                raise UsageError(f"the sandbox did not start on port {self.port}")
            time.sleep(0.005)

    def stop(self) -> None:
        """Stop listening; harmless when already stopped."""
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(_STOP_SECONDS)
        self._listener.close()
        state: State = self.app.state.sandbox
        if state.store is not None:
            state.store.save_all(state)
            state.store.close()
            state.store = None


@contextmanager
def serve(
    world: World,
    credentials: Credentials = SANDBOX_KEYS,
    *,
    port: int = 0,
    host: str = "127.0.0.1",
    faults: Faults | None = None,
    terms: Terms = USUAL_TERMS,
    path: Path | None = None,
) -> Iterator[Running]:
    """Serve a world while the context lasts; port 0 takes a free one.

    Faults, terms and path are those of `create_app`; the path's file is closed at the
    end. Raises UsageError on a host that is not loopback and on a port that is taken.
    """
    listener = _listen(host, port)
    try:
        app = create_app(world, credentials, faults=faults, terms=terms, path=path)
    except BaseException:
        listener.close()
        raise
    running = Running(app, listener)
    running.start()
    try:
        yield running
    finally:
        running.stop()


def _listen(host: str, port: int) -> socket.socket:
    address = ipaddress.ip_address(_loopback(host))
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    # asyncio turns Nagle's delay off only where the protocol is named
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((str(address), port))
    except (OSError, OverflowError) as error:
        listener.close()
        raise UsageError(f"the sandbox cannot listen on port {port}: {error}") from None
    return listener


def _loopback(host: str) -> str:
    address = "127.0.0.1" if host == "localhost" else host
    try:
        if ipaddress.ip_address(address).is_loopback:
            return address
    except ValueError:
        pass
    raise UsageError(f"{host!r} is not loopback: the sandbox listens nowhere else")
