import io
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pytest

from recon.reports import duplicate_payments, journal, workbook
from recon.reports.verdict import Step, Verdict
from recon.reports.writing import write
from recon.settings import Business, Reports, Settings
from tests.reports.stand_in import AS_OF, ResultStandIn

VERDICT = Verdict(
    "bad",
    "2 breaks must be looked at.",
    ("Open breaks: 2 critical.",),
    (Step("payment_wallet_identity", "critical", 2, "=ask the provider", rials=7_000),),
)


def opened(table: pa.Table, calendar: str = "gregorian", language: str = "en") -> Any:
    settings = Settings(
        business=Business(name="shop", calendar=calendar),
        reports=Reports(language=language),
    )
    content = workbook.render({"flows": table}, VERDICT, settings, AS_OF)
    return openpyxl.load_workbook(io.BytesIO(content))


def cells(table: pa.Table, calendar: str = "gregorian") -> dict[str, Any]:
    """The first row of a sheet, cell by header."""
    head, first = list(opened(table, calendar)["flows"].iter_rows())[:2]
    return {name.value: cell for name, cell in zip(head, first, strict=True)}


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@x", "{=1}", "https://x.example"]
)
def test_a_text_is_a_text_whatever_it_begins_with(text: str) -> None:
    cell = cells(pa.table({"detail": [text]}))["detail"]
    assert cell.value == text
    assert cell.data_type in ("s", "inlineStr")
    assert cell.hyperlink is None


def test_identifiers_of_digits_stay_texts() -> None:
    cell = cells(pa.table({"record_id": ["00012345678901234567"]}))["record_id"]
    assert cell.value == "00012345678901234567"
    assert cell.number_format == "@"


def test_amounts_are_numbers_with_thousands_and_toman_beside_them() -> None:
    found = cells(pa.table({"amount": [1_234_567], "count": [2]}))
    assert found["amount"].value == 1_234_567
    assert found["amount"].number_format.startswith("#,##0")
    assert found["amount_toman"].value == 123_456.7
    assert "count_toman" not in found


def test_what_was_paid_twice_has_toman_beside_its_rials() -> None:
    columns = duplicate_payments.COLUMNS
    rials = {name: [10] for name in ("order_amount", "received", "excess")}
    others = {name: [None] for name in columns.names if name not in (*rials, "count")}
    found = cells(pa.table({**others, **rials, "count": [2]}, schema=columns))
    assert [found[f"{name}_toman"].value for name in rials] == [1, 1, 1]
    assert "count_toman" not in found


@pytest.mark.parametrize("amount", [10**15 - 1, 1 - 10**15])
def test_an_amount_that_excel_shows_exactly_is_a_number(amount: int) -> None:
    assert cells(pa.table({"amount": [amount]}))["amount"].value == amount


@pytest.mark.parametrize("amount", [10**15, 10**15 + 5, 2**53, -(2**62)])
def test_a_larger_amount_is_a_text_to_the_rial(amount: int) -> None:
    """Of more than fifteen digits Excel would show a 0 for the last ones."""
    found = cells(pa.table({"amount": [amount]}))
    assert found["amount"].value == str(amount)


def test_toman_are_shown_with_a_tenth_only_where_there_is_one() -> None:
    """With an optional tenth every whole figure would end in a bare point."""
    shown = {
        rials: cells(pa.table({"amount": [rials]}))["amount_toman"].number_format
        for rials in (120, 125, 10**15 - 1)
    }
    assert shown[120].startswith("#,##0;")
    assert shown[125] == shown[10**15 - 1] == "#,##0.0;[Red]-#,##0.0"


@pytest.mark.parametrize(
    ("rials", "toman"), [(10, 1), (-5, -0.5), (-15, -1.5), (0, 0), (None, None)]
)
def test_toman_is_a_tenth(rials: int | None, toman: float | None) -> None:
    table = pa.table({"amount": pa.array([rials], pa.int64()), "detail": ["x"]})
    assert cells(table)["amount_toman"].value == toman


def test_columns_are_parted_by_lines_on_paper() -> None:
    """From right to left an amount ends where the date beside it begins."""
    assert opened(pa.table({"amount": [1]}))["flows"].print_options.gridLines


def test_dates_and_instants_are_real_dates_instants_in_utc() -> None:
    at = datetime(2026, 3, 1, 20, 30, 5, 999_999, tzinfo=UTC)
    found = cells(
        pa.table(
            {
                "business_date": pa.array([date(2026, 3, 2)]),
                "occurred_at": pa.array([at], pa.timestamp("us", "UTC")),
            }
        )
    )
    assert found["business_date"].value == datetime(2026, 3, 2)  # noqa: DTZ001 - Excel has no zones
    assert found["occurred_at_utc"].value == datetime(2026, 3, 1, 20, 30, 5)  # noqa: DTZ001


@pytest.mark.parametrize("day", [date(1, 1, 1), date(1405, 7, 12), date(1900, 2, 28)])
def test_a_date_before_the_days_of_excel_is_a_text(day: date) -> None:
    """Excel has no days before 1900, and one too many in its February."""
    at = datetime(day.year, day.month, day.day, 3, 4, 5, tzinfo=UTC)
    found = cells(pa.table({"business_date": [day], "posted_at": [at]}))
    assert found["business_date"].value == day.isoformat()
    assert found["posted_at_utc"].value == f"{day.isoformat()} 03:04:05"


def test_the_first_day_of_excel_without_a_fault_is_a_date() -> None:
    first = date(1900, 3, 1)
    found = cells(pa.table({"business_date": [first]}))["business_date"]
    assert found.value == datetime(1900, 3, 1)  # noqa: DTZ001 - Excel has no zones
    assert found.is_date


def test_a_jalali_calendar_turns_sheets_and_adds_jalali_dates() -> None:
    at = datetime(2026, 3, 20, 20, 30, tzinfo=UTC)  # Nowruz in Tehran
    table = pa.table(
        {
            "business_date": pa.array([date(2025, 3, 20)]),  # last day of a leap year
            "occurred_at": pa.array([at], pa.timestamp("us", "UTC")),
        }
    )
    found = cells(table, "jalali")
    assert found["business_date_jalali"].value == "1403-12-30"
    assert found["occurred_at_jalali"].value == "1405-01-01 00:00:00"
    assert opened(table, "jalali")["flows"].sheet_view.rightToLeft
    assert not opened(table)["flows"].sheet_view.rightToLeft
    assert "business_date_jalali" not in cells(table)


def test_a_sheet_has_a_frozen_filtered_header_and_fitting_widths() -> None:
    sheet = opened(pa.table({"detail": ["a" * 30] * 3, "amount": [1, 2, 3]}))["flows"]
    assert sheet.freeze_panes == "B2"
    assert sheet.auto_filter.ref == "A1:C4"
    assert 30 <= sheet.column_dimensions["A"].width <= 40


def test_a_text_longer_than_its_column_is_wide_goes_on_in_further_lines() -> None:
    """On paper and on screen it would end at the next cell that is not empty."""
    fits, long = (
        "a" * 60,
        "The books have 4520003 as paid, and no product knows it. " * 3,
    )
    table = pa.table({"detail": [fits, long], "amount": [1, 2]})
    sheet = opened(table)["flows"]
    short_row, long_row = list(sheet.iter_rows(min_row=2))
    assert sheet.column_dimensions["A"].width < 62
    assert long_row[0].value == long
    assert [cell.alignment.wrap_text for cell in long_row] == [True, None, None]
    assert not any(cell.alignment.wrap_text for cell in short_row)
    assert {cell.alignment.vertical for cell in long_row} == {"top"}
    assert sheet.row_dimensions[2].height is None
    assert sheet.row_dimensions[3].height >= 3 * 15  # not all spreadsheets fit it


def test_a_long_text_behind_those_that_gave_the_width_is_whole_too() -> None:
    details = ["short"] * 300 + ["a sentence of several words"]
    sheet = opened(pa.table({"detail": details}))["flows"]
    assert sheet.column_dimensions["A"].width < 20
    assert sheet["A302"].alignment.wrap_text
    assert not sheet["A301"].alignment.wrap_text


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (" ".join(["0b2a7c1e-5d6f-4a3b-8c9d-0e1f2a3b4c5d"] * 5), 5),  # one fits a line
        ("x" * 600, 10),
    ],
)
def test_a_row_is_as_high_as_its_longest_text_has_lines(text: str, lines: int) -> None:
    sheet = opened(pa.table({"record_id": ["a", "b"], "records": ["c", text]}))["flows"]
    assert sheet.row_dimensions[3].height >= lines * 15


def test_no_row_is_higher_than_a_spreadsheet_allows() -> None:
    sheet = opened(pa.table({"detail": ["x" * 40_000]}))["flows"]
    assert 400 < sheet.row_dimensions[2].height <= 409


@pytest.mark.parametrize(("columns", "pages"), [(4, 1), (5, 2), (9, 3)])
def test_a_wide_report_is_printed_on_more_pages_side_by_side(
    columns: int, pages: int
) -> None:
    wide = {f"text_{place}": ["a" * 100] for place in range(columns)}
    sheet = opened(pa.table(wide))["flows"]
    assert (sheet.page_setup.fitToWidth or 1) == pages  # one is not written
    assert sheet.page_setup.orientation == "landscape"
    assert sheet.page_setup.paperSize == 9
    assert sheet.print_title_rows == "$1:$1"
    assert sheet.print_title_cols == "$A:$A"


def test_the_first_sheet_gives_the_verdict_and_what_to_do() -> None:
    book = opened(pa.table({"amount": [1]}))
    assert book.sheetnames == ["summary", "flows"]
    values = [cell.value for row in book["summary"].iter_rows() for cell in row]
    assert "2 breaks must be looked at." in values
    assert "=ask the provider" in values


def test_a_report_that_is_too_long_is_cut_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workbook, "MOST_ROWS", 2)
    book = opened(pa.table({"amount": [1, 2, 3]}))
    assert book["flows"].max_row == 3
    values = [cell.value for row in book["summary"].iter_rows() for cell in row]
    assert "flows: 2 of 3 rows; flows.csv has all." in values


def test_a_text_longer_than_a_cell_holds_is_cut() -> None:
    long = "x" * 40_000
    assert len(cells(pa.table({"detail": [long]}))["detail"].value) == 32_767


@pytest.mark.parametrize(
    "text",
    [
        "<r>a & b</r>",
        "<r></r>",
        "<r><t>hidden</t></r>",
        "<r>" + "x" * 40_000 + "</r>",
        "<r>not at the end</r> ",
        "a <r>b</r>",
    ],
)
def test_a_text_that_looks_like_a_sheet_s_own_markup_is_a_text(text: str) -> None:
    cell = cells(pa.table({"reference": [text]}))["reference"]
    assert str(cell.value) == text[:32_767]
    assert cell.alignment.vertical == "top"


def test_such_a_text_is_cut_where_a_sign_counts_as_two() -> None:
    text = "<r>" + "😀" * 20_000 + "</r>"
    cell = cells(pa.table({"reference": [text]}))["reference"]
    assert str(cell.value) == "<r>" + "😀" * 16_382


def test_an_empty_report_is_a_sheet_with_its_header() -> None:
    sheet = opened(pa.table({"amount": pa.array([], pa.int64())}))["flows"]
    assert [cell.value for cell in sheet[1]] == ["amount", "amount_toman"]


def test_the_same_tables_give_the_same_bytes(tmp_path: Path) -> None:
    table = pa.table({"amount": [1, 2], "detail": ["a", "b"]})
    settings = Settings(business=Business(name="shop"))
    made = [
        workbook.render({"flows": table}, VERDICT, settings, AS_OF) for _ in range(2)
    ]
    assert made[0] == made[1]


def test_the_journal_is_given_by_day_and_account(tmp_path: Path) -> None:
    def leg(account: str, debit: int, credit: int) -> dict[str, Any]:
        return {
            "business_date": date(2026, 3, 1),
            "account": account,
            "debit": debit,
            "credit": credit,
            "currency": "IRR",
            "product": "unified",
        }

    legs = [leg("assets:wallet", 5, 0), leg("assets:clearing:unified", 0, 5)] * 3
    entries = pa.Table.from_pylist(legs, journal.COLUMNS)
    settings = Settings(business=Business(name="shop"), folder=tmp_path)
    result = ResultStandIn(tables={"report_journal": entries})
    content = write(result, settings)["report.xlsx"].read_bytes()
    sheet = openpyxl.load_workbook(io.BytesIO(content))["journal"]
    values = [[cell.value for cell in row][1:5] for row in sheet.iter_rows()]
    assert values == [
        ["account", "product", "debit", "credit"],
        ["assets:clearing:unified", "unified", 0, 15],
        ["assets:wallet", "unified", 15, 0],
    ]


def test_persian_sheets_run_from_the_right_and_have_persian_names() -> None:
    table = pa.table({"amount": [10], "payment_method": ["کارت"]})
    book = opened(table, language="fa")
    assert book.sheetnames == ["خلاصه", "گردش‌ها"]
    sheet = book["گردش‌ها"]
    assert sheet.sheet_view.rightToLeft
    assert [cell.value for cell in sheet[1]] == [
        *("مبلغ", "روش پرداخت", "مبلغ (تومان)"),
    ]
    assert [cell.value for cell in sheet[2]] == [10, "کارت", 1]
    heads = [cell.value for row in book["خلاصه"].iter_rows() for cell in row]
    assert {"کنترل", "اهمیت", "باز", "چه باید کرد"} <= set(heads)


def test_check_count_and_advice_begin_on_one_line() -> None:
    row = list(opened(pa.table({"amount": [1]}))["summary"].iter_rows())[-1]
    assert [cell.value for cell in row[:4]] == [
        "payment_wallet_identity",
        "critical",
        2,
        7_000,
    ]
    assert {cell.alignment.vertical for cell in row[:5]} == {"top"}


@pytest.mark.parametrize(
    ("rials", "shown"), [(None, None), (0, 0), (10**17 + 1, "100000000000000001")]
)
def test_rials_that_a_check_is_off_by_are_whole_on_the_first_sheet(
    rials: int | None, shown: int | str | None
) -> None:
    step = Step("payment_wallet_identity", "critical", 2, "ask", rials=rials)
    settings = Settings(business=Business(name="shop"))
    words = Verdict("bad", "so", (), (step,))
    content = workbook.render({}, words, settings, AS_OF)
    sheet = openpyxl.load_workbook(io.BytesIO(content))["summary"]
    assert sheet.cell(sheet.max_row, 4).value == shown


@pytest.mark.parametrize("calendar", ["gregorian", "jalali"])
@pytest.mark.parametrize(("language", "side"), [("en", "left"), ("fa", "right")])
def test_the_first_sheet_begins_its_texts_where_their_headers_begin(
    language: str, side: str, calendar: str
) -> None:
    """A name of a check in Latin began at the left, at the severity beside it."""
    sheet = opened(pa.table({"amount": [1]}), calendar, language).worksheets[0]
    header, row = list(sheet.iter_rows())[-2:]
    for cells_of_it in (header, row):
        check, severity, *_, advice = (cell.alignment for cell in cells_of_it[:5])
        assert {each.horizontal for each in (check, severity, advice)} == {side}
        assert severity.indent == advice.indent == 1
    for place in (2, 3):
        assert header[place].alignment.horizontal == "right"
        assert row[place].alignment.horizontal in (None, "right")
        assert row[place].data_type == "n"


def test_the_name_of_a_check_of_the_business_is_whole_on_the_first_sheet() -> None:
    """Where it is aligned at the right its beginning would be cut."""
    for length, width in ((10, 34), (50, 52)):
        words = Verdict("bad", "so", (), (Step("n" * length, "error", 2, "look"),))
        settings = Settings(business=Business(name="shop"))
        content = workbook.render({}, words, settings, AS_OF)
        sheet = openpyxl.load_workbook(io.BytesIO(content))["summary"]
        assert sheet.column_dimensions["A"].width == pytest.approx(width, abs=1)


def test_a_long_advice_gets_the_height_of_its_lines() -> None:
    step = Step("payment_wallet_identity", "critical", 2, "word " * 60)
    words = Verdict("bad", "so", (), (step,))
    settings = Settings(business=Business(name="shop"))
    content = workbook.render({}, words, settings, AS_OF)
    sheet = openpyxl.load_workbook(io.BytesIO(content))["summary"]
    assert sheet.row_dimensions[sheet.max_row].height >= 60


@pytest.mark.parametrize(("words", "lines"), [(20, 1), (40, 2), (70, 3)])
def test_a_long_sentence_of_the_verdict_goes_on_in_further_lines(
    words: int, lines: int
) -> None:
    """In one line it would be wider than the table below it, and than any page."""
    verdict = Verdict("warn", "so", ("word " * words, "short"), ())
    settings = Settings(business=Business(name="shop"))
    content = workbook.render({}, verdict, settings, AS_OF)
    sheet = openpyxl.load_workbook(io.BytesIO(content))["summary"]
    assert [each.coord for each in sheet.merged_cells.ranges] == (
        ["A2:E2"] if lines > 1 else []
    )
    assert (sheet.row_dimensions[2].height or 15) == 15 * lines
    assert bool(sheet["A2"].alignment.wrap_text) is (lines > 1)
    assert (sheet["A2"].value, sheet["A3"].value) == ("word " * words, "short")


def test_the_cover_says_where_the_journal_begins() -> None:
    settings = Settings(business=Business(name="shop"))
    for first, said in ((None, "has every entry"), (date(2026, 3, 1), "2026-03-01")):
        content = workbook.render({}, VERDICT, settings, AS_OF, {"journal": 1}, first)
        sheet = openpyxl.load_workbook(io.BytesIO(content))["summary"]
        cells = [str(row[0].value) for row in sheet.iter_rows()]
        assert [cell for cell in cells if cell.startswith("journal: ") and said in cell]
