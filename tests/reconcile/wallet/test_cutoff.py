"""A snapshot of another instant than its time says: all payments up to it moved."""

from datetime import timedelta
from itertools import accumulate
from math import gcd

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon.reconcile.explain import MIN_ODDS, ROUND, find_sets
from recon.reconcile.wallet.cutoff import cut_twice, find_cutoff
from tests.reconcile.wallet_world import at, balances, figures, payment, rollforward

MIDNIGHT = at(2)
EFFECTS = [10_007 * n % 900_001 + 50_000 for n in range(1, 61)]
"""Sixty payments, one each ten seconds: thirty end at midnight, thirty follow."""

SECONDS = [10 * (n - 30) for n in range(1, 61)]
ALL = sum(EFFECTS)


def shop(shown: int, seconds: list[int] = SECONDS) -> list[tuple[int, int, int]]:
    """Difference, explained and unexplained of the day before midnight, and after."""
    paid = [
        payment(f"p{n}", MIDNIGHT + timedelta(seconds=second), effect)
        for n, (second, effect) in enumerate(zip(seconds, EFFECTS, strict=True))
    ]
    return figures(rollforward({"balances": balances(0, shown, ALL), "payments": paid}))


@pytest.mark.parametrize("moved", [5, 12, 30])
def test_a_balance_that_lags_lacks_the_last_payments(moved: int) -> None:
    """However many: of a busy shop two minutes are more than any four items."""
    late = sum(EFFECTS[30 - moved : 30])
    assert shop(sum(EFFECTS[:30]) - late) == [(-late, -late, 0), (late, late, 0)]


@pytest.mark.parametrize("moved", [5, 12, 30])
def test_a_balance_that_is_ahead_has_the_first_payments_already(moved: int) -> None:
    early = sum(EFFECTS[30 : 30 + moved])
    assert shop(sum(EFFECTS[:30]) + early) == [(early, early, 0), (-early, -early, 0)]


def test_of_the_payments_of_the_very_second_some_are_on_either_side() -> None:
    """Four a second: the balance lacks the last nine, and one of the four before."""
    seconds = [second // 40 + (second > 0) for second in SECONDS]
    assert [seconds.index(each) for each in (-3, -2, -1, 0)] == [17, 21, 25, 29]
    late = EFFECTS[18] + sum(EFFECTS[21:30])
    shown = sum(EFFECTS[:30]) - late
    assert shop(shown, seconds) == [(-late, -late, 0), (late, late, 0)]


def test_what_a_cut_off_moved_is_told_as_one() -> None:
    paid = [
        payment(f"p{n}", MIDNIGHT + timedelta(seconds=second), effect)
        for n, (second, effect) in enumerate(zip(SECONDS, EFFECTS, strict=True))
    ]
    late = sum(EFFECTS[18:30])
    shown = balances(0, sum(EFFECTS[:30]) - late, ALL)
    first, second = rollforward({"balances": shown, "payments": paid})
    span = "2026-10-01T23:58:10Z to 2026-10-02T00:00:00Z"
    told = f"12 movements of {span}, moved"
    assert first["detail"] == f"-{late:,} = -{late:,} ({told} out)."
    assert second["detail"] == f"{late:,} = {late:,} ({told} in)."


@pytest.mark.parametrize("kept", [{27}, {24, 25}])
def test_payments_with_gaps_between_them_are_no_cut_off(kept: set[int]) -> None:
    late = sum(EFFECTS[n] for n in range(20, 30) if n not in kept)
    shown = sum(EFFECTS[:30]) - late
    assert shop(shown) == [(-late, 0, -late), (late, 0, late)]


def test_a_rial_beside_it_is_no_cut_off() -> None:
    late = sum(EFFECTS[18:30])
    first, second = shop(sum(EFFECTS[:30]) - late - 1)
    assert (first[1], second[1]) == (0, 0)


def test_what_is_lost_stays_though_the_rest_moved() -> None:
    """Twelve late payments move; 77 rials of the day are nowhere, and stay open."""
    late = sum(EFFECTS[18:30])
    paid = [
        payment(f"p{n}", MIDNIGHT + timedelta(seconds=second), effect)
        for n, (second, effect) in enumerate(zip(SECONDS, EFFECTS, strict=True))
    ]
    shown = balances(0, sum(EFFECTS[:30]) - late, ALL - 77)
    rows = figures(rollforward({"balances": shown, "payments": paid}))
    assert [row[0] for row in rows] == [-late, late - 77]
    assert sum(row[2] for row in rows) == -77


def test_both_ends_of_a_day_may_have_other_cut_offs() -> None:
    """The second snapshot lags by two minutes, the third by one and a half."""
    paid = [
        payment(f"p{day}-{n}", at(day) - timedelta(seconds=10 * n), EFFECTS[n] + day)
        for day in (2, 3)
        for n in range(1, 31)
    ]
    by_day = {day: [EFFECTS[n] + day for n in range(1, 31)] for day in (2, 3)}
    first, second = sum(by_day[2][:12]), sum(by_day[3][:9])
    whole, both = sum(by_day[2]), sum(by_day[2]) + sum(by_day[3])
    shown = balances(0, whole - first, both - second, both)
    assert figures(rollforward({"balances": shown, "payments": paid})) == [
        (-first, -first, 0),
        (first - second, first - second, 0),
        (second, second, 0),
    ]


def every_snapshot_lags(*lost: int) -> list[tuple[int, int, int]]:
    """Each of four snapshots lacks its last payments; `lost` are rials between them."""
    paid, shown, held = [], [], 0
    for day, late in enumerate((12, 9, 14, 7), start=1):
        effects = [EFFECTS[n] + day for n in range(1, 31)]
        paid += [
            payment(f"p{day}-{n}", at(day) - timedelta(seconds=10 * n), effect)
            for n, effect in enumerate(effects, start=1)
        ]
        held += sum(effects) - sum(lost[day - 2 : day - 1])
        shown.append(held - sum(effects[:late]))
    return figures(rollforward({"balances": balances(*shown), "payments": paid}))


def test_the_first_snapshot_of_all_may_lag_like_the_others() -> None:
    """Before it no interval tells what it lacks: the next snapshot's cut-off does."""
    rows = every_snapshot_lags()
    assert all(difference == explained for difference, explained, _ in rows)
    assert [unexplained for *_, unexplained in rows] == [0, 0, 0]


@pytest.mark.parametrize("lost", [(7, 0, 0), (0, 77, 0), (0, 0, 777_777)])
def test_what_is_lost_leaves_the_other_days_explained(lost: tuple[int, ...]) -> None:
    rows = every_snapshot_lags(*lost)
    assert [bool(unexplained) for *_, unexplained in rows] == [*map(bool, lost)]


def test_two_cut_offs_that_chance_would_give_are_none() -> None:
    amounts = [10_000 * (1 + n % 3) for n in range(60)]
    begin = [[[n] for n in range(30)], []]
    end = [[[n] for n in range(30, 60)], []]
    rest = sum(amounts[:7]) - sum(amounts[30:36])
    assert cut_twice(begin, end, amounts, rest) == []
    amounts[29] = 10**11 + 1  # now there are many more figures than pairs
    assert sum(amounts[:7]) in cut_twice(begin, end, amounts, rest)
    assert cut_twice(begin, end, amounts, rest + 1) == []
    assert cut_twice((), end, amounts, rest) == []
    assert cut_twice(begin, (), amounts, rest) == []


def test_the_fewest_items_win_over_a_cut_off() -> None:
    """One payment of what the last six are together is the simpler reading."""
    amounts = [1_001, 2_003, 4_007, 8_011, 16_033, 32_077, 63_132]
    target = sum(amounts[:6])
    assert target == amounts[6]
    assert find_sets(amounts, target).sets == ((6,),)


def test_a_cut_off_that_chance_would_give_is_none() -> None:
    amounts = [10_000 * (1 + n % 3) for n in range(60)]
    before = [[n] for n in range(60)]
    target = sum(amounts[:7])
    assert not find_cutoff([before, []], amounts, target)
    amounts[59] = 10**9 + 1  # now there are many more figures than cut-offs
    found = find_cutoff([before, []], amounts, target)
    assert found.sets == (tuple(range(7)),)


@pytest.mark.parametrize(("count", "is_found"), [(24, True), (25, False)])
def test_of_very_many_payments_of_one_instant_none_are_picked(
    count: int, is_found: bool
) -> None:
    """Their sums are so many that one fits by chance, whatever they come to."""
    amounts = [1_234_567_891 * n % 7_654_321_987 + 10**9 for n in range(1, count + 1)]
    found = find_cutoff([[list(range(count))]], amounts, sum(amounts[:3]))
    assert found.sets == (((0, 1, 2),) if is_found else ())


def test_of_two_sides_that_fit_the_one_of_fewer_items_wins() -> None:
    amounts = [1_000_003, 2_000_005, 3_000_008, 10**12]
    sides = [[[0], [1]], [[2], [3]]]
    assert find_cutoff(sides, amounts, 3_000_008).sets == ((2,),)
    assert find_cutoff(sides[::-1], amounts, 3_000_008).sets == ((2,),)
    assert find_cutoff(sides, amounts, 1_000_003).sets == ((0,),)


def test_all_of_very_many_payments_of_one_instant_are_found() -> None:
    amounts = [10**15 + n for n in range(30)]
    found = find_cutoff([[list(range(30))]], amounts, sum(amounts))
    assert found.sets == (tuple(range(30)),)
    assert not find_cutoff([[list(range(30))]], amounts, sum(amounts) - 1)


@pytest.mark.parametrize(("last", "is_found"), [(38, True), (37, False)])
def test_a_fit_counts_from_one_chance_in_twenty_on(
    last: int, *, is_found: bool
) -> None:
    """Two instants are four cut-offs; they count from eighty figures on."""
    sides, amounts = [[[0], [1]]], [41, last]
    assert bool(find_cutoff(sides, amounts, 41)) is is_found


@pytest.mark.parametrize(("last", "is_found"), [(18, True), (17, False)])
def test_two_cut_offs_count_from_one_chance_in_twenty_on(
    last: int, *, is_found: bool
) -> None:
    assert cut_twice([[[0]]], [[[1]]], [1, last], 1 - last) == ([1] if is_found else [])


def test_a_cut_off_that_moves_nothing_is_none() -> None:
    """A payment and its return in one second: whichever side they are on."""
    amounts = [10**9, -(10**9), 10**12 + 1]
    assert cut_twice([[[0, 1]]], [[[2]]], amounts, -(10**12 + 1)) == []
    assert cut_twice([[[2]]], [[[0, 1]]], amounts, 10**12 + 1) == []


def test_no_items_are_no_cut_off() -> None:
    assert not find_cutoff([], [], 5)
    assert not find_cutoff([[], []], [], 5)


AMOUNTS = st.integers(-(10**9), 10**9).filter(bool)


STEPS = st.sampled_from([1, 7, 1_000, 333_334])
"""Amounts may all be multiples of one figure: then there are fewer sums than rials."""


@given(
    st.lists(st.lists(AMOUNTS, min_size=1, max_size=3), min_size=1), STEPS, st.data()
)
def test_every_cut_off_is_found_or_one_of_as_few_items(
    groups: list[list[int]], step: int, data: st.DataObject
) -> None:
    amounts = [amount * step for group in groups for amount in group]
    starts = [0, *accumulate(map(len, groups))]
    side = [
        list(range(start, start + len(group)))
        for start, group in zip(starts, groups, strict=False)
    ]
    cut = data.draw(st.integers(0, len(groups) - 1))
    some = data.draw(st.sets(st.sampled_from(side[cut]), min_size=1))
    chosen = [*(item for group in side[:cut] for item in group), *some]
    target = sum(amounts[item] for item in chosen)
    if target:
        found = find_cutoff([[], side], amounts, target)
        for each in found.sets:
            assert sum(amounts[item] for item in each) == target
            assert len(each) == found.size
        figures = sum(map(abs, amounts)) // min(gcd(*amounts), ROUND)
        if figures >= MIN_ODDS * sum(2 ** len(group) for group in groups):
            assert found
            assert found.size <= len(chosen)
