"""Parquet: its column names are the header; integers and decimals stay exact."""

import datetime as dt
import math
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, BinaryIO

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from recon.imports.formats.excel import typed_cell
from recon.imports.formats.rows import (
    Cell,
    NoText,
    Refusal,
    Row,
    Sheet,
    UnclearTime,
    header_names,
    typed_number,
)

_BATCH_ROWS = 10_000
_MAX_GROUP_BYTES = 2**30
_OLD_TIMES = "INT96"
_NO_ZONE = (
    "is a time of the kind INT96, in UTC or in the writer's own: write the column as "
    "timestamps with a zone"
)
_UNREADABLE = (pa.ArrowException, ValueError, OverflowError)
_FIRST_ROUNDED = {pa.float16(): 2**11, pa.float32(): 2**24}  # whole numbers


def read(file: BinaryIO) -> Sheet:
    """Read a Parquet file; a row's line is its number, from 1."""
    found = opened(file)
    names = found.schema_arrow.names
    header = header_names(names, 1)
    if header != tuple(names):
        raise Refusal("a column's name is empty or has spaces around it")
    return Sheet(header, _rows(found, header))


def opened(file: BinaryIO) -> pq.ParquetFile:
    """Open a Parquet file; Refusal where it is damaged, or its parts are too large."""
    try:
        found = pq.ParquetFile(file)
        groups = range(found.metadata.num_row_groups)
        largest = max(
            (found.metadata.row_group(at).total_byte_size for at in groups), default=0
        )
    except Exception as error:  # noqa: BLE001 - damaged files raise of every kind
        raise _damaged(error) from None
    if largest > _MAX_GROUP_BYTES:
        raise Refusal("has a row group of more than 1 GiB; write smaller ones")
    return found


def _damaged(error: Exception) -> Refusal:
    reason = " ".join(str(error).split())[:200]
    return Refusal(f"cannot be read as Parquet: {reason}")


def _rows(found: pq.ParquetFile, header: tuple[str, ...]) -> Iterator[Row]:
    batches = found.iter_batches(batch_size=_BATCH_ROWS)
    unclear = _unclear(found)
    line = 0
    while True:
        try:
            batch = next(batches, None)
        except Exception as error:  # noqa: BLE001 - damaged files raise of every kind
            raise _damaged(error) from None
        if batch is None:
            return
        columns = [
            _cells(column, name, line)
            for name, column in zip(header, batch.columns, strict=True)
        ]
        for at in unclear:
            columns[at] = [_of_no_zone(cell) for cell in columns[at]]
        for cells in zip(*columns, strict=True):
            line += 1
            yield Row(line, header, cells)


def _unclear(found: pq.ParquetFile) -> list[int]:
    """Return which columns are times of the old kind, and say no zone."""
    leaves = map(found.schema.column, range(len(found.schema)))
    old = {leaf.path for leaf in leaves if leaf.physical_type == _OLD_TIMES}
    return [at for at, name in enumerate(found.schema_arrow.names) if name in old]


def _of_no_zone(cell: Cell) -> Cell:
    return UnclearTime.of(cell, _NO_ZONE) if isinstance(cell, dt.datetime) else cell


def _cells(column: Any, name: str, before: int) -> list[Cell]:
    """Return a column's cells; `before` is how many rows precede it in the file."""
    try:
        plain = _plain(column)
        values = plain.to_pylist()
    except _UNREADABLE as error:
        reason = " ".join(str(error).split())[:200]
        line = before + _first_unreadable(column) + 1
        raise Refusal(f"cannot be read: {reason}", line=line, column=name) from None
    rounded = _FIRST_ROUNDED.get(plain.type, math.inf)
    found: list[Cell] = []
    for value in values:
        try:
            found.append(_cell(_unless_rounded(value, rounded)))
        except ValueError as error:
            line = before + len(found) + 1
            raise Refusal(str(error), line=line, column=name) from None
    return found


def _first_unreadable(column: Any) -> int:
    """Return the place of the first cell that cannot be read alone; 0 if all can."""
    for at in range(len(column)):
        try:
            _plain(column.slice(at, 1)).to_pylist()
        except _UNREADABLE:
            return at
    return 0


def _plain(column: Any) -> Any:
    """Bring a column to a type whose Python values are exact."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _plain(column.dictionary_decode())
    if pa.types.is_integer(kind):
        return column.cast(pa.string())
    if pa.types.is_timestamp(kind):
        to = pa.timestamp("us", "UTC" if kind.tz else None)
        return column.cast(options=pc.CastOptions(to, allow_time_truncate=True))
    return column


def _unless_rounded(value: Any, rounded: float) -> Any:
    """Return a value, but a float from `rounded` on as no amount or id is written.

    It is not the number that was meant, and so refused where one is read.
    """
    if isinstance(value, float) and rounded <= abs(value) < math.inf:
        return f"{value:.8e}"
    return value


def _cell(value: Any) -> Cell:
    match value:
        case None | str():
            return value or ""
        case bytes():
            try:
                return value.decode()
            except UnicodeDecodeError:
                raise ValueError("holds bytes that are no UTF-8 text") from None
        case list() | dict() | tuple():
            return NoText(msgspec.json.encode(value, enc_hook=str).decode())
        case int() | float() | dt.date():
            return typed_cell(value)
        case Decimal():
            return typed_number(format(value, "f"))
        case _:
            return str(value)
