"""What an incremental night costs beside a whole sweep, counted in requests.

A lake gets a long list whole; then some checkouts are new and some are still open.
`python -m tests.bench.nights --known 1000000` is the measure; the default is small.
Wall and CPU seconds and the highest memory are of each pull's own process.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.bench.long_list import SECONDS_APART
from tests.bench.pulling import long_list
from tests.bench.readers import settings_of

PER_PAGE = 100
CONCURRENCY = 16


def pull_once(port: int, folder: Path) -> None:
    """Pull the list into the lake; prints what was asked, as JSON."""
    from recon.lake import Lake  # noqa: PLC0415 - for the process that pulls only
    from recon.pull import runner  # noqa: PLC0415

    settings = settings_of(port, PER_PAGE, CONCURRENCY)
    (found,) = runner.pull(settings, Lake(folder), ["checkouts"]).sources
    said = found.as_dict() | {"reread": found.certificate.get("reread", 0)}
    print(json.dumps(said, default=str))


def told(name: str, port: int, folder: Path) -> dict[str, object]:
    """Pull in a process of its own; print and return what it took."""
    command = [sys.executable, "-m", "tests.bench.nights", "--port", str(port)]
    started = time.perf_counter()
    with subprocess.Popen(
        [*command, "--folder", str(folder)], stdout=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        said = running.stdout.read()
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode:
        raise subprocess.CalledProcessError(running.returncode, command)
    found: dict[str, object] = json.loads(said)
    print(
        f"  {name:12} {found['status']:9} {found['pages']:>7,} requests, "
        f"{found['reread']:,} of them open look-ups; {found['new']:,} new, "
        f"{time.perf_counter() - started:6.1f} s, "
        f"CPU {used.ru_utime + used.ru_stime:6.1f} s, "
        f"{used.ru_maxrss / 1024:4.0f} MB",
        flush=True,
    )
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Pull whole, then a night later, and print the ratio of their requests."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--known", type=int, default=20_000)
    parser.add_argument("--new", type=int, default=0, help="default: a thousandth")
    parser.add_argument("--open", type=int, default=0, help="default: a two-hundredth")
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.port:
        pull_once(chosen.port, chosen.folder)
        return
    new, still_open = (
        chosen.new or chosen.known // 1000,
        chosen.open or (chosen.known // 200),
    )
    print(f"\na night: {chosen.known:,} known, {new:,} new, {still_open:,} open")
    first = int(time.time()) - chosen.known * SECONDS_APART
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with long_list(chosen.known, PER_PAGE, 0, still_open, first) as port:
            whole = told("whole", port, folder)
        with long_list(
            chosen.known + new, PER_PAGE, 0, still_open + new, first
        ) as port:
            night = told("a night", port, folder)
    pages = int(str(night["pages"])) - int(str(night["reread"]))
    share = pages / int(str(whole["pages"]))
    print(f"  requests without the look-ups: {pages:,}, {share:.2%} of a sweep")


if __name__ == "__main__":
    main()
