"""No credential in anything that a night leaves behind, well or badly ended.

The credentials are canaries: words that stand nowhere else. The business runs the
commands of a usual day at a sandbox that knows those canaries; then every file is
read, unpacked, and everything that was printed.
"""

import asyncio
import base64
import gzip
import json
import logging
import os
import shutil
import sqlite3
import subprocess
import sys
import traceback
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from recon import demo
from recon.api.blocking import blocking
from recon.api.provider import Provider
from recon.errors import ProviderError
from recon.journal import Journal
from recon.lake import Lake
from recon.pull.runner import pull
from recon.sandbox import history
from recon.sandbox.app import Credentials, Fault, Faults
from recon.sandbox.server import Running, serve
from recon.setting_files import load
from recon.settings import Http, Settings
from tests.endpoints.stored_text import leaks, texts, unpacked

KEYS = Credentials(
    unified_key="canary-of-unified-Zq81",
    cash_in_key="canary-of-cash-in-Zq82",
    gateway_key="canary-of-gateway-Zq83",
    hosted_key="canary-of-hosted-Zq84",
    escrow_client_secret="canary-of-escrow-Zq85",
)
CANARIES = [
    KEYS.unified_key,
    KEYS.cash_in_key,
    KEYS.gateway_key,
    KEYS.hosted_key,
    KEYS.escrow_client_secret,
]
ENVIRONMENT = {
    "RECON_UNIFIED__API_KEY": KEYS.unified_key,
    "RECON_ESCROW__CLIENT_SECRET": KEYS.escrow_client_secret,
    "RECON_CASH_IN__API_KEY": KEYS.cash_in_key,
    "RECON_GATEWAY__API_KEY": KEYS.gateway_key,
    "RECON_HOSTED__API_KEY": KEYS.hosted_key,
}
NOTICE = "canary-of-notice-Zq86"
FURTHER = {
    "RECON_NOTIFY__URLS": json.dumps([f"json://{NOTICE}@127.0.0.1:9/"]),
    "RECON_LOG": "json",
}
COMMANDS = {
    "doctor": ["doctor"],
    "pull": ["pull", "--full"],
    "nightly": ["nightly", "--json"],
    "breaks": ["breaks", "list", "--json"],
    "report": ["report"],
    "reconcile": ["reconcile"],
    "sql": ["sql", "select * from breaks limit 5"],
    "a wrong call": ["pull", "no_such_source"],
}


@dataclass
class Day:
    """A day that was lived: where its files are, and what its commands said."""

    folder: Path
    said: dict[str, tuple[int, bytes]]
    tokens: list[str]


def _history() -> history.History:
    return history.generate(9, days=8, daily=10, faults=("all",))


def _settings(folder: Path, made: history.History, base_url: str) -> Settings:
    demo._prepare(folder, made, base_url)
    settings = load(folder / "recon.toml", ENVIRONMENT)
    return replace(settings, http=Http(retries=1))


def _move_money(settings: Settings, running: Running) -> None:
    """Leave every kind of request in the journal: answered, refused, unknown."""
    (account, *_) = running.app.state.sandbox.world.accounts
    back = "https://shop.example/back"
    with (
        Journal(Path(settings.lake_path) / "journal.sqlite3") as journal,
        blocking(settings, journal) as provider,
    ):
        provider.gateway.send(200_000, back)
        provider.hosted.send(200_000, back)
        provider.deposits.deposit(account["IBAN"], 5_000_000, "canary-day-1")
        for refused in (
            lambda: provider.gateway.verify("unknown"),
            lambda: provider.hosted.verify("unknown"),
            lambda: provider.deposits.deposit("IR0", 5_000, "canary-day-2"),
            lambda: provider.mandates.confirm("unknown"),
            lambda: provider.agreements.cancel("unknown", "09120000001"),
        ):
            with pytest.raises(ProviderError):
                refused()
        running.app.state.sandbox.faults.replace(
            Fault("cut", path="/deposit", after=True, times=1)
        )
        with pytest.raises(ProviderError):
            provider.deposits.deposit(account["IBAN"], 6_000, "canary-day-3")


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Day:
    folder = tmp_path_factory.mktemp("day") / "business"
    folder.mkdir()
    made = _history()
    said = {}
    with serve(made.world, KEYS) as running:
        settings = _settings(folder, made, running.base_url)
        demo._import(made, folder / "imports", settings, Lake(settings.lake_path))
        _move_money(settings, running)
        environment = os.environ | ENVIRONMENT | FURTHER
        environment["RECON_CONFIG"] = str(folder / "recon.toml")
        for name, words in COMMANDS.items():
            done = subprocess.run(
                [sys.executable, "-X", "dev", "-m", "recon", *words],
                env=environment,
                capture_output=True,
                check=False,
                timeout=120,
            )
            said[name] = (done.returncode, done.stdout + done.stderr)
        tokens = list(running.app.state.sandbox.access_tokens)
    return Day(folder, said, tokens)


def test_the_day_was_a_whole_one(day: Day) -> None:
    codes = {name: code for name, (code, _) in day.said.items()}
    assert codes.pop("doctor") in {0, 1}  # 1 where nothing that notifies is installed
    assert codes == {
        "pull": 0,
        "nightly": 1,
        "breaks": 0,
        "report": 1,
        "reconcile": 1,
        "sql": 0,
        "a wrong call": 2,
    }, day.said
    kinds = {path.suffix for path in day.folder.rglob("*") if path.is_file()}
    assert {".parquet", ".sqlite3", ".html", ".csv", ".xlsx", ".json"} <= kinds
    assert day.tokens


def test_no_file_holds_a_credential(day: Day) -> None:
    assert leaks([*CANARIES, *day.tokens, NOTICE], texts(day.folder)) == []


def test_nothing_that_was_printed_holds_a_credential(day: Day) -> None:
    said = [(name, text) for name, (_, text) in day.said.items()]
    assert leaks([*CANARIES, *day.tokens, NOTICE], said) == []


def test_the_search_finds_what_is_there(tmp_path: Path) -> None:
    canary = CANARIES[0]
    (tmp_path / "plain.txt").write_text(f"key={canary}")
    (tmp_path / f"{canary}.txt").write_text("")
    (tmp_path / "wide.bin").write_bytes(canary.encode("utf-16-le"))
    (tmp_path / "hex.log").write_text(canary.encode().hex())
    with gzip.open(tmp_path / "packed.gz", "wb") as packed:
        packed.write(canary.encode())
    pages = pa.table({"page": [b"x" * 999 + canary.encode()] * 99, "no": range(99)})
    pq.write_table(pages, tmp_path / "pages.parquet", compression="zstd")
    with zipfile.ZipFile(tmp_path / "book.xlsx", "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("sheet.xml", f"<c>{canary}</c>")
    with sqlite3.connect(tmp_path / "journal.sqlite3") as base:
        base.execute("create table t (a)")
        base.execute("insert into t values (?)", [canary])
    base.close()
    found = {name.partition(":")[0] for name, _ in leaks([canary], texts(tmp_path))}
    assert found == {path.name for path in tmp_path.iterdir()}
    for shift in range(3):
        inside = base64.b64encode(b"a" * shift + canary.encode() + b"b")
        assert leaks([canary], unpacked("inline", inside))
    assert leaks([canary], unpacked("near", canary[:-1].encode())) == []


class Echo:
    """A careless provider: an answer of one status that repeats all it was sent."""

    def __init__(self, status: int) -> None:
        self._status = status
        self.heard = b""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        if scope["path"] == "/sso/oauth/token" and self._status != 401:
            token = {"token_type": "Bearer", "expires_in": 60, "access_token": "t" * 20}
            await self._send(send, 201, token)
            return
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        self.heard += json.dumps(headers).encode() + body
        said = {"message": f"{headers} {body!r}", "errors": {"all": [str(headers)]}}
        await self._send(send, self._status, {**said, "code": str(headers), **headers})

    async def _send(self, send: Any, status: int, body: Any) -> None:
        kind = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": status, "headers": kind})
        content = json.dumps(body).encode()
        await send({"type": "http.response.body", "body": content})


class CutWire(httpx.AsyncBaseTransport):
    """A wire that breaks, and names what it was carrying."""

    def __init__(self) -> None:
        self.heard = b""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        carried = f"{request.headers.raw!r} {await request.aread()!r}"
        self.heard += carried.encode()
        raise httpx.ReadError(f"cut while sending {carried}", request=request)


TROUBLES = {
    "401": lambda: Echo(401),
    "403": lambda: Echo(403),
    "422": lambda: Echo(422),
    "500": lambda: Echo(500),
    "200": lambda: Echo(200),
    "cut": CutWire,
}


def _wire(trouble: str) -> tuple[Any, httpx.AsyncBaseTransport]:
    made = TROUBLES[trouble]()
    if isinstance(made, CutWire):
        return made, made
    return made, httpx.ASGITransport(app=made)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a business at which nothing has happened yet."""
    folder = tmp_path_factory.mktemp("prepared") / "business"
    folder.mkdir()
    _settings(folder, _history(), "https://provider.example")
    return folder


@pytest.fixture
def place(prepared: Path, tmp_path: Path) -> Settings:
    folder = shutil.copytree(prepared, tmp_path / "business")
    return replace(load(folder / "recon.toml", ENVIRONMENT), http=Http(retries=0))


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_failing_pull_keeps_and_says_no_credential(
    trouble: str, place: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    provider, wire = _wire(trouble)
    report = pull(place, Lake(place.lake_path), transport=wire)
    assert not report.complete
    heard = leaks(CANARIES, [("heard", provider.heard)])
    assert len(heard) >= 2  # the credentials did travel
    said = [
        ("report", repr(report).encode()),
        ("as JSON", json.dumps(report.as_dict()).encode()),
        ("log", caplog.text.encode()),
    ]
    assert leaks(CANARIES, [*said, *texts(place.folder)]) == []


CALLS = {
    "unified": lambda p: p.unified.checkouts(1),
    "cash_in": lambda p: p.cash_in.accounts(),
    "gateway": lambda p: p.gateway.transaction("token"),
    "hosted": lambda p: p.hosted.inquiry("checkout"),
    "escrow": lambda p: p.escrow.agreements(1),
}


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize("product", CALLS)
def test_no_error_of_a_read_shows_a_credential(
    product: str, trouble: str, place: Settings, tmp_path: Path
) -> None:
    async def case() -> list[tuple[str, bytes]]:
        with Journal(tmp_path / "journal.sqlite3") as journal:
            async with Provider(place, journal, transport=_wire(trouble)[1]) as shown:
                with pytest.raises(ProviderError) as caught:
                    await CALLS[product](shown)
                parts = [shown, shown.settings, journal, getattr(shown, product)]
                said = [(type(part).__name__, repr(part).encode()) for part in parts]
                return [*said, *_told(caught.value)]

    assert leaks(CANARIES, asyncio.run(case())) == []


def _told(error: BaseException | None) -> Iterator[tuple[str, bytes]]:
    """Give an error and all that led to it: text, repr, fields, the printed trace."""
    while error is not None:
        shown = f"{error} {error!r} {error.args} {vars(error)}"
        trace = "".join(traceback.format_exception(error))
        yield type(error).__name__, f"{shown}\n{trace}".encode()
        hidden = error.__suppress_context__  # `from None`: no trace shows it
        error = error.__cause__ or (None if hidden else error.__context__)


@pytest.mark.parametrize(
    "fault",
    [
        Fault("server_error"),
        Fault("cut"),
        Fault("truncated"),
        Fault("not_json"),
        Fault("rate_limited", seconds=0.01),
    ],
    ids=lambda fault: fault.kind,
)
def test_a_command_that_fails_says_no_credential(fault: Fault, tmp_path: Path) -> None:
    folder = tmp_path / "business"
    folder.mkdir()
    made = _history()
    with serve(made.world, KEYS, faults=Faults(fault)) as running:
        _settings(folder, made, running.base_url)
        environment = os.environ | ENVIRONMENT | {"RECON_HTTP__RETRIES": "0"}
        environment["RECON_CONFIG"] = str(folder / "recon.toml")
        done = subprocess.run(
            [sys.executable, "-m", "recon", "pull", "--full"],
            env=environment,
            capture_output=True,
            check=False,
            timeout=120,
        )
    assert done.returncode == 3, done.stderr
    said = [("said", done.stdout + done.stderr)]
    assert leaks(CANARIES, [*said, *texts(folder)]) == []
