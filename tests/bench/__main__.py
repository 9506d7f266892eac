"""`make bench`: ratios side by side in one run; machines differ, ratios less.

Each comparison runs its commands in turn (A B A B …) as whole processes and prints
the median of each and of their ratios. Nothing here is asserted.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench import bank, books, nights, pulling, receiver, scale

ROUNDS = 7
PYTHON = sys.executable


@dataclass(frozen=True)
class Contender:
    """One command of a comparison."""

    name: str
    command: Sequence[str]


BOOKS_ROWS = 1_000_000
SCALE_PAYMENTS = 1_000_000  # more by `python -m tests.bench.scale FOLDER PAYMENTS …`

COMPARISONS = {
    "recon --help (to stay under 150 ms)": (
        Contender("recon --help", [PYTHON, "-m", "recon", "--help"]),
        Contender("bare interpreter", [PYTHON, "-c", "pass"]),
        Contender(
            "importing the stack", [PYTHON, "-c", "import pandas, duckdb, httpx"]
        ),
    ),
}


def seconds(command: Sequence[str]) -> float:
    """Run a command to its end and return its wall time."""
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def compare(title: str, contenders: Sequence[Contender]) -> None:
    """Run a comparison and print it, the first contender being the measure."""
    times: dict[str, list[float]] = {each.name: [] for each in contenders}
    for each in contenders:
        seconds(each.command)
    for _ in range(ROUNDS):
        for each in contenders:
            times[each.name].append(seconds(each.command))
    print(f"\n{title}")
    first = times[contenders[0].name]
    for name, measured in times.items():
        ratios = [one / base for one, base in zip(measured, first, strict=True)]
        median = statistics.median(measured)
        print(f"  {name:24} {median * 1000:8.0f} ms  x{statistics.median(ratios):.2f}")


for heading, group in COMPARISONS.items():
    compare(heading, group)

pulling.main([])
nights.main([])
receiver.main()
bank.main()
books.main(BOOKS_ROWS)
with tempfile.TemporaryDirectory() as made:
    scale.compare(Path(made), [SCALE_PAYMENTS])
