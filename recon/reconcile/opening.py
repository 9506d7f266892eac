"""Opening an engine over a lake as it was known at an instant."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

import pyarrow as pa

from recon.errors import UsageError
from recon.lake import Commit, Lake
from recon.lake.encryption import data_set
from recon.lake.schema import TABLES
from recon.reconcile.engine import Part, RawTable
from recon.reconcile.engines.choosing import AnyEngine, EngineName, spark_engine
from recon.reconcile.engines.duckdb import DuckEngine
from recon.reconcile.given import COMMITS, SEEN_IDS
from recon.settings import Settings

_BUCKETS = "s3://"
_SPARK_BUCKETS = "s3a://"  # the scheme of Hadoop's own client, which Sail knows too


def open_engine(
    lake: Lake,
    settings: Settings,
    as_of: datetime,
    commits: Sequence[Commit],
    engine: EngineName = "duckdb",
) -> AnyEngine:
    """Open an engine over the files of these commits, which are visible as of T.

    Spark reads the files of a bucket where they are; all others are proven whole on
    this machine first. Raises CorruptLake where a committed file is missing or cut,
    UsageError where the engine cannot be reached or cannot read such a lake.
    """
    if engine == "duckdb":
        return DuckEngine.open(lake_tables(lake, commits), settings, as_of)
    if lake.key:
        raise UsageError("--engine spark cannot read a lake with an encryption_key")
    in_bucket = lake.place.startswith(_BUCKETS)
    tables = lake_tables(lake, commits, fetched=not in_bucket)
    address = partial(_object_address, lake) if in_bucket else None
    return spark_engine().open(
        tables, settings, as_of, address=address, stored=_stored_rows(commits)
    )


def _stored_rows(commits: Sequence[Commit]) -> dict[str, int]:
    """Return how many rows the commits wrote of each table that is read from files."""
    rows: Counter[str] = Counter()
    swept: dict[str, int] = {}
    for commit in commits:
        for file in commit.files:
            if file.folder == "records" and file.table in TABLES:
                rows[file.table] += file.rows
            elif file.folder == "seen" and commit.complete and commit.whole:
                swept[file.table] = file.rows
    return {**rows, "seen_ids": sum(swept.values())}


def _object_address(lake: Lake, path: Path) -> str:
    """Return where a Spark endpoint finds a file of a lake in a bucket."""
    place = lake.place.replace(_BUCKETS, _SPARK_BUCKETS, 1)
    return f"{place}/{path.relative_to(lake.root).as_posix()}"


def lake_tables(
    lake: Lake, commits: Sequence[Commit], *, fetched: bool = True
) -> dict[str, RawTable]:
    """Return the files of each table, what the newest sweeps met, and the commits.

    Without `fetched` the files of a bucket are named, and need not be here.
    """
    files: dict[str, list[Path]] = defaultdict(list)
    swept: dict[str, Part] = {}
    read = [
        (commit, file)
        for commit in commits
        for file in commit.files
        if file.folder in ("records", "seen")
    ]
    stored = [file for _, file in read]
    paths = iter(
        lake.fetch(stored) if fetched else [lake.root / file.path for file in stored]
    )
    for commit, file in read:
        path = next(paths)
        if file.folder == "records" and file.table in TABLES:
            files[file.table].append(path)
        elif file.folder == "seen" and commit.complete and commit.whole:
            names = {"source_table": file.table, "pull_id": commit.id}
            swept[file.table] = Part(path, names)
    tables: dict[str, RawTable] = dict(files)
    tables["seen_ids"] = list(swept.values())
    if lake.key:
        tables = _decrypted(lake, files, swept.values())
    tables["commits"] = _commit_table(commits)
    return tables


def _decrypted(
    lake: Lake, files: Mapping[str, Sequence[Path]], swept: Iterable[Part]
) -> dict[str, RawTable]:
    """Return encrypted files as data sets, and the ids of sweeps as rows."""
    tables: dict[str, RawTable] = {
        name: data_set(paths, TABLES[name].schema, lake.key)
        for name, paths in files.items()
    }
    ids = [SEEN_IDS.empty_table()]
    for part in swept:
        rows = lake.read(part.path)
        for name, value in part.fixed.items():
            rows = rows.append_column(name, pa.repeat(pa.scalar(value), len(rows)))
        ids.append(rows.select(SEEN_IDS.names).cast(SEEN_IDS))
    return tables | {"seen_ids": pa.concat_tables(ids)}


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
