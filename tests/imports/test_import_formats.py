import json
import math
import zipfile
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.errors import RefusedFile
from recon.imports.formats import csv_text, excel, json_lines, parquet
from recon.imports.formats.rows import Sheet
from recon.lake import Lake
from tests.imports.import_cases import (
    SETTINGS,
    VALID,
    WRITERS,
    changed,
    stored,
    taken,
    write_csv,
    write_excel,
    write_json_lines,
    write_parquet,
)

TEHRAN = SETTINGS.business.timezone


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


@pytest.mark.parametrize("kind", VALID)
def test_a_row_is_the_same_record_in_every_format(
    kind: str, lake: Lake, tmp_path: Path
) -> None:
    for suffix, write in WRITERS.items():
        taken(lake, kind, write(tmp_path / f"a{suffix}", [VALID[kind]]))
    assert len(stored(lake, kind)) == len(WRITERS)
    assert len({row["record_hash"] for row in stored(lake, kind)}) == 1


cells = st.text(
    st.characters(exclude_categories=["C", "Z"]) | st.sampled_from(' ,"\n;=ی'),
    min_size=1,
    max_size=20,
).map(str.strip)
tables = st.lists(st.tuples(cells, cells, cells).filter(any), min_size=1, max_size=5)


def read_back(sheet: Sheet) -> list[tuple[str, ...]]:
    return [tuple(map(str, row.cells)) for row in sheet.rows]


@pytest.mark.parametrize(
    ("suffix", "read"),
    [
        (".csv", csv_text.read),
        (".xlsx", excel.read),
        (".parquet", parquet.read),
        (".jsonl", json_lines.read),
    ],
)
@given(rows=tables)
@settings(max_examples=25)
def test_texts_come_back_from_every_format(
    suffix: str, read: Any, rows: list[tuple[str, str, str]], tmp_path_factory: Any
) -> None:
    path = tmp_path_factory.mktemp("made") / f"a{suffix}"
    if suffix == ".xlsx":  # Excel itself keeps no leading = as text
        rows = [tuple(cell.lstrip("=") or "x" for cell in row) for row in rows]  # type: ignore[misc]
    WRITERS[suffix](path, [dict(zip("abc", row, strict=True)) for row in rows])
    with path.open("rb") as file:
        assert read_back(read(file)) == rows


def test_every_line_ending_gives_the_same_rows(lake: Lake, tmp_path: Path) -> None:
    for number, ending in enumerate(("\n", "\r\n", "\r")):
        path = write_csv(
            tmp_path / f"{number}.csv", [VALID["books"]] * 2, lineterminator=ending
        )
        taken(lake, "books", path)
    assert [row["position"] for row in stored(lake, "books")] == [2, 3] * 3
    assert len({row["record_hash"] for row in stored(lake, "books")}) == 1


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_a_byte_order_mark_is_skipped(suffix: str, lake: Lake, tmp_path: Path) -> None:
    path = WRITERS[suffix](tmp_path / f"a{suffix}", [VALID["books"]])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert taken(lake, "books", path).rows == 1


def test_a_csv_rows_line_is_the_one_it_starts_on(lake: Lake, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "\n"
        "at,amount,kind,description\n"
        '2026-10-01,1,x,"two\nlines"\n'
        "\n"
        ",,,\n"
        "2026-10-01,2,x,\n"
        "2026-10-01,bad,x,\n"
    )
    with pytest.raises(RefusedFile, match=r"^a\.csv, line 8, column amount: 'bad'"):
        taken(lake, "adjustments", path)
    path.write_text(path.read_text().replace("bad", "3"))
    taken(lake, "adjustments", path)
    lines = [row["position"] for row in stored(lake, "adjustments")]
    assert lines == [3, 7, 8]


def test_trailing_empty_columns_of_a_spreadsheets_csv_are_dropped(
    lake: Lake, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("at,amount,kind,description,,\n2026-10-01,1,x,y,,\n")
    taken(lake, "adjustments", path)
    assert stored(lake, "adjustments")[0]["extra"] is None


def test_excel_numbers_and_dates_are_exact(lake: Lake, tmp_path: Path) -> None:
    row: dict[str, Any] = dict(VALID["books"])
    row |= {
        "reference": 6037991234567890,
        "amount": 1200000000,
        "occurred_at": datetime(2026, 10, 1, 10, 15, 7),  # noqa: DTZ001 - Excel's
    }
    write_excel(tmp_path / "a.xlsx", [row, row | {"amount": 1200000000.0}])
    taken(lake, "books", tmp_path / "a.xlsx")
    for found in stored(lake, "books"):
        assert found["reference"] == "6037991234567890"
        assert found["amount"] == 1_200_000_000
        assert found["occurred_at"] == datetime(2026, 10, 1, 6, 45, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        (12.5, "'12.5': a fraction"),
        (1e17, "a number beyond 2^53"),
        (2**53 + 2, "a number beyond 2^53"),
        (True, "'true' is not a whole number"),
        ("#REF!", "holds the error #REF!"),
    ],
)
def test_an_excel_cell_that_is_no_amount_is_refused_with_its_row(
    cell: Any, reason: str, lake: Lake, tmp_path: Path
) -> None:
    rows = [VALID["books"], {**VALID["books"], "amount": cell}]
    with pytest.raises(
        RefusedFile, match=r"^a\.xlsx, line 3, column amount: "
    ) as caught:
        taken(lake, "books", write_excel(tmp_path / "a.xlsx", rows))
    assert reason in str(caught.value)


def test_an_amount_beyond_excels_exact_numbers_comes_as_text(
    lake: Lake, tmp_path: Path
) -> None:
    amount = "123456789012345678"
    write_excel(tmp_path / "a.xlsx", [changed("books", amount=amount)])
    taken(lake, "books", tmp_path / "a.xlsx")
    assert stored(lake, "books")[0]["amount"] == int(amount)


def test_excel_rows_keep_their_number_over_blank_ones_and_other_sheets_are_named(
    lake: Lake, tmp_path: Path
) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in ([], list(VALID["books"]), [], list(VALID["books"].values())):
        sheet.append(row)
    book.create_sheet("Old")
    book.save(tmp_path / "a.xlsx")
    report = taken(lake, "books", tmp_path / "a.xlsx")
    assert stored(lake, "books")[0]["position"] == 4
    assert report.files[0].warnings == ("only the first sheet is read; not 'Old'",)


def test_a_hidden_sheet_is_not_the_first_one(lake: Lake, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for sheet, amount in ((book.active, "5"), (book.create_sheet("Sales"), "7")):
        sheet.append(list(VALID["books"]))
        sheet.append(list(changed("books", amount=amount).values()))
    book.worksheets[0].sheet_state = "hidden"
    book.active = 1
    book.save(tmp_path / "a.xlsx")
    report = taken(lake, "books", tmp_path / "a.xlsx")
    assert [row["amount"] for row in stored(lake, "books")] == [7]
    assert "not 'Sheet' (hidden)" in report.files[0].warnings[0]


def test_a_formula_without_a_result_is_no_empty_cell(
    lake: Lake, tmp_path: Path
) -> None:
    row = changed("books", currency='="to"&"man"')
    with pytest.raises(
        RefusedFile, match=r"line 2, column currency: holds a formula without"
    ):
        taken(lake, "books", write_excel(tmp_path / "a.xlsx", [row]))


def test_a_formula_whose_result_is_an_empty_text_is_an_empty_cell(
    lake: Lake, tmp_path: Path
) -> None:
    formula, text_formula = b'"><f>IF(', b'" t="str"><f>IF('
    row = changed("books", description='=IF(1=1,"","x")')
    made = write_excel(tmp_path / "made.xlsx", [row])
    given = tmp_path / "a.xlsx"
    with zipfile.ZipFile(made) as before, zipfile.ZipFile(given, "w") as after:
        for name in before.namelist():
            after.writestr(name, before.read(name).replace(formula, text_formula))
    taken(lake, "books", given)
    (stored_row,) = stored(lake, "books")
    assert not stored_row["description"]


@pytest.mark.parametrize("reference", ["1.23457E+15", "1E+12", "6,0379E+15"])
def test_a_number_that_a_sheet_shortened_is_no_reference(
    reference: str, lake: Lake, tmp_path: Path
) -> None:
    rows = [changed("books", reference=reference)]
    with pytest.raises(RefusedFile, match=r"column reference: .* a spreadsheet short"):
        taken(lake, "books", write_csv(tmp_path / "a.csv", rows))


def test_a_jalali_date_that_no_column_tells_of_is_refused_with_advice(
    lake: Lake, tmp_path: Path
) -> None:
    rows = [changed("books", occurred_at="۱۴۰۳/۰۲/۳۱")]
    with pytest.raises(RefusedFile, match="need a column calendar = jalali"):
        taken(lake, "books", write_csv(tmp_path / "a.csv", rows))


def test_an_excel_cell_beyond_the_header_is_refused(lake: Lake, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(list(VALID["books"]))
    book.active.append([*VALID["books"].values(), "stray"])
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(RefusedFile, match=r"line 2: has a cell in column 7, unnamed"):
        taken(lake, "books", tmp_path / "a.xlsx")


TYPED: list[tuple[Any, pa.DataType, Any]] = [
    (2**59 + 1, pa.int64(), 2**59 + 1),
    (7, pa.uint8(), 7),
    (1200000000.0, pa.float64(), 1_200_000_000),
    (Decimal("1200.00"), pa.decimal128(20, 2), 1_200),
    ("1,200", pa.large_string(), 1_200),
    ("1200", pa.dictionary(pa.int8(), pa.string()), 1_200),
    (b"1200", pa.binary(), 1_200),
    (12.5, pa.float64(), "'12.5': a fraction of a unit"),
    (float(2**60), pa.float64(), "a number beyond 2^53"),
    (math.nan, pa.float64(), "'nan' is not a whole number"),
    (Decimal("0.5"), pa.decimal128(20, 2), "'0.50': a fraction of a unit"),
    (Decimal(150), pa.decimal128(20, 3), 150),
    (True, pa.bool_(), "'true' is not a whole number"),
    (b"\xff", pa.binary(), "no UTF-8"),
    (None, pa.int64(), "is empty"),
    ([1], pa.list_(pa.int64()), r"'[1]' is not a whole number"),
]


@pytest.mark.parametrize(("value", "kind", "expected"), TYPED)
def test_parquet_amounts_are_exact_or_refused(
    value: Any, kind: pa.DataType, expected: Any, lake: Lake, tmp_path: Path
) -> None:
    row = VALID["books"]
    table = pa.Table.from_pylist([row]).drop_columns(["amount"])
    path = tmp_path / "a.parquet"
    pq.write_table(table.append_column("amount", pa.array([value], kind)), path)
    if isinstance(expected, int):
        taken(lake, "books", path)
        (found,) = stored(lake, "books")
        assert (found["amount"], found["position"]) == (expected, 1)
        return
    with pytest.raises(RefusedFile, match=r"^a\.parquet, line 1, column amount: ") as e:
        taken(lake, "books", path)
    assert expected in str(e.value)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (datetime(2026, 10, 1, 6, 30, tzinfo=UTC), pa.timestamp("ns", "UTC")),
        (
            datetime(2026, 10, 1, 10, tzinfo=timezone(timedelta(hours=3.5))),
            pa.timestamp("s", "+03:30"),
        ),
        (datetime(2026, 10, 1, 10), pa.timestamp("us")),  # noqa: DTZ001 - local
        (date(2026, 10, 1), pa.date32()),
        (1790836200, pa.int32()),
    ],
)
def test_parquet_times_keep_their_zone_or_get_the_businesss(
    value: Any, kind: pa.DataType, lake: Lake, tmp_path: Path
) -> None:
    table = pa.Table.from_pylist([VALID["books"]]).drop_columns(["occurred_at"])
    path = tmp_path / "a.parquet"
    pq.write_table(table.append_column("occurred_at", pa.array([value], kind)), path)
    taken(lake, "books", path)
    hour = timedelta(
        hours=0 if isinstance(value, datetime) or kind == pa.int32() else 10
    )
    expected = datetime(2026, 10, 1, 6, 30, tzinfo=UTC) - hour
    assert stored(lake, "books")[0]["occurred_at"] == expected


def test_parquet_lines_go_on_over_batches_and_groups(
    lake: Lake, tmp_path: Path
) -> None:
    rows = [changed("adjustments", amount=str(at)) for at in range(25_000)]
    path = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=7_000)
    taken(lake, "adjustments", path)
    found = lake.versions("adjustments")
    assert found["position"].to_pylist() == list(range(1, 25_001))
    assert found["amount"].to_pylist() == list(range(25_000))


@pytest.mark.parametrize("number", ["1200000.00", "150.000", "123456789012345678"])
def test_json_numbers_never_pass_through_a_float(
    number: str, lake: Lake, tmp_path: Path
) -> None:
    path = write_json_lines(tmp_path / "a.jsonl", [VALID["books"]])
    path.write_text(path.read_text().replace('"1200000"', number))
    taken(lake, "books", path)
    assert stored(lake, "books")[0]["amount"] == int(number.partition(".")[0])


@pytest.mark.parametrize("number", ["1.5", "1e6", "1E6", "true", "[1]", '{"a": 1}'])
def test_a_json_value_that_is_no_amount_is_refused(
    number: str, lake: Lake, tmp_path: Path
) -> None:
    path = write_json_lines(tmp_path / "a.jsonl", [VALID["books"]])
    path.write_text(path.read_text().replace('"1200000"', number))
    with pytest.raises(RefusedFile, match=r"^a\.jsonl, line 1, column amount: "):
        taken(lake, "books", path)


def test_json_lines_may_leave_out_what_may_be_empty(lake: Lake, tmp_path: Path) -> None:
    short = {name: VALID["adjustments"][name] for name in ("at", "amount", "kind")}
    rows: list[dict[str, Any]] = [VALID["adjustments"], short]
    rows.append(short | {"description": None})
    taken(lake, "adjustments", write_json_lines(tmp_path / "a.jsonl", rows))
    found = [row["description"] for row in stored(lake, "adjustments")]
    assert found == ["to the bank", None, None]


def test_json_lines_say_what_a_row_lacks(lake: Lake, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [VALID["adjustments"], {"amount": 5, "note": "x"}]
    path = write_json_lines(tmp_path / "a.jsonl", rows)
    told = r"^a\.jsonl, line 2: required columns are missing: at, kind \(there are"
    with pytest.raises(RefusedFile, match=told):
        taken(lake, "adjustments", path)


def test_further_json_values_are_kept_as_text(lake: Lake, tmp_path: Path) -> None:
    row: dict[str, Any] = dict(VALID["books"])
    row |= {"n": 5, "tree": {"b": [1, None], "a": "ی"}, "flag": False, "none": None}
    taken(lake, "books", write_json_lines(tmp_path / "a.jsonl", [row]))
    assert json.loads(stored(lake, "books")[0]["extra"]) == {
        "n": "5",
        "tree": '{"b": ["1", null], "a": "ی"}',
        "flag": "false",
        "none": "",
    }


def test_rows_of_endless_shapes_are_read(lake: Lake, tmp_path: Path) -> None:
    rows = [{**VALID["books"], f"column {at}": at} for at in range(600)]
    taken(lake, "books", write_json_lines(tmp_path / "a.jsonl", rows))
    assert stored(lake, "books")[-1]["extra"] == '{"column 599":"599"}'


@pytest.mark.parametrize(
    ("write", "name"),
    [
        *((write, "books.csv") for write in (write_excel, write_parquet)),
        *((write_csv, name) for name in ("books", "books.txt")),
        *((write_json_lines, name) for name in ("books", "books.NDJSON")),
        (write_excel, "books"),
    ],
)
def test_the_format_is_told_by_the_content_before_the_name(
    write: Any, name: str, lake: Lake, tmp_path: Path
) -> None:
    made = WRITERS[".xlsx"] is write and tmp_path / "made.xlsx"
    path = write(made or tmp_path / name, [VALID["books"]])
    assert taken(lake, "books", path.rename(tmp_path / name)).rows == 1
