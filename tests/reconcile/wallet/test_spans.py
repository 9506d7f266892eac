"""What is known by its day, or since its request only: it lies behind some snapshot."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from recon.settings import Settings
from tests import builders
from tests.reconcile.wallet_world import (
    MINUTE,
    Row,
    at,
    balances,
    deposit,
    explanations,
    figures,
    nights,
    of_day,
    rollforward,
    settings,
    unexplained,
)


def in_zone(name: str) -> Settings:
    chosen = settings()
    return replace(chosen, business=replace(chosen.business, timezone=ZoneInfo(name)))


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


def hosted(seen: Sequence[tuple[str | None, datetime]]) -> list[Row]:
    """Return a checkout of 5,000 that was opened at 23:30, as each look found it."""
    return [
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
    ]


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
        {"balances": nights(0, 0, 4_900), "hosted_checkouts": hosted(seen)}
    )
    assert sum(row["unexplained_rial"] != 0 for row in rows) == left


@pytest.mark.parametrize(
    ("minutes", "window", "left"),
    [
        (4, None, 0),  # within the clock skew, as ever
        (12, None, 0),
        (20, None, 0),
        (21, None, 2),  # it had longer than a customer is taken to have
        (-6, None, 2),  # created after the snapshot that does not have it: no matter
        (12, 11, 2),
        (60, 24 * 60, 0),  # whoever waits long for what is unverified
        (61, 24 * 60, 2),  # moves no more than an hour's payments by that
        (4, 0, 0),  # the clocks may differ all the same
    ],
)
def test_a_hosted_checkout_just_before_a_snapshot_may_be_paid_after_it(
    minutes: int, window: int | None, left: int
) -> None:
    """Opened before midnight's balance, paid after it, first seen when it was paid."""
    midnight = at(2, 20, 30)
    given_ = {
        "balances": [
            builders.balance(1, at=at(1, 20, 30), balance=0),
            builders.balance(2, at=midnight, balance=0 if minutes > 0 else 4_900),
            builders.balance(3, at=at(3, 20, 30), balance=4_900),
        ],
        "hosted_checkouts": [
            builders.hosted_checkout(
                amount=5_000,
                wage=100,
                created_at=midnight - minutes * MINUTE,
                seen_at=at(2, 22),
            )
        ],
    }
    checks = {} if window is None else {"verify_window": window * MINUTE}
    chosen = settings(checks)
    assert sum(rest != 0 for rest in unexplained(rollforward(given_, chosen))) == left


@pytest.mark.parametrize(
    ("shown", "seen", "left"),
    [
        ([0, 0, 0, 4_900], at(4, 22), 0),
        ([0] * 8 + [4_900], at(9, 22), 0),
        ([0] * 9 + [4_900], at(10, 22), 2),  # a week at most, as of deposits
        ([0, 0, 0, 4_800], at(4, 22), 2),
        ([0, 0, 0, 4_900], at(3, 22), 2),  # it had been paid by then
    ],
)
def test_a_hosted_checkout_that_waited_for_nights_was_paid_in_the_last_of_them(
    shown: list[int], seen: datetime, left: int
) -> None:
    """A link that was sent at 23:30, opened by the customer some days later."""
    looks = [("INIT", at(2, 22)), ("SUCCEED", seen)]
    rows = rollforward({"balances": nights(*shown), "hosted_checkouts": hosted(looks)})
    assert sum(rest != 0 for rest in unexplained(rows)) == left


def test_a_hosted_checkout_just_before_the_last_snapshot_may_come_after_it() -> None:
    given_ = {
        "balances": nights(0, 0),
        "hosted_checkouts": [
            builders.hosted_checkout(
                amount=5_000, wage=100, created_at=at(2, 22) - 12 * MINUTE
            )
        ],
    }
    (row,) = rollforward(given_)
    assert figures([row]) == [(-4_900, -4_900, 0)]
    assert row["detail"].endswith(
        "some time between 2026-10-02T21:48:00Z and 2026-10-02T22:08:00Z, moved out)."
    )


def test_a_card_payment_just_before_a_snapshot_has_its_own_time() -> None:
    given_ = {
        "balances": nights(0, 0, 4_900),
        "gateway_tokens": [
            builders.gateway_token(
                real_amount=4_900, verified_at=at(2, 22) - 12 * MINUTE
            )
        ],
    }
    assert unexplained(rollforward(given_)) == [-4_900, 4_900]


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
