"""One Parquet file of a commit while it is written, in row groups of a bounded size."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from recon.lake.columns import table_of
from recon.lake.commits import StoredFile
from recon.lake.encryption import Key
from recon.lake.private_files import make_folder, opened, writable
from recon.lake.verifying import file_hash
from recon.lake.work_queue import WorkQueue

_BUFFERED_ROWS = 2_000  # as mappings, which take much memory
_GROUP_ROWS = 20_000  # as columns, written at once
_BUFFERED_BYTES = 4 * 2**20

_REPEATED = {"pull_id", "seen_at", "page_no", "status", "type", "payment_method"}
"""Columns that are worth a dictionary; most others hold another value in each row."""


class OpenFile:
    """A Parquet file being written; nobody reads it before its commit.

    Groups of rows that fill up on the way are written by `queue`'s thread, which also
    makes columns of them: `to_table` does, of whatever `add` was given.
    """

    def __init__(
        self,
        root: Path,
        path: Path,
        schema: pa.Schema,
        queue: WorkQueue,
        key: Key | None = None,
        to_table: Callable[[Sequence[Any]], pa.Table] | None = None,
    ) -> None:
        self._absolute = root / path
        self._path = path
        self._queue = queue
        self._to_table = to_table or partial(table_of, schema=schema)
        self._rows: list[Any] = []
        self._tables: list[pa.Table] = []
        self._waiting = 0  # rows in these tables
        self._bytes = 0
        self._row_count = 0
        make_folder(self._absolute.parent)
        self._file = opened(self._absolute, "xb")
        repeated = [name for name in schema.names if name in _REPEATED]
        self._writer = pq.ParquetWriter(
            self._file,
            schema,
            compression="zstd",
            use_dictionary=repeated,
            encryption_properties=key and key.for_writing(),
        )

    def add(self, rows: Sequence[Any], size: int) -> None:
        """Add rows, by default as mappings, that hold so many bytes."""
        self._rows.extend(rows)
        self._bytes += size
        if len(self._rows) >= _BUFFERED_ROWS:
            self._to_columns()
        self._flush_if_large()

    def add_table(self, rows: pa.Table) -> None:
        self._to_columns()
        self._tables.append(rows)
        self._waiting += rows.num_rows
        self._flush_if_large()

    def _to_columns(self) -> None:
        """Turn the rows at hand into columns, which are far smaller."""
        if self._rows:
            self._tables.append(self._to_table(self._rows))
            self._waiting += len(self._rows)
            self._rows = []

    def _flush_if_large(self) -> None:
        if self._waiting >= _GROUP_ROWS or self._bytes >= _BUFFERED_BYTES:
            self._queue.put(self._group())

    def _group(self) -> Callable[[], None]:
        """Return the writing of all that waits, as one group."""
        writing = partial(self._write, self._tables, self._rows)
        self._row_count += self._waiting + len(self._rows)
        self._tables, self._rows = [], []
        self._waiting = self._bytes = 0
        return writing

    def _write(self, tables: list[pa.Table], rows: list[Any]) -> None:
        if rows:
            tables.append(self._to_table(rows))
        if tables:
            with writable(self._absolute.parent):
                self._writer.write_table(pa.concat_tables(tables))

    def close(self) -> StoredFile:
        """Write it to its end, after all that its queue holds."""
        self._queue.finish()
        self._group()()
        self._writer.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        return StoredFile(
            folder=self._path.parts[0],
            table=self._path.parts[1],
            path=self._path.as_posix(),
            rows=self._row_count,
            size=self._absolute.stat().st_size,
            sha256=file_hash(self._absolute),
        )

    def discard(self) -> None:
        """Remove it; its queue does nothing any more.

        One that cannot be removed, as where the disk is read-only since, stays as a
        leftover, and hides no error that ended its commit.
        """
        self._rows = []
        self._tables = []
        with suppress(OSError, pa.ArrowException):  # a full disk refuses the footer
            self._writer.close()
        with suppress(OSError):
            self._file.close()
        with suppress(OSError):
            self._absolute.unlink(missing_ok=True)
