"""No secret of the settings in the answer of a question.

A query may read any file of this machine, the settings among them, and what was stored
before a text became a secret.
"""

from typing import Any

import pyarrow as pa

from recon.api.redaction import Redaction


def without_secrets(found: pa.Table, redaction: Redaction) -> pa.Table:
    """Return an answer in which no secret stands, nor in the names of its columns."""
    columns = [_kept(column, redaction) for column in found.columns]
    names = [redaction.text(name) for name in found.column_names]
    return pa.Table.from_arrays(columns, names)


def _kept(column: pa.ChunkedArray, redaction: Redaction) -> pa.ChunkedArray:
    """Return a column as it is, or with each of its values masked."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not any(_may_stand_in(chunk, redaction) for chunk in column.chunks):
        return column
    values = [_masked(value, redaction) for value in column.to_pylist()]
    return pa.chunked_array([pa.array(values, column.type)])


def _may_stand_in(chunk: pa.Array, redaction: Redaction) -> bool:
    """Look at the bytes of a column, of what is nested in it, too, in one go."""
    if pa.types.is_primitive(chunk.type) or pa.types.is_decimal(chunk.type):
        return False
    parts = (part.to_pybytes() for part in chunk.buffers() if part)
    return any(redaction.masked(part) != part for part in parts)


def _masked(value: Any, redaction: Redaction) -> Any:
    if isinstance(value, str):
        return redaction.text(value)
    if isinstance(value, bytes):
        return redaction.masked(value)
    if isinstance(value, dict):
        return {name: _masked(each, redaction) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_masked(each, redaction) for each in value)
    return value
