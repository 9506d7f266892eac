"""Fee schedules found from amounts and wages alone, in rials."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.reconcile.fees.pieces import CHANGE_COST, Piece, pieces
from recon.reconcile.fees.schedules import Schedule

RATES = st.one_of(st.integers(0, 1_000), st.integers(0, 10_000))
FIXED = st.sampled_from([0, 0, 500, 1_200, 5_000, 7_777])
AMOUNTS = st.one_of(
    st.integers(1, 5_000).map(lambda n: n * 10_000), st.integers(1, 50_000_000)
)


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    minimum = draw(st.none() | st.integers(1_000, 20_000))
    maximum = draw(st.none() | st.integers(25_000, 200_000))
    return Schedule(draw(RATES), draw(FIXED), minimum, maximum)


def infer(pairs: Sequence[tuple[int, int]]) -> list[Piece]:
    amounts, wages = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return pieces(amounts, wages)


def charged(
    schedule: Schedule, amounts: Sequence[int], odd: Sequence[int] = ()
) -> list[tuple[int, int]]:
    """Amounts with their wages; those at the odd places are 3,300 rials too dear."""
    return [
        (amount, schedule.wage(amount) + 3_300 * (place in odd))
        for place, amount in enumerate(amounts)
    ]


def shown(schedule: Schedule, amounts: Sequence[int]) -> Schedule:
    """Return the schedule without the limits that none of these amounts reached."""
    found = schedule
    for limit in ("minimum", "maximum"):
        kept = {name: getattr(found, name) for name in ("minimum", "maximum")}
        other = Schedule(found.rate_bps, found.fixed, **(kept | {limit: None}))
        if all(other.wage(amount) == found.wage(amount) for amount in amounts):
            found = other
    return found


@settings(max_examples=150)
@given(schedules(), st.lists(AMOUNTS, min_size=1, max_size=60))
def test_a_planted_schedule_is_found_or_said_to_be_ambiguous(
    planted: Schedule, amounts: list[int]
) -> None:
    (piece,) = infer(charged(planted, amounts))
    assert piece.fitting == len(amounts)
    if piece.is_unique:
        assert piece.schedule == shown(planted, amounts)


@settings(max_examples=40)
@given(schedules(), schedules(), st.data())
def test_a_planted_change_is_dated_where_it_was_made(
    before: Schedule, after: Schedule, data: st.DataObject
) -> None:
    """No worse than the truth: every other reading needs as many odd records."""
    old, new = (
        data.draw(st.lists(AMOUNTS, min_size=20, max_size=40)) for _ in range(2)
    )
    found = infer(charged(before, old) + charged(after, new))
    misfits = len(old) + len(new) - sum(piece.fitting for piece in found)
    assert misfits + CHANGE_COST * (len(found) - 1) <= CHANGE_COST
    if len(found) > 1:
        _, later = found
        assert later.after is not None
        assert later.after < len(old) <= later.start or not all(
            piece.is_unique for piece in found
        )


@pytest.mark.parametrize(
    ("before", "old", "after", "new"),
    [
        # the last of the old costs next to what the new fee is
        (
            Schedule(334, 0),
            [10_000] * 19 + [30_000],
            Schedule(0, 0, minimum=1_000),
            [10_000] * 18 + [30_000] * 2,
        ),
        # the last of the old cost what a minimum of the new would give
        (
            Schedule(4_719, 7_777),
            [10_000, 30_000] * 15 + [100_000] * 4,
            Schedule(241, 1_200, 5_274),
            [1_630_000, 100_000, *range(2_000_000, 12_000_000, 333_333)],
        ),
        # all but a few of the old cost what a minimum of the new would give
        (
            Schedule(9_967, 1_200),
            [10_000] * 7 + [60_000] * 14,
            Schedule(509, 0),
            [*range(1_184_696, 60_000_000, 1_234_567)],
        ),
    ],
)
def test_a_change_between_fees_that_meet_is_dated(
    before: Schedule, old: list[int], after: Schedule, new: list[int]
) -> None:
    first, second = infer(charged(before, old) + charged(after, new))
    assert (first.fitting, second.fitting) == (len(old), len(new))
    assert second.start <= len(old)


@given(schedules(), st.integers(0, 10**16), st.sampled_from([0, 9, 10]))
def test_many_wages_at_once_are_those_of_plain_integers(
    schedule: Schedule, amount: int, vat: int
) -> None:
    taxed = Schedule(
        schedule.rate_bps, schedule.fixed, schedule.minimum, schedule.maximum, vat
    )
    assert taxed.wages(np.array([amount])).tolist() == [taxed.wage(amount)]


def test_each_part_of_a_schedule_is_found_by_hand() -> None:
    """1% + 500, at least 2,000 and at most 9,000.

    100,000 → 1,500, raised to 2,000; 400,000 → 4,500; 512,345 → 5,123 + 500;
    1,000,000 → 10,500, cut to 9,000. Two records reach each limit.
    """
    (piece,) = infer(
        [
            (100_000, 2_000),
            (120_000, 2_000),
            (400_000, 4_500),
            (512_345, 5_623),
            (1_000_000, 9_000),
            (3_000_000, 9_000),
        ]
    )
    assert piece.schedule == Schedule(100, 500, 2_000, 9_000)
    assert piece.is_unique


def test_a_wage_is_rounded_down() -> None:
    """0.25% of 999,999 is 2,499.9975: 2,499, never 2,500."""
    amounts = [999_999, 1_600_000, 7_654_321, 99_999]
    (piece,) = infer([(amount, amount * 25 // 10_000) for amount in amounts])
    assert (piece.schedule, piece.is_unique) == (Schedule(25, 0), True)


@pytest.mark.parametrize(
    "pairs",
    [
        pytest.param([(500_000, 5_000)], id="one-record"),
        pytest.param([(500_000, 5_000)] * 50, id="one-price"),
        pytest.param([(n * 10_000, 1_500) for n in range(1, 40)], id="one-wage"),
        pytest.param([(10, 0), (20, 0), (900, 0), (9_000, 1)], id="amounts-too-small"),
        pytest.param([(100_000, 1_000), (900_000, 5_000)], id="two-records"),
        pytest.param(
            [(n * 100_000, n * 1_000) for n in range(1, 9)] + [(900_000, 8_500)],
            id="a-maximum-that-one-record-shows",
        ),
    ],
)
def test_what_several_schedules_give_is_not_unique(
    pairs: list[tuple[int, int]],
) -> None:
    (piece,) = infer(pairs)
    assert piece.fitting == len(pairs)
    assert not piece.is_unique


def test_odd_records_are_off_and_change_nothing() -> None:
    amounts = [n * 130_000 for n in range(1, 61)]
    planted = Schedule(40, 700)
    (piece,) = infer(charged(planted, amounts, odd=(3, 20, 41)))
    assert (piece.schedule, piece.fitting) == (planted, 57)


def test_a_change_needs_more_than_a_few_records() -> None:
    before, after = Schedule(40, 0), Schedule(60, 0)
    amounts = [n * 130_000 for n in range(1, 61)]
    few = charged(before, amounts) + charged(after, amounts[:CHANGE_COST])
    assert [piece.schedule for piece in infer(few)] == [before]
    more = charged(before, amounts) + charged(after, amounts[: CHANGE_COST + 1])
    assert [(piece.schedule, piece.start) for piece in infer(more)] == [
        (before, 0),
        (after, 60),
    ]


def test_a_change_that_not_all_records_show_is_dated_between_those_that_do() -> None:
    """A minimum rises: only wages at the minimum tell when."""
    before, after = Schedule(100, 0, 2_000), Schedule(100, 0, 3_000)
    small, large = [100_000] * 8, [n * 400_000 for n in range(1, 6)]
    pairs = charged(before, [*large, *small, *large, *large])
    pairs += charged(after, [*large, *small])
    first, second = infer(pairs)
    assert (first.schedule, second.schedule) == (before, after)
    assert (second.after, second.start) == (12, 28)


def test_a_schedule_that_comes_back_has_two_pieces() -> None:
    usual, sale = Schedule(90, 0), Schedule(50, 0)
    amounts = [n * 130_000 for n in range(1, 31)]
    pairs = [pair for each in (usual, sale, usual) for pair in charged(each, amounts)]
    assert [piece.schedule for piece in infer(pairs)] == [usual, sale, usual]


@pytest.mark.parametrize("vat", [9, 10])
def test_vat_is_named_where_nothing_fits_without_it(vat: int) -> None:
    """The fee is rounded down, then its VAT: 1% of 123,456 is 1,234, 9% of it 111."""
    planted = Schedule(100, 700, None, 40_000, vat)
    amounts = [n * 123_456 for n in range(1, 60)]
    (piece,) = infer(charged(planted, amounts))
    assert (piece.schedule, piece.is_unique) == (planted, True)
    assert Schedule(100, 0, vat_percent=9).wage(123_456) == 1_345


def test_vat_is_not_named_where_a_rate_alone_gives_the_same() -> None:
    """1% and 10% VAT of whole ten thousands are 1.1%."""
    amounts = [n * 10_000 for n in range(1, 60)]
    (piece,) = infer(charged(Schedule(100, 0, vat_percent=10), amounts))
    assert piece.schedule == Schedule(110, 0)


def test_nothing_is_inferred_from_nothing() -> None:
    assert infer([]) == []
