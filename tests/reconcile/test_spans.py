"""What is known by its day, or since its request only: it lies behind some snapshot."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon.reconcile.rests import Rests
from recon.reconcile.spans import Span
from recon.reconcile.tracing import trace
from recon.settings import Settings
from tests import builders
from tests.reconcile.wallet_world import (
    Row,
    at,
    balances,
    deposit,
    explanations,
    figures,
    rollforward,
    settings,
)

HALF_PAST_ONE = (22, 0)  # in Tehran, as UTC of the day before


def nights(
    *shown: int, times: Sequence[tuple[int, int]] = (HALF_PAST_ONE,)
) -> list[Row]:
    """Snapshots at these times of each day from 1 October on."""
    instants = (at(day, *time) for day in range(1, 29) for time in times)
    return [
        builders.balance(number, at=instant, balance=figure)
        for number, (instant, figure) in enumerate(zip(instants, shown, strict=False))
    ]


def in_zone(name: str) -> Settings:
    chosen = settings()
    return replace(chosen, business=replace(chosen.business, timezone=ZoneInfo(name)))


def of_day(day: int, amount: int, **changed: object) -> Row:
    """A settlement that its file dates with a day of October, in Tehran."""
    midnight = at(day) - timedelta(hours=3, minutes=30)
    return builders.adjustment(**{"at": midnight, "amount": amount, **changed})


def test_a_settlement_given_by_its_day_left_after_the_nights_snapshot() -> None:
    """50,000,000; 20,000,000 leave at 10:00 of the 3rd; the night was at 01:30."""
    given_ = {
        "balances": nights(50_000_000, 50_000_000, 30_000_000),
        "adjustments": [of_day(3, -20_000_000)],
    }
    rows = rollforward(given_)
    assert figures(rows) == [
        (20_000_000, 20_000_000, 0),
        (-20_000_000, -20_000_000, 0),
    ]
    assert rows[1]["detail"].endswith(
        "some time between 2026-10-02T20:30:00Z and 2026-10-03T20:29:59Z, moved in)."
    )


def test_a_settlement_given_by_its_day_left_before_the_nights_snapshot() -> None:
    rows = rollforward(
        {"balances": nights(50, 30, 30), "adjustments": [of_day(3, -20)]}
    )
    assert figures(rows) == [(0, 0, 0), (0, 0, 0)]


@pytest.mark.parametrize(
    "when",
    [
        {"at": at(3, 20, 30, 1)},  # a second past midnight is a time
        {"at": at(3, 19)},
        {"at": at(2, 20, 30)},  # by its day it left a day before
        {"at": at(5, 20, 30)},  # or later than it did
    ],
)
def test_what_has_a_time_or_another_day_is_not_moved(when: dict[str, datetime]) -> None:
    """The wallet shows it on the 4th, between 01:30 and the next night."""
    given_ = {
        "balances": nights(50, 50, 50, 30, 30, 30),
        "adjustments": [of_day(4, -20, **when)],
    }
    rows = rollforward(given_)
    assert sum(row["unexplained_rial"] != 0 for row in rows) == 2


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


def unexplained(rows: list[Row]) -> list[int]:
    return [left for _, _, left in figures(rows)]


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
    left = unexplained(rows)
    assert sum(left) == -70
    assert [at for at, each in enumerate(left) if each] == [3, 4]


def test_what_moved_is_explained_beside_a_rest_that_is_unknown() -> None:
    rows = rollforward(
        {
            "balances": nights(50, 50, 41, 37),
            "adjustments": [of_day(3, -20), of_day(4, 11)],
        }
    )
    assert figures(rows) == [(20, 20, 0), (-20, -20, 0), (-4, 0, -4)]


def test_a_settlement_that_never_left_is_explained_nowhere() -> None:
    rows = rollforward(
        {"balances": nights(50, 50, 50), "adjustments": [of_day(3, -20)]}
    )
    assert figures(rows) == [(20, 0, 20), (0, 0, 0)]


@pytest.mark.parametrize(
    ("shown", "differences"),
    [
        ((50, 30, 30, 30, 30), [0, 0, 0, 0]),
        ((50, 50, 30, 30, 30), [20, -20, 0, 0]),
        ((50, 50, 50, 30, 30), [20, 0, -20, 0]),
    ],
)
def test_of_several_snapshots_of_its_day_any_may_be_before_it(
    shown: tuple[int, ...], differences: list[int]
) -> None:
    """Snapshots at 13:30 and, from the 2nd on, at 01:30, too."""
    times = ((10, 0), (22, 0))
    rows = rollforward(
        {"balances": nights(*shown, times=times), "adjustments": [of_day(2, -20)]}
    )
    assert figures(rows) == [(each, each, 0) for each in differences]


def test_what_passes_an_interval_is_told_where_it_was_counted_and_where_it_landed() -> (
    None
):
    times = ((10, 0), (22, 0))
    given_ = {
        "balances": nights(50, 50, 50, 30, times=times),
        "adjustments": [of_day(2, -20)],
    }
    told = explanations(given_)
    assert [(row["kind"], row["to_at"]) for row in told] == [
        ("moved_out", at(1, 22)),
        ("moved_in", at(2, 22)),
    ]


def test_a_deposit_that_was_settled_at_no_known_time_landed_after_its_request() -> None:
    """Asked at 23:30, queued at 01:30, settled by the next night."""
    rows = rollforward(
        {
            "balances": nights(0, 0, 1_200),
            "deposits": [
                deposit("d", at(2, 20), 1_200, status="DONE", seen_at=at(3, 22))
            ],
        }
    )
    assert figures(rows) == [(-1_200, -1_200, 0), (1_200, 1_200, 0)]


@pytest.mark.parametrize(
    ("changed", "left"),
    [
        ({"seen_at": at(3, 22)}, 2),  # seen as settled before it could land
        ({"seen_at": at(28), "requested_at": at(1, 23)}, 0),
        ({"seen_at": at(28), "requested_at": at(1, 23), "settled_at": at(2, 8)}, 2),
        ({"seen_at": at(28), "status": "OTHER"}, 1),
        ({"seen_at": at(28), "requested_at": None}, 0),  # it may land anywhere
    ],
)
def test_how_long_a_deposit_may_have_taken(changed: Row, left: int) -> None:
    """The wallet shows it between the nights of the 4th and the 5th."""
    row = deposit("d", at(2, 20), 1_200, status="DONE") | changed
    rows = rollforward({"balances": nights(0, 0, 0, 0, 1_200), "deposits": [row]})
    assert sum(row["unexplained_rial"] != 0 for row in rows) == left


def test_a_deposit_takes_a_week_at_most() -> None:
    shown = [0] * 10 + [1_200] * 2
    row = deposit("d", at(1, 23), 1_200, status="DONE", seen_at=at(28))
    rows = rollforward({"balances": nights(*shown), "deposits": [row]})
    assert sum(row["unexplained_rial"] != 0 for row in rows) == 2


def test_a_deposit_whose_settling_is_given_by_its_day_landed_within_it() -> None:
    row = deposit("d", at(1, 23), 1_200, status="DONE", settled_at=at(2, 20, 30))
    rows = rollforward({"balances": nights(0, 0, 1_200), "deposits": [row]})
    assert figures(rows) == [(-1_200, -1_200, 0), (1_200, 1_200, 0)]


@pytest.mark.parametrize(
    ("seen", "left"),
    [
        ([("PENDING", at(2, 22)), ("SUCCEED", at(3, 22))], 0),
        ([("SUCCEED", at(3, 22))], 2),  # nothing says that it waited
        ([("PENDING", at(2, 21)), ("SUCCEED", at(2, 22))], 2),  # paid before the night
        ([(None, at(2, 22)), ("SUCCEED", at(3, 22))], 2),  # it was refused then
        ([("PENDING", at(2, 22)), ("FAILED", at(3, 22))], 1),
    ],
)
def test_a_hosted_checkout_that_was_seen_waiting_was_paid_later(
    seen: list[tuple[str | None, datetime]], left: int
) -> None:
    """Opened at 23:30, paid at 01:45, after the night's snapshot and look-up."""
    rows = rollforward(
        {
            "balances": nights(0, 0, 4_900),
            "hosted_checkouts": [
                builders.hosted_checkout(
                    1,
                    amount=5_000,
                    wage=100,
                    created_at=at(2, 20),
                    status=status,
                    seen_at=when,
                    pull_id=f"{place}",
                )
                for place, (status, when) in enumerate(seen)
            ],
        }
    )
    assert sum(row["unexplained_rial"] != 0 for row in rows) == left


def test_a_day_begins_where_the_business_is() -> None:
    """Midnight of Tehran is no midnight of Berlin."""
    given_ = {
        "balances": balances(50, 50, 50, 30),
        "adjustments": [of_day(2, -20, at=at(2, 22))],
    }
    in_tehran = rollforward(given_)
    assert [row[2] for row in figures(in_tehran)] == [0, 20, -20]
    in_berlin = rollforward(given_, in_zone("Europe/Berlin"))
    assert [row[2] for row in figures(in_berlin)] == [0, 0, 0]


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


@pytest.mark.parametrize("later", [None, 5_000])
def test_a_deposit_whose_request_the_provider_dates_late_is_explained(
    later: int | None,
) -> None:
    """Asked 3 minutes after a snapshot that has it, whatever else landed later."""
    rows = rollforward(
        {
            "balances": nights(0, 1_200, 1_200, 1_200 + (later or 0)),
            "deposits": [
                deposit("d", at(2, 22, 3), 1_200, status="DONE", seen_at=at(4, 22)),
                *([deposit("e", at(3, 23), later)] if later else []),
            ],
        }
    )
    assert unexplained(rows) == [0, 0, 0]


def test_a_settlement_of_today_may_have_left_after_the_last_snapshot() -> None:
    """A list of noon has what left at 10:00; the last night's snapshot cannot."""
    rows = rollforward(
        {
            "balances": nights(50, 50, 50),
            "adjustments": [of_day(4, -20), of_day(5, -7)],
        }
    )
    assert figures(rows) == [(0, 0, 0), (20, 20, 0)]


def test_a_settlement_of_today_explains_no_other_rest() -> None:
    rows = rollforward(
        {"balances": nights(50, 50, 57), "adjustments": [of_day(4, -20)]}
    )
    assert figures(rows) == [(0, 0, 0), (27, 0, 27)]


def test_a_settlement_from_before_the_first_snapshot_may_have_left_after_it() -> None:
    rows = rollforward(
        {"balances": nights(50, 30, 30), "adjustments": [of_day(2, -20)]}
    )
    assert figures(rows) == [(-20, -20, 0), (0, 0, 0)]


def test_a_later_file_that_says_the_same_makes_no_deposit_later() -> None:
    """Settled by the night of the 3rd, which lacks it; a later file has it again."""
    rows = [
        deposit("d", at(2, 20), 1_200, status="DONE", seen_at=at(*seen), pull_id=f"{n}")
        for n, seen in enumerate([(2, 22), (6, 22)])
    ]
    found = rollforward({"balances": nights(0, 0, 0, 1_200, 1_200), "deposits": rows})
    assert unexplained(found) == [-1_200, 0, 1_200, 0]
