"""A night that ends without a report is announced: nobody misses what did not come."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from recon import nightly, notify
from recon.cli.group import run
from recon.errors import (
    CorruptLake,
    ExitCode,
    LakeError,
    LockHeld,
    ProviderError,
    SettingsError,
    UsageError,
)
from recon.lake import Lake
from recon.lake.lock import run_lock
from recon.settings import Business, LakeSettings, Notify, Reports, Secret, Settings


@pytest.mark.parametrize(
    ("error", "mood", "why"),
    [
        (LockHeld("x"), "warning", "another run is at work"),
        (
            CorruptLake("/srv/lake/a.parquet: 09121234567"),
            "failure",
            "a file of the lake is not what was committed; ask `recon doctor`",
        ),
        (
            LakeError("/srv/lake: No space left, 09121234567"),
            "failure",
            "the lake cannot be read or written; ask `recon doctor`",
        ),
        (UsageError("lake.path: it is empty"), "failure", "lake.path: it is empty"),
        (SettingsError("unified.api_key"), "failure", "unified.api_key"),
        (ProviderError("09121234567"), "failure", "an unexpected ProviderError"),
        (KeyError("09121234567"), "failure", "an unexpected KeyError"),
    ],
)
def test_it_says_why_and_nothing_of_persons(
    error: Exception, mood: str, why: str
) -> None:
    sent = notify.failure("acme", error)
    assert sent == notify.Message(
        "recon acme: the night failed",
        f"Nothing was reported: {why}.\n"
        "The reports that are there are those of an earlier run.",
        mood,
    )


def test_after_the_report_was_placed_it_names_it(tmp_path: Path) -> None:
    """It says nothing of an earlier run: what is there is this night's."""
    sent = notify.failure("acme", OSError(28, "09121234567"), tmp_path)
    assert sent == notify.Message(
        "recon acme: the night failed after its report",
        "What follows the report failed: an unexpected OSError.\n"
        f"The report of this night is there: {tmp_path}",
        "failure",
    )
    (tmp_path / "report.html").touch()
    sent = notify.failure("acme", LakeError("x"), tmp_path)
    assert sent.body.endswith(f"is there: {tmp_path / 'report.html'}")


class Library:
    """Stands for the extra: it keeps what is sent."""

    NotifyType = SimpleNamespace(
        FAILURE="failure", WARNING="warning", SUCCESS="success"
    )
    asset = SimpleNamespace(http_redirects=True)

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def Apprise(self) -> "Library":  # noqa: N802 - the library's name
        return self

    def add(self, url: str) -> bool:
        return url != "bad"

    def notify(self, **said: Any) -> bool:
        self.sent.append(said)
        return True


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    found = Library()
    monkeypatch.setattr(notify, "_apprise", lambda: found)
    return found


def settings(folder: Path, *urls: str) -> Settings:
    return Settings(
        business=Business(name="acme"),
        lake=LakeSettings(path=str(folder / "lake")),
        reports=Reports(path=str(folder / "reports")),
        notify=Notify(urls=tuple(map(Secret, urls))),
    )


def test_a_night_that_is_refused_is_announced_once(
    tmp_path: Path, library: Library
) -> None:
    shop = settings(tmp_path, "a")
    lake = Lake(shop.lake_path)
    with run_lock(lake), pytest.raises(LockHeld):
        nightly.run(shop, lake)
    (sent,) = library.sent
    assert sent["title"] == "recon acme: the night failed"
    assert "another run is at work" in sent["body"]
    assert sent["notify_type"] == "warning"


ENDED = """
import os, signal, sys, types
from recon import nightly, notify
from recon.settings import Business, Notify, Settings
from recon.setting_values import Secret

class Library:
    NotifyType = types.SimpleNamespace(FAILURE="failure")
    asset = types.SimpleNamespace(http_redirects=True)
    def Apprise(self): return self
    def add(self, url): return True
    def notify(self, **said):
        print(said["title"], said["body"], sep="\\n", flush=True)
        return True

notify._apprise = Library
shop = Settings(business=Business(name="acme"), notify=Notify(urls=(Secret("a"),)))
number = signal.Signals[sys.argv[1]]
signal.signal(number, signal.SIG_DFL)  # tests that nohup started ignore one of them
with nightly.announced(shop):
    os.kill(os.getpid(), number)
    print("went on")
"""


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (
            signal.SIGTERM,
            "the system ended it (SIGTERM), by a time-out or for a shutdown",
        ),
        (signal.SIGHUP, "the terminal it ran in was closed (SIGHUP)"),
    ],
)
def test_a_night_that_is_ended_from_outside_is_announced_and_ends(
    number: signal.Signals, why: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENDED, number.name],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -number, done.stderr
    assert done.stdout.splitlines()[:2] == [
        "recon acme: the night failed",
        f"Nothing was reported: {why}.",
    ]
    assert "went on" not in done.stdout


def test_a_night_that_outlives_its_terminal_goes_on(
    tmp_path: Path, library: Library
) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with nightly.announced(settings(tmp_path, "a")):
            os.kill(os.getpid(), signal.SIGHUP)
        kept = signal.getsignal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert (kept, library.sent) == (signal.SIG_IGN, [])


def test_whoever_hears_of_its_end_goes_on_to_do_so(
    tmp_path: Path, library: Library
) -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))
    try:
        with nightly.announced(settings(tmp_path, "a")):
            os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (heard, library.sent) == ([signal.SIGTERM], [])


def test_an_address_that_fails_hides_no_error(
    tmp_path: Path, library: Library, caplog: pytest.LogCaptureFixture
) -> None:
    shop = settings(tmp_path, "bad", "a")
    lost = shop.reports_path / "2020-01-01"
    lost.mkdir(parents=True)
    (lost / "summary.json").write_text("{}")
    with pytest.raises(UsageError, match="holds nothing, but"):
        nightly.run(shop, Lake(shop.lake_path))
    assert len(library.sent) == 1
    assert "notify.failed" in caplog.text


def test_without_an_address_nothing_is_sent(tmp_path: Path, library: Library) -> None:
    shop = settings(tmp_path)
    lake = Lake(shop.lake_path)
    with run_lock(lake), pytest.raises(LockHeld):
        nightly.run(shop, lake)
    assert library.sent == []


def test_a_night_that_is_stopped_by_hand_announces_nothing(
    tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(nightly, "pull", stop)
    shop = settings(tmp_path, "a")
    with pytest.raises(KeyboardInterrupt):
        nightly.run(shop, Lake(shop.lake_path))
    assert library.sent == []


def test_what_fails_after_the_report_takes_no_report_back(
    tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(nightly, "compact", full)
    shop = settings(tmp_path, "a")
    with pytest.raises(OSError, match="No space left"):
        nightly.run(shop, Lake(shop.lake_path))
    finished, failed = library.sent
    assert "nothing is known" in finished["title"]
    assert failed["title"] == "recon acme: the night failed after its report"
    (folder,) = shop.reports_path.glob("2*")
    assert f"is there: {folder}" in failed["body"]
    assert "earlier run" not in failed["body"]


def test_what_fails_before_the_report_is_told_as_that(
    tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(nightly, "write", full)
    shop = settings(tmp_path, "a")
    with pytest.raises(OSError, match="No space left"):
        nightly.run(shop, Lake(shop.lake_path))
    (sent,) = library.sent
    assert sent["title"] == "recon acme: the night failed"


BASE = '[business]\nname = "acme"\n[notify]\nurls = ["json://canary-address"]\n'


@pytest.mark.parametrize(
    ("more", "arguments", "told"),
    [
        ('[lake]\npath = "file"\n', [], "/file is not a folder"),
        ('[lake]\nencryption_key = "canary-key"\n', [], "encryption_key: 32 bytes"),
        ('[lake]\npath = "s3://Bucket"\n', [], "lake.path: 'Bucket' is no name"),
        ('[lake]\npath = "s3://id:canary@bucket"\n', [], "without a user name or"),
        ("", ["--as-of", "yesterday"], "--as-of: "),
        ("", ["--as-of", "2999-01-01"], "--as-of: that instant is in the future"),
        ('[unified]\nbase_url = "https://x.test"\n', [], "unified.api_key"),
    ],
)
def test_the_command_announces_whatever_stops_it_once_settings_are_read(
    more: str,
    arguments: list[str],
    told: str,
    tmp_path: Path,
    library: Library,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "file").touch()
    config = tmp_path / "recon.toml"
    config.write_text(BASE + more)
    command = ["nightly", "--config", str(config), *arguments]
    assert run(command) == ExitCode.USAGE
    (sent,) = library.sent
    assert sent["title"] == "recon acme: the night failed"
    assert told in sent["body"]
    assert "canary" not in sent["body"] + capsys.readouterr().err
    assert run([*command, "--dry-run"]) in (ExitCode.USAGE, ExitCode.CLEAN)
    assert len(library.sent) == 1  # a rehearsal announces nothing


def test_settings_that_cannot_be_read_name_nobody_to_tell(
    tmp_path: Path, library: Library
) -> None:
    config = tmp_path / "recon.toml"
    config.write_text(f"{BASE}[checks]\nnothing = 1\n")
    assert run(["nightly", "--config", str(config)]) == ExitCode.USAGE
    assert library.sent == []
