"""What is near a snapshot: within the clock skew it may be of either interval."""

from datetime import datetime, timedelta

import pytest

from recon.setting_values import duration
from tests import builders
from tests.reconcile.wallet_world import (
    at,
    balances,
    figures,
    payment,
    rollforward,
    settings,
)


def test_an_item_near_a_boundary_is_moved_once() -> None:
    rows = rollforward(
        {
            "balances": balances(0, 0, 900),
            "payments": [payment("late", at(1, 23, 57), 900)],
        }
    )
    assert figures(rows) == [(-900, -900, 0), (900, 900, 0)]


@pytest.mark.parametrize(
    ("paid_at", "closings"),
    [(at(2, 0, 1), (0, 900, 900, 900)), (at(2, 0, 3), (0, 0, 0, 900))],
)
def test_an_item_near_two_boundaries_is_moved_over_the_nearer_one(
    paid_at: datetime, closings: tuple[int, ...]
) -> None:
    """Snapshots at 00:00 and 00:04; one had it already, or the other not yet."""
    snapshots = balances(*closings)
    snapshots[2]["at"] = at(2, 0, 4)
    given = {"balances": snapshots, "payments": [payment("p", paid_at, 900)]}
    assert [row[2] for row in figures(rollforward(given))] == [0, 0, 0]


def twice_in_a_night(minutes: int, *closings: int) -> list[tuple[int, int, int]]:
    """The day to 00:00, the time to the second snapshot, and what is after it."""
    snapshots = balances(*closings)
    snapshots[2]["at"] = at(2, 0, minutes)
    given = {"balances": snapshots, "payments": [payment("p", at(1, 23, 59), 900)]}
    return figures(rollforward(given))


@pytest.mark.parametrize("minutes", [1, 4])
def test_an_item_may_be_late_at_two_snapshots_between_which_nothing_moved(
    minutes: int,
) -> None:
    moved_out, still, moved_in = (-900, -900, 0), (0, 0, 0), (900, 900, 0)
    assert twice_in_a_night(minutes, 0, 0, 0) == [moved_out, still]
    assert twice_in_a_night(minutes, 0, 0, 0, 900) == [moved_out, still, moved_in]
    assert twice_in_a_night(minutes, 0, 0, 900, 900) == [moved_out, moved_in, still]
    assert twice_in_a_night(minutes, 0, 0, 0, 899)[2] == (899, 900, -1)


def every_minute(
    paid_at: datetime, shown_from: datetime | None = None
) -> dict[str, int]:
    """What is unexplained of a payment of 900, by snapshots of the hour to 01:00."""
    snapshots = [
        builders.balance(
            at=at(2, 0, minute),
            balance=900 if shown_from and at(2, 0, minute) >= shown_from else 0,
        )
        for minute in range(60)
    ]
    rows = rollforward(
        {"balances": snapshots, "payments": [payment("p", paid_at, 900)]}
    )
    rests = {f"{row['to_at']:%H:%M}": row["unexplained_rial"] for row in rows}
    return {when: rest for when, rest in rests.items() if rest}


def test_what_no_snapshot_within_the_clock_skew_shows_has_not_come() -> None:
    """Neither a still hour before the payment nor one after it makes it late."""
    assert every_minute(at(2, 0, 9, 40)) == {"00:10": -900}
    assert every_minute(at(2, 0, 50, 20)) == {"00:51": -900}
    assert every_minute(at(2, 0, 4, 20)) == {}
    assert every_minute(at(2, 0, 55, 40)) == {}


def test_what_comes_late_is_not_held_for_early_where_the_wallet_was_still() -> None:
    """The snapshot before is nearer, but long before it nothing had come."""
    assert every_minute(at(2, 0, 25, 26), at(2, 0, 31)) == {}


def test_a_payment_is_not_early_by_more_than_the_clock_skew() -> None:
    """What the wallet rose by is near the last snapshot before the payment, or not."""
    early, too_early = at(2, 0, 46), at(2, 0, 44)
    assert every_minute(at(2, 0, 50, 20), early) == {}
    assert every_minute(at(2, 0, 50, 20), too_early) == {"00:44": 900, "00:51": -900}


@pytest.mark.parametrize(
    ("second", "closings"),
    [(31, (0, 0, 0, 0, 900)), (59, (0, 0, 0, 0, 900)), (29, (0, 900, 900, 900, 900))],
)
def test_snapshots_between_which_nothing_moved_are_as_near_as_the_nearer_of_them(
    second: int, closings: tuple[int, ...]
) -> None:
    """Snapshots at 23:58, 23:59 and 00:03; nothing moved between the last two."""
    snapshots = balances(*closings)
    for row, when in zip(
        snapshots[1:4], [at(1, 23, 58), at(1, 23, 59), at(2, 0, 3)], strict=True
    ):
        row["at"] = when
    given = {
        "balances": snapshots,
        "payments": [payment("p", at(1, 23, 58, second), 900)],
    }
    assert [row[2] for row in figures(rollforward(given))] == [0, 0, 0, 0]


def test_an_item_is_not_late_at_a_second_snapshot_beyond_the_clock_skew() -> None:
    rows = twice_in_a_night(5, 0, 0, 0, 900)
    assert sum(abs(unexplained) for *_, unexplained in rows) == 1_800


def test_what_is_late_at_each_of_many_boundaries_is_moved() -> None:
    late = [payment(f"p{day}", at(day, 23, 57), 900) for day in range(1, 12, 2)]
    shown = [900 * (day // 2) for day in range(13)]
    rows = rollforward({"balances": balances(*shown), "payments": late})
    assert figures(rows) == [(-900, -900, 0), (900, 900, 0)] * 6


def test_an_item_beyond_the_clock_skew_is_not_moved() -> None:
    rows = rollforward(
        {
            "balances": balances(0, 0, 900),
            "payments": [payment("late", at(1, 23, 54), 900)],
        }
    )
    assert figures(rows) == [(-900, 0, -900), (900, 0, 900)]


@pytest.mark.parametrize("skew", [0, 1, 300, 7199, 7200, 30_013])  # seconds
@pytest.mark.parametrize("side", [-1, 1])
def test_what_is_as_far_as_the_clock_skew_from_any_snapshot_is_moved(
    skew: int, side: int
) -> None:
    """Four items are on the wrong side of a snapshot, two of them a second too far."""
    near, too_far = (3, 9), (6, 12)
    away = {**dict.fromkeys(near, skew), **dict.fromkeys(too_far, skew + 1)}
    items = [
        builders.adjustment(day, at=at(day) + side * timedelta(seconds=n), amount=day)
        for day, n in away.items()
        if n
    ]
    shown = []
    for day in range(1, 15):
        by_then = sum(item["amount"] for item in items if item["at"] <= at(day))
        shown.append(by_then + (side * day if away.get(day) else 0))
    given = {"balances": balances(*shown), "adjustments": items}
    rows = rollforward(given, settings({"clock_skew": timedelta(seconds=skew)}))
    unexplained = {row["to_at"].day for row in rows if row["unexplained_rial"]}
    explained = {row["to_at"].day for row in rows if row["explained_rial"]}
    assert unexplained == {day + n for day in too_far for n in (0, 1)}
    assert explained == ({day + n for day in near for n in (0, 1)} if skew else set())


def test_a_move_that_only_shifts_the_rest_explains_nothing() -> None:
    rows = rollforward(
        {
            "balances": balances(0, 0, 0),
            "payments": [payment("late", at(1, 23, 57), 900)],
        }
    )
    assert figures(rows) == [(-900, 0, -900), (0, 0, 0)]


@pytest.mark.parametrize("setting", ["clock_skew", "deposit_queue", "verify_window"])
@pytest.mark.parametrize("written", ["365000d", "1000000d", "999999999d"])
def test_a_duration_for_ever_is_like_any(setting: str, written: str) -> None:
    """A night's instant less so many days is in no calendar."""
    given = {"balances": balances(0, 0, 900)}
    rows = rollforward(given, settings({setting: duration(written)}))
    assert figures(rows) == [(0, 0, 0), (900, 0, 900)]
