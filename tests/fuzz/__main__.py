"""`python -m tests.fuzz --count N --seed S`: bad input at every door, counted.

An input that does harm is printed with its number and plays again by itself:
`python -m tests.fuzz --target NAME --seed S --first NUMBER --count 1`.
"""

import argparse
import json
import sys
import time
from pathlib import Path

from tests.fuzz.campaign import BY_NAME, run
from tests.fuzz.tries import tried


def main() -> int:
    """Run the campaign and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--target", choices=list(BY_NAME))
    parser.add_argument("--here", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    numbers = range(chosen.first, chosen.first + chosen.count)
    if chosen.here:
        tally = tried(BY_NAME[chosen.target], chosen.here, chosen.seed, numbers)
        told = {
            "outcomes": tally.outcomes,
            "defects": tally.defects,
            "grown_bytes": tally.grown_bytes,
        }
        print(f"\n{json.dumps(told)}")  # a line of its own, whatever was said before
        return 0
    began = time.monotonic()
    names = [chosen.target] if chosen.target else list(BY_NAME)
    tallies = run(names, chosen.seed, chosen.first, chosen.count)
    tried_count = sum(each.count for each in tallies)
    defects = sum(len(each.defects) for each in tallies)
    seconds = time.monotonic() - began
    print(f"{tried_count:,} inputs, {defects} defects, {seconds:,.0f} s")
    return 1 if defects else 0


if __name__ == "__main__":
    sys.exit(main())
