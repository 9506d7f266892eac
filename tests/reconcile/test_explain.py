"""Exact search: nothing but exact sums, the fewest items, and every set counted."""

from collections.abc import Sequence
from itertools import combinations
from math import comb

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recon.reconcile.explain import (
    MAX_AMOUNT,
    MAX_CANDIDATES,
    MAX_SMALL_POOL,
    MIN_ODDS,
    coincidence,
    find_sets,
)

AMOUNTS = st.lists(
    st.one_of(st.integers(-9, 9), st.sampled_from([5, 10]), st.integers(10**9, 10**12)),
    max_size=9,
)


def slowest(amounts: Sequence[int], target: int) -> list[tuple[int, ...]]:
    """Try every set, the smallest first."""
    for size in range(1, len(amounts) + 1):
        found = [
            chosen
            for chosen in combinations(range(len(amounts)), size)
            if all(amounts[i] for i in chosen)
            and sum(amounts[i] for i in chosen) == target
        ]
        if found:
            enough = size <= 4 or coincidence(amounts, size) >= MIN_ODDS
            return found if enough else []
    return []


@settings(max_examples=300)
@given(AMOUNTS, st.integers(-40, 60).filter(bool))
@example([5, 5, 5, 5, 0], 20)
@example([1, 1, 1, 1, 1, -5], 5)
def test_the_smallest_sets_are_those_that_trying_everything_finds(
    amounts: list[int], target: int
) -> None:
    found = find_sets(amounts, target, most=10_000)
    expected = slowest(amounts, target)
    assert sorted(found.sets) == expected
    assert found.count == len(expected)
    amounts_of = {tuple(sorted(amounts[i] for i in each)) for each in expected}
    assert found.different == len(amounts_of)
    assert bool(found) == bool(expected)
    assert found.size == (len(expected[0]) if expected else 0)


def test_four_items_are_found_among_a_thousand() -> None:
    amounts = [(i * i * 7_919 + i * 104_729) % 999_983 + 10**9 * i for i in range(1000)]
    wanted = (17, 204, 655, 998)
    found = find_sets(amounts, sum(amounts[i] for i in wanted))
    assert wanted in found.sets
    assert found.size == 4


def test_one_rial_more_fits_nothing() -> None:
    amounts = [10_000 * i for i in range(1, 200)]
    assert find_sets(amounts, 30_000)
    assert not find_sets(amounts, 30_001)


def test_equal_amounts_are_counted_without_listing_them() -> None:
    found = find_sets([10**9] * 1000, 4 * 10**9)
    assert found.count == 1000 * 999 * 998 * 997 // 24
    assert len(found.sets) == 20
    assert found.sets[0] == (0, 1, 2, 3)


def test_a_larger_set_is_found_in_a_small_pool_where_chance_gives_none() -> None:
    amounts = [2**i for i in range(MAX_SMALL_POOL)]
    assert find_sets(amounts, 0b1111110).sets == ((1, 2, 3, 4, 5, 6),)


def test_all_parts_of_a_large_split_are_found() -> None:
    found = find_sets([10**9] * 7 + [200_000_000], 7_200_000_000)
    assert (found.size, found.count) == (8, 1)


def test_any_number_of_many_equal_ones_is_found() -> None:
    amounts = [10**9] * 30 + [200_000_000 + 2**i for i in range(9)]
    found = find_sets(amounts, 12 * 10**9 + sum(amounts[33:35]))
    assert (found.size, found.count) == (14, comb(30, 12))
    assert found.sets[0] == (*range(12), 33, 34)


@pytest.mark.parametrize("left_out", [(), (7,), (0, 33), (2, 3, 5, 59)])
def test_nearly_all_of_many_are_found(left_out: tuple[int, ...]) -> None:
    amounts = [(i * i * 7_919 + i * 104_729) % 999_983 + 10**7 for i in range(60)]
    landed = tuple(i for i in range(60) if i not in left_out)
    found = find_sets(amounts, sum(amounts[i] for i in landed))
    assert (found.sets, found.size) == ((landed,), 60 - len(left_out))
    assert not find_sets(amounts, sum(amounts[i] for i in landed), most_items=4)


def test_all_but_a_few_that_chance_would_give_are_none() -> None:
    amounts = list(range(1, 4 * MAX_SMALL_POOL))
    assert find_sets(amounts, sum(amounts))
    assert not find_sets(amounts, sum(amounts[4:]))


def test_a_larger_set_that_chance_would_give_is_none() -> None:
    amounts = list(range(1, MAX_SMALL_POOL + 1))
    assert coincidence(amounts, 5) < MIN_ODDS
    assert not find_sets(amounts, sum(amounts[-5:]))


def test_of_too_many_candidates_the_last_are_searched_and_it_is_said() -> None:
    amounts = [1_000_003 * i for i in range(1, MAX_CANDIDATES + 2)]
    found = find_sets(amounts, amounts[0])
    assert not found.searched
    assert not found
    assert find_sets(amounts, amounts[-1]).sets == ((MAX_CANDIDATES,),)


def test_amounts_beyond_all_money_are_left_out_and_it_is_said() -> None:
    found = find_sets([MAX_AMOUNT + 1, 5], 5)
    assert found.sets == ((1,),)
    assert not found.searched
    assert not find_sets([5, 5], 10**30)


def test_fewer_items_may_be_asked_for() -> None:
    assert find_sets([1, 2, 4], 7)
    assert not find_sets([1, 2, 4], 7, most_items=2)


def test_a_coincidence_is_rare_among_few_and_common_among_many() -> None:
    assert coincidence([123_457, 999_331], 1) > 100_000
    assert coincidence(list(range(1, 101)), 3) == 1
    assert coincidence([], 1) == 1


@pytest.mark.parametrize(
    ("amounts", "size", "odds"),
    [
        ([1, 1, 2, 1_000_001], 2, 1_000_004 // 4),  # 1+1, 1+2, 1+m, 2+m
        ([1, 1, 1, 2, 1_000_001], 3, 1_000_005 // 4),  # to leave out two of them
        ([30_000, 60_000], 1, 7 // 2),  # 0 to 60,000 in steps of 10,000
        ([-7, 5, 3, 0], 2, 13 // 3),
    ],
)
def test_a_coincidence_is_figures_over_different_sets(
    amounts: list[int], size: int, odds: int
) -> None:
    assert coincidence(amounts, size) == odds
