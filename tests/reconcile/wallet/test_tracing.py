"""Tracing rests to items: exact, each item once, the fewest intervals unexplained."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.reconcile.explain import Found, find_sets
from recon.reconcile.wallet import chains
from recon.reconcile.wallet.rests import Rests, Traced
from recon.reconcile.wallet.tracing import trace


def items(traced: Mapping[int, Traced]) -> dict[int, tuple[int, ...]]:
    """What landed where, of the intervals that something landed in."""
    return {at: each.sets[0][0] for at, each in traced.items() if each.sets[0][0]}


def left(rests: Rests, traced: Mapping[int, Traced]) -> list[int]:
    """What stays of each rest."""
    remaining = list(rests.rests)
    for at, each in traced.items():
        landed, moved_in, moved_out = each.sets[0]
        remaining[at] -= sum(rests.amounts[i] for i in (*landed, *moved_in))
        remaining[at] += sum(rests.amounts[i] for i in moved_out)
    return remaining


def anywhere(rests: Sequence[int], amounts: Sequence[int], **other: object) -> Rests:
    places = range(len(amounts))
    return Rests(rests, amounts, dict.fromkeys(range(len(rests)), places), {}, **other)  # type: ignore[arg-type]


def test_each_item_explains_one_interval_only() -> None:
    rests = anywhere([5, 5], [5])
    assert left(rests, trace(rests)) == [0, 5]


def test_what_is_unique_later_decides_an_earlier_choice() -> None:
    """5 is a or b; 105 can only be b and c together, so the first is a."""
    rests = Rests([5, 105], [5, 5, 100], {0: [0, 1], 1: [1, 2]}, {})
    traced = trace(rests)
    assert items(traced) == {0: (0,), 1: (1, 2)}
    assert traced[0].unique


def test_what_is_equal_is_settled_in_the_order_of_time_and_flagged() -> None:
    traced = trace(anywhere([5, 5], [5, 5]))
    assert items(traced) == {0: (0,), 1: (1,)}
    assert [each.unique for each in traced.values()] == [False, False]
    assert {landed for landed, _, _ in traced[1].sets} == {(0,), (1,)}


def test_what_landed_or_moved_in_as_well_is_two_ways() -> None:
    traced = trace(Rests([5], [5, 5], {0: [0]}, {0: [1]}))
    assert set(traced[0].sets) == {((0,), (), ()), ((), (1,), ())}
    assert not traced[0].unique


def test_what_is_unique_later_leaves_an_earlier_choice_a_way() -> None:
    """6 is a or b; 13 takes both of them and c, which leaves nothing to the 6."""
    given = Rests([6, 13], [6, 6, 1], {0: [0, 1], 1: [0, 1, 2]}, {})
    assert left(given, trace(given)) == [0, 13]


def test_a_choice_spares_what_alone_explains_a_later_interval() -> None:
    """6 is a or b; 13 fits only with a, which has been waiting for long by then."""
    given = Rests(
        [6, 13], [6, 6, 7], {0: [0, 1], 1: [0, 2]}, {}, stale={1: frozenset([0])}
    )
    assert items(trace(given)) == {0: (1,), 1: (0, 2)}


def test_a_later_set_of_stale_items_never_takes_from_an_earlier_interval() -> None:
    """6 is a+b or c+d; later 8 fits a+e only, 9 fits c+f only: one goes without."""
    given = Rests(
        [6, 8, 9],
        [2, 4, 1, 5, 6, 8],
        {0: [0, 1, 2, 3], 1: [0, 4], 2: [2, 5]},
        {},
        stale={1: frozenset([0]), 2: frozenset([2])},
    )
    first, *later = left(given, trace(given))
    assert first == 0
    assert sum(map(bool, later)) == 1


@pytest.mark.parametrize(
    ("stale", "remaining"), [({1: frozenset([0])}, [0, 7]), ({}, [10, 0])]
)
def test_of_very_many_ways_what_all_need_waits_for_its_turn_only_if_it_is_stale(
    stale: dict[int, frozenset[int]], remaining: list[int]
) -> None:
    """10 is the 7 and one of thirty 3s, more ways than are listed; a later 7 fits."""
    amounts = [7, *[3] * 30]
    given = Rests([10, 7], amounts, {0: range(31), 1: [0]}, {}, stale=stale)
    assert left(given, trace(given)) == remaining


def test_what_is_unique_once_others_are_settled_is_settled_in_its_turn() -> None:
    """The last 5 is c alone; so the second is b, and so the first is a."""
    given = Rests([5, 5, 5], [5, 5, 5], {0: [0, 1], 1: [0, 2], 2: [2]}, {})
    traced = trace(given)
    assert items(traced) == {0: (1,), 1: (0,), 2: (2,)}
    assert all(each.unique for each in traced.values())


def test_what_goes_without_shows_no_way_that_others_have_taken() -> None:
    """Two 5s may explain any of three intervals: the last one is not explained."""
    traced = trace(anywhere([5, 5, 5], [5, 5]))
    assert [each.exact for each in traced.values()] == [True, True, False]
    assert traced[2].sets == (((), (), ()),)


def test_ways_that_an_earlier_interval_took_show_that_chance_gives_many() -> None:
    """Three pairs come to 10: the second of two tens had all three to begin with."""
    traced = trace(anywhere([10, 10], [1, 9, 2, 8, 3, 7]))
    assert [each.different for each in traced.values()] == [3, 3]
    assert [each.count for each in traced.values()] == [3, 3]


def test_a_moved_item_settles_both_sides() -> None:
    rests = Rests([-9, 9], [9], {}, {1: [0]})
    traced = trace(rests)
    assert left(rests, traced) == [0, 0]
    assert traced[0].sets == (((), (), (0,)),)
    assert traced[1].sets == (((), (0,), ()),)


def test_a_moved_item_helps_one_side_where_the_other_stays_broken() -> None:
    rests = Rests([-9, 20], [9], {}, {1: [0]})
    assert left(rests, trace(rests)) == [0, 11]


@pytest.mark.parametrize("amounts", [[9, 20], [20, 9]])
def test_two_items_that_may_have_moved_explain_one_side_not_both(
    amounts: list[int],
) -> None:
    """What explains the one leaves the other 11: of two ways each interval has one."""
    rests = Rests([-9, 20], amounts, {}, {1: [0, 1]})
    assert left(rests, trace(rests)) == [0, 11]


def test_a_moved_item_never_breaks_a_side_that_was_fine() -> None:
    rests = Rests([-9, 0], [9], {}, {1: [0]})
    assert left(rests, trace(rests)) == [-9, 0]


def test_an_item_before_the_first_snapshot_may_move_in() -> None:
    rests = Rests([9, 0], [9], {}, {0: [0]})
    assert left(rests, trace(rests)) == [0, 0]


def test_a_wallet_whose_clock_is_late_at_every_boundary_is_explained() -> None:
    """Each day's last item is in the next day's balance, for a month."""
    moved = [7 + day for day in range(30)]
    rests = [-moved[0], *(a - b for a, b in pairwise(moved))]
    rests.append(moved[-1])
    given = Rests(rests, moved, {}, {day + 1: [day] for day in range(30)})
    assert left(given, trace(given)) == [0] * 31


def test_moved_and_landed_items_explain_together() -> None:
    rests = Rests([-9, 14], [9, 5], {1: [1]}, {1: [0]})
    traced = trace(rests)
    assert left(rests, traced) == [0, 0]
    assert traced[1].sets == (((1,), (0,), ()),)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_of_few_items_near_a_snapshot_any_move_beside_what_landed(count: int) -> None:
    """No rest says what moved: 700 landed in the one interval, 900 in the other."""
    near = [10, 20, 45, 95]
    moved = sum(near[:count])
    rests = Rests(
        [700 - moved, moved + 900], [*near, 700, 900], {0: [4], 1: [5]}, {1: range(4)}
    )
    traced = trace(rests)
    assert left(rests, traced) == [0, 0]
    assert traced[1].sets == (((5,), tuple(range(count)), ()),)


def test_an_item_is_used_once_within_neighbours_too() -> None:
    rests = Rests([5, 5], [5, 1], {0: [0], 1: [0]}, {1: [1]})
    assert sorted(left(rests, trace(rests))) == [0, 5]


def test_of_equal_items_neighbours_take_one_each() -> None:
    rests = Rests([5, 5], [5, 5, 1], {0: [0, 1], 1: [0, 1]}, {1: [2]})
    assert sorted(items(trace(rests)).values()) == [(0,), (1,)]


def test_of_equal_items_very_many_neighbours_take_theirs() -> None:
    """Two of 10 land each day of a month, with an item near each night's snapshot."""
    days, queued = range(30), range(60)
    near = {day: [60 + day] for day in days[1:]}
    rests = Rests(
        [20] * 30,
        [10] * 60 + [7] * 30,
        {day: queued[: 2 * day + 2] for day in days},
        near,
    )
    traced = trace(rests)
    assert left(rests, traced) == [0] * 30
    assert items(traced) == {day: (2 * day, 2 * day + 1) for day in days}
    assert traced[0].unique


def test_of_what_may_have_moved_at_midnight_few_ways_are_followed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One of 30 deposits lands each day, with four payments near each snapshot."""
    searches: list[int] = []

    def search(amounts: Sequence[int], target: int, **asked: int | None) -> Found:
        searches.append(target)
        return find_sets(amounts, target, most_items=asked["most_items"])

    monkeypatch.setattr(chains, "find_sets", search)
    days = range(30)
    deposits = [1000 * (day + 1) for day in days]
    payments = [7**number + day for day in days for number in range(1, 5)]
    rests = Rests(
        deposits,
        [*deposits, *payments],
        {day: range(day + 1) for day in days},
        {day: range(30 + 4 * day, 34 + 4 * day) for day in days[1:]},
    )
    assert items(trace(rests)) == {day: (day,) for day in days}
    assert len(searches) < 30 * 200


def test_a_rest_within_the_tolerance_is_not_touched() -> None:
    assert trace(anywhere([3, -3], [3, -3], tolerance=3)) == {}


Small = st.integers(-9, 9).filter(bool)


@st.composite
def worlds(draw: st.DrawFn) -> Rests:
    """Three intervals; every open item may land in one, some items may move."""
    landing_amounts = draw(st.lists(st.tuples(st.integers(0, 2), Small), max_size=4))
    moving_amounts = draw(st.lists(st.tuples(st.integers(0, 3), Small), max_size=3))
    rests = [0, 0, 0]
    for at, amount in landing_amounts:
        rests[at] += amount * draw(st.integers(0, 1))
    for boundary, amount in moving_amounts:
        moved = amount * draw(st.integers(0, 1))
        if boundary < 3:
            rests[boundary] += moved
        if boundary > 0:
            rests[boundary - 1] -= moved
    rests[draw(st.integers(0, 2))] += draw(st.sampled_from([0, 0, 0, 1, 40]))
    count = len(landing_amounts)
    return Rests(
        rests,
        [amount for _, amount in landing_amounts + moving_amounts],
        {
            at: [i for i, (own, _) in enumerate(landing_amounts) if own == at]
            for at in range(3)
        },
        {
            at: [count + i for i, (own, _) in enumerate(moving_amounts) if own == at]
            for at in range(4)
        },
    )


def slowest(rests: Rests) -> tuple[int, int]:
    """Try everything: the fewest intervals with a rest, then the fewest items."""
    places = {i: at for at, own in rests.landing.items() for i in own}
    bounds = {i: at for at, own in rests.moving.items() for i in own}
    best = (len(rests.rests), 0)
    for chosen in product((0, 1), repeat=len(rests.amounts)):
        remaining = list(rests.rests)
        landed_in = set()
        for i, used in enumerate(chosen):
            if used and i in places:
                remaining[places[i]] -= rests.amounts[i]
                landed_in.add(places[i])
            elif used:
                if bounds[i] < len(remaining):
                    remaining[bounds[i]] -= rests.amounts[i]
                if bounds[i] > 0:
                    remaining[bounds[i] - 1] += rests.amounts[i]
        untouched = [at for at in landed_in if not rests.rests[at]]
        if not untouched:  # what landed explains a rest that there is
            best = min(best, (sum(map(bool, remaining)), sum(chosen)))
    return best


@settings(max_examples=150)
@given(worlds())
def test_no_choice_of_items_leaves_fewer_intervals_or_uses_fewer(rests: Rests) -> None:
    traced = trace(rests)
    used = Counter[int]()
    for landed, _, moved_out in (each.sets[0] for each in traced.values()):
        used.update([*landed, *moved_out])
    for at, each in traced.items():
        if at == 0:
            used.update(each.sets[0][1])
    remaining = left(rests, traced)
    assert max(used.values(), default=0) <= 1
    assert (sum(map(bool, remaining)), sum(used.values())) == slowest(rests)
