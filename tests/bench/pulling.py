"""A pull of a long list beside dropping its bytes, and beside the naive loop.

Whole processes, their runs interleaved; wall and CPU seconds are medians, memory is
the highest. `python -m tests.bench.pulling --help` tells the switches: the default is
small, `--count 100000 --per-page 15 100 500 --latency 0 20 100` is the whole table.
"""

import argparse
import compileall
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import recon

NAMES = {
    "drop": "dropping the bytes",
    "pull": "recon pull",
    "naive": "httpx, json_normalize, to_parquet",
    "dlt": "dlt's REST source, its defaults",
    "dlt8": "dlt, pages on 8 threads",
}
RIVALS = ("dlt", "dlt8")
RIVAL_PYTHON = "BENCH_RIVAL_PYTHON"
"""The interpreter that has dlt; else the project's own is tried."""


@dataclass(frozen=True)
class Run:
    """One process: wall and CPU seconds, and its highest memory in MB."""

    wall: float
    cpu: float
    peak: float


@contextmanager
def long_list(count: int, per_page: int, latency: int, *more: int) -> Iterator[int]:
    """Serve a long list from a process of its own; yields its port.

    `more` are further numbers of `long_list`.
    """
    numbers = map(str, [count, per_page, latency, *more])
    command = [sys.executable, "-m", "tests.bench.long_list", *numbers]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            yield int(running.stdout.readline())
        finally:
            running.terminate()


def rival_python() -> str:
    """Return the interpreter that rivals run under."""
    return os.environ.get(RIVAL_PYTHON) or sys.executable


def present(ways: Sequence[str]) -> list[str]:
    """Return the ways that can be run here; says which cannot."""
    if not any(way in RIVALS for way in ways):
        return list(ways)
    tried = [rival_python(), "-c", "import dlt.sources.rest_api, pyarrow"]
    if subprocess.run(tried, capture_output=True, check=False).returncode == 0:
        return list(ways)
    print(f"dlt is skipped: it is not installed ({RIVAL_PYTHON} names a Python)")
    return [way for way in ways if way not in RIVALS]


def measured(way: str, numbers: Sequence[int]) -> Run:
    """Run one way to its end; a run that fails raises CalledProcessError."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = [way, *map(str, numbers), str(Path(folder))]
        python = rival_python() if way in RIVALS else sys.executable
        command = [python, "-m", "tests.bench.readers", *arguments]
        started = time.perf_counter()
        quiet = os.environ | {"RUNTIME__LOG_LEVEL": "CRITICAL"}  # of dlt
        running = subprocess.Popen(command, env=quiet)
        _, status, used = os.wait4(running.pid, 0)
        wall = time.perf_counter() - started
        running.returncode = os.waitstatus_to_exitcode(status)
        if running.returncode:
            raise subprocess.CalledProcessError(running.returncode, command)
    return Run(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def compare(
    count: int,
    per_page: int,
    latency: int,
    *,
    concurrency: int,
    rounds: int,
    ways: Sequence[str],
) -> None:
    """Run the ways in turn and print the medians and their ratios to the pull."""
    print(
        f"\n{count:,} checkouts, {per_page} a page, {latency} ms, {concurrency} at once"
    )
    runs: dict[str, list[Run]] = {way: [] for way in ways}
    with long_list(count, per_page, latency) as port:
        for _ in range(rounds):
            for way in ways:
                numbers = (port, count, per_page, concurrency)
                runs[way].append(measured(way, numbers))
    for way, found in runs.items():
        wall = statistics.median(run.wall for run in found)
        cpu = statistics.median(run.cpu for run in found)
        peak = max(run.peak for run in found)
        line = f"  {NAMES[way]:34} {wall:7.2f} s  CPU {cpu:6.2f} s "
        line += f"{cpu / count * 1e6:6.1f} us each  {peak:5.0f} MB"
        if "pull" in runs and way != "pull":
            pairs = zip(runs["pull"], found, strict=True)
            ratio = statistics.median(pull.wall / other.wall for pull, other in pairs)
            line += f"  pull takes x{ratio:.2f} its time"
        print(line, flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare at every page size and latency that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--per-page", type=int, nargs="+", default=[100])
    parser.add_argument("--latency", type=int, nargs="+", default=[0, 20])
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ways", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--rival-python", help="a Python that has dlt")
    chosen = parser.parse_args(arguments)
    if chosen.rival_python:
        os.environ[RIVAL_PYTHON] = chosen.rival_python
    ways = present(chosen.ways)
    package = Path(recon.__file__).parent
    compileall.compile_dir(package, quiet=1)  # as where it is installed
    for per_page in chosen.per_page:
        for latency in chosen.latency:
            compare(
                chosen.count,
                per_page,
                latency,
                concurrency=chosen.concurrency,
                rounds=chosen.rounds,
                ways=ways,
            )


if __name__ == "__main__":
    main()
