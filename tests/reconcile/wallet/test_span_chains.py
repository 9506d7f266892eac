"""Spans of several days tied together, and what is lost or unknown beside them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon.reconcile.wallet.rests import Rests
from recon.reconcile.wallet.spans import Span
from recon.reconcile.wallet.tracing import trace
from tests.reconcile.wallet_world import (
    Row,
    at,
    deposit,
    figures,
    nights,
    of_day,
    rollforward,
    unexplained,
)


def test_what_is_lost_never_hides_behind_another_rest() -> None:
    """A deposit is said to be settled and never came; days later 7,000 are missing.

    That it came then and 8,200 were missing fits as little as it does at once.
    """
    rows = rollforward(
        {
            "balances": nights(9_000, 9_000, 9_000, 2_000),
            "deposits": [
                deposit("lost", at(2, 10), 1_200, status="DONE", seen_at=at(4, 22))
            ],
        }
    )
    assert figures(rows) == [(-1_200, 0, -1_200), (0, 0, 0), (-7_000, 0, -7_000)]


def left_at_ten(*amounts: int, beside: dict[int, int] | None = None) -> list[Row]:
    """Settlements of the 3rd and each day after it, by their day; each left at 10:00.

    `beside` is what else moved, at noon of a day. The nights' snapshots are at 01:30.
    """
    days = range(1, len(amounts) + 4)
    moved = dict(enumerate(amounts, start=3))
    shown = [
        900
        + sum(
            each
            for by in (moved, beside or {})
            for day, each in by.items()
            if day <= night
        )
        for night in days
    ]
    given_ = [of_day(day, amount) for day, amount in moved.items()]
    return rollforward({"balances": nights(*shown), "adjustments": given_})


def test_daily_settlements_are_explained_day_by_day() -> None:
    rows = left_at_ten(-21, -34, -55, -13, -8)
    assert [each for each, _, _ in figures(rows)] == [21, 13, 21, -42, -5, -8, 0]
    assert unexplained(rows) == [0] * 7


def test_equal_settlements_on_end_are_explained() -> None:
    """In between, one comes in where another goes out: nothing differs there."""
    rows = left_at_ten(-20, -20, -20)
    assert figures(rows) == [
        (20, 20, 0),
        (0, 0, 0),
        (0, 0, 0),
        (-20, -20, 0),
        (0, 0, 0),
    ]


def test_one_unknown_rest_leaves_the_settlements_of_other_days_explained() -> None:
    """70 left at noon of the 6th, nobody knows why."""
    rows = left_at_ten(-21, -34, -55, -13, -8, -40, -12, beside={6: -70})
    assert [each for each in enumerate(unexplained(rows)) if each[1]] == [(4, -70)]


@pytest.mark.parametrize("unknown", [-70, 1, 7_000])
def test_unknown_rests_of_single_nights_are_told_to_the_rial(unknown: int) -> None:
    beside = {day: unknown + day for day in (4, 7)}
    left = unexplained(left_at_ten(-21, -34, -55, -13, -8, -40, -12, beside=beside))
    assert [each for each in left if each] == list(beside.values())


def test_a_settlement_that_never_left_stays_in_its_own_night() -> None:
    """What is given by its day came in no night that was whole without it."""
    rows = rollforward(
        {
            "balances": nights(50, 50, 50, 50),
            "adjustments": [of_day(3, -20)],
        }
    )
    assert figures(rows) == [(20, 0, 20), (0, 0, 0), (0, 0, 0)]


def test_what_moved_is_explained_beside_a_rest_that_is_unknown() -> None:
    rows = rollforward(
        {
            "balances": nights(50, 50, 41, 37),
            "adjustments": [of_day(3, -20), of_day(4, 11)],
        }
    )
    assert figures(rows) == [(20, 20, 0), (-20, -20, 0), (-4, 0, -4)]


@st.composite
def placed(draw: st.DrawFn) -> tuple[Rests, list[tuple[int, int]]]:
    """Items that count in one interval and landed in another; the rests of that."""
    count = draw(st.integers(2, 6))
    rests = [0] * count
    amounts, spans = [], []
    for _ in range(draw(st.integers(1, 5))):
        home = draw(st.integers(0, count - 2))
        last = draw(st.integers(home + 1, count - 1))
        landed = draw(st.integers(home, last))
        amount = draw(
            st.sampled_from([900_000_000, 20_000_000, 20_000_000, 35_000_000])
        )
        rests[home] -= amount
        rests[landed] += amount
        amounts.append(amount)
        spans.append((home, last))
    given_ = [Span(item, *span) for item, span in enumerate(spans)]
    return Rests(rests, amounts, {}, {}, spans=given_), spans


@given(placed())
def test_whatever_moved_within_its_span_is_explained_and_nothing_leaps(
    world: tuple[Rests, list[tuple[int, int]]],
) -> None:
    rests, spans = world
    traced = trace(rests)
    left = list(rests.rests)
    moves: dict[int, list[tuple[str, int]]] = {}
    for interval, each in sorted(traced.items()):
        landed, moved_in, moved_out = each.sets[0]
        assert not landed
        for way, items in (("in", moved_in), ("out", moved_out)):
            for item in items:
                sign = 1 if way == "in" else -1
                left[interval] -= sign * rests.amounts[item]
                moves.setdefault(item, []).append((way, interval))
    assert left == [0] * len(left)
    for item, each in moves.items():
        home, last = spans[item]
        (out, begin), (into, end) = each
        assert (out, begin, into) == ("out", home, "in")
        assert home < end <= last


def test_what_is_lost_is_no_part_of_what_fewer_open_items_explain() -> None:
    """700 landed, which is queued; 300, 90 and the 310 that was lost are as much."""
    given_ = {
        "balances": nights(0, 0, 0, 700, 700),
        "deposits": [
            deposit("lost", at(2, 10), 310, status="DONE", seen_at=at(5, 22)),
            *(deposit(f"{n}", at(1, 1), n) for n in (700, 300, 90, 450)),
        ],
    }
    rows = rollforward(given_)
    assert figures(rows)[1:] == [(0, 0, 0), (700, 700, 0), (0, 0, 0)]
    assert unexplained(rows)[0] == -310


def test_what_came_late_beside_a_queued_deposit_is_explained_with_it() -> None:
    given_ = {
        "balances": nights(0, 0, 0, 1_010, 1_010),
        "deposits": [
            deposit("late", at(2, 10), 310, status="DONE", seen_at=at(5, 22)),
            *(deposit(f"{n}", at(1, 1), n) for n in (700, 350, 90, 450)),
        ],
    }
    assert unexplained(rollforward(given_)) == [0, 0, 0, 0]


def test_of_many_settlements_of_a_day_some_left_later_beside_queued_deposits() -> None:
    amounts = [-21_345, -17_654, -9_876, -31_415, -27_182, -14_142]
    late = sum(amounts[:3])
    early = sum(amounts[3:])
    given_ = {
        "balances": nights(
            900_000, 900_000 + early + 555, 900_000 + early + 555 + late + 777
        ),
        "adjustments": [
            of_day(3, each, description=f"{place}")
            for place, each in enumerate(amounts)
        ],
        "deposits": [deposit("p", at(2, 1), 555), deposit("q", at(2, 1), 777)],
    }
    assert unexplained(rollforward(given_)) == [0, 0]


def test_equal_spans_that_leap_over_one_another_are_explained() -> None:
    """50 is late by five nights, 20 by one, another 50 by one, and 100 by none."""
    given_ = {
        "balances": nights(0, 0, 20, 20, 120, 170, 220),
        "deposits": [
            deposit("a", at(2, 10), 50, status="DONE", seen_at=at(7, 22)),
            deposit("b", at(2, 11), 20, status="DONE", seen_at=at(3, 22)),
            deposit("c", at(5, 10), 50, status="DONE", seen_at=at(6, 22)),
            deposit("d", at(5, 11), 100, status="DONE", seen_at=at(7, 22)),
        ],
    }
    assert unexplained(rollforward(given_)) == [0] * 6


def test_what_passes_an_unknown_rest_is_not_beyond_the_last_snapshot() -> None:
    """79 left in the second interval of its day, as did 412 that nobody knows of."""
    spans = [Span(0, 0, 2)]
    traced = trace(Rests([79, -79 - 412], [-79], {}, {}, spans=spans))
    assert all(each.sets == (((), (), ()),) for each in traced.values())
    traced = trace(Rests([79, 0], [-79], {}, {}, spans=spans))
    assert traced[0].sets == (((), (), (0,)),)


def test_what_counts_before_the_first_interval_may_come_after_whole_ones() -> None:
    spans = [Span(0, -1, 2)]
    traced = trace(Rests([0, 0, 300], [300], {}, {}, spans=spans))
    assert [each.sets for each in traced.values()] == [
        (((), (), ()),),
        (((), (), ()),),
        (((), (0,), ()),),
    ]
    assert all(each.exact for each in traced.values())


def test_what_came_in_a_whole_interval_explains_no_later_one() -> None:
    """300 came in the second, where nothing is lacking; the third lacks as much."""
    spans = [Span(0, 1, 2), Span(1, 0, 1)]
    traced = trace(Rests([5, 0, 300], [300, 5], {}, {}, spans=spans))
    assert all(each.sets == (((), (), ()),) for each in traced.values())
    assert [at for at, each in traced.items() if not each.exact] == [0, 2]


@pytest.mark.parametrize(
    ("by_day", "came"),
    [((True, True), (0, 1)), ((True, False), ()), ((False, True), ())],
)
def test_only_what_is_given_by_its_day_comes_beside_a_rest_that_is_unknown(
    by_day: tuple[bool, bool], came: tuple[int, ...]
) -> None:
    """300 and 50 are late by the first night, and 7 are unknown in the second one."""
    spans = [Span(item, 0, 1, each) for item, each in enumerate(by_day)]
    traced = trace(Rests([-350, 357], [300, 50], {}, {}, spans=spans))
    assert traced[1].sets == (((), came, ()),)
    assert [each.exact for each in traced.values()] == [bool(came), False]


@pytest.mark.parametrize("late", [(1, 2), (0, 1, 3, 4, 5, 6)])
@pytest.mark.parametrize("unknown", [0, 7])
def test_of_many_items_a_few_or_nearly_all_came_later(
    late: tuple[int, ...], unknown: int
) -> None:
    """Beside 7 that are unknown the first night says nothing of them; the next does."""
    amounts = [101_000, 203_000, 307_000, 411_000, 513_000, 617_000, 719_000]
    came = sum(amounts[item] for item in late)
    spans = [Span(item, 0, 1) for item in range(len(amounts))]
    traced = trace(Rests([unknown - came, came], amounts, {}, {}, spans=spans))
    assert [each.sets for each in traced.values()] == [
        (((), (), late),),
        (((), late, ()),),
    ]
    assert [each.exact for each in traced.values()] == [not unknown, True]


def test_of_few_items_from_before_any_may_have_come_beside_a_queued_deposit() -> None:
    """300 came and 50 did not, and a queued deposit of 40 landed."""
    spans = [Span(item, -1, 0) for item in range(2)]
    traced = trace(Rests([340, 0], [300, 50, 40], {0: [2]}, {}, spans=spans))
    assert traced[0].sets == (((2,), (0,), ()),)
    assert traced[0].exact


@pytest.mark.parametrize("early", [(1, 2), (0, 1, 3, 4, 5, 6)])
def test_of_many_items_from_before_a_few_or_nearly_all_came_after_the_first_snapshot(
    early: tuple[int, ...],
) -> None:
    amounts = [101_000, 203_000, 307_000, 411_000, 513_000, 617_000, 719_000]
    spans = [Span(item, -1, 0) for item in range(len(amounts))]
    rests = [sum(amounts[item] for item in early), 0]
    traced = trace(Rests(rests, amounts, {}, {}, spans=spans))
    assert traced[0].sets == (((), early, ()),)
    assert traced[0].exact


def test_of_many_items_on_their_way_some_come_with_what_can_come_no_later() -> None:
    """All left the first interval; the second has one of them that had to, and two."""
    amounts = [101_000, 203_000, 307_000, 411_000, 513_000, 617_000, 719_000]
    spans = [Span(item, 0, 2 if item else 1) for item in range(len(amounts))]
    rests = [-sum(amounts), sum(amounts[:3]), sum(amounts[3:])]
    traced = trace(Rests(rests, amounts, {}, {}, spans=spans))
    assert [each.sets[0][1] for each in traced.values()] == [
        (),
        (0, 1, 2),
        (3, 4, 5, 6),
    ]
    assert all(each.exact for each in traced.values())


def test_what_can_come_no_later_comes_once() -> None:
    traced = trace(Rests([-300, 600], [300], {}, {}, spans=[Span(0, 0, 1)]))
    assert traced[1].sets == (((), (0,), ()),)
    assert [each.exact for each in traced.values()] == [True, False]


def test_of_items_of_one_sum_the_fewest_are_late() -> None:
    spans = [Span(item, 0, 1) for item in range(3)]
    traced = trace(Rests([-300, 300], [100, 200, 300], {}, {}, spans=spans))
    assert [each.sets for each in traced.values()] == [
        (((), (), (2,)),),
        (((), (2,), ()),),
    ]


@pytest.mark.parametrize(
    ("by_day", "late"),
    [((True, True), (0, 1)), ((True, False), ()), ((False, True), ())],
)
def test_where_nothing_is_compared_only_what_is_given_by_its_day_came_unseen(
    by_day: tuple[bool, bool], late: tuple[int, ...]
) -> None:
    spans = [Span(item, 0, 1, each) for item, each in enumerate(by_day)]
    rests = Rests([-350, 0, 7], [300, 50], {}, {}, spans=spans, gaps=frozenset([1]))
    traced = trace(rests)
    assert traced[0].sets == (((), (), late),)
    assert traced[0].exact is bool(late)


def test_a_chain_of_years_is_explained() -> None:
    """Each night's settlement shows in the next one's; 7 are unknown in the first."""
    count = 1_500
    amounts = [100 + day % 37 for day in range(count)]
    rests = [-amounts[0], *(a - b for a, b in pairwise(amounts)), amounts[-1]]
    spans = [Span(item, item, item + 1) for item in range(count)]
    traced = trace(Rests(rests, amounts, {}, {}, spans=spans))
    assert all(each.exact for each in traced.values())
    rests[0] += 7
    traced = trace(Rests(rests, amounts, {}, {}, spans=spans))
    assert [at for at, each in traced.items() if not each.exact] == [0]
