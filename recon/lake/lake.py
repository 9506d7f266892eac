"""The lake's door: begin a commit, list what is visible as of an instant, read it."""

import logging
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from recon import log
from recon.errors import CorruptLake, LakeError, SettingsError, UsageError, unread
from recon.lake.addresses import storage_of
from recon.lake.commits import Commit, CommitLog, StoredFile
from recon.lake.encryption import Key, check_key, for_reading
from recon.lake.folder import Folder
from recon.lake.pages import Page, page_of
from recon.lake.parts import Parts, readings
from recon.lake.schema import PAGES, TABLES
from recon.lake.selection import connected, newest_first, prepare, several, single
from recon.lake.storage import Storage, side_by_side
from recon.lake.voids import standing
from recon.lake.writing import Writing
from recon.settings import Settings

_ROWS_AT_ONCE = 50_000
_ID_TIME = "%Y%m%dT%H%M%S.%fZ"

LEAST_SKEW = timedelta(minutes=1)
"""So far clocks differ anyway, and commits of runs in quick succession go ahead."""


class Lake:
    """A lake in a folder or a bucket; many may read and write it at once, none waits.

    Where a method takes `as_of` (UTC), only commits up to it count. `root` is the local
    folder that files are read from: the lake, or the cache of a bucket.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        storage: Storage | None = None,
        key: Key | None = None,
    ) -> None:
        """Open the lake at a folder, made when it is first written to.

        `Lake.of` opens the lake of some settings, which may be in a bucket.
        """
        if storage is None and "://" in str(path):
            raise UsageError(f"lake.path: {path} is not a folder of this machine")
        self.storage = storage or Folder(Path(path))
        self.root = self.storage.root
        self.place = self.storage.place
        self.key = key
        self._log = CommitLog(self.storage)
        self._legible: set[str] = set()

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Open the lake that the settings name; SettingsError where they are wrong."""
        path = settings.lake_path
        if "://" not in path and Path(path).exists() and not Path(path).is_dir():
            raise SettingsError(f"lake.path: {path} is not a folder")
        return cls(
            path,
            storage=storage_of(settings),
            key=Key.of(settings.lake.encryption_key),
        )

    def clock(self) -> datetime:
        """Return what this machine's clock says."""
        return datetime.now(UTC)

    def now(self) -> datetime:
        """Return the present in whole seconds, never before the newest commit."""
        newest = [commit.committed_at for commit in self._log.all()[-1:]]
        return max([self.clock().replace(microsecond=0), *newest])

    def is_ahead(self, instant: datetime, skew: timedelta | None = None) -> bool:
        """Tell whether an instant is later than this machine's clock.

        With a skew, by more than that and LEAST_SKEW. A commit is so where the clock
        was set back since, or was wrong back then.
        """
        allowed = timedelta() if skew is None else max(skew, LEAST_SKEW)
        return instant > self.clock() + allowed

    def commits(
        self,
        as_of: datetime | None = None,
        *,
        kind: str | None = None,
        source: str | None = None,
    ) -> list[Commit]:
        """Return the visible commits in their order."""
        return [
            commit
            for commit in self._log.all()
            if (as_of is None or commit.committed_at <= as_of)
            and (kind is None or commit.kind == kind)
            and (source is None or commit.source == source)
        ]

    def begin(self, kind: str, source: str) -> Writing:
        """Begin a commit of `kind` (pull, import, run and so on) for a source.

        Raises LakeError where the newest files are encrypted and the key is not theirs.
        """
        self._prove_key()  # before a folder is made that may have been lost
        self.storage.prepare()
        return Writing(
            self.storage,
            self._log,
            pull_id=self._next_id(),
            kind=kind,
            source=source,
            key=self.key,
        )

    def _prove_key(self) -> None:
        """Check the key against the smallest file of the newest commit that has any.

        One that is damaged is none of a writer's business: the next one tells.
        """
        newest = (each for each in reversed(self._log.all()) if each.files)
        for commit in newest:
            with suppress(CorruptLake):
                self.file(min(commit.files, key=lambda file: file.size))
                return

    def files(self, table: str, as_of: datetime | None = None) -> list[Path]:
        """Return the files of a table's versions, in the order of their commits."""
        return self.fetch(
            file
            for commit in standing(self.commits(as_of))
            for file in commit.files_of("records", table)
        )

    def fetch(self, stored: Iterable[StoredFile]) -> list[Path]:
        """Return where committed files are, as `file` does, several at once."""
        return list(side_by_side(self.storage, self.file, stored))

    def file(self, stored: StoredFile) -> Path:
        """Return where a committed file is: a local path, byte for byte as committed.

        Its SHA-256 is checked once in a process and whenever it looks touched; a file
        of a bucket is fetched first. CorruptLake if it is missing, cut or changed,
        LakeError if it is encrypted and the key is not the one.
        """
        path = self.storage.fetch(stored.path, stored.size, stored.sha256)
        if stored.path not in self._legible:
            check_key(path, self.key, f"{self.place}/{stored.path}")
            self._legible.add(stored.path)
        return path

    def read(self, path: Path, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the rows of a file that `file` gave."""
        return _read(path, self.key, columns=columns and list(columns))

    def read_batches(
        self, path: Path, columns: Sequence[str], groups: Sequence[int] = ()
    ) -> Iterator[pa.RecordBatch]:
        """Yield what `read` returns, some thousands of rows at a time.

        One group of rows is read after the other: pyarrow's own batches of a file
        keep all that they read until its end. Of `groups`, if any are given, alone.
        """
        with _opened(path, self.key) as file:
            for group in groups or range(file.num_row_groups):
                rows = file.read_row_group(group, columns=list(columns))
                yield from rows.to_batches(_ROWS_AT_ONCE)

    def group_count(self, path: Path) -> int:
        """Return how many groups of rows a file has that `file` gave."""
        with _opened(path, self.key) as file:
            return int(file.num_row_groups)

    def rows_of(
        self, table: str, stored: Iterable[StoredFile], column: str, values: pa.Array
    ) -> pa.Table:
        """Return the rows of a table's files whose column has one of these values.

        Only groups of rows that have one are read whole, so that a few rows that lie
        together cost little. Raises CorruptLake as `file` and `read` do.
        """
        schema = TABLES[table].schema
        found = [schema.empty_table()]
        wanted = values.cast(schema.field(column).type)
        for path in self.fetch(stored) if len(wanted) else ():
            found += _rows_of(path, column, wanted, self.key)
        rows = pa.concat_tables(found, promote_options="default")
        return rows.select(schema.names).cast(schema)

    def last_whole_sweep(self, table: str) -> tuple[Commit, Path] | None:
        """Return the newest complete sweep of a list whose file of ids is whole."""
        for commit in reversed(self.commits()):
            for file in commit.files_of("seen", table) if commit.complete else ():
                with suppress(CorruptLake):  # whoever may not do without it asks
                    return commit, self.file(file)
        return None

    def versions(self, table: str, as_of: datetime | None = None) -> pa.Table:
        """Return every stored version of a table's rows."""
        schema = TABLES[table].schema
        files = self.files(table, as_of)
        read = [_read(path, self.key, schema=schema) for path in files]
        return pa.concat_tables([schema.empty_table(), *read])

    def current(
        self,
        table: str,
        columns: Sequence[str] | None = None,
        as_of: datetime | None = None,
        *,
        where: str = "true",
    ) -> pa.Table:
        """Return the newest version of each record of a table that has a key.

        `where` is an SQL condition over the table's columns, for those versions.
        """
        wanted = columns or TABLES[table].schema.names
        with self._newest(table, wanted, as_of, where) as found:
            return found.read_all()

    def current_batches(
        self,
        table: str,
        columns: Sequence[str],
        *,
        where: str = "true",
    ) -> Iterator[pa.RecordBatch]:
        """Yield what `current` returns as of now, some thousands of rows at a time."""
        with self._newest(table, columns, None, where) as found:
            yield from found

    @contextmanager
    def _newest(
        self, table: str, columns: Sequence[str], as_of: datetime | None, where: str
    ) -> Iterator[pa.RecordBatchReader]:
        """Open what `current` returns; CorruptLake where a file cannot be read.

        LakeError where neither memory nor disk has room for the search.
        """
        import duckdb  # noqa: PLC0415 - a pull into a new lake has no use for it

        kept = TABLES[table]
        names = kept.schema.names
        parts = self.parts(table, self.commits(as_of))
        compacted, later = self.fetch(parts.compacted), self.fetch(parts.later)
        if kept.is_replaced_whole:  # several rows of a key may stand together
            compacted, later = [], compacted + later
        if not compacted and not later:
            fields = [kept.schema.field(name).with_nullable(True) for name in columns]
            yield pa.RecordBatchReader.from_batches(pa.schema(fields), [])
            return
        newest = f"{several(kept, names)} qualify {newest_first(kept)} = 1"
        versions = f"{single(kept, names)} union all ({newest})"
        chosen = ", ".join(f'"{name}"' for name in columns)
        query = f"select {chosen} from ({versions}) where {where}"
        with connected() as connection:
            try:
                prepare(connection, kept, compacted, later, self.key)
                yield connection.sql(query).to_arrow_reader(_ROWS_AT_ONCE)
            except duckdb.OutOfMemoryException as error:
                raise LakeError(f"records of {table}: {_line(error)}") from None
            except (duckdb.Error, pa.ArrowException) as error:
                what = f"records of {table} are damaged"
                raise unread(f"{what}: {_line(error)}") from None

    def parts(
        self, table: str, commits: Sequence[Commit], *, fetched: bool = True
    ) -> Parts:
        """Return where a table's versions in these commits lie, best for reading.

        A compaction among them that is damaged is passed over: all that it holds is
        in the others themselves. Without `fetched` its files are not looked at.
        """
        *compacted, without = readings(table, commits)
        for parts in compacted:
            try:
                if fetched:
                    self.fetch(parts.compacted + parts.superseded)
            except CorruptLake:
                log.note("compaction.damaged", logging.WARNING, table=table)
            else:
                return parts
        return without

    def page(self, pull_id: str, page_no: int) -> Page:
        """Return a stored body with its circumstances; CorruptLake if it changed."""
        commit = next((c for c in self._log.all() if c.id == pull_id), None)
        stored = [f for f in commit.files if f.folder == "pages"] if commit else []
        for file in stored:
            page = _stored_page(self.file(file), page_no, self.key)
            if page is not None:
                return page
        raise CorruptLake(f"page {page_no} of {pull_id} is not in the lake")

    def pages(self, stored: StoredFile) -> Iterator[Page]:
        """Yield the pages of a file of them, in their order; CorruptLake as `page`."""
        path = self.file(stored)
        for batch in self.read_batches(path, PAGES.names):
            for row in batch.to_pylist():
                yield page_of(row, path)

    def _next_id(self) -> str:
        """Return an id that sorts after every earlier one, clocks notwithstanding."""
        now = datetime.now(UTC)
        commits = self._log.all()
        if commits:
            newest = max(commit.id for commit in commits).rpartition("-")[0]
            last = datetime.strptime(newest, _ID_TIME).replace(tzinfo=UTC)
            now = max(now, last + timedelta(microseconds=1))
        return f"{now.strftime(_ID_TIME)}-{secrets.token_hex(4)}"


def _line(error: Exception) -> str:
    return str(error).partition("\n")[0]


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Raise CorruptLake where a file that was proven cannot be read."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise unread(f"{path}: the file is damaged: {error}") from None


@contextmanager
def _opened(path: Path, key: Key | None) -> Iterator[pq.ParquetFile]:
    with (
        _reading(path),
        pq.ParquetFile(path, decryption_properties=for_reading(key)) as file,
    ):
        yield file


def _read(path: Path, key: Key | None, **how: Any) -> pa.Table:
    with _reading(path):
        return pq.read_table(path, decryption_properties=for_reading(key), **how)


def _rows_of(
    path: Path, column: str, values: pa.Array, key: Key | None
) -> Iterator[pa.Table]:
    """Yield the rows that have one of the values, of each group that has any."""
    import pyarrow.compute as pc  # noqa: PLC0415 - a pull has no use for it

    with _opened(path, key) as file:
        for group in range(file.num_row_groups):
            held = file.read_row_group(group, columns=[column])[column]
            places = pc.indices_nonzero(pc.is_in(held, value_set=values))
            if len(places):
                yield file.read_row_group(group).take(places)


def _stored_page(path: Path, page_no: int, key: Key | None) -> Page | None:
    try:
        found = pq.read_table(
            path,
            filters=[("page_no", "=", page_no)],
            decryption_properties=for_reading(key),
        ).to_pylist()
    except Exception as error:  # noqa: BLE001 - a damaged file raises of every kind
        raise unread(f"{path}: page {page_no} is damaged: {error!r}") from None
    return page_of(found[0], path) if found else None
