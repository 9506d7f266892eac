"""The receiver on a socket: bound once, stopped gracefully.

On SIGTERM or Ctrl-C it takes no more connections, answers what is under way, writes
what waits, and ends.
"""

import ipaddress
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from recon import log
from recon.errors import LakeError, ReconError, UsageError
from recon.journal import journal_path
from recon.settings import Settings
from recon.webhooks.connections import PromptConnection, make_room
from recon.webhooks.receiver import Limits, Receiver, create_app
from recon.webhooks.seldom import Say

_MOST_HEAD_BYTES = 16 * 1024
_STOP_SECONDS = 15
_KEEP_ALIVE_SECONDS = 65  # longer than a proxy's, which then never meets a reset
_BACKLOG = 512


class _Server(uvicorn.Server):
    """Tells when requests are answered."""

    def __init__(self, config: uvicorn.Config, tell: Callable[[], None]) -> None:
        super().__init__(config)
        self._tell = tell

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            self._tell()


class Receiving:
    """A receiver that is bound; `address` is where it answers."""

    def __init__(
        self,
        settings: Settings,
        listener: socket.socket,
        *,
        limits: Limits | None = None,
        say: Say = lambda _: None,
    ) -> None:
        self._settings = settings
        self._listener = listener
        app = create_app(settings, limits=limits, say=say, end=self._end)
        self.app = app
        config = uvicorn.Config(
            app,
            http=PromptConnection,
            ws="none",
            lifespan="on",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            limit_concurrency=settings.limits.webhook_connections,
            backlog=_BACKLOG,
            h11_max_incomplete_event_size=_MOST_HEAD_BYTES,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=_STOP_SECONDS,
        )
        self._server = _Server(config, self._tell)
        self._say = say

    @property
    def address(self) -> str:
        """Return `http://host:port`."""
        host, port = self._listener.getsockname()[:2]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    @property
    def is_started(self) -> bool:
        """Tell whether requests are answered."""
        return self._server.started

    def run(self) -> None:
        """Answer until stopped; a ReconError where it cannot begin or go on."""
        try:
            with (
                log.run(),
                log.timed("webhooks") as told,
                _stopping(self.stop),
                self._listener,
            ):
                make_room(self._settings.limits.webhook_connections, _BACKLOG)
                self._server.run(sockets=[self._listener])
                told.update(self._tally())
        except SystemExit:  # uvicorn's, when the application could not begin
            raise self._failure or LakeError("the receiver could not begin") from None
        if self._failure:
            raise self._failure

    @property
    def _failure(self) -> ReconError | None:
        failure: ReconError | None = getattr(self.app.state, "failure", None)
        return failure

    def _end(self, error: LakeError) -> None:
        self.app.state.failure = LakeError(f"{error}: start the receiver again")
        self.stop()

    def _tally(self) -> dict[str, int]:
        receiver: Receiver | None = getattr(self.app.state, "receiver", None)
        return {} if receiver is None else receiver.tally()

    def _tell(self) -> None:
        log.note("webhooks.started")
        place = journal_path(self._settings)
        self._say(f"receiving events at {self.address}/, into {place}; Ctrl-C stops it")

    def stop(self) -> None:
        """Ask it to stop, from any thread."""
        self._server.should_exit = True


def bind(host: str, port: int) -> socket.socket:
    """Return a socket bound to an address of this machine; port 0 takes a free one.

    Raises UsageError when it cannot be had.
    """
    try:
        found = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, _, _, _, address = found[0]
        # asyncio turns Nagle's delay off only where the protocol is named
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except OSError as error:
        raise UsageError(f"{host}:{port} is no address to listen at: {error}") from None
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise UsageError(f"cannot listen at {host}:{port}: {error}") from None
    return listener


def is_loopback(listener: socket.socket) -> bool:
    """Tell whether only this machine reaches a socket."""
    host: str = listener.getsockname()[0]
    return ipaddress.ip_address(host).is_loopback


@contextmanager
def _stopping(stop: Callable[[], None]) -> Iterator[None]:
    """Let a signal be a usual stop, before uvicorn listens to it and afterwards.

    It raises each again when it is done.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    stops = (signal.SIGINT, signal.SIGTERM)
    before = {each: signal.signal(each, lambda *_: stop()) for each in stops}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
