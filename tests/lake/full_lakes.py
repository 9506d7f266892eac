"""A lake with files of every kind, and how to change its records."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import msgspec

from recon.lake import Commit, Lake, commits
from tests.lake.lake_cases import committed, mandate, page

HOUR = timedelta(hours=1)


def full_lake(root: Path) -> Lake:
    """Make three commits: pages, rows and ids; rows without a page; nothing at all."""
    lake = Lake(root)
    with lake.begin("pull", "mandates") as writing:
        number = writing.page(page(b'{"data": [1]}'))
        writing.page(page(b'{"data": [2]}'))
        writing.rows("mandates", [mandate("a", page_no=number), mandate("b")])
        writing.seen("mandates", ["a", "b"])
        writing.commit()
    committed(lake, ["c"], kind="import", source="books")
    with lake.begin("run", "reconcile") as writing:
        writing.commit()
    return lake


def data_file(lake: Lake, folder: str, number: int = 1) -> Path:
    files = lake.commits()[number - 1].files
    return next(lake.root / file.path for file in files if file.folder == folder)


def record(lake: Lake, number: int) -> Path:
    return lake.root / "commits" / f"{number:08d}.json"


def rewrite(path: Path, change: Callable[[dict[str, object]], object]) -> None:
    found = json.loads(path.read_text("utf-8"))
    change(found)
    found["digest"] = commits.sealed(msgspec.convert(found, Commit)).digest
    path.write_bytes(msgspec.json.format(msgspec.json.encode(found)))
