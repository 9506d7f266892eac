"""An account in two formats has every entry twice; that is told at the import."""

from pathlib import Path

import pytest

from recon.imports import duplicates, lookalikes
from recon.imports.importing import take
from recon.imports.voiding import void
from recon.lake import Lake
from recon.settings import Business, Settings

SETTINGS = Settings(business=Business(name="shop"))
HEAD = "booked_at,amount,description,iban"
IBAN, OTHER = "IR062960000000100324200001", "IR820540102680020817909002"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def csv(folder: Path, name: str, *rows: str, iban: str = IBAN) -> Path:
    path = folder / name
    path.write_text("\n".join([HEAD, *(f"{row},{iban}" for row in rows)]) + "\n")
    return path


def mt940(folder: Path, name: str, *entries: tuple[str, int, str]) -> Path:
    """Write a statement of October 2026: its days, signed amounts and texts."""
    lines = [":20:1", f":25:{IBAN}", ":28C:1/1", ":60F:C261001IRR900000,"]
    for day, amount, text in entries:
        side = "D" if amount < 0 else "C"
        lines += [f":61:2610{day}10{day}{side}{abs(amount)},NTRFX", f":86:{text}"]
    closing = 900_000 + sum(amount for _, amount, _ in entries)
    path = folder / name
    path.write_text("\n".join([*lines, f":62F:C261031IRR{closing},", "-"]) + "\n")
    return path


def told(lake: Lake, *paths: Path) -> tuple[str, ...]:
    return take("bank_statement", list(paths), SETTINGS, lake).files[-1].warnings


TIMED = (
    "2026-10-05 10:00:00,-5000,to Paywell",
    "2026-10-05 23:59:00,-70,fee",
    "2026-10-06 08:00:00,900,from Sara",
)
DAYS = (("05", -5000, "PAYWELL X1"), ("05", -70, "FEE"), ("06", 900, "SARA"))


def test_one_account_in_two_formats_is_told(lake: Lake, tmp_path: Path) -> None:
    assert told(lake, csv(tmp_path, "a.csv", *TIMED)) == ()
    again = mt940(tmp_path, "b.sta", *DAYS)
    assert told(lake, again) == (f"{duplicates.TOPIC}: 3 rows, first at line 5",)


def test_two_files_of_one_command_are_compared(lake: Lake, tmp_path: Path) -> None:
    paths = csv(tmp_path, "a.csv", *TIMED), mt940(tmp_path, "b.sta", *DAYS)
    assert told(lake, *paths) == (f"{duplicates.TOPIC}: 3 rows, first at line 5",)


def test_what_was_taken_back_is_no_earlier_file(lake: Lake, tmp_path: Path) -> None:
    first = csv(tmp_path, "a.csv", *TIMED)
    told(lake, first)
    void("bank_statement", [first], lake)
    assert told(lake, mt940(tmp_path, "b.sta", *DAYS)) == ()


def test_new_entries_beside_those_of_another_format_are_none(
    lake: Lake, tmp_path: Path
) -> None:
    told(lake, csv(tmp_path, "a.csv", *TIMED))
    later = ("07", -5000, "PAYWELL X2")
    again = mt940(tmp_path, "b.sta", *DAYS, later, later)
    assert told(lake, again) == (f"{duplicates.TOPIC}: 3 rows, first at line 5",)


def test_a_text_that_another_export_words_otherwise_is_told(
    lake: Lake, tmp_path: Path
) -> None:
    told(lake, csv(tmp_path, "a.csv", *TIMED))
    again = csv(tmp_path, "b.csv", TIMED[0], f"{TIMED[1]} of October", TIMED[2])
    assert told(lake, again) == (f"{duplicates.TOPIC}: 1 row, first at line 3",)


@pytest.mark.parametrize(
    "rows",
    [
        TIMED,  # the same ones
        (*TIMED, "2026-10-05 11:00:00,-70,fee"),  # a further fee of that day
        ("2026-10-05 12:00:00,-70,fee", "2026-10-05 13:00:00,-71,rent"),  # later ones
        ("2026-10-07 10:00:00,-5000,to Paywell",),
        ("2026-10-05 10:00:00,-5001,to Paywell",),
    ],
)
def test_an_overlapping_or_later_export_is_not_told(
    rows: tuple[str, ...], lake: Lake, tmp_path: Path
) -> None:
    told(lake, csv(tmp_path, "a.csv", *TIMED))
    assert told(lake, csv(tmp_path, "b.csv", *rows)) == ()


def test_another_account_is_not_told(lake: Lake, tmp_path: Path) -> None:
    told(lake, csv(tmp_path, "a.csv", *TIMED))
    assert told(lake, csv(tmp_path, "b.csv", *TIMED, iban=OTHER)) == ()


def test_an_entry_without_a_text_is_compared(lake: Lake, tmp_path: Path) -> None:
    told(lake, csv(tmp_path, "a.csv", "2026-10-05 10:00:00,-5000,"))
    again = csv(tmp_path, "b.csv", "2026-10-05,-5000,")
    assert told(lake, again) == (f"{duplicates.TOPIC}: 1 row, first at line 2",)


def test_a_row_that_only_kept_columns_tell_apart_is_told_once(
    lake: Lake, tmp_path: Path
) -> None:
    told(lake, csv(tmp_path, "a.csv", TIMED[0]))
    again = tmp_path / "b.csv"
    again.write_text(f"{HEAD},row\n{TIMED[0]},{IBAN},1\n")
    assert told(lake, again) == (f"{lookalikes.TOPIC}: 1 row, first at line 2",)


def test_adjustments_of_one_day_and_amount_are_not_told(
    lake: Lake, tmp_path: Path
) -> None:
    """A business may move the same amount twice a day."""
    for name, text in (("a.csv", "morning"), ("b.csv", "evening")):
        path = tmp_path / name
        path.write_text(f"at,amount,kind,description\n2026-10-05,-7,fee,{text}\n")
        assert take("adjustments", [path], SETTINGS, lake).files[0].warnings == ()
