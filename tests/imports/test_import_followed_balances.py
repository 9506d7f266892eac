"""What the balances of two statements tell of the time between them."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest

from recon.lake import Lake
from tests.builders import BANK
from tests.imports.import_cases import taken
from tests.imports.test_import_unsound_statements import WHOLE, Entry, found, table

LAST = date(2026, 10, 6)  # of WHOLE
FIRST = date(2026, 11, 20)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def gaps(lake: Lake, *statements: Sequence[Entry]) -> list[Entry]:
    """The account, the dates before and after each gap, and what is missing."""
    for number, entries in enumerate(statements):
        taken(lake, "bank_statement", table(lake, f"{number}", entries))
    return found(lake, "int_bank_gaps")


@pytest.mark.parametrize("at", [0, 5])
def test_a_quiet_month_is_no_gap_where_balances_follow(lake: Lake, at: int) -> None:
    """Nor where each statement has one entry."""
    assert gaps(lake, WHOLE[at:], [("2026-11-20", 5, 750)]) == []


def test_it_is_one_where_they_do_not(lake: Lake) -> None:
    begun = [("2026-11-20", 5, 755)]
    missing = (BANK, date(2026, 10, 5), date(2026, 11, 21), 5)
    assert gaps(lake, WHOLE[4:], begun) == [missing]


def test_of_one_entry_each_nobody_knows_whether_they_are_balances(lake: Lake) -> None:
    """A column of other figures jumps at each entry."""
    begun = [("2026-11-20", 5, 755)]
    assert gaps(lake, WHOLE[5:], begun) == [(BANK, LAST, FIRST, None)]


def test_a_date_with_an_entry_without_a_balance_follows_nothing(lake: Lake) -> None:
    begun = [("2026-11-20", 5, ""), ("2026-11-21", -3, 747)]
    assert gaps(lake, WHOLE, begun) == [(BANK, LAST, FIRST, None)]
