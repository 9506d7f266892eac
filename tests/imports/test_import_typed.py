"""Cells with a type of their own that is neither text nor number nor a clear time."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from recon.errors import RefusedFile
from recon.lake import Lake
from tests.imports.import_cases import (
    WRITERS,
    changed,
    stored,
    taken,
    write_csv,
    write_json_lines,
)

TOLD = "is neither a text nor a whole number"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def refused(lake: Lake, kind: str, path: Path) -> str:
    with pytest.raises(RefusedFile) as found:
        taken(lake, kind, path)
    assert lake.commits() == []
    return str(found.value)


@pytest.mark.parametrize(
    ("kind", "column"),
    [
        ("books", "reference"),
        ("deposits", "track_id"),
        ("deposits", "gateway_transaction_id"),
        ("gateway_tokens", "token"),
        ("adjustments", "kind"),
    ],
)
@pytest.mark.parametrize(
    "value", [{"id": 5}, ["5"], [], True, False, 1e20, json.loads("1.5e2")]
)
def test_json_that_is_no_text_is_no_identifier(
    kind: str, column: str, value: Any, lake: Lake, tmp_path: Path
) -> None:
    row: dict[str, Any] = {**changed(kind), column: value}
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(row).replace("1e+20", "1e20").replace("150.0", "1.5e2"))
    told = refused(lake, kind, path)
    assert f"line 1, column {column}: " in told
    assert TOLD in told


@pytest.mark.parametrize("value", ["5", 5, "[5]", "true", "1e20x"])
def test_json_that_is_a_text_or_a_whole_number_is_one(
    value: Any, lake: Lake, tmp_path: Path
) -> None:
    row: dict[str, Any] = {**changed("books"), "reference": value}
    taken(lake, "books", write_json_lines(tmp_path / "a.jsonl", [row]))
    assert [each["reference"] for each in stored(lake, "books")] == [str(value)]


def test_json_that_is_no_text_stays_where_nobody_reads_it(
    lake: Lake, tmp_path: Path
) -> None:
    row: dict[str, Any] = {**changed("books"), "tags": ["a"], "gift": True, "n": None}
    taken(lake, "books", write_json_lines(tmp_path / "a.jsonl", [row]))
    (found,) = stored(lake, "books")
    assert json.loads(found["extra"]) == {"tags": '["a"]', "gift": "true", "n": ""}


@pytest.mark.parametrize("value", [{"id": "5"}, ["5"], True])
def test_parquet_that_is_no_text_is_no_identifier(
    value: Any, lake: Lake, tmp_path: Path
) -> None:
    row: dict[str, Any] = {**changed("books"), "reference": value}
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "a.parquet")
    told = refused(lake, "books", tmp_path / "a.parquet")
    assert "line 1, column reference: " in told
    assert TOLD in told


def test_a_truth_of_excel_is_no_identifier(lake: Lake, tmp_path: Path) -> None:
    row: dict[str, Any] = {**changed("books"), "reference": True}
    book = openpyxl.Workbook()
    for cells in (list(row), list(row.values())):
        book.active.append(cells)
    book.save(tmp_path / "a.xlsx")
    assert TOLD in refused(lake, "books", tmp_path / "a.xlsx")


LOCAL = datetime.fromisoformat("2026-10-01T06:30:00")


def timed(path: Path, column: str, kind: pa.DataType, *, old: bool) -> Path:
    table = pa.Table.from_pylist([changed("books")])
    others = table.drop_columns([column] if column in table.column_names else [])
    moment = LOCAL.replace(tzinfo=UTC) if kind.tz else LOCAL
    times = pa.array([moment], kind)
    pq.write_table(
        others.append_column(column, times), path, use_deprecated_int96_timestamps=old
    )
    return path


def test_a_time_of_the_old_kind_says_no_zone(lake: Lake, tmp_path: Path) -> None:
    """Some write the instant so, some the wall's time: three hours and a half apart."""
    path = timed(tmp_path / "a.parquet", "occurred_at", pa.timestamp("us"), old=True)
    told = refused(lake, "books", path)
    assert "line 1, column occurred_at: is a time of the kind INT96" in told


@pytest.mark.parametrize(
    ("kind", "hours"),
    [
        (pa.timestamp("us"), 3.5),  # the business's wall
        (pa.timestamp("us", "UTC"), 0),
    ],
)
def test_a_time_whose_meaning_is_known_is_read(
    kind: pa.DataType, hours: float, lake: Lake, tmp_path: Path
) -> None:
    path = timed(tmp_path / "a.parquet", "occurred_at", kind, old=False)
    taken(lake, "books", path)
    (row,) = stored(lake, "books")
    expected = LOCAL.replace(tzinfo=UTC) - timedelta(hours=hours)
    assert row["occurred_at"] == expected


def test_a_time_of_the_old_kind_stays_where_nobody_reads_it(
    lake: Lake, tmp_path: Path
) -> None:
    path = timed(tmp_path / "a.parquet", "changed", pa.timestamp("us"), old=True)
    taken(lake, "books", path)
    (row,) = stored(lake, "books")
    assert json.loads(row["extra"]) == {"changed": "2026-10-01T06:30:00"}


@pytest.mark.parametrize("written", ["1001\0", "1001\0\0\0", "10\x0001"])
@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_an_identifier_that_is_filled_up_with_nul_is_refused(
    written: str, suffix: str, lake: Lake, tmp_path: Path
) -> None:
    """It looks like the number that the provider has, and is another one."""
    rows = [changed("books", reference=written)]
    path = WRITERS[suffix](tmp_path / f"a{suffix}", rows)
    told = refused(lake, "books", path)
    assert "column reference: " in told
    assert told.endswith("holds a NUL, which nobody sees: leave it out")


@pytest.mark.parametrize(
    ("written", "told"),
    [(' "00123"', "is in quotes that are part of the cell"), ('="0"&"1"', None)],
)
def test_quotes_that_are_part_of_a_cell_are_no_identifier(
    written: str, told: str | None, lake: Lake, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "a.csv", [changed("books", reference="REF")])
    path.write_text(path.read_text().replace("REF", written))
    if told:
        assert f"line 2, column reference: '\"00123\"' {told}" in refused(
            lake, "books", path
        )
        return
    taken(lake, "books", path)
    assert stored(lake, "books")[0]["reference"] == '="0"&"1"'


@pytest.mark.parametrize(
    ("known", "value", "kind"),
    [
        (1_790_000_000_000_000, 2**62, pa.timestamp("us")),
        # 2026 by the 64 bits of its microseconds
        (1_790_000_000_000, 2**64 // 1000 + 1_790_000_000_000, pa.timestamp("ms")),
    ],
)
def test_a_time_of_parquet_beyond_all_years_is_refused_with_its_line(
    known: int, value: int, kind: pa.DataType, lake: Lake, tmp_path: Path
) -> None:
    table = pa.Table.from_pylist([changed("books")] * 3).drop_columns(["occurred_at"])
    path = tmp_path / "a.parquet"
    times = pa.array([known, value, value], kind)
    pq.write_table(table.append_column("occurred_at", times), path)
    said = r"^a\.parquet, line 2, column occurred_at: cannot be read: "
    with pytest.raises(RefusedFile, match=said):
        taken(lake, "books", path)
