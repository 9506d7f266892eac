"""An overlapping export whose rows carry a running number counts twice, and is told."""

from pathlib import Path

import pytest

from recon.imports.importing import take
from recon.imports.lookalikes import TOPIC
from recon.lake import Lake
from recon.settings import Business, Settings

SETTINGS = Settings(business=Business(name="shop"))
HEAD = "booked_at,amount,description,iban"
IBAN = "IR062960000000100324200001"
FIRST = ("2026-10-01 10:00:00,-5000,fee", "2026-10-02 10:00:00,-7000,transfer")
THIRD = "2026-10-03 10:00:00,-9000,fee"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def statement(folder: Path, name: str, rows: list[str], *, further: str = "") -> Path:
    """Write a statement; each row of `further` files ends with its own number."""
    lines = [
        f"{row},{IBAN}" + (f",{number}" if further else "")
        for number, row in enumerate(rows, start=1)
    ]
    head = HEAD + (f",{further}" if further else "")
    path = folder / name
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return path


def warnings(lake: Lake, *paths: Path) -> list[tuple[str, ...]]:
    return [
        file.warnings for file in take("bank_statement", paths, SETTINGS, lake).files
    ]


def test_rows_that_only_a_running_number_tells_apart_are_told(
    lake: Lake, tmp_path: Path
) -> None:
    first = statement(tmp_path, "a.csv", list(FIRST), further="row")
    again = statement(tmp_path, "b.csv", [FIRST[1], THIRD], further="row")
    assert warnings(lake, first) == [()]
    assert warnings(lake, again) == [(f"{TOPIC}: 1 row, first at line 2",)]


def test_a_column_that_only_the_later_file_has_is_told(
    lake: Lake, tmp_path: Path
) -> None:
    first = statement(tmp_path, "a.csv", list(FIRST))
    again = statement(tmp_path, "b.csv", [*FIRST, THIRD], further="row")
    assert warnings(lake, first) == [()]
    assert warnings(lake, again) == [(f"{TOPIC}: 2 rows, first at line 2",)]


def test_two_files_of_one_command_are_compared(lake: Lake, tmp_path: Path) -> None:
    first = statement(tmp_path, "a.csv", list(FIRST), further="row")
    again = statement(tmp_path, "b.csv", [FIRST[1]], further="row")
    assert warnings(lake, first, again) == [
        (),
        (f"{TOPIC}: 1 row, first at line 2",),
    ]


def test_the_same_rows_once_more_and_other_rows_are_not_told(
    lake: Lake, tmp_path: Path
) -> None:
    first = statement(tmp_path, "a.csv", list(FIRST))
    again = statement(tmp_path, "b.csv", [*FIRST, THIRD])
    assert warnings(lake, first) == [()]
    assert warnings(lake, again) == [()]


def test_equal_rows_within_one_file_are_no_concern(lake: Lake, tmp_path: Path) -> None:
    twice = statement(tmp_path, "a.csv", [FIRST[0], FIRST[0]], further="reference")
    assert warnings(lake, twice) == [()]
