"""`recon webhooks` as people and systemd use it."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
import uvicorn

from recon.cli.group import run
from recon.sandbox.server import serve
from recon.sandbox.terms import SANDBOX_KEYS
from recon.webhooks.connections import HEAD_SECONDS
from recon.webhooks.serving import Receiving, bind
from recon.webhooks.signature import sign
from tests.bench.receiver import receiver
from tests.sandbox.small_world import small_world
from tests.webhooks.receiver_cases import BUSINESS, envelope, shop

URL = "https://shop.example/escrow-events"


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    secret = SANDBOX_KEYS.escrow_client_secret
    monkeypatch.setenv("RECON_ESCROW__CLIENT_SECRET", secret)
    with serve(small_world()) as running:
        file = tmp_path / "recon.toml"
        file.write_text(
            f'[business]\nname = "{BUSINESS}"\n'
            f'[escrow]\nbase_url = "{running.base_url}"\n'
            f"client_id = {SANDBOX_KEYS.escrow_client_id}\n"
        )
        yield file


def recon(config: Path, *arguments: str) -> int:
    return run(["--config", str(config), "webhooks", *arguments])


def test_register_list_and_remove(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert recon(config, "list") == 0
    assert capsys.readouterr().out == "no webhooks\n"
    assert recon(config, "register", "--url", URL, "--dry-run") == 0
    assert capsys.readouterr().out == f"would make a webhook: {URL}\n"
    assert recon(config, "register", "--url", URL) == 0
    assert capsys.readouterr().out == f"made webhook 1: {URL}\n"
    assert recon(config, "register", "--url", URL, "--json") == 0
    assert json.loads(capsys.readouterr().out) == [
        {"action": "none", "id": "1", "url": URL, "dry_run": False}
    ]
    assert recon(config, "list", "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["id"], row["missing"], len(row["events"])) == ("1", [], 13)
    assert recon(config, "list") == 0
    assert "none" in capsys.readouterr().out
    assert recon(config, "remove", "1") == 0
    assert capsys.readouterr().out == f"removed webhook 1: {URL}\n"
    assert recon(config, "remove", "1") == 2
    assert "no webhook 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [("register",), ("register", "--url", "http://x.example"), ("remove",), ("none",)],
)
def test_a_mistake_is_one_line(
    config: Path, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert recon(config, *arguments) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_what_stands_before_a_subcommand_is_not_dropped(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wish to write nothing was: the address was registered all the same."""
    assert recon(config, "--dry-run", "register", "--url", URL) == 0
    assert capsys.readouterr().out == f"would make a webhook: {URL}\n"
    assert recon(config, "--port", "9", "list") == 2
    assert "--port: list has no such option" in capsys.readouterr().err


def test_a_dry_run_says_where_and_writes_nothing(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert recon(config, "--dry-run", "--port", "0") == 0
    told = capsys.readouterr().err
    assert "would receive events at http://127.0.0.1:" in told
    assert not (config.parent / "data").exists()


def test_a_port_that_is_taken_is_one_line(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert recon(config, "--port", str(port)) == 2
    assert f"cannot listen at 127.0.0.1:{port}" in capsys.readouterr().err


@pytest.mark.parametrize("host", ["no such host", "203.0.113.9"])
def test_a_host_that_is_not_ours_is_one_line(
    config: Path, host: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert recon(config, "--host", host, "--port", "0") == 2
    assert host in capsys.readouterr().err


def test_a_journal_that_cannot_be_used_is_one_line(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (config.parent / "data/lake").mkdir(parents=True)
    (config.parent / "data/lake/journal.sqlite3").write_text("no database" * 100)
    assert recon(config, "--port", "0") == 3
    assert "journal.sqlite3" in capsys.readouterr().err


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_is_graceful_and_a_success(tmp_path: Path, stop: signal.Signals) -> None:
    with receiver(tmp_path) as (running, port):
        body = envelope()
        address = f"http://127.0.0.1:{port}/"
        headers = {"x-signature": sign(body, BUSINESS)}
        assert httpx.post(address, content=body, headers=headers).status_code == 200
        running.send_signal(stop)
        _, told = running.communicate(timeout=20)
    assert running.returncode == 0
    assert told.endswith("stopped; everything that was answered is stored\n")


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_that_comes_before_the_receiver_answers_is_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: signal.Signals
) -> None:
    def begun(*_: object) -> None:
        signal.raise_signal(stop)

    async def answering(_: uvicorn.Server) -> None:
        pytest.fail("it was told to stop")

    monkeypatch.setattr("recon.webhooks.serving.make_room", begun)
    monkeypatch.setattr(uvicorn.Server, "main_loop", answering)
    receiving = Receiving(shop(tmp_path), bind("127.0.0.1", 0))
    receiving.run()
    assert receiving.is_started


def test_an_older_journal_that_is_put_back_ends_the_receiver(tmp_path: Path) -> None:
    lake = tmp_path / "data/lake"
    body = envelope()
    headers = {"x-signature": sign(body, BUSINESS)}
    with receiver(tmp_path) as (running, port):
        address = f"http://127.0.0.1:{port}/"
        shutil.copytree(lake, tmp_path / "copy")
        assert httpx.post(address, content=body, headers=headers).status_code == 200
        lake.rename(tmp_path / "before")
        assert httpx.post(address, content=body, headers=headers).status_code == 503
        assert running.poll() is None, "what is missing may be put back"
        (tmp_path / "copy").rename(lake)
        answer = httpx.post(address, content=body, headers=headers)
        assert (answer.status_code, "journal" in answer.text) == (503, False)
        _, told = running.communicate(timeout=20)
    assert running.returncode == 2
    journal = lake / "journal.sqlite3"
    assert f"not stored: 1 × {journal} was moved away or removed" in told
    why = f"{journal} was replaced while it was open"
    assert told.endswith(f"\nrecon: {why}: start the receiver again\n")
    with receiver(tmp_path) as (_, port):
        address = f"http://127.0.0.1:{port}/"
        answer = httpx.post(address, content=body, headers=headers)
        assert answer.json() == {"message": "stored"}


def test_help_needs_no_heavy_import() -> None:
    code = (
        "import sys; from recon.cli.webhooks import command;"
        "print([m for m in ('duckdb', 'httpx', 'starlette') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
    )
    assert done.stdout == "[]\n"


def test_connections_without_end_neither_fill_the_log_nor_stop_the_receiver(
    tmp_path: Path,
) -> None:
    """The process may open few files at first; twice the limit are held at most."""
    config = tmp_path / "recon.toml"
    config.write_text(f'[business]\nname = "{BUSINESS}"\n')
    command = f"ulimit -Sn 40; exec {sys.executable} -m recon webhooks --port 0"
    running = subprocess.Popen(
        ["sh", "-c", command],
        stderr=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "RECON_CONFIG": str(config),
            "RECON_LIMITS__WEBHOOK_CONNECTIONS": "20",
        },
    )
    assert running.stderr is not None
    line = next(line for line in running.stderr if "receiving" in line)
    port = int(line.partition("http://127.0.0.1:")[2].partition("/")[0])
    with ExitStack() as stack:
        begun = time.monotonic()
        opened = [
            stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            for _ in range(90)
        ]
        assert all(_is_cut(each, within=30) for each in opened[40:])
        held = not any(_is_cut(each, within=0) for each in opened[:40])
        assert held or time.monotonic() - begun > HEAD_SECONDS / 2  # of a slow machine
    until = time.monotonic() + 30
    while (status := _answer(port)) != 200 and time.monotonic() < until:
        time.sleep(0.1)  # those that were closed are not yet counted out
    running.terminate()
    _, log = running.communicate(timeout=60)
    assert (status, running.returncode) == (200, 0)
    assert "Traceback" not in log


def _answer(port: int) -> int:
    body = envelope()
    signed = {"x-signature": sign(body, BUSINESS)}
    address = f"http://127.0.0.1:{port}/"
    try:
        with httpx.Client(trust_env=False) as client:
            return client.post(address, content=body, headers=signed).status_code
    except httpx.TransportError:
        return 0


def _is_cut(connection: socket.socket, within: float) -> bool:
    connection.settimeout(within)
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True
    except (TimeoutError, BlockingIOError):
        return False
