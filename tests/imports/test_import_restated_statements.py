"""Two statements of one account that cannot both be right are told until one goes."""

from datetime import date
from itertools import accumulate
from pathlib import Path

import pytest

from recon.imports.voiding import void
from recon.lake import Lake
from recon.reconcile.disclosures.bank_gaps import gap_words, gaps
from recon.reconcile.engines import DuckEngine
from tests.builders import BANK, lake_tables
from tests.imports.import_cases import taken
from tests.imports.test_import_unsound_statements import (
    NOW,
    OTHER,
    SETTINGS,
    Entry,
    found,
    table,
)

DAYS = range(1, 8)
AMOUNTS = (1_000, -20, 7, -300, 50, 8, -3)
MODEL = "int_bank_contradictions"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def history(amounts: tuple[int, ...] = AMOUNTS, opening: int = 0) -> list[Entry]:
    """An entry a day, with the balance after it."""
    balances = list(accumulate(amounts, initial=opening))[1:]
    return [
        (f"2026-10-{day:02}", amount, balance)
        for day, amount, balance in zip(DAYS, amounts, balances, strict=False)
    ]


WHOLE = history()
CORRECTED = history((*AMOUNTS[:3], -500, *AMOUNTS[4:]))
"""The debit of the fourth day is another one, and so are the balances from then on."""

DROPPED = [
    *WHOLE[:3],
    *[(day, amount, balance + 300) for day, amount, balance in WHOLE[4:]],
]
"""The fourth day has none."""

ON_THE_FOURTH = [(BANK, date(2026, 10, 4))]


def took(lake: Lake, *files: list[Entry], iban: str = BANK) -> list[Path]:
    paths = [table(lake, f"f{at}", file, iban) for at, file in enumerate(files)]
    for path in paths:
        taken(lake, "bank_statement", path)
    return paths


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("restated", [CORRECTED, DROPPED])
def test_a_debit_that_a_later_file_has_no_more_is_told_until_it_is_taken_back(
    lake: Lake, restated: list[Entry], *, is_turned: bool
) -> None:
    files = [WHOLE, restated[::-1] if is_turned else restated]
    first, _ = took(lake, *files)
    told = found(lake, MODEL)
    assert ON_THE_FOURTH[0] in told
    assert {iban for iban, _ in told} == {BANK}
    void("bank_statement", [first], lake)
    assert found(lake, MODEL) == []


def test_it_is_told_in_words_by_its_day(lake: Lake) -> None:
    took(lake, WHOLE, CORRECTED)
    names = ("bank_statement", "bank_balances")
    raw = {name: lake.versions(name) for name in names}
    with DuckEngine.open(raw, SETTINGS, NOW) as engine:
        (told,) = gaps(engine.query)
    assert told["contradicted"] is True
    assert (told["from"], told["to"]) == ("2026-10-04", "2026-10-04")
    assert gap_words([told]) == (
        "Statements of the bank contradict each other by their balances, and the "
        f"entries of both count, until the wrong one is taken back: {BANK} on "
        "2026-10-04."
    )


def test_where_the_first_entry_of_two_was_corrected_the_balance_is_left_twice(
    lake: Lake,
) -> None:
    """Both files lead to the balance of the third day, each from one of its own."""
    other = [*history((1_000, -40, 7), opening=20)[:3], *WHOLE[3:]]
    took(lake, WHOLE, other)
    assert found(lake, MODEL) == [(BANK, date(2026, 10, 2))]


@pytest.mark.parametrize(
    "files",
    [
        [WHOLE, WHOLE],
        [WHOLE[:4], WHOLE[2:]],
        [WHOLE[2:], WHOLE[:4][::-1]],
        [WHOLE[:3], WHOLE[4:]],  # one is missing
        [[*WHOLE[:3], *WHOLE[4:]], WHOLE],  # it lacks one, and another file has it
        # dated back into what an earlier file has, beside one that is missing
        [
            WHOLE[:5],
            [("2026-10-04", 8, 745), WHOLE[6]],
            [("2026-10-20", 5, 9_000), ("2026-10-21", 1, 9_001)],
        ],
        # an account that is emptied each day
        [
            [("2026-10-01", 5, 5), ("2026-10-02", -5, 0), ("2026-10-03", 7, 7)],
            [("2026-10-05", 9, 9), ("2026-10-06", -9, 0), ("2026-10-07", 4, 4)],
        ],
        # of the last instant that a file has nobody knows whether it has all
        [WHOLE[:4], [("2026-10-04", -1, 686), ("2026-10-05", 6, 692)]],
    ],
)
def test_what_both_may_be_right_in_is_not_told(
    lake: Lake, files: list[list[Entry]]
) -> None:
    took(lake, *files)
    assert found(lake, MODEL) == []


def test_a_statement_of_another_account_contradicts_none(lake: Lake) -> None:
    taken(lake, "bank_statement", table(lake, "one", WHOLE))
    taken(lake, "bank_statement", table(lake, "other", CORRECTED, OTHER))
    assert found(lake, MODEL) == []


def test_what_one_writes_with_times_and_another_without_counts_twice_and_is_told(
    lake: Lake,
) -> None:
    timed = [(f"{day}T10:15", amount, balance) for day, amount, balance in WHOLE[2:]]
    took(lake, WHOLE[:5], timed)
    assert found(lake, MODEL) != []


def test_without_balances_nothing_is_known() -> None:
    rows = {"bank_statement": [{"amount": -5}, {"amount": -7, "pull_id": "q"}]}
    with DuckEngine.open(lake_tables(rows), SETTINGS, NOW) as engine:
        assert engine.table(MODEL).num_rows == 0
