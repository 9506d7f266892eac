"""Days whose time stands in a column of its own, `<column>_time`, or is given."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from recon.errors import RefusedFile
from recon.imports.importing import FileReport, take
from recon.lake import Lake
from recon.settings import Business, Imports, Settings
from tests.imports.import_cases import WRITERS, changed, stored, write_csv

OF_DAY = "is a day without a time"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def read(
    lake: Lake,
    path: Path,
    kind: str = "bank_statement",
    columns: dict[str, str] | None = None,
    **values: str,
) -> FileReport:
    imports = Imports(columns={kind: columns or {}})
    settings = Settings(business=Business(name="shop"), imports=imports)
    (file,) = take(kind, [path], settings, lake, values=values).files
    return file


def booked(lake: Lake) -> list[datetime]:
    return [row["booked_at"] for row in stored(lake, "bank_statement")]


def line(day: str, clock: str, **cells: str) -> dict[str, str]:
    return changed("bank_statement", booked_at=day, booked_at_time=clock, **cells)


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        ("14:05", (10, 35, 0)),
        ("14:05:09", (10, 35, 9)),
        ("۱۴:۰۵", (10, 35, 0)),
        ("9:05", (5, 35, 0)),
        (" 14:05 ", (10, 35, 0)),
        ("140509", (10, 35, 9)),
        ("0905", (5, 35, 0)),
        ("۰۹۰۵", (5, 35, 0)),
    ],
)
@pytest.mark.parametrize("day", ["2026-10-02", "20261002", "14050710", "۱۴۰۵۰۷۱۰"])
@pytest.mark.parametrize("suffix", WRITERS)
def test_a_day_and_its_time_are_an_instant(
    lake: Lake,
    tmp_path: Path,
    clock: str,
    expected: tuple[int, int, int],
    day: str,
    suffix: str,
) -> None:
    """Tehran is 3 h 30 min ahead of UTC."""
    calendar = "" if day.startswith("2") else "jalali"
    row = line(day, clock, calendar=calendar)
    read(lake, WRITERS[suffix](tmp_path / f"a{suffix}", [row]))
    assert booked(lake) == [datetime(2026, 10, 2, *expected, tzinfo=UTC)]


@pytest.mark.parametrize("day", ["2026-10-02", "20261002"])
@pytest.mark.parametrize("clock", ["24:00", "24:00:00", "2400", "240000"])
def test_an_end_of_a_day_may_be_written_without_signs_between(
    lake: Lake, tmp_path: Path, day: str, clock: str
) -> None:
    read(lake, write_csv(tmp_path / "a.csv", [line(day, clock)]))
    assert booked(lake) == [datetime(2026, 10, 2, 20, 30, tzinfo=UTC)]


def test_numbers_of_a_day_and_its_time_are_an_instant(
    lake: Lake, tmp_path: Path
) -> None:
    row: dict[str, Any] = line("", "") | {"booked_at": 20261002}
    row["booked_at_time"] = 1405
    for suffix in (".xlsx", ".parquet"):
        other = Lake(tmp_path / suffix)
        read(other, WRITERS[suffix](tmp_path / f"a{suffix}", [row]))
        assert booked(other) == [datetime(2026, 10, 2, 10, 35, tzinfo=UTC)]


def test_a_banks_columns_of_date_and_time_are_named_in_settings(
    lake: Lake, tmp_path: Path
) -> None:
    row = line("1405/07/10", "14:05", calendar="jalali")
    row["ساعت"] = row.pop("booked_at_time")
    file = write_csv(tmp_path / "a.csv", [row])
    report = read(lake, file, columns={"booked_at_time": "ساعت"})
    assert booked(lake) == [datetime(2026, 10, 2, 10, 35, tzinfo=UTC)]
    assert report.columns["booked_at_time"] == "ساعت"


def test_an_empty_time_leaves_the_day(lake: Lake, tmp_path: Path) -> None:
    read(lake, write_csv(tmp_path / "a.csv", [line("2026-10-02", "")]))
    assert booked(lake) == [datetime(2026, 10, 1, 20, 30, tzinfo=UTC)]


@pytest.mark.parametrize(
    "day", ["2026-10-02 14:05", "2026-10-02T14:05:30+03:30", "20261002T1405"]
)
@pytest.mark.parametrize("clock", ["14:05", "1405"])
def test_a_time_that_agrees_with_its_column_of_times_is_taken(
    lake: Lake, tmp_path: Path, day: str, clock: str
) -> None:
    read(lake, write_csv(tmp_path / "a.csv", [line(day, clock)]))
    assert booked(lake)[0].hour == 10


@pytest.mark.parametrize(
    ("day", "clock", "told"),
    [
        ("2026-10-02 14:05", "15:00", r"is at 14:05:00, .* says '15:00'"),
        ("2026-10-02 14:05:09", "140508", r"is at 14:05:09, .* says '140508'"),
        ("1790000000", "15:00", r"is at 17:43:20, .* says '15:00'"),
        ("2026-10-02", "2505", "2505' is not a time: after the date, HH:MM or"),
        ("20261002", "2505", "2505' is not a time: after the date, HH:MM or"),
        ("20261002", "0960", "0960' is not a time: after the date, HH:MM or"),
        ("20261002", "905", "905' is not a time: after the date, HH:MM or"),
        ("20261002", "90500", "90500' is not a time: after the date, HH:MM or"),
        ("20261002", "2401", "2401' is not a time: after the date, HH:MM or"),
        ("20261302", "0905", "13-02 0905' is not a time: month must be"),
        ("2026-10-02", "24:30", "24:30' is not a time"),
        ("2026-10-02", "noon", "noon' is not a time"),
        ("2026-10-32", "10:00", "10-32 10:00' is not a time"),
    ],
)
def test_what_contradicts_itself_or_is_no_time_is_refused(
    lake: Lake, tmp_path: Path, day: str, clock: str, told: str
) -> None:
    path = write_csv(tmp_path / "a.csv", [line(day, clock)])
    with pytest.raises(RefusedFile, match=f"a.csv, line 2, column booked_at: .*{told}"):
        read(lake, path)
    assert stored(lake, "bank_statement") == []


def test_cells_that_excel_types_are_put_together(lake: Lake, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    names = list(line("", ""))
    book.active.append(names)
    cells: dict[str, Any] = line("", "")
    cells["booked_at"] = datetime(2026, 10, 2).date()  # noqa: DTZ001 - as Excel has it
    cells["booked_at_time"] = datetime(2026, 10, 2, 14, 5).time()  # noqa: DTZ001
    book.active.append([cells[name] for name in names])
    book.save(tmp_path / "a.xlsx")
    read(lake, tmp_path / "a.xlsx")
    assert booked(lake) == [datetime(2026, 10, 2, 10, 35, tzinfo=UTC)]


def lasting(lake: Lake, path: Path, hours: float) -> list[datetime]:
    """The time of a day's row beside an Excel duration, shown as [h]:mm:ss."""
    book = openpyxl.Workbook()
    row: dict[str, Any] = line("2026-10-02", "")
    book.active.append(list(row))
    book.active.append([row[name] for name in row])
    cell = book.active.cell(2, list(row).index("booked_at_time") + 1)
    cell.value, cell.number_format = hours / 24, "[h]:mm:ss"
    book.save(path)
    read(lake, path)
    return booked(lake)


@pytest.mark.parametrize(
    ("hours", "expected"), [(24, (20, 30)), (14.5, (11, 0)), (3.5, (0, 0))]
)
def test_a_duration_of_a_day_at_most_is_a_time_of_day(
    lake: Lake, tmp_path: Path, hours: float, expected: tuple[int, int]
) -> None:
    found = lasting(lake, tmp_path / "a.xlsx", hours)
    assert found == [datetime(2026, 10, 2, *expected, tzinfo=UTC)]


@pytest.mark.parametrize("hours", [25, 48, -1, 24 + 1 / 3600])
def test_a_longer_duration_is_no_time_of_day(
    lake: Lake, tmp_path: Path, hours: float
) -> None:
    with pytest.raises(RefusedFile, match="is not a time: after the date, HH:MM or"):
        lasting(lake, tmp_path / "a.xlsx", hours)


@pytest.mark.parametrize("at", ["2026-10-01", "1405/07/09"])
def test_the_balance_of_a_days_end_is_said_to_be_so(
    lake: Lake, tmp_path: Path, at: str
) -> None:
    """At the end of the 1st it is the first instant of the 2nd in Tehran."""
    calendar = "jalali" if at.startswith("14") else ""
    path = write_csv(
        tmp_path / "a.csv", [changed("balances", at=at, calendar=calendar)]
    )
    file = read(lake, path, "balances", at_time="24:00")
    (row,) = stored(lake, "balances")
    assert row["at"] == datetime(2026, 10, 1, 20, 30, tzinfo=UTC)
    assert not any(OF_DAY in warning for warning in file.warnings)


def test_a_time_that_is_given_is_for_days_alone(lake: Lake, tmp_path: Path) -> None:
    rows = [
        changed("balances", at="2026-10-01T08:00:00Z"),
        changed("balances", at="2026-10-02"),
    ]
    read(lake, write_csv(tmp_path / "a.csv", rows), "balances", at_time="12:00")
    found = [row["at"] for row in stored(lake, "balances")]
    assert [each.hour for each in found] == [8, 8]
    assert [each.minute for each in found] == [0, 30]


@pytest.mark.parametrize(
    ("at", "told"),
    [
        ("2026-10-01", True),
        ("2026-10-01T00:00:00+03:30", False),
        ("2026-10-01 00:00", False),
        ("1790000000", False),
    ],
)
def test_a_balance_of_a_day_is_told(
    lake: Lake, tmp_path: Path, at: str, told: bool
) -> None:
    path = write_csv(tmp_path / "a.csv", [changed("balances", at=at)])
    file = read(lake, path, "balances")
    assert any(OF_DAY in warning for warning in file.warnings) is told


def test_a_further_column_named_time_is_kept_as_it_is(
    lake: Lake, tmp_path: Path
) -> None:
    row = changed("books", time="morning")
    read(lake, write_csv(tmp_path / "a.csv", [row]), "books")
    assert "morning" in stored(lake, "books")[0]["extra"]


@pytest.mark.parametrize(("cell", "rials"), [("", 5_000), ("rial", 500)])
def test_an_empty_currency_is_the_one_that_is_given(
    lake: Lake, tmp_path: Path, cell: str, rials: int
) -> None:
    row = changed("books", amount="500", currency=cell)
    read(lake, write_csv(tmp_path / "a.csv", [row]), "books", currency="toman")
    assert stored(lake, "books")[0]["amount"] == rials


def test_an_empty_calendar_is_the_one_that_is_given(lake: Lake, tmp_path: Path) -> None:
    row = changed("books", occurred_at="1405/07/10", calendar="")
    read(lake, write_csv(tmp_path / "a.csv", [row]), "books", calendar="jalali")
    assert stored(lake, "books")[0]["occurred_at"].month == 10


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".jsonl"])
def test_a_jalali_date_and_hour_without_signs_are_no_unix_seconds(
    suffix: str, lake: Lake, tmp_path: Path
) -> None:
    """1405070914 would be a day of 2014."""
    row: dict[str, Any] = changed("bank_statement", booked_at="1405070914")
    row["booked_at"] = int(row["booked_at"])
    path = WRITERS[suffix](tmp_path / f"a{suffix}", [row])
    with pytest.raises(
        RefusedFile, match=r"column booked_at: '1405070914' may be Unix"
    ):
        read(lake, path, calendar="jalali")
    row["booked_at"] = "1405/07/09 14:00"
    read(lake, WRITERS[suffix](path, [row]), calendar="jalali")
    assert booked(lake) == [datetime(2026, 10, 1, 10, 30, tzinfo=UTC)]
