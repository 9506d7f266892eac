"""A business whose wallet becomes another one, worked by hand in rials.

The old wallet has a snapshot at each midnight (UTC) of 1 to 3 October, the new one from
5 October on. Between the 3rd and the 5th nothing is compared.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import pytest

from recon.settings import Settings
from tests import builders
from tests.reconcile.wallet_world import (
    MINUTE,
    Row,
    at,
    deposit,
    explanations,
    figures,
    of_day,
    payment,
    rollforward,
    settings,
    unexplained,
)

OLD, NEW, THIRD = builders.WALLET, "IR840120000000000000000002", "IR7"
CHANGE = "2026-10-04 12:00+00:00"


def dated(checks: Mapping[str, Any] | None = None, **since: str) -> Settings:
    """Return the settings of a shop that says when its wallet changed."""
    days = since or {CHANGE: NEW}
    return settings(checks, wallet_iban=OLD, wallet_iban_since=days)


def overwritten() -> Settings:
    """Return those of one that has put the new IBAN in the old one's place."""
    return settings(wallet_iban=NEW)


def shown(iban: str | None, day: int, *rials: int) -> list[Row]:
    """Snapshots of an IBAN, one each midnight from a day on."""
    return [
        builders.balance(when, iban=iban, at=at(when), balance=balance)
        for when, balance in enumerate(rials, start=day)
    ]


def changed(
    old: Sequence[int], new: Sequence[int], **rows: list[Row]
) -> dict[str, Any]:
    return {"balances": [*shown(OLD, 1, *old), *shown(NEW, 5, *new)], **rows}


def ends(rows: Sequence[Row]) -> list[tuple[str, datetime, datetime]]:
    return [(row["wallet"], row["from_at"], row["to_at"]) for row in rows]


INTERVALS = [
    (OLD, at(1), at(2)),
    (OLD, at(2), at(3)),
    (NEW, at(5), at(6)),
    (NEW, at(6), at(7)),
]


@pytest.mark.parametrize("chosen", [dated(), overwritten()])
def test_each_wallet_is_compared_in_its_own_time(chosen: Settings) -> None:
    """What is sold on the 4th is in none, whatever the new wallet begins with."""
    sold = [
        payment("a", at(2, 9), 5),
        payment("between", at(4, 9), 500),
        payment("b", at(6, 9), 7),
    ]
    rows = rollforward(changed((100, 100, 105), (40, 40, 47), payments=sold), chosen)
    assert ends(rows) == INTERVALS
    assert figures(rows) == [(0, 0, 0)] * 4


@pytest.mark.parametrize("chosen", [dated(), overwritten()])
def test_a_theft_before_the_change_stays(chosen: Settings) -> None:
    """As without the new wallet's snapshots: the same interval, the same 60."""
    rows = rollforward(changed((100, 100, 40), (0, 0, 0)), chosen)
    before = rollforward(
        {"balances": shown(OLD, 1, 100, 100, 40)}, settings(wallet_iban=OLD)
    )
    assert rows[:2] == before
    assert unexplained(rows) == [0, -60, 0, 0]


def test_a_wallet_that_comes_back_is_not_compared_over_the_others_time() -> None:
    """Old, new, old again: 100 to 900 over the new one's days are no interval."""
    given = [*shown(OLD, 1, 100, 100), *shown(NEW, 3, 8, 8), *shown(OLD, 6, 900, 905)]
    days = {"2026-10-02 12:00+00:00": NEW, "2026-10-05 12:00+00:00": OLD}
    rows = rollforward({"balances": given}, dated(**days))
    assert ends(rows) == [
        (OLD, at(1), at(2)),
        (NEW, at(3), at(4)),
        (OLD, at(6), at(7)),
    ]
    assert unexplained(rows) == [0, 0, 5]


def test_a_term_without_snapshots_parts_those_around_it() -> None:
    given = [*shown(OLD, 1, 100, 100), *shown(OLD, 4, 0, 0)]
    days = {"2026-10-02 12:00+00:00": NEW, "2026-10-03 12:00+00:00": OLD}
    rows = rollforward({"balances": given}, dated(**days))
    assert ends(rows) == [(OLD, at(1), at(2)), (OLD, at(4), at(5))]


def test_at_the_very_instant_of_the_change_each_wallet_has_its_own_balance() -> None:
    given = [*shown(OLD, 1, 1, 1, 9), *shown(NEW, 3, 5, 5)]
    days = {"2026-10-03 00:00+00:00": NEW}
    rows = rollforward({"balances": given}, dated(**days))
    assert ends(rows) == [(OLD, at(1), at(2)), (OLD, at(2), at(3)), (NEW, at(3), at(4))]
    assert unexplained(rows) == [0, 8, 0]


def test_a_deposit_queued_over_the_change_lands_once_in_the_new_wallet() -> None:
    """1,200 asked on the 2nd came on the 6th; the 1,200 stolen before are not it."""
    queued = [deposit("d", at(2, 20), 1_200)]
    rows = rollforward(
        changed((50, 50, 50), (0, 1_200, 1_200), deposits=queued), dated()
    )
    assert figures(rows) == [(0, 0, 0), (0, 0, 0), (1_200, 1_200, 0), (0, 0, 0)]
    stolen = changed((2_000, 2_000, 800), (0, 1_200, 1_200), deposits=queued)
    assert unexplained(rollforward(stolen, dated())) == [0, -1_200, 0, 0]


def late(seen: datetime) -> dict[str, list[Row]]:
    """1,200 that count at their request on the 2nd, and were there by then."""
    return {"deposits": [deposit("d", at(2, 20), 1_200, status="DONE", seen_at=seen)]}


def test_a_settled_deposit_passes_the_change_only_to_where_it_is_seen() -> None:
    """The old wallet lacks 1,200 that the new one has: it landed there, at a time
    between its request and when it was seen as settled."""
    rows = rollforward(changed((50, 50, 50), (0, 1_200, 1_200), **late(at(6))), dated())
    assert figures(rows) == [
        (0, 0, 0),
        (-1_200, -1_200, 0),
        (1_200, 1_200, 0),
        (0, 0, 0),
    ]


@pytest.mark.parametrize("new", [(0, 0, 0), (0, 1_199, 1_199)])
def test_what_nobody_saw_land_does_not_explain_what_the_old_wallet_lacks(
    new: tuple[int, ...],
) -> None:
    """It may have come in the days that are not compared, or have been taken."""
    rows = rollforward(changed((50, 50, 50), new, **late(at(6))), dated())
    assert unexplained(rows)[1] == -1_200
    rows = rollforward(changed((50, 50, 50), (0, 0, 0), **late(at(4))), dated())
    assert unexplained(rows) == [0, -1_200, 0, 0]


@pytest.mark.parametrize(("rest", "left"), [(0, [0, 0]), (1, [71, 0])])
def test_a_settlement_of_the_last_day_may_have_left_after_the_last_snapshot(
    rest: int, left: list[int]
) -> None:
    """It is given by its day, the 3rd of Tehran, which began before the snapshot."""
    given = changed((90, 90, 90 + rest), (0, 0, 0), adjustments=[of_day(3, -70)])
    assert unexplained(rollforward(given, dated()))[1:3] == left
    in_time = changed((90, 90, 20), (0, 0, 0), adjustments=[of_day(3, -70)])
    assert figures(rollforward(in_time, dated())) == [(0, 0, 0)] * 4


def test_a_settlement_of_a_day_that_was_over_has_left() -> None:
    """The 2nd ends within the skew after the last snapshot: 70 stay unexplained."""
    last = builders.balance(3, iban=OLD, at=at(2, 20, 28), balance=90)
    new = shown(NEW, 5, 0, 0)
    given = {
        "balances": [*shown(OLD, 1, 90), last, *new],
        "adjustments": [of_day(2, -70)],
    }
    assert unexplained(rollforward(given, dated())) == [70, 0]
    given["balances"][1] = last | {"at": at(2, 20, 20)}
    assert unexplained(rollforward(given, dated())) == [0, 0]


def test_a_settlement_of_the_first_day_may_have_left_after_the_first_snapshot() -> None:
    """Given by the 5th, it counts before the new wallet's snapshot of that midnight."""
    given = changed((9, 9, 9), (90, 20, 20), adjustments=[of_day(5, -70)])
    rows = rollforward(given, dated())
    assert figures(rows) == [(0, 0, 0), (0, 0, 0), (-70, -70, 0), (0, 0, 0)]
    other_day = changed((9, 9, 9), (90, 20, 20), adjustments=[of_day(4, -70)])
    assert unexplained(rollforward(other_day, dated())) == [0, 0, -70, 0]


def at_hours(iban: str, day: int, *held: tuple[int, int]) -> list[Row]:
    """Snapshots of an IBAN in one day, each at its hour."""
    return [
        builders.balance(hour, iban=iban, at=at(day, hour), balance=rials)
        for hour, rials in held
    ]


@pytest.mark.parametrize(("last", "left"), [(20, 0), (19, -71)])
def test_a_settlement_of_the_day_of_the_change_may_leave_hours_after_it(
    last: int, left: int
) -> None:
    """The 5th of Tehran: it counts before the new wallet has its first snapshot, which
    it left whole for two more; 70 are gone by the fourth, as good as 71 would be."""
    first = at_hours(NEW, 5, (6, 90), (9, 90), (12, 90), (18, last))
    given = {
        "balances": [*shown(OLD, 1, 9, 9), *first, *shown(NEW, 6, last)],
        "adjustments": [of_day(5, -70)],
    }
    rows = rollforward(given, dated())
    assert unexplained(rows) == [0, 0, 0, left, 0]
    alone = given | {"balances": [*first, *shown(NEW, 6, last)]}
    assert unexplained(rollforward(alone, dated())) == unexplained(rows)[1:]


@pytest.mark.parametrize(("last", "left"), [(90, 0), (91, 71)])
def test_a_settlement_may_leave_the_old_wallet_after_whole_intervals(
    last: int, left: int
) -> None:
    """It counts at the begin of the 3rd, and the last three snapshots still have it."""
    held = at_hours(OLD, 3, (6, last), (9, last), (12, last))
    given = {
        "balances": [*shown(OLD, 1, 90, 90), *held, *shown(NEW, 5, 0, 0)],
        "adjustments": [of_day(3, -70)],
    }
    assert unexplained(rollforward(given, dated())) == [0, left, 0, 0, 0]


def test_of_many_settlements_of_a_day_the_ones_that_left_late_are_found() -> None:
    """Seven are given by the day of the change, and two left in the third interval."""
    amounts = (-1, -2, -4, -8, -16, -32, -64)
    held = at_hours(NEW, 5, (6, 200), (9, 200), (12, 200), (18, 200 - 16 - 2))
    given = {
        "balances": [*shown(OLD, 1, 9, 9), *held, *shown(NEW, 6, 182)],
        "adjustments": [of_day(5, each, description=str(each)) for each in amounts],
    }
    rows = rollforward(given, dated())
    assert figures(rows) == [(0, 0, 0)] * 3 + [(-18, -18, 0), (0, 0, 0)]


@pytest.mark.parametrize(
    ("when", "left"),
    [
        (at(5) - 2 * MINUTE, [0, 0]),  # beside the new wallet's first snapshot
        (at(5) - 9 * MINUTE, [0, 6]),
        (at(3) + 2 * MINUTE, [0, 6]),  # beside the old one's last
        (at(4), [0, 6]),
    ],
)
def test_what_moved_between_explains_the_new_wallet_by_its_clock_only(
    when: datetime, left: list[int]
) -> None:
    given = changed((0, 0, 0), (0, 6, 6), payments=[payment("p", when, 6)])
    assert unexplained(rollforward(given, dated()))[1:3] == left


@pytest.mark.parametrize(
    ("when", "left"),
    [
        (at(3) + 2 * MINUTE, [0, 0]),
        (at(5) - 2 * MINUTE, [6, 0]),
        (at(5) + 2 * MINUTE, [6, 0]),  # it was in the new one's first, by its clock
    ],
)
def test_what_moved_between_explains_the_old_wallet_by_its_clock_only(
    when: datetime, left: list[int]
) -> None:
    given = changed((0, 0, 6), (0, 0, 0), payments=[payment("p", when, 6)])
    assert unexplained(rollforward(given, dated()))[1:3] == left


def test_neighbouring_wallets_do_not_lend_one_another_what_is_near() -> None:
    """A minute parts the wallets: 6 sold in it are missing in one, and 6 too many in
    the other, which one payment may not explain twice."""
    given = {
        "balances": [
            *shown(OLD, 1, 0, 0, 6),
            builders.balance(4, iban=NEW, at=at(3) + MINUTE, balance=0),
            *shown(NEW, 5, 6),
        ],
        "payments": [payment("p", at(3) + MINUTE / 2, 6)],
    }
    days = {"2026-10-03 00:00:10+00:00": NEW}
    assert sorted(unexplained(rollforward(given, dated(**days)))) == [0, 0, 6]


def test_a_payment_of_the_time_between_explains_nothing_further_away() -> None:
    given = changed((0, 0, 0), (0, 6, 6), payments=[payment("p", at(4), 6)])
    assert explanations(given, dated()) == []


def test_an_earlier_iban_needs_snapshots_that_end_before_the_others_begin() -> None:
    """With one of the old wallet among the new one's, nobody knows which was it."""
    among = [*shown(OLD, 1, 9, 9, 1), *shown(NEW, 3, 5, 5)]
    rows = rollforward({"balances": among}, overwritten())
    assert ends(rows) == [(NEW, at(3), at(4))]
    apart = [*shown(OLD, 1, 9, 9), *shown(NEW, 3, 5, 5)]
    rows = rollforward({"balances": apart}, overwritten())
    assert ends(rows) == [(OLD, at(1), at(2)), (NEW, at(3), at(4))]


def test_of_two_earlier_ibans_that_interleave_none_was_the_wallet_for_sure() -> None:
    first, second = shown(OLD, 1, 1, 2, 3), shown(THIRD, 2, 7, 7)
    new = shown(NEW, 5, 5, 5)
    rows = rollforward({"balances": [*first, *second, *new]}, overwritten())
    assert ends(rows) == [(NEW, at(5), at(6))]
    rows = rollforward({"balances": [*first[:1], *second, *new]}, overwritten())
    assert ends(rows) == [(THIRD, at(2), at(3)), (NEW, at(5), at(6))]


def test_one_wallet_of_two_is_compared_by_itself() -> None:
    """Both were there from the first day on, and one is set: as ever."""
    other = shown(THIRD, 1, 500, 9, 77, 3)
    own = shown(OLD, 1, 5, 5, 5)
    chosen = settings(wallet_iban=OLD)
    rows = rollforward({"balances": [*own, *other]}, chosen)
    assert rows == rollforward({"balances": own}, chosen)


def test_before_the_set_wallet_has_a_snapshot_nothing_is_compared() -> None:
    given = {"balances": shown(OLD, 1, 9, 1)}
    assert rollforward(given, overwritten()) == []


def test_a_day_of_a_change_leaves_nothing_to_guess() -> None:
    """The IBAN that was set by mistake at first was never the wallet's."""
    mistaken = settings(wallet_iban=NEW, wallet_iban_since={"1970-01-01": NEW})
    rows = rollforward(changed((1, 2, 3), (5, 5)), mistaken)
    assert ends(rows) == [(NEW, at(5), at(6))]


def test_snapshots_without_an_iban_say_nothing_on_either_side() -> None:
    nothing = [*shown(None, 2, 77), *shown(None, 4, 99), *shown(None, 6, 3)]
    given = changed((1, 1), (5, 5))
    with_them = {"balances": [*given["balances"], *nothing]}
    for chosen in (dated(), overwritten()):
        assert rollforward(with_them, chosen) == rollforward(given, chosen)


def test_what_was_known_before_the_change_is_as_it_was() -> None:
    """With or without the day: until the new wallet has its first snapshot."""
    given = {
        "balances": shown(OLD, 1, 100, 40, 40),
        "deposits": [deposit("d", at(2, 20), 1_200)],
    }
    alone = settings(wallet_iban=OLD)
    assert rollforward(given, dated()) == rollforward(given, alone)
    assert explanations(given, dated()) == explanations(given, alone)
