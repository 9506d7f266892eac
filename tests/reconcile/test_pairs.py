"""Pairs that meet: every set of two, three and four, each once."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recon.reconcile import pairs
from recon.reconcile.explain import MAX_AMOUNT
from recon.reconcile.pairs import Pairs

SIZES = (2, 3, 4)
VALUES = st.lists(
    st.one_of(
        st.integers(-20, 20),
        st.integers(-9, 9).map(lambda n: n * 10_000_000),
        st.integers(-MAX_AMOUNT, MAX_AMOUNT),
    ),
    min_size=1,
    max_size=12,
    unique=True,
)


def slowly(
    values: Sequence[int], numbers: Sequence[int], size: int
) -> Iterator[tuple[int, ...]]:
    for chosen in combinations_with_replacement(range(len(values)), size):
        if all(times <= numbers[at] for at, times in Counter(chosen).items()):
            yield chosen


@given(VALUES, st.data())
@example([-MAX_AMOUNT, MAX_AMOUNT], None)
def test_the_sets_are_those_that_trying_everything_finds(
    values: list[int], data: st.DataObject | None
) -> None:
    """Any sum is asked for: of items that there are, or of ones that there are not."""
    each = st.lists(st.integers(1, 5), min_size=len(values), max_size=len(values))
    numbers = data.draw(each) if data else [4] * len(values)
    found = Pairs(values, numbers)
    for size in SIZES:
        by_sum: dict[int, list[tuple[int, ...]]] = {}
        for chosen in combinations_with_replacement(range(len(values)), size):
            by_sum.setdefault(sum(values[at] for at in chosen), [])
        for chosen in slowly(values, numbers, size):
            by_sum[sum(values[at] for at in chosen)].append(chosen)
        asked = [*by_sum][:: max(1, len(by_sum) // 20)]
        for target in asked:
            assert sorted(found.sets(size, target)) == by_sum[target]


@pytest.mark.parametrize("at_once", [1, 7, 50_000])
def test_none_is_lost_between_those_looked_at_together(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Very many meet: among even amounts a quarter of all sums of four is as wanted."""
    monkeypatch.setattr(pairs, "_AT_ONCE", at_once)
    values = [*range(2, 40, 2)]
    for size in SIZES:
        target = 20 * size
        expected = [
            chosen
            for chosen in slowly(values, [1] * len(values), size)
            if sum(values[at] for at in chosen) == target
        ]
        found = list(Pairs(values, [1] * len(values)).sets(size, target))
        assert sorted(found) == expected
        assert expected


def test_one_set_is_found_among_a_million_sums() -> None:
    values = [(i * i * 7_919 + i * 104_729) % 999_983 + 10**7 * i for i in range(1400)]
    wanted = (17, 204, 655, 1398)
    found = Pairs(values, [1] * len(values))
    assert wanted in found.sets(4, sum(values[at] for at in wanted))
    assert wanted[:3] in found.sets(3, sum(values[at] for at in wanted[:3]))
