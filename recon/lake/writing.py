"""Writing one commit: pages and rows go to files that nobody reads until it commits."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Self

import msgspec
import numpy as np
import pyarrow as pa

from recon.lake.columns import microseconds, repeated, texts, values_of
from recon.lake.commits import Commit, CommitLog, StoredFile
from recon.lake.encryption import Key
from recon.lake.open_files import OpenFile
from recon.lake.pages import Page, table_of_pages
from recon.lake.private_files import writable
from recon.lake.schema import CLEARED, PAGES, SEEN_IDS, TABLES
from recon.lake.storage import Storage, file_path
from recon.lake.work_queue import WorkQueue

_ROWS_AT_ONCE = 2_000  # as mappings, which take much memory


def record_hash(values: Sequence[Any]) -> str:
    """Return the hash of a record's own columns, in their order (32 hex digits).

    An instant counts as its microseconds since 1970, as columns hold it.
    """
    plain = [
        microseconds(value) if isinstance(value, datetime) and value.tzinfo else value
        for value in values
    ]
    return hashlib.blake2b(_encode(plain), digest_size=16).hexdigest()


def hash_pair(before: str, now: str) -> str:
    """Return the hash of a record of which earlier releases read less.

    It begins with that of what they read; a colon parts it from that of all columns.
    """
    return f"{before}:{now}"


def record_hashes(columns: Sequence[Sequence[Any]]) -> list[bytes]:
    """Return the hashes of records given as columns, with instants in microseconds.

    Each is the 16 bytes of what `record_hash` gives for the same record.
    """
    hashes = []
    for row in map(_encode, zip(*columns, strict=True)):
        made = _BEGUN.copy()  # cheaper than to begin each anew
        made.update(row)
        hashes.append(made.digest())
    return hashes


def hash_column(hashes: Sequence[bytes]) -> pa.StringArray:
    """Return hashes of 16 bytes as the lake keeps them, in hex."""
    text = pa.py_buffer(b"".join(hashes).hex().encode())
    ends = np.arange(len(hashes) + 1, dtype=np.int32) * 32
    return pa.StringArray.from_buffers(len(hashes), pa.py_buffer(ends), text)


_encode = msgspec.msgpack.Encoder().encode
_BEGUN = hashlib.blake2b(digest_size=16)


class Writing:
    """A commit in the making, a context manager: left without `commit`, it is undone.

    Pages and rows are buffered and written as they come, so memory stays flat.
    """

    def __init__(
        self,
        storage: Storage,
        log: CommitLog,
        *,
        pull_id: str,
        kind: str,
        source: str,
        key: Key | None = None,
    ) -> None:
        self.id = pull_id
        self._storage = storage
        self._root = storage.root
        self._log = log
        self._key = key
        self._kind = kind
        self._source = source
        self._started_at = datetime.now(UTC)
        self._files: dict[tuple[str, str], OpenFile] = {}
        self._queue = WorkQueue()
        self._page_count = 0
        self._committed = False

    @classmethod
    def again(cls, storage: Storage, log: CommitLog, commit: Commit) -> Self:
        """Return the writing of a commit's files once more; no record of it is made."""
        source = commit.source
        return cls(storage, log, pull_id=commit.id, kind=commit.kind, source=source)

    def page(self, page: Page) -> int:
        """Keep a body as evidence; returns its number within this commit, from 1."""
        self._page_count += 1
        file = self._file(
            "pages", self._source, PAGES, partial(table_of_pages, self.id)
        )
        file.add([(self._page_count, page)], len(page.body))
        return self._page_count

    def rows(
        self,
        table: str,
        records: Iterable[Mapping[str, Any]],
        *,
        seen_at: datetime | None = None,
    ) -> int:
        """Add versions to a table; returns how many.

        A record has the table's own columns (absent ones are null), and `page_no` and
        `position` where it came from a page; `seen_at` and `record_hash` are filled in
        where it has none.
        """
        seen = seen_at or datetime.now(UTC)
        count = 0
        left = iter(records)
        while rows := [
            self._row(table, each, seen) for each in islice(left, _ROWS_AT_ONCE)
        ]:
            self._file("records", table, TABLES[table].schema).add(rows, 0)
            count += len(rows)
        return count

    def _row(
        self, table: str, record: Mapping[str, Any], seen: datetime
    ) -> dict[str, Any]:
        own = {name: record.get(name) for name in TABLES[table].columns.names}
        return own | {
            "pull_id": self.id,
            "seen_at": record.get("seen_at") or seen,
            "record_hash": record.get("record_hash") or record_hash(list(own.values())),
            "page_no": record.get("page_no"),
            "position": record.get("position"),
        }

    def table(self, name: str, rows: pa.Table) -> int:
        """Add versions that come as columns; returns how many.

        `rows` has the table's own columns and `seen_at`; `page_no` and `position` are
        null and `record_hash` is worked out where it has none.
        """
        schema = TABLES[name].schema
        given = set(rows.column_names)
        if "record_hash" not in given:
            own = [values_of(rows[column]) for column in TABLES[name].columns.names]
            rows = rows.append_column("record_hash", hash_column(record_hashes(own)))
        count = int(rows.num_rows)
        filled = {"pull_id": repeated(self.id, count)}
        for column in {"page_no", "position"} - given:
            filled[column] = pa.nulls(count, schema.field(column).type)
        columns = [
            filled[column] if column in filled else rows[column]
            for column in schema.names
        ]
        if count:
            stored = pa.table(columns, schema=schema)
            self._file("records", name, schema).add_table(stored)
        return count

    def copies(self, folder: str, table: str, rows: pa.Table) -> None:
        """Add rows of earlier commits as they are, with where each came from."""
        schema = TABLES[table].schema
        columns = [rows[name] for name in schema.names]
        self._file(folder, table, schema).add_table(pa.table(columns, schema=schema))

    def cleared(self, name: str, rows: pa.Table) -> None:
        """Keep what cleared rows come to, as `CLEARED` says."""
        schema = CLEARED[name]
        self._file("cleared", name, schema).add_table(rows.cast(schema))

    def seen(self, table: str, ids: Iterable[str] | pa.StringArray) -> None:
        """Keep the ids that a whole sweep of this list met."""
        column = ids if isinstance(ids, pa.Array) else texts(list(ids))
        found = pa.table([column], schema=SEEN_IDS)
        self._file("seen", table, SEEN_IDS).add_table(found)

    def close(self) -> tuple[StoredFile, ...]:
        """Write every file to its end; nobody reads them before `commit`."""
        return tuple(file.close() for file in self._files.values())

    def commit(
        self,
        *,
        complete: bool = True,
        whole: bool = True,
        error: str | None = None,
        counts: Mapping[str, int] | None = None,
        certificate: Mapping[str, Any] | None = None,
        as_of: datetime | None = None,
        overtakes: Callable[[Commit], bool] = lambda _: False,
    ) -> Commit:
        """Make everything written so far visible at once, durably.

        Overtaken, and all is undone, where a commit that is there `overtakes` it.
        """
        with writable(self._root):
            stored = self.close()
            paths = [file.path for file in stored]
            try:
                self._storage.publish(self.id, paths)
            except BaseException:
                self._storage.withdraw(self.id, paths)
                raise
        # From here on the commit may be visible, even where an interrupt hides it: its
        # files stay, unless it surely is not.
        self._committed = True
        made = Commit(
            id=self.id,
            sequence=0,
            kind=self._kind,
            source=self._source,
            started_at=self._started_at,
            committed_at=self._started_at,
            complete=complete,
            whole=whole,
            error=error,
            counts=dict(counts or {}),
            certificate=dict(certificate or {}),
            as_of=as_of,
            files=stored,
        )
        return self._log.append(made, overtakes, partial(self._withdraw, paths))

    def _withdraw(self, paths: Sequence[str]) -> None:
        """Give the commit up: it is surely not visible."""
        self._storage.withdraw(self.id, paths)
        self._committed = False

    def _file(
        self,
        folder: str,
        table: str,
        schema: pa.Schema,
        to_table: Callable[[Sequence[Any]], pa.Table] | None = None,
    ) -> OpenFile:
        if (folder, table) not in self._files:
            path = Path(file_path(folder, table, self.id))
            with writable(self._root):
                file = OpenFile(
                    self._root, path, schema, self._queue, self._key, to_table
                )
                self._files[folder, table] = file
        return self._files[folder, table]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._queue.close()
        if not self._committed:
            for file in self._files.values():
                file.discard()
