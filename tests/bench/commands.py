"""How fast the command line answers, beside what it takes at the least.

Whole processes in turn (A B A B …): the median of each, and of their ratios.
"""

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

ROUNDS = 7
PYTHON = sys.executable


@dataclass(frozen=True)
class Contender:
    """One command of a comparison."""

    name: str
    command: Sequence[str]


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


def main() -> None:
    """Print every comparison."""
    for heading, group in COMPARISONS.items():
        compare(heading, group)


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    main()
