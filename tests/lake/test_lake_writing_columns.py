"""Rows that come as columns are stored and hashed as the same rows one by one."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recon.lake import Lake
from recon.lake.schema import INSTANT, TABLES
from recon.lake.writing import hash_column, record_hash, record_hashes
from tests.lake.lake_cases import MORNING

COLUMNS = TABLES["checkouts"].columns
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_KINDS: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.string(): st.text(max_size=8),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    INSTANT: st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)).map(  # noqa: DTZ001 - the zone follows
        lambda moment: moment.replace(tzinfo=UTC)
    ),
    pa.list_(pa.string()): st.lists(st.text(max_size=3), max_size=2),
}
ROWS = st.lists(
    st.fixed_dictionaries(
        {field.name: st.none() | _KINDS[field.type] for field in COLUMNS}
    ),
    max_size=4,
)


@given(rows=ROWS)
@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_both_doors_store_the_same_rows_and_hashes(
    rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    lake = Lake(tmp_path / "lake")
    columns = pa.Table.from_pylist(rows, COLUMNS)
    seen = pa.repeat(pa.scalar(MORNING, INSTANT), len(rows))
    with lake.begin("pull", "checkouts") as one, lake.begin("pull", "checkouts") as two:
        one.rows("checkouts", rows, seen_at=MORNING)
        assert two.table("checkouts", columns.append_column("seen_at", seen)) == len(
            rows
        )
        stored = lake.versions("checkouts").num_rows
        one.commit()
        two.commit()
    found = lake.versions("checkouts").slice(stored).to_pylist()
    ids = [row.pop("pull_id") for row in found]
    assert set(ids) == ({one.id, two.id} if rows else set())
    assert found[: len(rows)] == found[len(rows) :]


@given(
    st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)),  # noqa: DTZ001
    st.none() | st.text(max_size=5) | st.integers(-(2**63), 2**63 - 1),
)
def test_a_hash_of_columns_is_the_hash_of_the_row(moment: datetime, value: Any) -> None:
    instant = moment.replace(tzinfo=UTC)
    microseconds = (instant - EPOCH) // timedelta(microseconds=1)
    (found,) = record_hashes([[value], [microseconds]])
    assert found.hex() == record_hash([value, instant])
    assert found.hex() != record_hash([value, instant + timedelta(microseconds=1)])


def test_an_instant_counts_whatever_zone_it_is_told_in() -> None:
    tehran = MORNING.astimezone(tz=None)
    assert record_hash([MORNING]) == record_hash([tehran])


def test_hashes_become_a_column_of_hex() -> None:
    hashes = record_hashes([["a", "b", None]])
    assert hash_column(hashes).to_pylist() == [each.hex() for each in hashes]
    assert hash_column([]).to_pylist() == []


def test_rows_and_columns_stay_in_the_order_they_came_in(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    names = TABLES["mandates"].columns
    with lake.begin("pull", "mandates") as writing:
        for number in range(6):
            row = {"id": str(number)}
            if number % 2:
                writing.rows("mandates", [row], seen_at=MORNING)
            else:
                table = pa.Table.from_pylist([row], names)
                seen = pa.array([MORNING], INSTANT)
                writing.table("mandates", table.append_column("seen_at", seen))
        commit = writing.commit()
    assert lake.versions("mandates")["id"].to_pylist() == list("012345")
    assert [file.rows for file in commit.files] == [6]
