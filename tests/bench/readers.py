"""Three ways to read a long list; each is run as a process of its own.

`python -m tests.bench.readers WAY PORT COUNT PER_PAGE CONCURRENCY FOLDER`
"""

import sys
from pathlib import Path

BUSINESS = "tea-house"
_PATH = f"/mpg/v1/business/{BUSINESS}/checkouts"


def drop(port: int, count: int, per_page: int, concurrency: int, _: Path) -> None:
    """Drop every byte, over the same client: what reading costs at least."""
    import asyncio  # noqa: PLC0415 - each way pays for its own imports only

    from recon.api import wire  # noqa: PLC0415
    from recon.settings import Http  # noqa: PLC0415

    address = f"http://127.0.0.1:{port}"

    async def read() -> None:
        client = wire.opened(address, Http(concurrency=concurrency), None)
        pages = iter(range(1, -(-count // per_page) + 1))

        async def work() -> None:
            for page in pages:
                asked = {"page": page, "per_page": per_page}
                await client.get(address + _PATH, params=asked)

        async with client, asyncio.TaskGroup() as group:
            for _ in range(concurrency):
                group.create_task(work())

    asyncio.run(read())


def pull(port: int, count: int, per_page: int, concurrency: int, folder: Path) -> None:
    """Pull them: evidence, proof, typed rows, commit."""
    from recon.lake import Lake  # noqa: PLC0415
    from recon.pull import runner  # noqa: PLC0415
    from recon.settings import (  # noqa: PLC0415
        Business,
        Http,
        Secret,
        Settings,
        Unified,
    )

    settings = Settings(
        business=Business(name=BUSINESS),
        unified=Unified(
            base_url=f"http://127.0.0.1:{port}",
            api_key=Secret("a key of the bench"),
            per_page=per_page,
        ),
        http=Http(concurrency=concurrency),
    )
    (found,) = runner.pull(settings, Lake(folder), ["checkouts"], full=True).sources
    if found.status != "complete" or found.counts.records != count:
        raise SystemExit(f"{found.status}: {found.counts}, {found.error}")


def naive(port: int, count: int, per_page: int, _: int, folder: Path) -> None:
    """Read page after page into a list and flatten it: what a notebook does."""
    import httpx  # noqa: PLC0415
    import pandas as pd  # noqa: PLC0415

    rows = []
    with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        for page in range(1, -(-count // per_page) + 1):
            asked = {"page": page, "per_page": per_page}
            rows += client.get(_PATH, params=asked).json()["data"]
    pd.json_normalize(rows).to_parquet(folder / "checkouts.parquet")


WAYS = {"drop": drop, "pull": pull, "naive": naive}

if __name__ == "__main__":
    way, *numbers, place = sys.argv[1:]
    port, count, per_page, concurrency = map(int, numbers)
    WAYS[way](port, count, per_page, concurrency, Path(place))
