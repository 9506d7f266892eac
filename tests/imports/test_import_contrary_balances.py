"""A running balance that goes the other way than the amounts beside it."""

from itertools import accumulate
from pathlib import Path

import pytest

from recon.imports.running_balance import CONTRARY, JUMP
from recon.lake import Lake
from recon.reconcile.engines import DuckEngine
from tests.imports.import_cases import SETTINGS, stored, taken, write_csv
from tests.imports.test_import_bank_balances import OTHER, Row, entry

STEPS = (-5, 7, -9, 11, 2, -20, 3, -4)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def followed(*signs: int) -> list[Row]:
    """An entry a day with the balance after it; each amount is written by its sign."""
    sums = list(accumulate(STEPS, initial=100))[1:]
    days = zip(STEPS, sums, signs or (1,) * len(STEPS), strict=True)
    return [
        entry(day, sign * step, balance=str(balance))
        for day, (step, balance, sign) in enumerate(days, start=1)
    ]


def told(lake: Lake, rows: list[Row]) -> tuple[str, ...]:
    path = write_csv(lake.root.parent / "a.csv", rows)
    return taken(lake, "bank_statement", path).files[0].warnings


INVERTED = (-1,) * len(STEPS)
UNSIGNED = tuple(1 if step > 0 else -1 for step in STEPS)


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize(("signs", "count"), [(INVERTED, 7), (UNSIGNED, 3)])
def test_debits_that_are_taken_for_credits_are_told(
    signs: tuple[int, ...], count: int, newest_first: bool, lake: Lake
) -> None:
    """Of the oldest entry nobody knows what was before it."""
    rows = followed(*signs)
    (warning,) = told(lake, rows[::-1] if newest_first else rows)
    assert warning.startswith(f"{CONTRARY}: {count} rows, first at line ")
    assert [row["balance"] for row in stored(lake, "bank_balances")][-1] is None
    raw = {name: lake.versions(name) for name in ("bank_statement", "bank_balances")}
    with DuckEngine.open(raw, SETTINGS, lake.now()) as engine:
        assert engine.table("stg_business__bank_balances").num_rows == 0


def test_what_one_account_has_so_is_told_beside_another(lake: Lake) -> None:
    other = [row | {"iban": OTHER} for row in followed()]
    (warning,) = told(lake, [*other, *followed(*INVERTED)])
    assert warning.startswith(f"{CONTRARY}: 7 rows, first at line 11")


@pytest.mark.parametrize("newest_first", [False, True])
def test_equal_amounts_that_follow_in_either_order_are_not_told(
    newest_first: bool, lake: Lake
) -> None:
    """The entries of each day stand newest first, the days themselves do not."""
    days = [
        [entry(day, -5, balance=str(900 - 100 * day - 5 * at)) for at in range(20)]
        for day in range(1, 4)
    ]
    rows = [row for day in days for row in day[::-1]]
    assert not [
        each
        for each in told(lake, rows[::-1] if newest_first else rows)
        if CONTRARY in each
    ]


def test_the_balance_before_each_entry_says_nothing(lake: Lake) -> None:
    rows = followed()
    before = ["100", *(row["balance"] for row in rows)]
    moved = [row | {"balance": said} for row, said in zip(rows, before, strict=False)]
    assert told(lake, moved) == ()


def test_single_slips_of_a_sign_are_told_as_before(lake: Lake) -> None:
    signs = (1, 1, 1, -1, 1, 1, 1, 1)
    (warning,) = told(lake, followed(*signs))
    assert warning == f"{JUMP}: 1 row, first at line 5"
