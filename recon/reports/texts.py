"""Columns of text: made of instants, changed text by text, laid one after another."""

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recon.reports.tables import TEXT

_DAY_SECONDS = 86_400
_A_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}

Column: TypeAlias = "pa.StringArray | pa.ChunkedArray"


def changed(
    column: Column, change: Callable[[str], str], among: str = "", besides: str = ""
) -> pa.StringArray:
    """Return a column with each of its distinct texts changed once; null stays null.

    Only texts in which the pattern `among` is found are looked at, where there is one,
    and not those in which `besides` is found.
    """
    plain = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if among:
        runs = pc.run_end_encode(plain)  # neighbours often say the same
        meant = having(runs.values, among, besides)
        before = runs.values.filter(meant)
        after = changed(before, change)
        if after.equals(before):
            return plain
        made = pc.replace_with_mask(runs.values, meant, after)
        run_ends = runs.run_ends
        return pc.run_end_decode(pa.RunEndEncodedArray.from_arrays(run_ends, made))
    encoded = plain.dictionary_encode()
    made = pa.array(map(change, encoded.dictionary.to_pylist()), TEXT)
    return made.take(encoded.indices)


def having(texts: pa.StringArray, pattern: str, besides: str = "") -> pa.BooleanArray:
    """Tell in which texts a pattern is found, and `besides`, if given, is not."""
    among = pc.fill_null(pc.match_substring_regex(texts, pattern), False)
    if not besides:
        return among
    others = pc.invert(pc.match_substring_regex(texts.filter(among), besides))
    return pc.replace_with_mask(among, among, others)


def instants(column: Column) -> pa.StringArray:
    """Return instants as reports write them: `YYYY-MM-DDTHH:MM:SSZ`.

    The clock's part is taken from a list of all seconds of a day: a format function
    takes six times as long, and one that rounds down as long as all of this.
    """
    plain = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    ticks = pc.fill_null(plain.cast(pa.int64()), 0).to_numpy(zero_copy_only=False)
    days, seconds = np.divmod(ticks // _A_SECOND[plain.type.unit], _DAY_SECONDS)
    dates = pa.array(days.astype(np.int32)).cast(pa.date32()).cast(TEXT)
    clock = _clock().take(pa.array(seconds))
    written = pc.binary_join_element_wise(dates, clock, "")
    return pc.if_else(plain.is_valid(), written, None) if plain.null_count else written


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
