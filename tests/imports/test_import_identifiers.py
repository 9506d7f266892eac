"""Identifiers that a spreadsheet changed: refused, told, or known without its marks."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from recon.errors import RefusedFile
from recon.imports.identifiers import Identifiers
from recon.imports.importing import FileReport
from recon.imports.voiding import void
from recon.lake import Lake
from recon.lake.schema import TABLES
from tests.imports.import_cases import (
    TABLE_OF,
    VALID,
    changed,
    taken,
    write_csv,
    write_excel,
    write_parquet,
)

LEFT_OUT = "has marks or an apostrophe around it; they are left out"
KEPT = "has marks or an apostrophe around it, kept as an earlier file has them"
READ_PLAIN = "is in Persian or Arabic digits; read as 0 to 9"
KEPT_DIGITS = "is in Persian or Arabic digits, kept as an earlier file has them"

SEEN_AT = datetime(2026, 7, 1, tzinfo=UTC)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def read(lake: Lake, kind: str, /, **cells: str) -> FileReport:
    path = write_csv(lake.root.parent / "a.csv", [changed(kind, **cells)])
    return taken(lake, kind, path).files[0]


def keys(lake: Lake, kind: str) -> list[str]:
    """The identifiers that count, of every key once."""
    table = TABLE_OF[kind]
    (*_, name) = TABLES[table].key
    batches = lake.current_batches(table, [name])
    return sorted(row[name] for batch in batches for row in batch.to_pylist())


IDS = [
    ("books", "reference"),
    ("deposits", "gateway_transaction_id"),
    ("gateway_tokens", "token"),
    ("gateway_tokens", "factor_number"),
    ("hosted_checkouts", "checkout_number"),
]


@pytest.mark.parametrize(("kind", "column"), IDS)
@pytest.mark.parametrize("number", [6037991234567891, 1234567890123456.0])
def test_a_number_of_excel_of_more_than_15_digits_is_no_identifier(
    kind: str, column: str, number: float, lake: Lake, tmp_path: Path
) -> None:
    row: dict[str, Any] = VALID[kind] | {column: number}
    told = f"column {column}: .* more than 15 digits, and Excel keeps no more: format"
    with pytest.raises(RefusedFile, match=told):
        taken(lake, kind, write_excel(tmp_path / "a.xlsx", [row]))
    row[column] = str(int(number))
    taken(lake, kind, write_excel(tmp_path / "b.xlsx", [row]))


def test_other_files_keep_every_digit(lake: Lake, tmp_path: Path) -> None:
    row: dict[str, Any] = changed("books") | {"reference": 6037991234567891}
    taken(lake, "books", write_parquet(tmp_path / "a.parquet", [row]))
    assert keys(lake, "books") == ["6037991234567891"]


@pytest.mark.parametrize(
    ("kind", "exact"), [(pa.float32(), 2**24 - 1), (pa.float16(), 2**11 - 1)]
)
@pytest.mark.parametrize("column", ["reference", "amount"])
def test_a_short_float_of_parquet_is_read_as_far_as_it_is_exact(
    column: str, kind: pa.DataType, exact: int, lake: Lake, tmp_path: Path
) -> None:
    """Beyond that, neighbours are the same number; in a column nobody reads it may be.

    One that is empty stays empty.
    """
    path = tmp_path / "a.parquet"

    def write(name: str, value: int | None) -> None:
        table = pa.Table.from_pylist([VALID["books"]])
        kept = table.drop_columns([name] if name in table.column_names else [])
        cell = pa.array([value if value is None else float(value)], pa.float64())
        pq.write_table(kept.append_column(name, cell.cast(kind)), path)

    for rounded in (exact + 1, exact + 2, (exact + 1) * 7):
        write(column, rounded)
        with pytest.raises(RefusedFile, match=rf"column {column}: .*e\+0\d"):
            taken(lake, "books", path)
    write(column, None)
    with pytest.raises(RefusedFile, match=f"column {column}: is empty"):
        taken(lake, "books", path)
    write("weight", exact + 2)
    taken(lake, "books", path)
    write(column, exact)
    taken(lake, "books", path)
    rows = lake.versions("books").to_pylist()
    assert str(exact) in {str(row[column]) for row in rows}


def test_a_long_number_that_excel_may_have_rounded_is_told(
    lake: Lake, tmp_path: Path
) -> None:
    rows: list[dict[str, Any]] = [
        changed("books") | {"reference": number}
        for number in (123456789012345, 6037991234567890)
    ]
    (file,) = taken(lake, "books", write_excel(tmp_path / "a.xlsx", rows)).files
    (told,) = file.warnings
    assert told.startswith(
        "column reference is a number of 16 digits or more, of which"
    )
    assert told.endswith(": 1 row, first at line 3")


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        ("123.0", "is a number with .0 (did a sheet make a number of a text?)"),
        ("2026-10-01", "is a date (did a sheet make it of a text?)"),
        ("2026-10-01T00:00:00", "is a date (did a sheet make it of a text?)"),
        ("123", ""),
        ("1.5", ""),
        ("A-2026-10-01", ""),
        ("2026-10-01-7", ""),
    ],
)
def test_a_reference_that_a_sheet_may_have_made_is_told_once(
    reference: str, told: str, lake: Lake, tmp_path: Path
) -> None:
    rows = [changed("books", reference=reference)] * 3
    (file,) = taken(lake, "books", write_csv(tmp_path / "a.csv", rows)).files
    line = f"column reference {told}: 3 rows, first at line 2"
    assert file.warnings == ((line,) if told else ())
    assert keys(lake, "books") == [reference]


def test_a_date_of_excel_as_a_reference_is_told(lake: Lake, tmp_path: Path) -> None:
    row: dict[str, Any] = changed("books")
    row["reference"] = datetime(2026, 10, 1)  # noqa: DTZ001 - Excel's
    (file,) = taken(lake, "books", write_excel(tmp_path / "a.xlsx", [row])).files
    assert file.warnings[0].startswith("column reference is a date (did a sheet")


@pytest.mark.parametrize(
    "cell",
    [
        *("70869", "'70869", "70869\u200f", "\u202b70869\u202c", "\ufeff70869"),
        *("'۷۰۸۶۹", "٧٠٨٦٩\u200e", "70869.0", "\u200f70869.0", " 70869 "),
    ],
)
def test_a_whole_identifier_is_known_without_marks(cell: str, lake: Lake) -> None:
    read(lake, "deposits", gateway_transaction_id=cell)
    assert keys(lake, "deposits") == ["70869"]


@pytest.mark.parametrize(
    "cell", ["70,869", "7e4", "x", "70869.5", "31.5", "-7", "''7", "7 0"]
)
def test_what_is_no_plain_integer_is_refused(cell: str, lake: Lake) -> None:
    with pytest.raises(
        RefusedFile, match=r"gateway_transaction_id: .* is no plain int"
    ):
        read(lake, "deposits", gateway_transaction_id=cell)


@pytest.mark.parametrize(
    ("cell", "known"),
    [
        ("\u200fA-1", "A-1"),
        ("'1001", "1001"),
        ('="00123"', "00123"),
        ('="ORD-1" ', "ORD-1"),
        ('="۱۰۰۱"', "1001"),
        ('="A"&"1"', '="A"&"1"'),
        ("\ufeff۱۰۰۱\u200b", "1001"),
        ("'A1", "'A1"),
        ("1001'", "1001'"),
        ("A\u200c1", "A\u200c1"),
    ],
)
def test_a_reference_is_known_without_marks_around_it(
    cell: str, known: str, lake: Lake
) -> None:
    file = read(lake, "books", reference=cell)
    assert keys(lake, "books") == [known]
    assert any(LEFT_OUT in line for line in file.warnings) is (cell != known)


def imported_before(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, kind: str, **cells: str
) -> None:
    """Import a row as releases did that left marks where they were."""
    with monkeypatch.context() as patch:
        patch.setattr(Identifiers, "even", lambda _, record, *__: record)
        read(lake, kind, **cells)


@pytest.mark.parametrize(
    ("kind", "column"), [each for each in IDS if each[1] != "factor_number"][:3]
)
def test_what_was_stored_with_marks_is_replaced_and_never_doubled(
    kind: str, column: str, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    marked = {column: "'708"}
    imported_before(lake, monkeypatch, kind, **marked)
    assert keys(lake, kind) == ["'708"]
    assert read(lake, kind, **marked).known
    file = read(lake, kind, **marked, note="another file")
    assert any(KEPT in line for line in file.warnings)
    assert keys(lake, kind) == ["'708"]
    for cells in (marked | {"note": "another file"}, marked):
        path = write_csv(lake.root.parent / "a.csv", [changed(kind, **cells)])
        void(kind, [path], lake)
    read(lake, kind, **marked)
    assert keys(lake, kind) == ["708"]


@pytest.mark.parametrize(("kind", "column"), IDS)
@pytest.mark.parametrize("cell", ["۱۰۷۰۸", "١٠٧٠٨", "۱۰٧٠8", "\u200f۱۰۷۰۸"])
def test_an_identifier_in_persian_digits_is_the_one_in_plain_digits(
    kind: str, column: str, cell: str, lake: Lake
) -> None:
    read(lake, kind, **{column: cell})
    table = TABLE_OF[kind]
    (row,) = (
        row
        for batch in lake.current_batches(table, [column])
        for row in batch.to_pylist()
    )
    assert row[column] == "10708"


def test_plain_digits_are_told_once_a_file(lake: Lake, tmp_path: Path) -> None:
    rows = [changed("books", reference=cell) for cell in ("۱", "۲", "3")]
    (file,) = taken(lake, "books", write_csv(tmp_path / "a.csv", rows)).files
    told = [line for line in file.warnings if READ_PLAIN in line]
    assert len(told) == 1
    assert "reference" in told[0]
    assert "2 rows" in told[0]
    assert keys(lake, "books") == ["1", "2", "3"]


@pytest.mark.parametrize("cell", ["A-۱", "سفارش ۱۲"])
def test_digits_within_a_text_are_plain_ones_too(cell: str, lake: Lake) -> None:
    read(lake, "books", reference=cell)
    assert keys(lake, "books") == [cell.replace("۱", "1").replace("۲", "2")]


@pytest.mark.parametrize("cell", ["۱۰۰۱", "\u200f۱۰۰۱"])
@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("checkouts", "checkout_number"),
        ("checkouts", "request_id"),
        ("gateway_transactions", "factor_number"),
        ("hosted_checkouts", "checkout_number"),
        ("agreements", "trace_id"),
    ],
)
def test_what_the_provider_has_in_persian_digits_is_that(
    table: str, column: str, cell: str, lake: Lake
) -> None:
    (key,) = TABLES[table].key
    with lake.begin("pull", table) as writing:
        writing.rows(table, [{key: "k", column: "۱۰۰۱"}], seen_at=SEEN_AT)
        writing.commit()
    file = read(lake, "books", reference=cell)
    assert keys(lake, "books") == ["۱۰۰۱"]
    assert not any("digits" in line for line in file.warnings)
    read(lake, "books", reference="۱۰۰۲")
    assert keys(lake, "books") == ["1002", "۱۰۰۱"]


def test_what_was_stored_in_persian_digits_is_replaced_and_never_doubled(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported_before(lake, monkeypatch, "books", reference="۷۰۸")
    for cell in ("۷۰۸", "\u200f۷۰۸"):
        file = read(lake, "books", reference=cell, note="another file")
        assert any(KEPT_DIGITS in line for line in file.warnings)
        assert keys(lake, "books") == ["۷۰۸"]
