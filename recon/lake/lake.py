"""The lake's door: begin a commit, list what is visible as of an instant, read it."""

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from recon.errors import CorruptLake, LakeError, UsageError
from recon.lake.commits import Commit, CommitLog, StoredFile
from recon.lake.pages import Page
from recon.lake.schema import TABLES
from recon.lake.writing import Writing

_ID_TIME = "%Y%m%dT%H%M%S.%fZ"


class Lake:
    """A lake in a folder; many may read and write it at once, none waits.

    Every reading method takes `as_of` (UTC): only commits up to it count.
    """

    def __init__(self, path: str | Path) -> None:
        """Open the lake at a folder, made when it is first written to."""
        if "://" in str(path):
            raise UsageError(f"lake.path: {path} is not a folder of this machine")
        self.root = Path(path)
        self._log = CommitLog(self.root / "commits")

    def now(self) -> datetime:
        """Return the present in whole seconds, never before the newest commit."""
        commits = self._log.all()
        present = datetime.now(UTC).replace(microsecond=0)
        return max([present, *(commit.committed_at for commit in commits[-1:])])

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
        """Begin a commit of `kind` (pull, import, run, decision) for a source."""
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            (self.root / "commits").mkdir(exist_ok=True, mode=0o700)
        except OSError as error:
            raise LakeError(f"{self.root} cannot be written: {error}") from None
        pull_id = self._next_id()
        return Writing(self.root, self._log, pull_id=pull_id, kind=kind, source=source)

    def files(
        self, table: str, as_of: datetime | None = None, *, folder: str = "records"
    ) -> list[Path]:
        """Return the files of a table's versions, in the order of their commits."""
        return [
            self.file(file)
            for commit in self.commits(as_of)
            for file in commit.files
            if file.folder == folder and file.table == table
        ]

    def file(self, stored: StoredFile) -> Path:
        """Return where a committed file is; CorruptLake if it is missing or cut."""
        path = self.root / stored.path
        try:
            size = path.stat().st_size
        except OSError:
            raise CorruptLake(f"{path}: a committed file is missing") from None
        if size != stored.size:
            raise CorruptLake(
                f"{path}: a committed file has {size} bytes instead of {stored.size}"
            )
        return path

    def last_whole_sweep(
        self, table: str, as_of: datetime | None = None
    ) -> tuple[Commit, Path] | None:
        """Return the newest complete sweep of a list and the file of ids it met."""
        for commit in reversed(self.commits(as_of)):
            for file in commit.files:
                if file.folder == "seen" and file.table == table and commit.complete:
                    return commit, self.file(file)
        return None

    def versions(self, table: str, as_of: datetime | None = None) -> pa.Table:
        """Return every stored version of a table's rows."""
        schema = TABLES[table].schema
        read = [_read_rows(path, schema) for path in self.files(table, as_of)]
        return pa.concat_tables([schema.empty_table(), *read])

    def current(
        self,
        table: str,
        columns: Sequence[str] | None = None,
        as_of: datetime | None = None,
    ) -> pa.Table:
        """Return the newest version of each record of a table that has a key."""
        wanted = ", ".join(
            f'"{name}"' for name in columns or TABLES[table].schema.names
        )
        key = ", ".join(f'"{name}"' for name in TABLES[table].key)
        paths = [str(path) for path in self.files(table, as_of)]
        if not paths:
            empty = TABLES[table].schema.empty_table()
            return empty.select(list(columns)) if columns else empty
        query = (
            f"select {wanted} from read_parquet(?, union_by_name = true) "
            f"qualify row_number() over (partition by {key} "
            "order by pull_id desc, page_no desc, position desc) = 1"
        )
        with duckdb.connect() as connection:
            connection.execute("set TimeZone = 'UTC'")
            try:
                return connection.sql(query, params=[paths]).to_arrow_table()
            except duckdb.Error as error:
                line = str(error).partition("\n")[0]
                raise CorruptLake(f"records of {table} are damaged: {line}") from None

    def page(self, pull_id: str, page_no: int) -> Page:
        """Return a stored body with its circumstances; CorruptLake if it changed."""
        commit = next((c for c in self._log.all() if c.id == pull_id), None)
        stored = [f for f in commit.files if f.folder == "pages"] if commit else []
        for file in stored:
            page = _stored_page(self.root / file.path, page_no)
            if page is not None:
                return page
        raise CorruptLake(f"page {page_no} of {pull_id} is not in the lake")

    def _next_id(self) -> str:
        """Return an id that sorts after every earlier one, clocks notwithstanding."""
        now = datetime.now(UTC)
        commits = self._log.all()
        if commits:
            newest = max(commit.id for commit in commits).rpartition("-")[0]
            last = datetime.strptime(newest, _ID_TIME).replace(tzinfo=UTC)
            now = max(now, last + timedelta(microseconds=1))
        return f"{now.strftime(_ID_TIME)}-{secrets.token_hex(4)}"


def _read_rows(path: Path, schema: pa.Schema) -> pa.Table:
    try:
        return pq.read_table(path, schema=schema)
    except (pa.ArrowException, OSError) as error:
        raise CorruptLake(f"{path}: the file is damaged: {error}") from None


def _stored_page(path: Path, page_no: int) -> Page | None:
    try:
        found = pq.read_table(path, filters=[("page_no", "=", page_no)]).to_pylist()
        if not found:
            return None
        row = found[0]
        page = Page(
            method=row["method"],
            url=row["url"],
            status=row["status"],
            headers=msgspec.json.decode(row["headers"]),
            received_at=row["received_at"],
            body=row["body"],
        )
        intact = page.sha256 == row["sha256"]
    except Exception as error:  # noqa: BLE001 - a damaged file raises of every kind
        raise CorruptLake(f"{path}: page {page_no} is damaged: {error!r}") from None
    if not intact:
        raise CorruptLake(f"{path}: page {page_no} is damaged: its hash is another")
    return page
