"""An edited breaks.csv as spreadsheets save it: other separators, spoilt ids."""

from pathlib import Path

import openpyxl
import pyarrow as pa
import pytest

from recon.charts.columns import by_title
from recon.errors import RefusedFile
from recon.reconcile.decision_files import Edits, read_edits
from recon.reconcile.spoiling import may_have_become

DIGITS, SHORT, EXPONENT = "1234567890123456", "0012345678901234", "1234567890123e45"
HEADER = "break_id,check,record_id,status"


def read(tmp_path: Path, text: str, encoding: str = "utf-8-sig") -> Edits:
    path = tmp_path / "edited.csv"
    path.write_text(text, encoding=encoding, newline="")
    ids = [DIGITS, SHORT, EXPONENT, "1234567890129999"]
    breaks = pa.table(
        {
            "break_id": ids,
            "check": ["book_duplicate"] * 4,
            "record_id": ["=7", "0077", "x", "y"],
            "status": ["open"] * 4,
        }
    )
    return read_edits(path, breaks, {}, {each: {} for each in [*ids, "f" * 16]})


@pytest.mark.parametrize(
    ("identity", "row"),
    [
        (DIGITS, "1234567890123460,book_duplicate,'=7"),
        (DIGITS, "1234567890123450,book_duplicate,=7"),
        (SHORT, "12345678901234,book_duplicate,0077"),
        (SHORT, "1.23457E+13,book_duplicate,77"),
        (EXPONENT, "1.23E+57,book_duplicate,x"),
        (EXPONENT, "1.234567890123E+057,book_duplicate,x"),
    ],
)
def test_an_id_that_became_a_number_is_known_by_the_rest_of_its_row(
    tmp_path: Path, identity: str, row: str
) -> None:
    edits = read(tmp_path, f"{HEADER}\n{row},acknowledged\n")
    assert [(each.break_id, each.action) for each in edits.changes] == [
        (identity, "acknowledge")
    ]


@pytest.mark.parametrize(
    "row",
    [
        "1.23457E+15,book_duplicate,'=7",  # two ids became that
        "1234567890123460,book_duplicate,y",
        "1234567890123460,wallet_rollforward,=7",
        "1234567890123460,,",
        "1234567890123457,book_duplicate,=7",  # no spreadsheet writes its last digit
        "1.23E+58,book_duplicate,x",
    ],
)
def test_an_id_that_may_be_another_one_is_refused(tmp_path: Path, row: str) -> None:
    with pytest.raises(RefusedFile, match="a spreadsheet took it for a number"):
        read(tmp_path, f"{HEADER}\n{row},acknowledged\n")


def test_an_id_that_became_that_of_a_line_before_is_refused(tmp_path: Path) -> None:
    row = "book_duplicate,=7,acknowledged"
    with pytest.raises(RefusedFile, match="stands on line 2 already"):
        read(tmp_path, f"{HEADER}\n{DIGITS},{row}\n1234567890123460,{row}\n")


@pytest.mark.parametrize("separator", [";", "\t", "|", "\u061b"])
def test_the_separator_of_any_language_is_read(tmp_path: Path, separator: str) -> None:
    text = f"{HEADER},reason\r\n{DIGITS},book_duplicate,=7,resolved,paid\r\n"
    edits = read(tmp_path, text.replace(",", separator))
    assert [each.reason for each in edits.changes] == ["paid"]


def test_a_comma_in_a_text_separates_nothing_beside_semicolons(tmp_path: Path) -> None:
    text = f"break_id;status;reason\n{DIGITS};resolved;paid, twice\n"
    assert [each.reason for each in read(tmp_path, text).changes] == ["paid, twice"]


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("aaaabbbbccccdddd", "1"),
        ("2345678901234567", "0"),
        ("123456789012e999", "1E+99"),  # beyond what a spreadsheet has for a number
        ("1234567890123456", "abc"),
        ("12345678901234", "12345678901235"),
        ("12345678901234", "1.2E+99999"),
    ],
)
def test_a_text_that_a_spreadsheet_leaves_became_nothing_else(
    text: str, cell: str
) -> None:
    assert not may_have_become(text, cell)


def test_a_workbook_is_read_where_the_ids_are(tmp_path: Path) -> None:
    """Columns that nobody decides by may have lost digits; the others have not.

    Of a sheet and its copy nobody knows in which one people decided.
    """
    book = openpyxl.Workbook()
    book.active.append(["2 breaks must be looked at."])
    sheet = book.create_sheet("breaks")
    sheet.append([*HEADER.split(","), "actual"])
    sheet.append([1234567890123e45, "book_duplicate", "x", "acknowledged", 10**17])
    path = tmp_path / "report.xlsx"
    book.save(path)
    breaks = pa.table(
        {
            "break_id": [EXPONENT],
            "check": ["book_duplicate"],
            "record_id": ["x"],
            "status": ["open"],
        }
    )
    edits = read_edits(path, breaks, {}, {EXPONENT: {}})
    assert [each.break_id for each in edits.changes] == [EXPONENT]
    copy = book.copy_worksheet(sheet)
    book.save(path)
    with pytest.raises(RefusedFile, match="'breaks', 'breaks Copy'"):
        read_edits(path, breaks, {}, {EXPONENT: {}})
    copy.sheet_state = "hidden"
    book.save(path)
    assert read_edits(path, breaks, {}, {EXPONENT: {}}) == edits


def test_the_persian_workbook_is_read_by_its_own_titles(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["۱ مغایرت باید بررسی شود."])
    sheet = book.create_sheet("مغایرت‌ها")
    sheet.append(["شناسه مغایرت", "وضعيت", "مورد انتظار", "دلیل", "reason"])
    sheet.append([DIGITS, "resolved", 7, "", "paid"])  # the yeh of another keyboard
    path = tmp_path / "report.xlsx"
    book.save(path)
    breaks = pa.table({"break_id": [DIGITS], "status": ["open"], "expected": [7]})
    edits = read_edits(path, breaks, {}, {DIGITS: {}}, by_title())
    (made,) = edits.changes
    assert (made.break_id, made.action, made.reason) == (DIGITS, "resolve", "paid")
