"""Days that no imported statement has: between two files, or of one taken back."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from recon.imports.voiding import void
from recon.lake import Lake
from recon.reconcile.engines import DuckEngine
from recon.settings import Business, Settings
from tests.builders import BANK
from tests.imports.import_cases import taken, write_csv

SETTINGS = Settings(business=Business(name="shop"))
MONTHS = {
    "september": ("2026-09-01", "2026-09-08", "2026-09-15", "2026-09-30"),
    "october": ("2026-10-01", "2026-10-12", "2026-10-20", "2026-10-31"),
    "november": ("2026-11-01", "2026-11-10", "2026-11-19", "2026-11-27"),
}
"""At most 15 days pass without an entry."""


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def statement(lake: Lake, name: str, *days: str, iban: str = BANK) -> Path:
    rows = [
        {"booked_at": day, "amount": "-5", "description": "rent", "iban": iban}
        for day in days or MONTHS[name]
    ]
    return write_csv(lake.root.parent / f"{name}.csv", rows)


def gaps(lake: Lake) -> list[tuple[Any, ...]]:
    """The last day before each gap, and the first one after it."""
    raw = {"bank_statement": lake.versions("bank_statement")}
    with DuckEngine.open(raw, SETTINGS, datetime(2026, 12, 1, tzinfo=UTC)) as engine:
        rows = engine.table("int_bank_gaps").to_pylist()
    assert {row["iban"] for row in rows} <= {BANK}
    return sorted((row["after_date"], row["before_date"]) for row in rows)


HOLE = [(date(2026, 9, 30), date(2026, 11, 1))]


def test_a_statement_that_is_taken_back_leaves_a_gap(lake: Lake) -> None:
    for name in MONTHS:
        taken(lake, "bank_statement", statement(lake, name))
    assert gaps(lake) == []
    october = lake.root.parent / "october.csv"
    void("bank_statement", [october], lake)
    assert gaps(lake) == HOLE
    taken(lake, "bank_statement", october)
    assert gaps(lake) == []


def test_a_statement_that_never_came_leaves_one_whatever_the_order(lake: Lake) -> None:
    taken(lake, "bank_statement", statement(lake, "november"))
    assert gaps(lake) == []
    taken(lake, "bank_statement", statement(lake, "september"))
    assert gaps(lake) == HOLE
    other = statement(lake, "other", "2026-09-30", "2026-11-01", iban="IR05")
    taken(lake, "bank_statement", other)
    assert gaps(lake) == HOLE


def test_files_of_one_command_are_each_a_statement(lake: Lake) -> None:
    files = [statement(lake, name) for name in ("september", "november")]
    taken(lake, "bank_statement", *files)
    assert gaps(lake) == HOLE


def test_an_export_that_overlaps_others_covers_what_it_repeats(lake: Lake) -> None:
    """All but one of its rows are known, and count as those of the earlier files."""
    for name in ("september", "november"):
        taken(lake, "bank_statement", statement(lake, name))
    days = ("2026-09-15", "2026-09-30", "2026-10-15", "2026-11-01", "2026-11-10")
    taken(lake, "bank_statement", statement(lake, "quarter", *days))
    assert gaps(lake) == []


@pytest.mark.parametrize(("year", "is_gap"), [(2027, True), (2026, False)])
def test_an_entry_that_is_still_to_come_makes_no_days_quiet(
    lake: Lake, year: int, is_gap: bool
) -> None:
    """T is December 1, 2026: from November 27 to an entry of 2027 nothing is known."""
    for name in ("september", "november"):
        taken(lake, "bank_statement", statement(lake, name))
    days = ("2026-10-20", f"{year}-11-30")
    taken(lake, "bank_statement", statement(lake, "one", *days))
    assert bool(gaps(lake)) is is_gap


@pytest.mark.parametrize(
    ("last", "first", "is_gap"),
    [
        ("2026-09-01T00:00", "2026-09-09T23:00", False),  # seven dates between them
        ("2026-09-01T23:00", "2026-09-10T01:00", True),  # eight
    ],
)
def test_quiet_days_are_counted_by_dates(
    lake: Lake, last: str, first: str, is_gap: bool
) -> None:
    """A statement may have days only, and the next one has hours."""
    taken(lake, "bank_statement", statement(lake, "one", last))
    taken(lake, "bank_statement", statement(lake, "two", first))
    assert bool(gaps(lake)) is is_gap
