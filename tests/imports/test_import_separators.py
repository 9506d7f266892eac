"""CSV as spreadsheets of other languages save it: parted by what is no comma."""

from pathlib import Path

import pytest

from recon.errors import RefusedFile
from recon.lake import Lake
from tests.imports.import_cases import IBAN, stored, taken

HEADER = "booked_at,amount,description,iban\n"
SEPARATORS = [";", "\t", "|", "\u061b"]


def parted(separator: str, *rows: str) -> str:
    return "".join([HEADER, *rows]).replace(",", separator)


@pytest.mark.parametrize("separator", SEPARATORS)
def test_another_separator_is_taken_and_said_so(tmp_path: Path, separator: str) -> None:
    lake = Lake(tmp_path / "lake")
    path = tmp_path / "bank.csv"
    row = f'2026-10-02,-1A200A000,"to{separator}us",{IBAN}\n'
    path.write_text(parted(separator, row).replace("A", ","), encoding="utf-8")
    (file,) = taken(lake, "bank_statement", path).files
    assert file.warnings == (f"the cells are parted by {separator!r}, not a comma",)
    (found,) = stored(lake, "bank_statement")
    assert (found["amount"], found["description"]) == (-1_200_000, f"to{separator}us")


def test_titles_may_stand_above_such_a_header(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    path = tmp_path / "bank.csv"
    row = f"2026-10-02,-5,out,{IBAN}\n"
    path.write_text("Statement, October, all accounts\n \n" + parted(";", row))
    (file,) = taken(lake, "bank_statement", path).files
    assert file.warnings == (
        "the cells are parted by ';', not a comma",
        "line 3 names the columns; above it nothing is read",
    )
    (found,) = stored(lake, "bank_statement")
    assert (found["amount"], found["position"]) == (-5, 4)


def test_commas_part_a_header_that_they_can_part(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    path = tmp_path / "bank.csv"
    header = HEADER.replace("\n", ",a;b;c;d;e;f;g\n")
    path.write_text(f"{header}2026-10-02,-5,booked_at;amount,{IBAN},1;2\n")
    (file,) = taken(lake, "bank_statement", path).files
    assert file.warnings == ()
    (found,) = stored(lake, "bank_statement")
    assert found["description"] == "booked_at;amount"


@pytest.mark.parametrize("amount", ["12,50", "1.200,50", "1200,00", "1,20,000"])
def test_a_comma_in_an_amount_parts_thousands_or_is_refused(
    tmp_path: Path, amount: str
) -> None:
    lake = Lake(tmp_path / "lake")
    path = tmp_path / "bank.csv"
    path.write_text(parted(";", "2026-10-02;A;out;B\n").replace("A", amount))
    with pytest.raises(RefusedFile, match=r"line 2, column amount: .* no fraction"):
        taken(lake, "bank_statement", path)


def test_a_row_of_another_separator_than_its_header_is_refused(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    path = tmp_path / "bank.csv"
    path.write_text(parted(";", f"2026-10-02,-5,out,{IBAN}\n") + "2026-10-03,-6,x,y\n")
    with pytest.raises(RefusedFile, match="line 3: has 1 cells where the header names"):
        taken(lake, "bank_statement", path)


ORDERS = "reference,status,occurred_at,amount,description"
PARTED = "A1,paid,2026-10-01 12:00,250,000,"


def orders(lake: Lake, path: Path, *lines: str) -> list[int]:
    """Take orders of such lines; return their amounts."""
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    taken(lake, "books", path)
    return [row["amount"] for row in stored(lake, "books")]


@pytest.mark.parametrize("others", [[], [PARTED], ["A2,paid,2026-10-02,700,lamp"]])
def test_an_amount_that_its_thousands_part_is_no_smaller_one(
    tmp_path: Path, others: list[str]
) -> None:
    told = (
        "line 2: has 6 cells where the header names 5 columns: is an amount with "
        "separators not in quotes\\? Where each line ends with a separator, the header "
        "must, too"
    )
    with pytest.raises(RefusedFile, match=told):
        orders(Lake(tmp_path / "lake"), tmp_path / "a.csv", ORDERS, PARTED, *others)


@pytest.mark.parametrize("first", [True, False])
def test_below_a_header_that_ends_with_a_separator_rows_end_alike(
    tmp_path: Path, first: bool
) -> None:
    lines = [PARTED, "A2,paid,2026-10-02,700,lamp"]
    lines = lines if first else lines[::-1]
    told = "line 3: has . cells where rows above have .: rows end alike; is an amount"
    with pytest.raises(RefusedFile, match=told):
        orders(Lake(tmp_path / "lake"), tmp_path / "a.csv", f"{ORDERS},", *lines)


def test_an_amount_parted_beside_lines_that_end_with_separators_is_refused(
    tmp_path: Path,
) -> None:
    lines = ["A2,paid,2026-10-02,700,,", f"{PARTED},"]
    with pytest.raises(RefusedFile, match="line 3: has 7 cells where the header names"):
        orders(Lake(tmp_path / "lake"), tmp_path / "a.csv", f"{ORDERS},", *lines)


@pytest.mark.parametrize("end", ["", ",", ",,", ", "])
def test_lines_that_all_end_with_separators_are_taken(tmp_path: Path, end: str) -> None:
    lines = [ORDERS, 'A1,paid,2026-10-01,"250,000",', "A2,paid,2026-10-02,700,x"]
    ended = [line + end for line in lines]
    amounts = orders(Lake(tmp_path / "lake"), tmp_path / "a.csv", *ended)
    assert amounts == [250_000, 700]


def test_rows_may_leave_out_what_only_the_header_ends_with(tmp_path: Path) -> None:
    lines = [f"{ORDERS},,", "A1,paid,2026-10-01,250,x", "A2,paid,2026-10-02,7,"]
    assert orders(Lake(tmp_path / "lake"), tmp_path / "a.csv", *lines) == [250, 7]
