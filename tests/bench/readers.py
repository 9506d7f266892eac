"""Ways to read a long list; each is run as a process of its own.

`dlt` and `dlt8` need dlt, and may run under another interpreter than the project's:
nothing of the project is imported by them.

`python -m tests.bench.readers WAY PORT COUNT PER_PAGE CONCURRENCY FOLDER`
"""

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recon.settings import Settings

BUSINESS = "tea-house"
_SETTINGS = """\
[business]
name = "{business}"
[lake]
path = "lake"
[unified]
base_url = "http://127.0.0.1:{port}"
per_page = {per_page}
[http]
concurrency = {concurrency}
"""
_CHECKOUTS_WHOLE = ("checkouts", "--full", "--json")
_PATH = f"/mpg/v1/business/{BUSINESS}/checkouts"


def drop(port: int, count: int, per_page: int, concurrency: int, _: Path) -> None:
    """Drop every byte, over the same wire: what reading costs at least."""
    import asyncio  # noqa: PLC0415 - each way pays for its own imports only

    from recon.api import wire  # noqa: PLC0415
    from recon.settings import Http  # noqa: PLC0415

    address = f"http://127.0.0.1:{port}"

    async def read() -> None:
        client = wire.Wire(address, Http(concurrency=concurrency), None)
        pages = iter(range(1, -(-count // per_page) + 1))

        async def work() -> None:
            for page in pages:
                asked = {"page": page, "per_page": per_page}
                request = client.request("GET", address + _PATH, {}, asked, None)
                response = await client.send(request)
                await wire.bounded(response, 2**30)
                await response.aclose()

        async with asyncio.TaskGroup() as group:
            for _ in range(concurrency):
                group.create_task(work())
        await client.aclose()

    asyncio.run(read())


def settings_of(port: int, per_page: int, concurrency: int) -> "Settings":
    """Return the settings of a business whose provider is the long list."""
    from recon.settings import (  # noqa: PLC0415
        Business,
        Http,
        Secret,
        Settings,
        Unified,
    )

    return Settings(
        business=Business(name=BUSINESS),
        unified=Unified(
            base_url=f"http://127.0.0.1:{port}",
            api_key=Secret("a key of the bench"),
            per_page=per_page,
        ),
        http=Http(concurrency=concurrency),
    )


def pull(port: int, count: int, per_page: int, concurrency: int, folder: Path) -> None:
    """Pull them as a user does: evidence, proof, typed rows, commit."""
    from recon.cli import main  # noqa: PLC0415

    file, told = folder / "recon.toml", io.StringIO()
    text = _SETTINGS.format(
        business=BUSINESS, port=port, per_page=per_page, concurrency=concurrency
    )
    file.write_text(text, encoding="utf-8")
    os.environ["RECON_UNIFIED__API_KEY"] = "a key of the bench"
    try:
        with redirect_stdout(told):
            main(["--quiet", "--config", str(file), "pull", *_CHECKOUTS_WHOLE])
    except SystemExit:
        found = json.loads(told.getvalue())["sources"]["checkouts"]
        if found["status"] != "complete" or found["records"] != count:
            raise SystemExit(told.getvalue()) from None
        raise


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


def dlt(port: int, _: int, per_page: int, __: int, folder: Path) -> None:
    """Let dlt's REST source write Parquet, with its own defaults."""
    loader = import_module("dlt")
    source = import_module("dlt.sources.rest_api").rest_api_source(
        {
            "client": {
                "base_url": f"http://127.0.0.1:{port}",
                "paginator": {
                    "type": "page_number",
                    "base_page": 1,
                    "total_path": "meta.last_page",
                },
            },
            "resources": [
                {
                    "name": "checkouts",
                    "endpoint": {
                        "path": _PATH,
                        "params": {"per_page": per_page},
                        "data_selector": "data",
                    },
                }
            ],
        }
    )
    pipeline = loader.pipeline(
        "bench",
        pipelines_dir=str(folder / "state"),
        destination=loader.destinations.filesystem(str(folder / "out")),
        dataset_name="bench",
    )
    pipeline.run(source, loader_file_format="parquet")


def dlt8(port: int, count: int, per_page: int, __: int, folder: Path) -> None:
    """Let dlt fetch the pages on eight threads."""
    loader = import_module("dlt")
    requests = import_module("dlt.sources.helpers.requests")
    os.environ["EXTRACT__WORKERS"] = "8"
    os.environ["EXTRACT__MAX_PARALLEL_ITEMS"] = "20"

    def numbers() -> Iterator[int]:
        yield from range(1, -(-count // per_page) + 1)

    def fetched(page: int) -> Iterator[list[object]]:
        asked = {"page": page, "per_page": per_page}
        address = f"http://127.0.0.1:{port}{_PATH}"
        yield requests.get(address, params=asked).json()["data"]

    every = loader.resource(numbers, name="numbers", selected=False)
    pages = loader.transformer(
        fetched, data_from=every, parallelized=True, name="checkouts"
    )
    pipeline = loader.pipeline(
        "bench",
        pipelines_dir=str(folder / "state"),
        destination=loader.destinations.filesystem(str(folder / "out")),
        dataset_name="bench",
    )
    pipeline.run(pages, loader_file_format="parquet")


WAYS = {"drop": drop, "pull": pull, "naive": naive, "dlt": dlt, "dlt8": dlt8}

if __name__ == "__main__":
    way, *numbers, place = sys.argv[1:]
    port, count, per_page, concurrency = map(int, numbers)
    WAYS[way](port, count, per_page, concurrency, Path(place))
