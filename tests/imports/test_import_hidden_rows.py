"""What a workbook does not show, or has on other sheets, is told of."""

from pathlib import Path

import openpyxl
import pytest

from recon.errors import RefusedFile
from recon.imports.formats import sheet_xml
from recon.lake import Lake
from tests.imports.import_cases import VALID, changed, stored, taken


@pytest.mark.parametrize("hidden", [0, 1, 3])
def test_rows_that_a_sheet_does_not_show_are_told(
    hidden: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A filter hides them; who looks at the sheet knows nothing of them."""
    monkeypatch.setattr(sheet_xml, "_CHUNK", 700)  # so that rows stand across chunks
    monkeypatch.setattr(sheet_xml, "_LONGEST_TAG", 300)
    lake, book = Lake(tmp_path / "lake"), openpyxl.Workbook()
    sheet = book.active
    sheet.append(list(VALID["books"]))
    for at in range(9):
        sheet.append(list(changed("books", reference=str(at)).values()))
        sheet.row_dimensions[at + 2].hidden = at in (1, 4, 8)[:hidden]
    sheet.row_dimensions[30].hidden = True  # without a cell
    sheet.column_dimensions["B"].hidden = True
    book.create_sheet("Old").append(["x"])
    book.worksheets[1].row_dimensions[1].hidden = True
    book.save(tmp_path / "a.xlsx")
    told = taken(lake, "books", tmp_path / "a.xlsx").files[0].warnings[:-1]
    some = {
        1: ("1 row of the sheet, hidden as by a filter, is read, too",),
        3: ("3 rows of the sheet, hidden as by a filter, are read, too",),
    }
    assert told == some.get(hidden, ())
    assert len(stored(lake, "books")) == 9


def test_a_row_that_says_very_often_that_it_is_hidden_keeps_nobody_waiting() -> None:
    """To seek its end from each of them would take hours."""
    assert not sheet_xml._TAG_OR_DATE.findall(b"<row" + b' hidden="1"' * 90_000)


@pytest.mark.parametrize("titles", [[], ["Sales"]])
def test_a_refusal_for_want_of_columns_names_the_sheets_that_are_not_read(
    titles: list[str], tmp_path: Path
) -> None:
    lake, book = Lake(tmp_path / "lake"), openpyxl.Workbook()
    book.active.append(["A cover"])
    for title in titles:
        book.create_sheet(title).append(list(VALID["books"]))
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(RefusedFile) as refused:
        taken(lake, "books", tmp_path / "a.xlsx")
    said = str(refused.value)
    assert "columns are missing" in said
    told = "(there are 'A cover'); [imports.columns.books] says what a file calls them"
    if titles:
        told += "; only the first sheet is read; not 'Sales'"
    assert said.endswith(told)
