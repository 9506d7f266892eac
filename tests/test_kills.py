"""A night killed anywhere and started again ends as one that ran through."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from recon import demo
from recon.lake import Lake
from recon.sandbox import history
from recon.sandbox.app import Credentials
from recon.sandbox.server import serve
from tests.night_shop import WITHOUT_PAGE

KILLS = 6


@pytest.fixture(scope="module")
def made() -> history.History:
    return history.generate(5, days=14, daily=60, faults=("all",))


@pytest.fixture
def address(made: history.History) -> Iterator[str]:
    with serve(made.world, Credentials()) as running:
        yield running.base_url


def prepare(folder: Path, made: history.History, base_url: str) -> dict[str, str]:
    folder.mkdir()
    settings = demo._prepare(folder, made, base_url)
    demo._import(made, folder / "imports", settings, Lake(settings.lake_path))
    return os.environ | demo.keys() | {"RECON_CONFIG": str(folder / "recon.toml")}


def pageless(folder: Path, made: history.History, base_url: str) -> dict[str, str]:
    """Prepare a shop whose kills fall into pulling, reconciling and placing reports."""
    environment = prepare(folder, made, base_url)
    with (folder / "recon.toml").open("a") as settings:
        settings.write(WITHOUT_PAGE)
    return environment


def nightly(environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "recon", "nightly", "--json"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def finish(environment: dict[str, str]) -> dict[str, object]:
    done = nightly(environment)
    out, _ = done.communicate(timeout=120)
    assert done.returncode == 1, out
    return json.loads(out)


def figures(folder: Path) -> tuple[bytes, bytes, list[str]]:
    (reports,) = (folder / "data/reports").iterdir()  # and no draft of a killed run
    breaks = (reports / "breaks.csv").read_text("utf-8-sig").splitlines()
    ids = sorted(line.split(",", 1)[0] for line in breaks)
    flows = (reports / "flows.csv").read_bytes()
    return flows, (reports / "failures.csv").read_bytes(), ids


def test_a_killed_night_leaves_nothing_behind(
    made: history.History, address: str, tmp_path: Path
) -> None:
    whole = pageless(tmp_path / "whole", made, address)
    started = time.monotonic()
    finish(whole)
    usual = time.monotonic() - started

    killed = pageless(tmp_path / "killed", made, address)
    chance = random.Random(11)
    for _ in range(KILLS):
        running = nightly(killed)
        time.sleep(chance.uniform(0.2, usual * 0.95))
        running.send_signal(signal.SIGKILL)
        running.communicate()
    finish(killed)

    assert figures(tmp_path / "killed") == figures(tmp_path / "whole")


@pytest.fixture(scope="module")
def twice(
    made: history.History, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[int]]:
    """A shop for which two nights were started at once, and how they ended."""
    folder = tmp_path_factory.mktemp("twice") / "shop"
    with serve(made.world, Credentials()) as running:
        environment = prepare(folder, made, running.base_url)
        both = [nightly(environment), nightly(environment)]
        for each in both:
            each.communicate(timeout=120)
    return folder, sorted(each.returncode for each in both)


def test_two_nights_at_once_give_one_that_waits_for_nobody(
    twice: tuple[Path, list[int]],
) -> None:
    assert twice[1] == [1, 4]


def test_settings_of_the_demo_hold_no_key(twice: tuple[Path, list[int]]) -> None:
    folder, _ = twice
    assert [*folder.glob("data/reports/*/report.html")]
    keys = [key.encode() for key in demo.keys().values()]
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert not [key for key in keys if key in content], path
