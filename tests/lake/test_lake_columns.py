"""Columns made from values are those that Arrow itself would make, or are refused."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.lake.columns import apart, array_of, repeated, table_of, whole_array
from recon.lake.schema import INSTANT

TEXTS = pa.list_(pa.string())
WHOLES = st.integers(-(2**63), 2**63 - 1)
TEXT = st.text(st.characters(codec="utf-8"), max_size=5)
MOMENTS = st.datetimes(timezones=st.just(UTC))


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pa.string(), TEXT),
        (pa.binary(), st.binary(max_size=5)),
        (pa.int64(), WHOLES),
        (pa.int32(), st.integers(-(2**31), 2**31 - 1)),
        (INSTANT, MOMENTS),
        (pa.bool_(), st.booleans()),
        (TEXTS, st.lists(st.none() | TEXT, max_size=3)),
    ],
    ids=str,
)
def test_a_column_is_the_one_that_arrow_makes(
    kind: pa.DataType, values: st.SearchStrategy[Any]
) -> None:
    @settings(max_examples=40)
    @given(st.lists(st.none() | values, max_size=20))
    def check(column: list[Any]) -> None:
        made = array_of(column, kind)
        made.validate(full=True)
        assert made.equals(pa.array(column, type=kind))
        assert made.to_pylist() == column

    check()


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (1.5, pa.int64()),
        ("1", pa.int64()),
        (2**63, pa.int64()),
        (2**31, pa.int32()),
        (1, pa.string()),
        (b"a", pa.string()),
        (0, pa.string()),
        (False, pa.string()),
        (b"", pa.string()),
        ("a", pa.binary()),
        ("now", INSTANT),
    ],
    ids=str,
)
def test_a_value_of_another_type_is_refused(value: Any, kind: pa.DataType) -> None:
    for column in ([value], [None, value], [value, *[None] * 3]):
        with pytest.raises((TypeError, OverflowError)):
            array_of(column, kind)


def test_an_instant_of_any_zone_is_utc_and_microseconds_stay() -> None:
    tehran = timezone(timedelta(hours=3, minutes=30))
    moment = datetime(2026, 1, 1, 3, 30, 0, 7, tzinfo=tehran)
    found = array_of([moment, 1, None], INSTANT).to_pylist()
    assert found[0] == datetime(2026, 1, 1, 0, 0, 0, 7, tzinfo=UTC)
    assert found[1] == datetime(1970, 1, 1, 0, 0, 0, 1, tzinfo=UTC)
    assert found[2] is None


def test_a_column_that_a_row_lacks_is_null_there() -> None:
    schema = pa.schema([("a", pa.string()), ("b", pa.int64())])
    found = table_of([{"a": "x"}, {"b": 2, "c": 3}], schema)
    assert found.to_pylist() == [{"a": "x", "b": None}, {"a": None, "b": 2}]


@pytest.mark.parametrize("text", ["", "\0", "a\0b", "é", "\0é"])
def test_a_text_that_looks_like_a_gap_or_a_null_is_itself(text: str) -> None:
    for column in ([text], ["a", text], [text, None], [None, "a", text]):
        made = array_of(column, pa.string())
        made.validate(full=True)
        assert made.to_pylist() == column


def test_one_text_and_given_numbers_become_columns() -> None:
    assert repeated("é-1", 3).to_pylist() == ["é-1"] * 3
    assert repeated("é-1", 0).to_pylist() == []
    numbers = np.array([3, -1], dtype=np.int64)
    for kind in (pa.int32(), pa.int64(), INSTANT):
        expected = pa.array([3, -1], type=kind)
        assert whole_array(numbers, kind).equals(expected)


def test_columns_bring_no_pandas_along() -> None:
    lines = (
        "import sys, pyarrow as pa",
        "from recon.lake.columns import array_of",
        "before = 'pandas' in sys.modules",
        "array_of(['a', None], pa.string())",
        "assert before or 'pandas' not in sys.modules",
    )
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True)


def test_bytes_stay_where_they_lie() -> None:
    contents = [b"first", b"", b"third"]
    column = apart(contents)
    column.validate(full=True)
    assert column.to_pylist() == contents
    assert apart([]).to_pylist() == []
    there = [pa.py_buffer(each).address for each in contents]
    assert [chunk.buffers()[2].address for chunk in column.chunks] == there
