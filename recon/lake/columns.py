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
import numpy.typing as npt
import pyarrow as pa

from recon.lake.schema import INSTANT

_LONG_BITS = 64
_BETWEEN = "\0"  # texts hold it hardly ever
_BETWEEN_BYTES = _BETWEEN.encode()
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
        return _joined(values, kind)
    if pa.types.is_int64(kind) or pa.types.is_int32(kind):
        return _wholes(values, kind)
    if pa.types.is_timestamp(kind) and kind.unit == "us":
        return _instants(values, kind)
    if pa.types.is_list(kind) and None not in values:
        return _lists(values, kind)
    return pa.array(values, type=kind)


def values_of(column: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Return a column's values, instants in microseconds since 1970."""
    if pa.types.is_timestamp(column.type):
        column = column.cast(INSTANT).cast(pa.int64())
    values: list[Any] = column.to_pylist()
    return values


def microseconds(moment: datetime | int | None) -> int | None:
    """Return an instant as microseconds since 1970."""
    if isinstance(moment, datetime):
        return (moment - _EPOCH) // _MICROSECOND
    return moment


def texts(values: Sequence[str | None]) -> pa.StringArray:
    """Return a column of texts."""
    null_count = 0
    try:
        joined = _BETWEEN.join(values)  # type: ignore[arg-type]
    except TypeError:  # there is a null among them, or what is no text
        null_count = values.count(None)
        if not null_count:
            raise
        if null_count == len(values):
            return pa.nulls(null_count, pa.string())
        joined = _BETWEEN.join([value or "" for value in values])
    content = joined.encode()
    ends = _ends_of(content, len(values))
    if ends is None:
        return _joined(values, pa.string())
    known = np.diff(ends) > 0 if null_count else None
    if known is not None and np.count_nonzero(known) + null_count != len(values):
        return _joined(values, pa.string())  # an empty text, or no text at all
    bare = pa.py_buffer(content.replace(_BETWEEN_BYTES, b""))
    buffers = [_bits(known), pa.py_buffer(ends), bare]
    return pa.Array.from_buffers(pa.string(), len(values), buffers)


def repeated(text: str, count: int) -> pa.StringArray:
    """Return a column that holds one text so many times."""
    content = text.encode()
    ends = np.arange(count + 1, dtype=np.int32) * len(content)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(content * count)]
    return pa.Array.from_buffers(pa.string(), count, buffers)


def apart(contents: Sequence[bytes]) -> pa.ChunkedArray:
    """Return a column that holds bytes where they lie: each is a chunk of its own."""
    chunks = []
    for content in contents:
        ends = pa.py_buffer(np.array([0, len(content)], dtype=np.int32))
        buffers = [None, ends, pa.py_buffer(content)]
        chunks.append(pa.Array.from_buffers(pa.binary(), 1, buffers))
    return pa.chunked_array(chunks, pa.binary())


def whole_array(numbers: npt.NDArray[Any], kind: pa.DataType) -> pa.Array:
    """Return whole numbers or microseconds as a column, without nulls."""
    width = np.int64 if kind.bit_width == _LONG_BITS else np.int32
    content = pa.py_buffer(np.ascontiguousarray(numbers, dtype=width))
    return pa.Array.from_buffers(kind, len(numbers), [None, content])


def _ends_of(content: bytes, count: int) -> npt.NDArray[np.int32] | None:
    """Return where texts begin and end once the signs between them are out.

    None where such a sign stands within a text, or the texts are too long.
    """
    if len(content) > np.iinfo(np.int32).max:
        return None
    ends = np.empty(count + 1, dtype=np.int32)
    ends[0], ends[-1] = 0, len(content)
    between = np.flatnonzero(np.frombuffer(content, dtype=np.uint8) == 0)
    if len(between) != count - 1:
        return None
    ends[1:-1] = between
    ends[1:] -= np.arange(count, dtype=np.int32)
    return ends


def _joined(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    nulls = [value is None for value in values] if None in values else None
    filled: Sequence[Any] = values
    if pa.types.is_string(kind):
        texts_only = ["" if value is None else value for value in values]
        "".join(texts_only)  # a TypeError on what is no text
        filled = [value.encode() for value in texts_only]
    elif nulls:
        filled = [b"" if value is None else value for value in values]
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
    return _bits(np.logical_not(np.fromiter(nulls, dtype=np.bool_, count=len(nulls))))


def _bits(known: npt.NDArray[np.bool_] | None) -> pa.Buffer | None:
    if known is None:
        return None
    return pa.py_buffer(np.packbits(known, bitorder="little"))
