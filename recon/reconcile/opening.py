"""Opening an engine over a lake as it was known at an instant."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pyarrow as pa

from recon.lake import Commit, Lake
from recon.lake.schema import TABLES
from recon.reconcile.engine import Part, RawTable
from recon.reconcile.engines import DuckEngine
from recon.reconcile.given import COMMITS
from recon.settings import Settings


def open_engine(
    lake: Lake, settings: Settings, as_of: datetime, commits: Sequence[Commit]
) -> DuckEngine:
    """Open the engine over the files of these commits, which are visible as of T.

    Raises CorruptLake where a committed file is missing or cut.
    """
    return DuckEngine.open(lake_tables(lake, commits), settings, as_of)


def lake_tables(lake: Lake, commits: Sequence[Commit]) -> dict[str, RawTable]:
    """Return the files of each table, what the newest sweeps met, and the commits."""
    files: dict[str, list[Path | Part]] = defaultdict(list)
    swept: dict[str, Part] = {}
    read = [
        (commit, file)
        for commit in commits
        for file in commit.files
        if file.folder in ("records", "seen")
    ]
    paths = iter(lake.fetch(file for _, file in read))
    for commit, file in read:
        path = next(paths)
        if file.folder == "records" and file.table in TABLES:
            files[file.table].append(path)
        elif file.folder == "seen" and commit.complete and commit.whole:
            names = {"source_table": file.table, "pull_id": commit.id}
            swept[file.table] = Part(path, names)
    tables: dict[str, RawTable] = dict(files)
    tables["seen_ids"] = list(swept.values())
    tables["commits"] = _commit_table(commits)
    return tables


def _commit_table(commits: Sequence[Commit]) -> pa.Table:
    rows = [
        {
            "pull_id": commit.id,
            **{
                name: getattr(commit, name)
                for name in COMMITS.names
                if name != "pull_id"
            },
        }
        for commit in commits
    ]
    return pa.Table.from_pylist(rows, COMMITS)
