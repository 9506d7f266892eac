"""Titles above the header, as banks' exports have them."""

import csv
from collections.abc import Callable, Sequence
from pathlib import Path

import openpyxl
import pytest

from recon.errors import RefusedFile
from recon.imports.importing import take
from recon.lake import Lake
from recon.settings import Business, Imports, Settings
from tests.imports.import_cases import IBAN, stored, taken

Lines = Sequence[Sequence[str]]
HEADER = ["booked_at", "amount", "description", "iban"]
ROW = ["2026-10-02", "-5", "transfer", IBAN]
NOTE = "line {} names the columns; above it nothing is read"


def as_csv(path: Path, lines: Lines) -> Path:
    with path.with_suffix(".csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(lines)
    return path.with_suffix(".csv")


def as_excel(path: Path, lines: Lines) -> Path:
    book = openpyxl.Workbook()
    assert book.active is not None
    for line in lines:
        book.active.append(list(line))
    book.save(path.with_suffix(".xlsx"))
    return path.with_suffix(".xlsx")


Writer = Callable[[Path, Lines], Path]
WRITERS: list[Writer] = [as_csv, as_excel]


@pytest.mark.parametrize("write", WRITERS)
def test_the_header_is_found_below_titles(tmp_path: Path, write: Writer) -> None:
    lake = Lake(tmp_path / "lake")
    titles = [["Statement of account, 2026-10"], [], ["from", "", "to", "", "", "x"]]
    path = write(tmp_path / "bank", [*titles, HEADER, ROW])
    (file,) = taken(lake, "bank_statement", path).files
    assert file.warnings == (NOTE.format(4),)
    (row,) = stored(lake, "bank_statement")
    assert (row["amount"], row["position"]) == (-5, 5)
    assert taken(lake, "bank_statement", path).files[0].known


@pytest.mark.parametrize("write", WRITERS)
def test_a_first_row_that_is_the_header_needs_no_word(
    tmp_path: Path, write: Writer
) -> None:
    lake = Lake(tmp_path / "lake")
    again = ["2026-10-03", "-6", "amount", IBAN]
    path = write(tmp_path / "bank", [HEADER, ROW, again])
    assert taken(lake, "bank_statement", path).files[0].warnings == ()
    assert len(stored(lake, "bank_statement")) == 2


@pytest.mark.parametrize("write", WRITERS)
def test_a_header_that_is_nowhere_is_told_by_the_row_that_comes_near_it(
    tmp_path: Path, write: Writer
) -> None:
    lake = Lake(tmp_path / "lake")
    path = write(tmp_path / "bank", [["Statement"], HEADER[:3], ROW])
    told = (
        r"line 2: required columns are missing: iban "
        r"\(there are 'booked_at', 'amount', 'description'\)"
    )
    with pytest.raises(RefusedFile, match=told):
        taken(lake, "bank_statement", path)
    bare = write(tmp_path / "bare", [["Statement"], ["amount"], ROW])
    told = r"line 1: required columns are missing: .*iban \(there are 'Statement'\)"
    with pytest.raises(RefusedFile, match=told):
        taken(lake, "bank_statement", bare)
    far = write(tmp_path / "far", [*[["Statement"]] * 31, HEADER, ROW])
    with pytest.raises(RefusedFile, match="required columns are missing"):
        taken(lake, "bank_statement", far)
    near = write(tmp_path / "near", [*[["Statement"]] * 30, HEADER, ROW])
    assert taken(lake, "bank_statement", near).files[0].warnings == (NOTE.format(31),)


def test_a_header_of_settings_is_found_below_titles(tmp_path: Path) -> None:
    names = {"booked_at": "تاریخ", "debit": "برداشت", "credit": "واریز"}
    settings = Settings(
        business=Business(name="shop"),
        imports=Imports(
            columns={"bank_statement": names | {"description": "شرح"}},
            values={"bank_statement": {"iban": IBAN, "calendar": "jalali"}},
        ),
    )
    lines = [
        ["صورتحساب سپرده", "از تاریخ ۱۴۰۵/۰۷/۰۱"],
        ["ردیف", "تاريخ", "شرح", "برداشت", "واريز", "مانده"],
        ["1", "۱۴۰۵/۰۷/۱۰", "پایا", "۱۲٬۰۰۰", "۰", "88"],
    ]
    lake = Lake(tmp_path / "lake")
    take("bank_statement", [as_excel(tmp_path / "bank", lines)], settings, lake)
    (row,) = stored(lake, "bank_statement")
    assert (row["amount"], row["iban"]) == (-12_000, IBAN)
    assert row["booked_at"].isoformat() == "2026-10-01T20:30:00+00:00"


def test_a_header_that_names_a_column_twice_is_told_where_it_stands(
    tmp_path: Path,
) -> None:
    lines = [["Statement"], [*HEADER, "iban"], [*ROW, IBAN]]
    with pytest.raises(RefusedFile, match="line 2: the header names a column twice"):
        taken(Lake(tmp_path / "lake"), "bank_statement", as_csv(tmp_path / "b", lines))


OTHER = "IR740217876908633198199319"


def told_beside(folder: Path, titles: Lines, given: str, *, has_iban: bool) -> str:
    width = 4 if has_iban else 3
    path = as_csv(folder / "bank", [*titles, HEADER[:width], ROW[:width]])
    shop, lake = Settings(business=Business(name="shop")), Lake(folder / "lake")
    report = take("bank_statement", [path], shop, lake, values={"iban": given})
    return "; ".join(report.files[0].warnings)


@pytest.mark.parametrize(
    "title",
    [
        f"شبا: {OTHER}",
        "شماره شبا IR74 0217 8769 0863 3198 1993 19 ریال",
        "ir۷۴-۰۲۱۷-۸۷۶۹-۰۸۶۳-۳۱۹۸-۱۹۹۳-۱۹",
    ],
)
def test_a_title_with_the_iban_of_another_account_is_told(
    title: str, tmp_path: Path
) -> None:
    told = told_beside(tmp_path, [["گردش حساب"], [title]], IBAN, has_iban=False)
    assert f"names {OTHER}, and the iban is given as '{IBAN}'" in told
    assert told.endswith("1 row, first at line 2")


@pytest.mark.parametrize(
    ("title", "has_iban"),
    [
        (f"{IBAN}, {OTHER}", False),  # from one to the other
        (OTHER, True),  # each row says its own
        (f"{OTHER[:-1]}8", False),  # no IBAN
        (f"{OTHER}1", False),
    ],
)
def test_another_title_beside_a_given_iban_is_not_told(
    title: str, has_iban: bool, tmp_path: Path
) -> None:
    assert OTHER not in told_beside(tmp_path, [[title]], IBAN, has_iban=has_iban)
