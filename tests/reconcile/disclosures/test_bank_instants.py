"""Which balance leads to which where entries share a time, or a file lacks one."""

from collections.abc import Sequence
from datetime import date
from itertools import permutations

import pytest

from tests.reconcile.disclosures.test_bank_balance_gaps import (
    Entry,
    entry,
    found,
    tables,
)

ORDERS = [*permutations(range(3))]
Gaps = list[tuple[date, date, int | None]]


def october(first: int, last: int, rials: int) -> tuple[date, date, int]:
    return date(2026, 10, first), date(2026, 10, last), rials


def gaps(*files: Sequence[Entry]) -> Gaps:
    return found(tables(files))


EMPTIED = [
    *[entry(0, 40, 40), entry(1, -40, 0), entry(2, 35, 35), entry(24, -35, 0)],
    *[entry(25, 60, 60), entry(26, -60, 0), entry(48, 50, 50), entry(49, -50, 0)],
    *[entry(72, 20, 20), entry(73, -20, 0), entry(96, 30, 30), entry(97, -30, 0)],
]


def test_an_entry_that_is_missing_within_a_file_hides_no_lost_day() -> None:
    """Each balance of the account comes back, so an entry could follow many."""
    lost = october(1, 3, -35)
    assert gaps(EMPTIED[:3], EMPTIED[6:]) == [lost]
    assert gaps(EMPTIED[:3], [*EMPTIED[6:9], *EMPTIED[10:]]) == [lost]
    assert gaps(EMPTIED[:6], [*EMPTIED[6:9], *EMPTIED[10:]]) == []


FIRST = [entry(0, -6, 104), entry(0, -4, 100), entry(24, 2, 102)]
"""Those of a day have one time; what comes on the third day is lost."""


@pytest.mark.parametrize("turned", [False, True])
def test_rows_of_a_day_that_stand_by_amount_hide_no_lost_day(*, turned: bool) -> None:
    whole = [entry(48, -1, 101)], [entry(72, -1, 102), entry(72, 2, 103)]
    last = [entry(96, 7, 109), entry(96, 8, 117)]
    without = [FIRST, [*whole[1], *last]]
    parts = [part[::-1] if turned else part for part in without]
    assert gaps(*parts, whole[0]) == []
    assert gaps(*parts) == [october(2, 4, -1)]


@pytest.mark.parametrize("turned", [False, True])
def test_a_day_that_comes_back_to_its_balance_follows_the_day_before(
    *, turned: bool
) -> None:
    """Its two rows lead to each other either way: up or down, the others tell which."""
    back = [entry(48, -5, 97), entry(48, 5, 102)]
    last = [entry(72, 1, 103), entry(96, 2, 105)]
    files = [part[::-1] if turned else part for part in (FIRST, back, last)]
    assert gaps(*files) == gaps(files[0], files[1][::-1], files[2]) == []
    lost = [entry(72, 4, 107), entry(96, 2, 109)]
    assert gaps(*files[:2], lost[::-1] if turned else lost) == [october(3, 4, 1)]
    later = [entry(48, -5, 99), entry(48, 5, 104)], [entry(72, 1, 105)]
    files[1:] = [part[::-1] if turned else part for part in later]
    assert gaps(*files) == [october(2, 3, 2)]


@pytest.mark.parametrize("rows", ORDERS)
def test_a_day_that_goes_round_in_no_order_begins_where_the_others_meet_it(
    rows: Sequence[int],
) -> None:
    """Another day of the account stands in no order, too."""
    mixed = [entry(0, a, b) for a, b in ((-6, 104), (-10, 110), (-4, 100))]
    mixed.append(entry(24, 2, 102))
    round_trip = [entry(48, -5, 97), entry(48, -1, 96), entry(48, 6, 102)]
    day = [round_trip[row] for row in rows]
    last = [entry(72, 1, 103), entry(96, 2, 105)]
    assert gaps(mixed, day, last) == []
    assert gaps(day, last, mixed) == []
    lost = [entry(72, 1, 104), entry(96, 2, 106)]
    assert gaps(mixed, day, lost) == [october(3, 4, 1)]
    unlike = [entry(96, 1, 111), entry(96, 5, 102), entry(96, 8, 110)]
    assert gaps(day, [entry(72, 1, 97)], [*unlike, entry(120, 1, 112)]) == []


@pytest.mark.parametrize("turned", [False, True])
def test_a_day_that_goes_round_begins_as_its_rows_stand(*, turned: bool) -> None:
    """It comes to what the next file finds on its way, too."""
    day = [entry(0, 1, 101), entry(0, -3, 98), entry(0, 2, 100)]
    later = [entry(24, 3, 104), entry(48, 5, 109)]
    parts = [part[::-1] if turned else part for part in (day, later)]
    assert gaps(*parts) == [october(1, 2, 1)]


@pytest.mark.parametrize("rows", ORDERS)
def test_a_day_with_a_missing_entry_is_met_by_those_around_it(
    rows: Sequence[int],
) -> None:
    """Its file jumps by 30 rials on it, and nothing is lost beside it."""
    jumps = [entry(48, -9, 93), entry(48, -7, 116), entry(48, -1, 115)]
    last = [entry(72, 10, 125), entry(96, 20, 145), entry(120, 40, 185)]
    day = [jumps[row] for row in rows]
    assert gaps(FIRST, [*day, *last]) == []
    assert gaps([*FIRST, *day], last) == []
    lost = [(at, amount, balance + 16) for at, amount, balance in [*day, *last]]
    assert gaps(FIRST, lost) == [october(2, 3, 46)]
    assert gaps([*FIRST, *day], lost[3:]) == [october(3, 4, 46)]


def test_an_entry_that_is_dated_back_makes_and_hides_no_lost_day() -> None:
    """The last row of its file is of two days before."""
    begun = [entry(0, 2, 92), entry(1, 8, 100)]
    back = [entry(24, 3, 103), entry(48, -5, 98), entry(2, 4, 102)]
    later = [entry(96, -3, 109), entry(97, -1, 108)]
    last = [entry(120, 4, 105), entry(121, 1, 106)]
    between = [entry(72, 10, 112)], [entry(98, -7, 101)]
    assert gaps(begun, back, later, last, *between) == []
    assert gaps(begun, back, later, last) == [october(1, 5, 10), october(5, 6, -7)]
    round_trip = [entry(96, -2, 100), entry(97, -10, 90)]
    assert gaps(begun, back, round_trip) == []
    ends = [entry(96, -3, 109), entry(97, -19, 90)]
    assert gaps(begun, back, ends) == [october(1, 5, 10)]


@pytest.mark.parametrize("turned", [False, True])
def test_rows_that_lead_up_and_down_alike_stand_as_their_times_do(
    *, turned: bool
) -> None:
    """The other files stand the other way."""
    begun = [entry(0, 1, 1), entry(1, 2, 3), entry(2, 3, 6)]
    swept = [entry(24, -6, 0), entry(48, 6, 6), entry(48, -6, 0)]
    parts = begun if turned else begun[::-1], swept[::-1] if turned else swept
    assert gaps(*parts, [entry(72, 1, 3)]) == [october(3, 4, 2)]
