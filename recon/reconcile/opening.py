"""Opening an engine over a lake as it was known at an instant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

import pyarrow as pa

from recon.errors import UsageError
from recon.lake import Commit, Lake, StoredFile
from recon.lake.addresses import SCHEME
from recon.lake.encryption import Key, data_set
from recon.lake.parts import COMPACTION, Parts
from recon.lake.schema import TABLES
from recon.reconcile.closed_accounts import closed_accounts
from recon.reconcile.engine import Part, RawTable
from recon.reconcile.engines.choosing import AnyEngine, EngineName, spark_engine
from recon.reconcile.engines.duckdb import DuckEngine
from recon.reconcile.given import COMMITS, RAW_SCHEMAS, SEEN_IDS
from recon.settings import Settings

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
    in_bucket = lake.place.startswith(SCHEME)
    here = engine == "duckdb" or not in_bucket
    compactions = lake.commits(as_of, kind=COMPACTION)
    held = _held(lake, [*commits, *compactions], fetched=here)
    if engine == "duckdb":
        tables = _tables(lake, held, commits, fetched=True)
        return DuckEngine.open(tables, settings, as_of)
    if lake.key:
        raise UsageError("--engine spark cannot read a lake with an encryption_key")
    tables = _tables(lake, held, commits, fetched=here)
    address = partial(_object_address, lake) if in_bucket else None
    return spark_engine().open(
        tables, settings, as_of, address=address, stored=_stored_rows(held)
    )


@dataclass(frozen=True)
class _Held:
    """What is read of a lake: each table's parts, and each list's newest sweep."""

    parts: Mapping[str, Parts]
    swept: Mapping[str, tuple[str, StoredFile]]  # with the id of its pull


def _held(lake: Lake, commits: Sequence[Commit], *, fetched: bool) -> _Held:
    parts = {name: lake.parts(name, commits, fetched=fetched) for name in TABLES}
    swept = {
        file.table: (commit.id, file)
        for commit in commits
        if commit.complete and commit.whole
        for file in commit.files
        if file.folder == "seen"
    }
    return _Held(parts, swept)


def _stored_rows(held: _Held) -> dict[str, int]:
    """Return how many rows each table has that is read from files."""
    rows = {
        name: sum(file.rows for file in files)
        for table, parts in held.parts.items()
        for name, files in _named(table, parts)
    }
    return rows | {"seen_ids": sum(file.rows for _, file in held.swept.values())}


def _named(table: str, parts: Parts) -> list[tuple[str, Sequence[StoredFile]]]:
    """Return the files of a table by the name that they are read under."""
    if not parts.made_by:
        return [(table, parts.later)] if parts.later else []
    return [
        (f"{table}_compacted", parts.compacted),
        (f"{table}_superseded", parts.superseded),
        (f"{table}_later", parts.later),
    ]


def _object_address(lake: Lake, path: Path) -> str:
    """Return where a Spark endpoint finds a file of a lake in a bucket."""
    place = lake.place.replace(SCHEME, _SPARK_BUCKETS, 1)
    return f"{place}/{path.relative_to(lake.root).as_posix()}"


def _tables(
    lake: Lake, held: _Held, commits: Sequence[Commit], *, fetched: bool
) -> dict[str, RawTable]:
    """Return the files of each table, and what sweeps and commits say beside them.

    Without `fetched` the files of a bucket are named, and need not be here.
    """
    named = [
        each for table, parts in held.parts.items() for each in _named(table, parts)
    ]
    stored = [file for _, files in named for file in files]
    stored += [file for _, file in held.swept.values()]
    places = (
        lake.fetch(stored) if fetched else [lake.root / file.path for file in stored]
    )
    at = {file.path: place for file, place in zip(stored, places, strict=True)}
    tables: dict[str, RawTable] = {}
    for name, files in named:
        paths = [at[file.path] for file in files]
        tables[name] = table_of(paths, RAW_SCHEMAS[name], lake.key)
    swept = [
        Part(at[file.path], {"source_table": table, "pull_id": pull_id})
        for table, (pull_id, file) in held.swept.items()
    ]
    tables["seen_ids"] = _seen(swept, lake.key) if lake.key and swept else swept
    tables["commits"] = _commit_table(commits)
    tables["closed_accounts"] = closed_accounts(lake, commits)
    return tables


def table_of(paths: Sequence[Path], schema: pa.Schema, key: Key | None) -> RawTable:
    """Return the files of a table as an engine reads them."""
    return data_set(paths, schema, key) if key and paths else paths


def _seen(swept: Sequence[Part], key: Key) -> RawTable:
    """Return the ids of sweeps from files that are encrypted."""
    fixed = [part.fixed for part in swept]
    return data_set([part.path for part in swept], SEEN_IDS, key, fixed)


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
