"""`make bench`: ratios side by side in one run; machines differ, ratios less.

Each comparison runs its ways in turn (A B A B …), as whole processes where it can.
Nothing here is asserted. All parts take some five minutes on two cores; other sizes
of one are switches of its own module: `python -m tests.bench.pulling --help`.
"""

import argparse
import subprocess
import sys
import tempfile

PARTS = (
    "commands",
    "pulling",
    "nights",
    "reruns",
    "receiver",
    "bank",
    "books",
    "scale",
)


def run(part: str) -> None:
    """Run a part as a process of its own.

    What the system tells of a process's memory begins with that of its parent, which
    therefore stays small.
    """
    with tempfile.TemporaryDirectory() as made:
        more = [made] if part == "scale" else []
        command = [sys.executable, "-m", f"tests.bench.{part}", *more]
        subprocess.run(command, check=True)


def main() -> None:
    """Run the parts that are asked for, or all."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "part", nargs="*", help=f"of {', '.join(PARTS)}; without one, all of them"
    )
    chosen = parser.parse_args().part
    if unknown := [part for part in chosen if part not in PARTS]:
        parser.error(f"there is no part {unknown[0]!r}, only {', '.join(PARTS)}")
    for part in chosen or PARTS:
        run(part)


if __name__ == "__main__":
    main()
