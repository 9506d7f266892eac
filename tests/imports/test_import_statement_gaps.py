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


def test_a_gap_begins_where_the_longest_statement_ends(lake: Lake) -> None:
    """Not where a later one does that lies within it."""
    days = ("2026-09-01", "2026-09-15", "2026-09-30", "2026-10-15")
    taken(lake, "bank_statement", statement(lake, "long", *days))
    taken(lake, "bank_statement", statement(lake, "short", "2026-09-02", "2026-09-03"))
    taken(lake, "bank_statement", statement(lake, "later", "2026-11-30"))
    assert gaps(lake) == [(date(2026, 10, 15), date(2026, 11, 30))]


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


def camt(lake: Lake, opening: int, days: dict[str, tuple[int, ...]], end: str) -> Path:
    """A camt.053 file of entries that go in and out by day, and its balances."""
    amounts = [rials for each in days.values() for rials in each]

    def balance(code: str, rials: int) -> str:
        kind = f"<Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp>"
        told = f'<Amt Ccy="IRR">{rials}</Amt><CdtDbtInd>CRDT</CdtDbtInd>'
        return f"<Bal>{kind}{told}</Bal>"

    entries = [
        f'<Ntry><Amt Ccy="IRR">{abs(rials)}</Amt><CdtDbtInd>{way}</CdtDbtInd>'
        f"<Sts>BOOK</Sts><BookgDt><Dt>{day}</Dt></BookgDt></Ntry>"
        for day, each in days.items()
        for rials, way in ((rials, "DBIT" if rials < 0 else "CRDT") for rials in each)
    ]
    account = f"<Acct><Id><IBAN>{BANK}</IBAN></Id><Ccy>IRR</Ccy></Acct>"
    ends = balance("OPBD", opening) + balance("CLBD", opening + sum(amounts))
    text = f"<Stmt>{account}{ends}{end}{end.join(entries)}</Stmt>"
    path = lake.root.parent / f"{next(iter(days))}.xml"
    path.write_text(f"<Document><BkToCstmrStmt>{text}</BkToCstmrStmt></Document>")
    return path


@pytest.mark.parametrize("end", ["\n", ""])
def test_entries_that_no_statement_has_are_told_where_it_is_one_line(
    end: str, lake: Lake
) -> None:
    """Nothing but their places says which of a day's entries leads to which."""
    first = camt(lake, 1000, {"2026-10-10": (-1, -2, 1)}, end)
    second = camt(lake, 999, {"2026-10-12": (1, -1, -1, 1), "2026-10-13": (-2,)}, end)
    files = taken(lake, "bank_statement", first, second).files
    assert [each.warnings for each in files] == [(), ()]
    names = ("bank_statement", "bank_balances")
    raw = {name: lake.versions(name) for name in names}
    with DuckEngine.open(raw, SETTINGS, datetime(2026, 12, 1, tzinfo=UTC)) as engine:
        (row,) = engine.table("int_bank_gaps").to_pylist()
    assert (row["after_date"], row["before_date"], row["missing_rial"]) == (
        date(2026, 10, 9),
        date(2026, 10, 13),
        1,
    )


def told(lake: Lake, *files: Path) -> tuple[list[tuple[Any, ...]], list[int]]:
    """Import files; returns the gaps with their rials, and the balances by time."""
    for file in files:
        taken(lake, "bank_statement", file)
    names = ("bank_statement", "bank_balances")
    raw = {name: lake.versions(name) for name in names}
    with DuckEngine.open(raw, SETTINGS, datetime(2026, 12, 1, tzinfo=UTC)) as engine:
        found = engine.table("int_bank_gaps").to_pylist()
        balances = engine.table("int_bank_balances").to_pylist()
    ordered = sorted(balances, key=lambda row: row["place"])
    return [tuple(row.values())[1:] for row in found], [
        row["balance_rial"] for row in ordered
    ]


def of_days(first: int, *entries: int) -> dict[str, tuple[int, ...]]:
    """Entries of days that follow each other in October, newest first."""
    days = {f"2026-10-{first + at:02}": (each,) for at, each in enumerate(entries)}
    return dict(reversed(days.items()))


@pytest.mark.parametrize("end", ["\n", ""])
@pytest.mark.parametrize("lost", [0, 40])
def test_statements_that_stand_newest_first_prove_what_is_missing_between_them(
    lost: int, end: str, lake: Lake
) -> None:
    first = camt(lake, 1000, of_days(1, 10, -3, 4, -1), end)
    second = camt(lake, 1010 - lost, of_days(7, 1, 2, -8), end)
    gaps, balances = told(lake, first, second)
    assert balances[:4] == [1010, 1007, 1011, 1010]
    assert [each + lost for each in balances[4:]] == [1011, 1013, 1005]
    hole = (date(2026, 10, 3), date(2026, 10, 8), -lost)
    assert gaps == ([hole] if lost else [])


def test_statements_that_stand_newest_first_may_overlap(lake: Lake) -> None:
    first = camt(lake, 1000, of_days(1, 10, -3, 4, -1), "\n")
    second = camt(lake, 1007, of_days(3, 4, -1, 6), "\n")
    third = camt(lake, 1000, of_days(8, 1, 2, 3), "\n")
    gaps, balances = told(lake, first, second, third)
    assert balances == [1010, 1007, 1011, 1010, 1016, 1001, 1003, 1006]
    assert gaps == [(date(2026, 10, 4), date(2026, 10, 9), -16)]


def test_an_entry_that_is_dated_back_is_where_it_stands(lake: Lake) -> None:
    """Another export has it there, too, and more around it."""
    days: dict[str, tuple[int, ...]] = {"2026-10-02": (5,), "2026-10-01": (-3,)}
    short = camt(lake, 1000, days, "\n")
    long = camt(lake, 990, {"2026-09-30": (10,), **days}, "\n")
    gaps, balances = told(lake, short, long)
    assert sorted(balances) == [1000, 1002, 1005]
    assert gaps == []
