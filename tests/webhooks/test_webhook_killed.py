"""Killed at random under load: what was answered with 200 is in the lake, once."""

import asyncio
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from recon.imports.delivered import take_deliveries
from recon.lake import Lake
from recon.setting_files import load
from tests.bench.receiver import receiver, send

ROUNDS = 3
TAKING = """
import sys
from pathlib import Path
from recon.imports.delivered import take_deliveries
from recon.lake import Lake
from recon.setting_files import load
settings = load(Path(sys.argv[1]))
print("ready", flush=True)
while True:
    take_deliveries(settings, Lake(settings.lake_path))
"""


def taker(config: Path) -> "subprocess.Popen[str]":
    """A process that takes deliveries into the lake, over and over."""
    return subprocess.Popen(
        [sys.executable, "-c", TAKING, str(config)], stdout=subprocess.PIPE, text=True
    )


def kill_after(running: "subprocess.Popen[str]", seconds: float) -> threading.Thread:
    def work() -> None:
        time.sleep(seconds)
        running.send_signal(signal.SIGKILL)

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_every_delivery_answered_with_200_is_in_the_lake_and_none_twice(
    tmp_path: Path,
) -> None:
    chance = random.Random(7)
    config = tmp_path / "recon.toml"
    answered: list[int] = []
    for number in range(ROUNDS):
        with receiver(tmp_path) as (running, port):
            taking = taker(config)
            assert taking.stdout is not None
            assert taking.stdout.readline() == "ready\n"
            killers = [
                kill_after(running, chance.uniform(0.2, 0.6)),
                kill_after(taking, chance.uniform(0.05, 0.6)),
            ]
            numbers = list(range(number * 10_000, number * 10_000 + 5_000))
            answered += asyncio.run(send(port, numbers, 16))
            for killer in killers:
                killer.join()
            assert running.wait(10) == -signal.SIGKILL
            taking.communicate(timeout=10)
    settings = load(config)
    lake = Lake(settings.lake_path)
    take_deliveries(settings, lake)
    stored = Counter(lake.versions("events").column("tracking_code").to_pylist())
    assert len(answered) > ROUNDS * 10
    assert {f"{number:010d}" for number in answered} <= stored.keys()
    assert set(stored.values()) == {1}
    assert len(stored) < ROUNDS * 5_000, "no kill came while deliveries were under way"
