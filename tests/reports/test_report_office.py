"""What LibreOffice makes of the files: it opens them as an accountant would."""

import shutil
import subprocess
from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from recon.reports import breaks, csv_text, workbook
from recon.reports.verdict import Step, Verdict
from recon.settings import Business, Reports, Settings
from tests.reports.stand_in import AS_OF, a_break, rows

OFFICE = shutil.which("soffice")
pytestmark = pytest.mark.skipif(OFFICE is None, reason="LibreOffice is not installed")

SAID = 'مبلغ سفارش با پرداخت نمی‌خواند، "۱۲" ریال'
GIVEN = [
    a_break(detail=SAID, record_id="00012345678901234567", difference=-10_000),
    a_break(detail="=1+1", record_id="+98", business_date=date(2026, 3, 21)),
]
COMMAS_QUOTES_UTF8 = "CSV:44,34,76,1"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The workbook and the CSV, opened and saved by LibreOffice."""
    folder: Path = tmp_path_factory.mktemp("office")
    table = rows(breaks.COLUMNS, GIVEN)
    settings = Settings(
        business=Business(name="shop", calendar="jalali"),
        reports=Reports(language="fa"),
    )
    words = Verdict("bad", "۲ مغایرت", (), (Step("a_check", "critical", 2, "=ask"),))
    book = workbook.render({"breaks": table}, words, settings, AS_OF)
    (folder / "report.xlsx").write_bytes(book)
    (folder / "breaks.csv").write_bytes(csv_text.render(table))
    for name, options in (
        ("report.xlsx", []),
        ("breaks.csv", [f"--infilter={COMMAS_QUOTES_UTF8}"]),
    ):
        command = [str(OFFICE), f"-env:UserInstallation=file://{folder / 'profile'}"]
        command += ["--headless", *options, "--convert-to", "xlsx", "--outdir"]
        command += [str(folder / "saved"), str(folder / name)]
        subprocess.run(command, check=True, capture_output=True, timeout=300)
    return {
        name: openpyxl.load_workbook(folder / "saved" / f"{name}.xlsx")
        for name in ("report", "breaks")
    }


def by_header(sheet: Any, row: int) -> dict[str, Any]:
    return {
        head.value: cell
        for head, cell in zip(sheet[1], sheet[row], strict=True)
        if head.value
    }


def test_the_csv_keeps_persian_text_and_runs_no_formula(saved: dict[str, Any]) -> None:
    sheet = saved["breaks"].active
    first, second = by_header(sheet, 2), by_header(sheet, 3)
    assert [cell.value for cell in sheet[1]] == breaks.COLUMNS.names
    assert first["detail"].value == SAID
    assert first["difference"].value == -10_000
    assert second["detail"].value == "'=1+1"
    assert not any(cell.data_type == "f" for row in sheet.iter_rows() for cell in row)


def test_the_workbook_keeps_its_side_texts_and_amounts(saved: dict[str, Any]) -> None:
    book = saved["report"]
    assert book.sheetnames == ["خلاصه", "مغایرت‌ها"]
    sheet = book["مغایرت‌ها"]
    assert sheet.sheet_view.rightToLeft
    assert sheet.auto_filter.ref
    first, second = by_header(sheet, 2), by_header(sheet, 3)
    assert first["شناسه رکورد"].value == "00012345678901234567"
    assert first["شرح"].value == SAID
    assert first["مغایرت"].value == -10_000
    assert first["مغایرت (تومان)"].value == -1_000
    assert second["شرح"].value == "=1+1"
    assert second["تاریخ کاری"].value == datetime(2026, 3, 21)  # noqa: DTZ001 - Excel has no zones
    assert second["تاریخ کاری (شمسی)"].value == "1405-01-01"
    cells = (cell for sheet in book for row in sheet.iter_rows() for cell in row)
    assert not any(cell.data_type == "f" for cell in cells)
