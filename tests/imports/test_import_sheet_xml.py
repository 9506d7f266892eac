"""What a sheet's XML says beside its cells: numbers of rows, merged cells, zones."""

import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest

from recon.errors import RefusedFile
from recon.imports.formats import excel, sheet_xml
from recon.imports.formats.sheet_xml import Merged, MergedBelow
from recon.imports.importing import take
from recon.lake import Lake
from recon.settings import Imports
from tests.imports.import_cases import (
    SETTINGS,
    VALID,
    changed,
    stored,
    taken,
    write_excel,
)

SHEET = "xl/worksheets/sheet1.xml"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def edited(path: Path, edit: Callable[[str], str]) -> Path:
    """Write a workbook's first sheet anew, as another program might have."""
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    text = parts[SHEET].decode()
    parts[SHEET] = edit(text).encode()
    assert parts[SHEET] != text.encode()
    with zipfile.ZipFile(path, "w") as packed:
        for name, data in parts.items():
            packed.writestr(name, data)
    return path


def numbered(*lines: int | None) -> Callable[[str], str]:
    """Return an edit by which the rows of a sheet have these numbers, or none."""
    coming = iter(lines)

    def of_row(row: re.Match[str]) -> str:
        line = next(coming)
        bare = re.sub(r' r="[A-Z]*\d+"', "", row[0])
        return bare if line is None else bare.replace("<row", f'<row r="{line}"', 1)

    return lambda text: re.sub(r"<row.*?</row>", of_row, text, flags=re.DOTALL)


def three_orders(path: Path) -> Path:
    return write_excel(path, [changed("books", reference=each) for each in "123"])


@pytest.mark.parametrize(
    ("lines", "first"),
    [
        ((1, 2, 2, 3), "line 2: follows row 2"),
        ((1, 2, 5, 3), "line 3: follows row 5"),
        ((1, 2, 3, 1), "line 1: follows row 3"),
        ((1, 5, None, 6), "line 6: follows row 6"),
    ],
)
def test_rows_whose_numbers_do_not_rise_are_refused(
    lines: tuple[int, ...], first: str, lake: Lake, tmp_path: Path
) -> None:
    """Whoever reads them by number keeps one row and loses the others."""
    path = edited(three_orders(tmp_path / "a.xlsx"), numbered(*lines))
    with pytest.raises(RefusedFile, match=f"{first} in the sheet: open the file in"):
        taken(lake, "books", path)
    assert lake.commits() == []


@pytest.mark.parametrize(
    "lines",
    [(None, None, None, None), (1, None, 3, None), (1, 7, 8, 40), (1, 2, None, 30)],
)
def test_rows_with_gaps_or_without_numbers_are_read(
    lines: tuple[int, ...], lake: Lake, tmp_path: Path
) -> None:
    path = edited(three_orders(tmp_path / "a.xlsx"), numbered(*lines))
    taken(lake, "books", path)
    assert [row["reference"] for row in stored(lake, "books")] == ["1", "2", "3"]


@pytest.mark.parametrize("is_empty", [True, False])
def test_a_sheet_may_use_its_last_row(
    is_empty: bool, monkeypatch: pytest.MonkeyPatch, lake: Lake, tmp_path: Path
) -> None:
    """LibreOffice writes the last row of all sheets whose rows have a height."""
    monkeypatch.setattr(excel, "_MAX_ROWS", 4)
    path = three_orders(tmp_path / "a.xlsx")
    if is_empty:
        edited(path, lambda text: re.sub('<row r="4".*?</row>', '<row r="4"/>', text))
    taken(lake, "books", path)
    assert len(stored(lake, "books")) == (2 if is_empty else 3)


def test_a_sheet_of_more_rows_than_excel_has_is_refused(
    monkeypatch: pytest.MonkeyPatch, lake: Lake, tmp_path: Path
) -> None:
    monkeypatch.setattr(excel, "_MAX_ROWS", 3)
    with pytest.raises(RefusedFile, match="has more than 3 rows"):
        taken(lake, "books", three_orders(tmp_path / "a.xlsx"))
    assert lake.commits() == []


@pytest.mark.parametrize("place", ["<c r", "<is><t>", "<v>"])
def test_what_is_endless_in_a_sheet_is_not_parsed(
    place: str, monkeypatch: pytest.MonkeyPatch, lake: Lake, tmp_path: Path
) -> None:
    """A tag of 64 MiB, 67 kB where it is packed, took minutes of CPU."""
    monkeypatch.setattr(sheet_xml, "_CHUNK", 2**10)
    endless = f"{place}{'1' * 2**11}"
    path = edited(
        write_excel(tmp_path / "a.xlsx", [VALID["adjustments"] | {"further": 1}]),
        lambda text: text.replace(place, endless, 1),
    )
    told = f"a.xlsx: a cell or a tag has more than 1 MiB, in {SHEET}"
    with pytest.raises(RefusedFile, match=re.escape(told)):
        taken(lake, "adjustments", path)
    assert lake.commits() == []


def test_cells_of_a_row_count_in_whatever_order_they_are_written(
    lake: Lake, tmp_path: Path
) -> None:
    """Those beyond the last one were lost: toman became rials, and nobody was told."""
    rows = [VALID["adjustments"] | {"currency": "toman"}]

    def turned(text: str) -> str:
        cells = r'(<c r="[A-D]2".*?</c>)(<c r="E2".*?</c>)'
        return re.sub(cells, r"\2\1", text, flags=re.DOTALL)

    path = edited(write_excel(tmp_path / "a.xlsx", rows), turned)
    taken(lake, "adjustments", path)
    (row,) = stored(lake, "adjustments")
    assert row["amount"] == -2_500_000


def test_what_programs_keep_beside_the_sheets_may_be_long(
    lake: Lake, tmp_path: Path
) -> None:
    """A query that filled a sheet is kept as one long text in its workbook."""
    path = write_excel(tmp_path / "a.xlsx", [VALID["adjustments"]])
    with zipfile.ZipFile(path, "a") as packed:
        packed.writestr("customXml/item1.xml", f"<a>{'A' * 3 * 2**20}</a>")
    assert taken(lake, "adjustments", path).rows == 1


def test_the_number_of_a_row_is_found_across_chunks(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [changed("books", reference=str(at)) for at in range(200)]
    path = write_excel(tmp_path / "a.xlsx", rows)
    lines = [*range(1, 200), 199, 200]
    edited(path, numbered(*lines))
    for size in (300, 700, 2**20):
        monkeypatch.setattr(sheet_xml, "_CHUNK", size)
        monkeypatch.setattr(sheet_xml, "_LONGEST_TAG", size // 2)
        with pytest.raises(RefusedFile, match="line 199: follows row 199"):
            taken(lake, "books", path)


def merged(path: Path, kind: str, ranges: list[str], **cells: list[str]) -> Path:
    """Write rows of a kind; `cells` are a column's, and `ranges` are merged."""
    count = len(next(iter(cells.values())))
    rows = [
        changed(kind, **{name: column[at] for name, column in cells.items()})
        for at in range(count)
    ]
    write_excel(path, rows)
    book = openpyxl.load_workbook(path)
    for each in ranges:
        book.active.merge_cells(each)
    book.save(path)
    return path


def test_an_amount_that_is_merged_over_two_rows_is_refused(
    lake: Lake, tmp_path: Path
) -> None:
    """A tariff's minimum of two lines, as a sheet shows it, is of the first alone."""
    place = "ABCDEFG"[list(VALID["tariff"]).index("minimum")]
    cells = {"minimum": ["700", "700"], "payment_method": ["a", "b"]}
    path = merged(tmp_path / "a.xlsx", "tariff", [f"{place}2:{place}3"], **cells)
    with pytest.raises(RefusedFile) as refused:
        taken(lake, "tariff", path)
    told = "line 3, column minimum: is merged with the cell above it: unmerge them"
    assert told in str(refused.value)
    assert lake.commits() == []


def test_a_currency_that_is_merged_over_two_rows_is_refused(
    lake: Lake, tmp_path: Path
) -> None:
    cells = {"reference": ["1", "2"], "currency": ["toman", "toman"]}
    at = len(VALID["books"])
    place = "ABCDEFGHI"[at]
    path = merged(tmp_path / "a.xlsx", "books", [f"{place}2:{place}3"], **cells)
    with pytest.raises(RefusedFile, match="line 3, column currency: is merged with"):
        taken(lake, "books", path)


@pytest.mark.parametrize(
    ("paid_by", "word"),
    [
        (["card", "card", "card"], ""),  # the lines of totals have none
        (["cash", "cash", "card"], "cash"),
    ],
)
def test_a_merged_cell_neither_passes_its_row_over_nor_lets_it_count(
    paid_by: list[str], word: str, lake: Lake, tmp_path: Path
) -> None:
    """People see one word over two orders; the second one has none in the file."""
    cells = {"reference": ["1", "2", "3"], "paid by": paid_by}
    place = "ABCDEFGHI"[len(VALID["books"])]
    path = merged(tmp_path / "a.xlsx", "books", [f"{place}2:{place}3"], **cells)
    skip = {"books": {"paid by": (word,)}}
    settings = replace(SETTINGS, imports=Imports(skip=skip))
    told = r"line 3, column paid by: is merged with the cell above it: unmerge them"
    with pytest.raises(RefusedFile, match=told):
        take("books", [path], settings, lake)
    assert lake.commits() == []


def test_a_row_that_another_cell_passes_over_may_have_a_merged_one(
    lake: Lake, tmp_path: Path
) -> None:
    cells = {"reference": ["1", "2"], "status": ["paid", "gone"], "by": ["x", "x"]}
    place = "ABCDEFGHI"[len(VALID["books"])]
    path = merged(tmp_path / "a.xlsx", "books", [f"{place}2:{place}3"], **cells)
    skip = {"books": {"by": ("y",), "status": ("gone",)}}
    settings = replace(SETTINGS, imports=Imports(skip=skip))
    assert take("books", [path], settings, lake).rows == 1


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("description2", "customer2"),  # in one row
        ("customer2", "customer3"),  # of a column that is not read
        ("reference5", "product6"),  # below the rows, for a signature
    ],
)
def test_cells_that_are_merged_elsewhere_say_nothing(
    first: str, last: str, lake: Lake, tmp_path: Path
) -> None:
    columns = [*VALID["books"], "customer"]
    corners = [
        "ABCDEFGH"[columns.index(each[:-1])] + each[-1] for each in (first, last)
    ]
    cells = {"reference": ["1", "2"], "customer": ["x", "y"]}
    path = merged(tmp_path / "a.xlsx", "books", [":".join(corners)], **cells)
    taken(lake, "books", path)
    assert [row["reference"] for row in stored(lake, "books")] == ["1", "2"]


def test_empty_cells_that_are_merged_are_empty(lake: Lake, tmp_path: Path) -> None:
    place = "ABCDEFG"[list(VALID["tariff"]).index("minimum")]
    cells = {"minimum": ["", ""], "payment_method": ["a", "b"]}
    path = merged(tmp_path / "a.xlsx", "tariff", [f"{place}2:{place}3"], **cells)
    taken(lake, "tariff", path)
    assert [row["minimum"] for row in stored(lake, "tariff")] == [None, None]


def test_which_cells_are_merged_with_those_above() -> None:
    below = MergedBelow([Merged(3, 5, 2, 9), Merged(2, 3, 1, 1), Merged(4, 6, 1, 1)])
    found = [
        below.columns(line, cells)
        for line, cells in [
            (2, ["a", "b"]),
            (3, ["", "b"]),
            (4, ["", ""]),  # nothing stands in it
            (5, ["", ""]),
            (6, ["", ""]),
        ]
    ]
    assert found == [[], [1], [2], [2], []]


def dated(path: Path, value: str) -> Path:
    """Write an order whose time is a cell of the kind date, as some programs do."""
    write_excel(path, [changed("books")])
    place = "ABCDEFG"[list(VALID["books"]).index("occurred_at")]
    cell = rf'<c r="{place}2"[^>]*?(?:/>|>.*?</c>)'
    date = f'<c r="{place}2" t="d"><v>{value}</v></c>'
    return edited(path, lambda text: re.sub(cell, date, text, flags=re.DOTALL))


@pytest.mark.parametrize("zone", ["Z", "+03:30", "-0500"])
@pytest.mark.parametrize("seconds", [":00", ":00.000", ""])
def test_a_date_with_a_zone_that_no_sheet_shows_is_refused(
    zone: str, seconds: str, lake: Lake, tmp_path: Path
) -> None:
    """It would be read as Tehran's, three hours and a half early."""
    path = dated(tmp_path / "a.xlsx", f"2026-10-01T06:30{seconds}{zone}")
    with pytest.raises(RefusedFile) as refused:
        taken(lake, "books", path)
    told = "line 2, column occurred_at: is a date with a zone that no sheet shows"
    assert told in str(refused.value)


@pytest.mark.parametrize("zone", ["Z", "+03:30"])
@pytest.mark.parametrize("place", ["first", "unsaid"])
def test_a_date_with_a_zone_is_refused_wherever_it_stands(
    place: str, zone: str, lake: Lake, tmp_path: Path
) -> None:
    """Most exports begin with the date; some programs do not say where a cell is."""
    names = ["occurred_at", *(each for each in VALID["books"] if each != "occurred_at")]
    row = {name: changed("books")[name] for name in names}
    path = write_excel(tmp_path / "a.xlsx", [row])
    date = f'<c r="A2" t="d"><v>2026-10-01T06:30:00{zone}</v></c>'
    edited(path, lambda text: re.sub(r'<c r="A2".*?</c>', date, text, flags=re.DOTALL))
    if place == "unsaid":
        edited(path, lambda text: re.sub(r' r="[A-G]?\d"', "", text))
    with pytest.raises(RefusedFile) as refused:
        taken(lake, "books", path)
    told = "line 2, column occurred_at: is a date with a zone that no sheet shows"
    assert told in str(refused.value)


@pytest.mark.parametrize("value", ["2026-10-01T10:00:00", "2026-10-01T10:00:00.000"])
def test_a_date_without_a_zone_is_the_businesss(
    value: str, lake: Lake, tmp_path: Path
) -> None:
    taken(lake, "books", dated(tmp_path / "a.xlsx", value))
    (row,) = stored(lake, "books")
    assert f"{row['occurred_at']:%H:%M}" == "06:30"


def test_a_date_with_a_zone_in_a_column_that_is_not_read_does_no_harm(
    lake: Lake, tmp_path: Path
) -> None:
    path = write_excel(tmp_path / "a.xlsx", [changed("books", changed_on="x")])
    place = "ABCDEFGH"[len(VALID["books"])]
    cell = rf'<c r="{place}2".*?</c>'
    date = f'<c t="d" r="{place}2"><v>2026-10-01T06:30:00Z</v></c>'
    edited(path, lambda text: re.sub(cell, date, text, flags=re.DOTALL))
    taken(lake, "books", path)
    assert len(stored(lake, "books")) == 1
