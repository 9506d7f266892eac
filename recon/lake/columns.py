"""Columns of the lake from Python values, without what `pyarrow.array` brings along.

`pyarrow.array` imports pandas the first time it sees a list, a third of a second that
a pull has no use for, and it walks every value three times. Values of the types that
fill the lake are joined here instead; every other type goes the usual way. A value of
another type is a TypeError or an OverflowError, never a rounded or converted value.
"""

from array import array
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa

_LONG_BITS = 64
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def table_of(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """Return rows as a table; a column that a row lacks is null there."""
    arrays = [
        array_of([row.get(field.name) for row in rows], field.type) for field in schema
    ]
    return pa.table(arrays, schema=schema)


def array_of(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Return a column; instants are datetimes with a zone or whole microseconds."""
    if pa.types.is_string(kind):
        return texts(values)
    if pa.types.is_binary(kind):
        return _joined(values, kind, b"")
    if pa.types.is_int64(kind) or pa.types.is_int32(kind):
        return _wholes(values, kind)
    if pa.types.is_timestamp(kind) and kind.unit == "us":
        return _instants(values, kind)
    if pa.types.is_list(kind) and None not in values:
        return _lists(values, kind)
    return pa.array(values, type=kind)


def microseconds(moment: datetime | int | None) -> int | None:
    """Return an instant as microseconds since 1970."""
    if isinstance(moment, datetime):
        return (moment - _EPOCH) // _MICROSECOND
    return moment


def texts(values: Sequence[str | None]) -> pa.StringArray:
    """Return a column of texts."""
    try:
        joined, nulls = "".join(values), None  # type: ignore[arg-type]
    except TypeError:  # there is a null among them, or what is no text
        nulls = [value is None for value in values]
        values = [value if value is not None else "" for value in values]
        joined = "".join(values)  # type: ignore[arg-type]
    content = joined.encode()
    if len(content) == len(joined):
        lengths = map(len, values)  # type: ignore[arg-type]
    else:
        lengths = map(len, [value.encode() for value in values if value is not None])
    return _from_parts(pa.string(), lengths, content, nulls, len(values))


def _joined(values: Sequence[Any], kind: pa.DataType, nothing: bytes) -> pa.Array:
    nulls = [value is None for value in values] if None in values else None
    filled = [nothing if value is None else value for value in values]
    return _from_parts(kind, map(len, filled), b"".join(filled), nulls, len(filled))


def _from_parts(
    kind: pa.DataType,
    lengths: Any,
    content: bytes,
    nulls: Sequence[bool] | None,
    count: int,
) -> pa.Array:
    ends = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.fromiter(lengths, dtype=np.int64, count=count), out=ends[1:])
    if len(content) > np.iinfo(np.int32).max:
        raise OverflowError("a column of one file part holds more than 2 GiB of text")
    offsets = pa.py_buffer(ends.astype(np.int32))
    buffers = [_validity(nulls), offsets, pa.py_buffer(content)]
    return pa.Array.from_buffers(kind, count, buffers)


def _wholes(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    code = "q" if kind.bit_width == _LONG_BITS else "i"
    try:
        numbers, nulls = array(code, values), None
    except TypeError:  # there is a null among them, or what is no whole number
        nulls = [value is None for value in values]
        numbers = array(code, [0 if value is None else value for value in values])
    buffers = [_validity(nulls), pa.py_buffer(numbers)]
    return pa.Array.from_buffers(kind, len(values), buffers)


def _instants(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    try:
        return _wholes(values, kind)
    except TypeError:
        return _wholes(list(map(microseconds, values)), kind)


def _lists(values: Sequence[Sequence[Any]], kind: pa.DataType) -> pa.Array:
    inner = array_of([each for value in values for each in value], kind.value_type)
    ends = np.zeros(len(values) + 1, dtype=np.int32)
    np.cumsum(np.fromiter(map(len, values), np.int32, len(values)), out=ends[1:])
    buffers = [None, pa.py_buffer(ends)]
    return pa.Array.from_buffers(kind, len(values), buffers, children=[inner])


def _validity(nulls: Sequence[bool] | None) -> pa.Buffer | None:
    if nulls is None:
        return None
    known = np.logical_not(np.fromiter(nulls, dtype=np.bool_, count=len(nulls)))
    return pa.py_buffer(np.packbits(known, bitorder="little"))
