"""Formulas of a workbook that nothing has calculated: a 0 stands where a result will.

XlsxWriter writes so, and so do others that make a file row by row. Excel calculates all
when it opens the workbook, which says that this is to be done.
"""

import zipfile
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from recon.errors import RefusedFile
from recon.lake import Lake
from tests.imports.import_cases import changed, stored, taken

TOLD = "holds a formula without its result: open the file in Excel, save it"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def written(path: Path, *rows: dict[str, Any], results: tuple[int, ...] = ()) -> Path:
    """Write orders; of each formula, in their order, the result that is given, or 0."""
    book = xlsxwriter.Workbook(path)
    sheet, found = book.add_worksheet(), iter(results)
    sheet.write_row(0, 0, rows[0])
    for line, row in enumerate(rows, start=1):
        for at, cell in enumerate(row.values()):
            if cell.startswith("="):
                sheet.write_formula(line, at, cell, None, next(found, 0))
            else:
                sheet.write(line, at, cell)
    book.close()
    return path


def with_workbook(path: Path, said: str) -> Path:
    """Let a workbook say something else of what is to be calculated."""
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    own = parts["xl/workbook.xml"]
    parts["xl/workbook.xml"] = own.replace(b' fullCalcOnLoad="1"', said.encode())
    assert parts["xl/workbook.xml"] != own
    with zipfile.ZipFile(path, "w") as packed:
        for name, data in parts.items():
            packed.writestr(name, data)
    return path


@pytest.mark.parametrize("column", ["amount", "reference", "description"])
def test_a_zero_in_place_of_a_formulas_result_is_refused(
    column: str, lake: Lake, tmp_path: Path
) -> None:
    """An amount would be 0, and an order that of all others."""
    rows = changed("books"), changed("books", **{column: "=5*10"})
    with pytest.raises(RefusedFile) as refused:
        taken(lake, "books", written(tmp_path / "a.xlsx", *rows))
    assert f"line 3, column {column}: {TOLD}" in str(refused.value)
    assert lake.commits() == []


def test_a_truth_may_be_spelt(lake: Lake, tmp_path: Path) -> None:
    path = written(tmp_path / "a.xlsx", changed("books", amount="=5*10"))
    with pytest.raises(RefusedFile, match=TOLD):
        taken(lake, "books", with_workbook(path, " fullCalcOnLoad='true'"))


def test_a_zero_is_taken_where_another_formula_has_a_result(
    lake: Lake, tmp_path: Path
) -> None:
    """Whoever wrote it has calculated."""
    rows = [
        changed("books", reference=each, amount=f"={each}*10-50") for each in ("5", "7")
    ]
    taken(lake, "books", written(tmp_path / "a.xlsx", *rows, results=(0, 20)))
    assert [row["amount"] for row in stored(lake, "books")] == [0, 20]


def test_a_zero_that_excel_has_calculated_is_taken(lake: Lake, tmp_path: Path) -> None:
    """It does not say that all is to be calculated once more."""
    path = written(tmp_path / "a.xlsx", changed("books", amount="=5-5"))
    taken(lake, "books", with_workbook(path, ""))
    assert [row["amount"] for row in stored(lake, "books")] == [0]
