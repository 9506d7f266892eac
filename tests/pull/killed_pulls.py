"""A pull in a process of its own that is killed after so many pages.

Run as a program: `killed_pulls FOLDER PAGES`; the checkouts are `long_shop`'s.
"""

import os
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recon.lake import Lake
from recon.pull import runner
from recon.pull.pulling import Tick
from tests.pull.provider_stub import Stub, all_products, checkout

COUNT = 1_205
PAGES = 121
_FIRST = int(datetime.now(UTC).timestamp()) - 40 * 86_400
ROOT = "GET /mpg/v1/business/teahouse/checkouts"


def made(number: int, **changes: Any) -> dict[str, Any]:
    """Return a checkout; the higher its number, the newer, all of the last 40 days."""
    at = _FIRST + number * 2_000
    status = "not_paid" if number == 1_000 else "paid"
    return checkout(number, created_at=at, updated_at=at, status=status) | changes


def long_shop() -> Stub:
    """Return a shop of 121 pages, the newest first."""
    stub = Stub()
    stub.checkouts = [made(number) for number in range(COUNT, 0, -1)]
    return stub


def main(folder: Path, pages: int) -> None:
    """Pull until so many pages have come, then die at once."""

    def die(tick: Tick) -> None:
        if tick.pages >= pages:
            os.kill(os.getpid(), signal.SIGKILL)

    settings = all_products(folder)
    runner.pull(
        settings,
        Lake(settings.lake_path),
        ["checkouts"],
        progress=die,
        transport=long_shop().transport,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
