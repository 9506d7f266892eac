"""An overlapping export whose rows carry a running number counts twice, and is told."""

from pathlib import Path

import pytest

from recon.imports.importing import take
from recon.imports.lookalikes import RESPELT, TOPIC
from recon.imports.voiding import void
from recon.lake import Lake
from recon.reconcile.engines import DuckEngine
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


EXTRA = "trace,day,clock,branch"
PLAIN = "123,2026-10-01,10:15,مرکزی"


def written(folder: Path, name: str, *rows: str, extra: str = EXTRA) -> Path:
    path = folder / name
    text = "\n".join([f"{HEAD},{extra}", *rows])
    path.write_text(f"{text}\n", encoding="utf-8")
    return path


def amounts(lake: Lake) -> list[int]:
    """Return the bank's amounts, each row once, as reconciling counts them."""
    raw = {"bank_statement": lake.versions("bank_statement")}
    with DuckEngine.open(raw, SETTINGS, lake.now()) as engine:
        found = engine.table("stg_business__bank_entries")["amount_rial"].to_pylist()
    return sorted(found)


@pytest.mark.parametrize(
    ("description", "extra", "cells"),
    [
        ("fee", EXTRA, "00123,2026-10-01,10:15,مرکزی"),
        ("fee", EXTRA, "123.0,2026-10-01,10:15,مرکزی"),
        ("fee", EXTRA, "۱۲۳,2026/10/1,10:15,مرکزی"),
        ("fee", EXTRA, "123,2026-10-01T00:00:00,10:15:00,مرکزی"),
        ("fee", EXTRA, "123,2026-10-01 00:00,10:15,مركزي"),
        ("fee ", EXTRA, PLAIN),
        ("\u200ffee", EXTRA, " 123 ,2026-10-01,10:15, مرکزی\u200f"),
        ("fee\u00a0", EXTRA, PLAIN),
        ("fee", f"{EXTRA},note", f"{PLAIN},"),
        ("fee", "پیگیری,روز,زمان,شعبه", PLAIN),
        ("fee", "شعبه,روز,شرح دیگر,زمان,پیگیری", "مرکزی,2026/10/01,,10:15,0123"),
    ],
)
def test_a_row_that_is_only_spelt_otherwise_counts_once(
    description: str, extra: str, cells: str, lake: Lake, tmp_path: Path
) -> None:
    """One night a bank's export has a number, the next a text: one fee was paid."""
    row = f"2026-10-01 10:00:00,-5000,{{}},{IBAN},{{}}"
    first = written(tmp_path, "a.csv", row.format("fee", PLAIN))
    again = written(tmp_path, "b.csv", row.format(description, cells), extra=extra)
    assert warnings(lake, first) == [()]
    assert warnings(lake, again) == [(f"{RESPELT}: 1 row, first at line 2",)]
    assert amounts(lake) == [-5000]
    assert warnings(lake, again) == [(f"{RESPELT}: 1 row, first at line 2",)]
    assert amounts(lake) == [-5000]


@pytest.mark.parametrize(
    "spelt",
    [
        "-12,345,000",
        "-۱۲٬۳۴۵٬۰۰۰",
        "-12،345،000",
        "-12 345 000",
        "- 12\u00a0345\u00a0000",
        "-12\u202f345\u202f000",
        "-12_345_000",
        "\u221212345000",
        "-12345000٫00",
    ],
)
def test_a_balance_that_is_spelt_as_amounts_may_be_is_the_same(
    spelt: str, lake: Lake, tmp_path: Path
) -> None:
    """One export parts thousands in another way: no entry is counted twice for it."""
    row = f"2026-10-01 10:00:00,-5000,fee,{IBAN},"
    first = written(tmp_path, "a.csv", f"{row}-12345000", extra="balance")
    again = written(tmp_path, "b.csv", f'{row}"{spelt}"', extra="balance")
    assert warnings(lake, first, again)[1] == (f"{RESPELT}: 1 row, first at line 2",)
    assert amounts(lake) == [-5000]


@pytest.mark.parametrize(
    "cells",
    [
        "124,2026-10-01,10:15,مرکزی",
        "1234,2026-10-01,10:15,مرکزی",
        "12 3,2026-10-01,10:15,مرکزی",
        "123 000,2026-10-01,10:15,مرکزی",
        "123,2026-10-01,10:15,مر کزی",
        "-123,2026-10-01,10:15,مرکزی",
        "123.5,2026-10-01,10:15,مرکزی",
        "123,2026-10-02,10:15,مرکزی",
        "123,2026-10-01 10:00,10:15,مرکزی",
        "123,2026-10-01,10:16,مرکزی",
        "123,2026-10-01,10:15,غرب",
        ",2026-10-01,10:15,مرکزی",
    ],
)
def test_a_row_that_says_something_else_is_another_one(
    cells: str, lake: Lake, tmp_path: Path
) -> None:
    row = f"2026-10-01 10:00:00,-5000,fee,{IBAN},"
    first = written(tmp_path, "a.csv", row + PLAIN)
    again = written(tmp_path, "b.csv", row + cells)
    assert warnings(lake, first) == [()]
    assert warnings(lake, again) == [(f"{TOPIC}: 1 row, first at line 2",)]
    assert amounts(lake) == [-5000, -5000]


@pytest.mark.parametrize(
    ("one", "other"), [("1.10", "1.1"), ("1 11", "11 1"), ("a1", "a01")]
)
def test_codes_that_look_almost_alike_are_two(
    one: str, other: str, lake: Lake, tmp_path: Path
) -> None:
    row = f"2026-10-01 10:00:00,-5000,fee,{IBAN},"
    paths = [written(tmp_path, "a.csv", row + one, extra="code")]
    paths += [written(tmp_path, "b.csv", row + other, extra="code")]
    assert warnings(lake, *paths)[1] == (f"{TOPIC}: 1 row, first at line 2",)
    assert amounts(lake) == [-5000, -5000]


@pytest.mark.parametrize("lists", ["1,2", "1,2,3", "12,3"])
def test_codes_that_a_comma_parts_are_no_number(
    lists: str, lake: Lake, tmp_path: Path
) -> None:
    row = f"2026-10-01 10:00:00,-5000,fee,{IBAN},"
    digits = lists.replace(",", "")
    taken = [written(tmp_path, "a.csv", f"{row}{digits}", extra="codes")]
    taken += [written(tmp_path, "b.csv", f'{row}"{lists}"', extra="codes")]
    warnings(lake, *taken)
    assert amounts(lake) == [-5000, -5000]


def test_as_many_rows_count_as_one_file_has_however_they_are_spelt(
    lake: Lake, tmp_path: Path
) -> None:
    """Two fees of one file, and the next one has them in another spelling, and one."""
    row = f"2026-10-01 10:00:00,-5000,fee,{IBAN},"
    first = written(tmp_path, "a.csv", row + "7", row + "7", extra="trace")
    respelt = [row + "7", row + "07", row + "007"]
    again = written(tmp_path, "b.csv", *respelt, extra="trace")
    warnings(lake, first)
    assert warnings(lake, again) == [(f"{RESPELT}: 2 rows, first at line 3",)]
    assert amounts(lake) == [-5000] * 3
    once = written(tmp_path, "c.csv", row + "0007", extra="trace")
    warnings(lake, once)
    assert amounts(lake) == [-5000] * 3


def test_two_rows_that_were_spelt_otherwise_in_one_file_stay_two(
    lake: Lake, tmp_path: Path
) -> None:
    row = f"2026-10-01 10:00:00,-5000,fee,{IBAN},"
    both = written(tmp_path, "a.csv", row + "7", row + "07", extra="trace")
    assert warnings(lake, both) == [()]
    assert amounts(lake) == [-5000, -5000]
    one = written(tmp_path, "b.csv", row + "007", extra="trace")
    assert warnings(lake, one) == [(f"{TOPIC}: 1 row, first at line 2",)]


def test_rows_of_two_files_of_one_command_count_once(
    lake: Lake, tmp_path: Path
) -> None:
    row = f"2026-10-01 10:00:00,-5000,fee,{IBAN},"
    first = written(tmp_path, "a.csv", row + "7", extra="trace")
    again = written(tmp_path, "b.csv", row + "07", extra="trace")
    assert warnings(lake, first, again)[1] == (f"{RESPELT}: 1 row, first at line 2",)
    assert amounts(lake) == [-5000]


def test_a_row_without_a_description_is_compared_as_others_are(
    lake: Lake, tmp_path: Path
) -> None:
    row = f"2026-10-01 10:00:00,-5000,,{IBAN},"
    first = written(tmp_path, "a.csv", row + "7", row, extra="trace")
    again = written(tmp_path, "b.csv", row + "07", row, extra="trace")
    warnings(lake, first)
    assert warnings(lake, again) == [(f"{RESPELT}: 1 row, first at line 2",)]
    assert amounts(lake) == [-5000, -5000]


def test_what_a_first_file_brought_stays_when_it_is_taken_back(
    lake: Lake, tmp_path: Path
) -> None:
    row = f"2026-10-01 10:00:00,-5000,fee,{IBAN},"
    first = written(tmp_path, "a.csv", row + "7", extra="trace")
    again = written(tmp_path, "b.csv", row + "07", extra="trace")
    warnings(lake, first)
    warnings(lake, again)
    void("bank_statement", [first], lake)
    assert amounts(lake) == [-5000]
    warnings(lake, first)
    assert amounts(lake) == [-5000]
