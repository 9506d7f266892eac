"""Columns of text: made of instants, changed text by text, laid one after another."""

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recon.reports.tables import TEXT

_DAY_SECONDS = 86_400

Column: TypeAlias = "pa.StringArray | pa.ChunkedArray"


def changed(
    column: Column, change: Callable[[str], str], among: str = ""
) -> pa.StringArray:
    """Return a column with each of its distinct texts changed once; null stays null.

    Only texts in which the pattern `among` is found are looked at, where there is one.
    """
    plain = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if among:
        meant = pc.fill_null(pc.match_substring_regex(plain, among), False)
        if not pc.any(meant).as_py():
            return plain
        made = changed(plain.filter(meant), change)
        return pc.replace_with_mask(plain, meant, made)
    encoded = plain.dictionary_encode()
    made = pa.array(map(change, encoded.dictionary.to_pylist()), TEXT)
    return made.take(encoded.indices)


def instants(column: Column) -> pa.StringArray:
    """Return instants as reports write them: `YYYY-MM-DDTHH:MM:SSZ`.

    The clock's part is taken from a list of all seconds of a day: a format function
    takes six times as long.
    """
    plain = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    whole = pc.floor_temporal(plain, unit="second")  # a cast would go towards 1970
    seconds = whole.cast(pa.timestamp("s", "UTC"))
    days = seconds.cast(pa.date32(), safe=False)
    midnights = pc.multiply(days.cast(pa.int32()).cast(pa.int64()), _DAY_SECONDS)
    clock = _clock().take(pc.subtract(seconds.cast(pa.int64()), midnights))
    return pc.binary_join_element_wise(days.cast(TEXT), clock, "")


@cache
def _clock() -> pa.StringArray:
    seconds = pa.array(range(_DAY_SECONDS), pa.timestamp("s", "UTC"))
    return pc.strftime(seconds, "T%H:%M:%SZ")


def joined(texts: pa.StringArray) -> bytes:
    """Return texts, none of which is null, one after another as UTF-8."""
    _, offsets, data = texts.buffers()
    if not len(texts) or data is None:
        return b""
    ends = np.frombuffer(offsets, np.int32)[[texts.offset, texts.offset + len(texts)]]
    return bytes(memoryview(data)[ends[0] : ends[1]])
