"""Every door of the program that takes input, and running any number of bad inputs.

A target runs in a process of its own, so a crash of a library is seen as one.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz import file_targets, provider_targets, text_targets, webhook_targets
from tests.fuzz.tries import Tally, Target, tried

TARGETS = (
    Target("settings files", 130, text_targets.settings_files),
    Target("environment", 100, text_targets.environments),
    Target("periods, times, sizes", 170, text_targets.values),
    Target("CSV", 80, file_targets.importing(".csv")),
    Target("JSON lines", 80, file_targets.importing(".jsonl")),
    Target("Excel", 20, file_targets.importing(".xlsx")),
    Target("Parquet", 50, file_targets.importing(".parquet")),
    Target("camt.053", 40, file_targets.importing(".xml")),
    Target("MT940", 40, file_targets.importing(".mt940")),
    Target("decision files", 40, file_targets.decisions),
    Target("audit packs", 40, file_targets.audit_packs),
    Target("bodies of endpoints", 100, provider_targets.bodies),
    Target("answers with heads and packing", 30, provider_targets.exchanges),
    Target("walks of lists", 15, provider_targets.list_walks),
    Target("pulls", 3, provider_targets.pulls),
    Target("webhook deliveries", 40, webhook_targets.deliveries),
    Target("webhook requests", 12, webhook_targets.requests),
    Target("command lines", 10, text_targets.command_lines),
)
"""The shares are of a thousand inputs."""

BY_NAME = {target.name: target for target in TARGETS}


def shares(count: int) -> dict[str, int]:
    """Return how many of so many inputs each target gets; each gets one at least."""
    return {each.name: max(1, round(count * each.share / 1000)) for each in TARGETS}


def alone(name: str, seed: int, numbers: range) -> Tally:
    """Try inputs of one target in this process."""
    with tempfile.TemporaryDirectory() as folder:
        return tried(BY_NAME[name], Path(folder), seed, numbers)


def apart(name: str, seed: int, numbers: range) -> Tally:
    """Try inputs of one target in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["--target", name, "--seed", str(seed), "--first", str(numbers.start)]
        words += ["--count", str(len(numbers)), "--here", folder]
        done = subprocess.run(
            [sys.executable, "-m", "tests.fuzz", *words],
            capture_output=True,
            check=False,
        )
        tally = Tally(name, seed)
        try:
            said = json.loads(done.stdout.splitlines()[-1])
        except (IndexError, ValueError):
            last = Path(folder) / "number"
            number = last.read_text() if last.is_file() else "before the first"
            tail = done.stderr.decode(errors="replace")[-600:]
            tally.defects.append(
                f"input {number}: the process ended with {done.returncode}: {tail}"
            )
            tally.outcomes["defect"] += 1
            return tally
        tally.outcomes = Counter(said["outcomes"])
        tally.defects = said["defects"]
        tally.grown_bytes = said["grown_bytes"]
        return tally


def run(names: Sequence[str], seed: int, first: int, count: int) -> list[Tally]:
    """Run a campaign over targets and print its figures as they come."""
    tallies = []
    for name in names:
        number = shares(count)[name] if len(names) > 1 else count
        began = time.monotonic()
        tally = apart(name, seed, range(first, first + number))
        tallies.append(tally)
        print(_row(tally, time.monotonic() - began), flush=True)
        for defect in tally.defects:
            print(f"    {defect}", flush=True)
    return tallies


def _row(tally: Tally, seconds: float) -> str:
    found = tally.outcomes
    return (
        f"{tally.target:32} {tally.count:9,} inputs {found['taken']:8,} taken "
        f"{found['refused']:9,} refused {len(tally.defects):4} defects "
        f"{tally.grown_bytes / 2**20:6.0f} MiB more {seconds:7.0f} s"
    )
