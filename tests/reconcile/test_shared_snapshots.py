"""A wallet that changes at an instant of which both have a balance, by hand in rials.

The old wallet has 100 at midnight of the 1st (UTC), then 50 are deposited, and it ends
at midnight of the 3rd: what it has at that instant closes it. What the new one has then
opens that.
"""

from datetime import datetime, timedelta
from typing import Any

import pytest

from recon.reconcile.disclosures.uncompared import changes, others
from recon.settings import Settings
from tests import builders
from tests.reconcile.test_wallet_changes import NEW, OLD, THIRD, dated, ends, shown
from tests.reconcile.wallet_world import (
    MINUTE,
    Row,
    at,
    deposit,
    explanations,
    figures,
    of_day,
    opened,
    payment,
    rollforward,
    settings,
    unexplained,
)

SECOND = timedelta(seconds=1)
CHANGED = dated(**{"2026-10-03 00:00+00:00": NEW})
RISING = pytest.mark.parametrize(
    ("old", "new"), [(OLD, NEW), (NEW, OLD)], ids=["rising", "falling"]
)
"""Which IBAN sorts before the other says nothing of which was first."""


def of(old: str, new: str) -> Settings:
    return settings(wallet_iban=old, wallet_iban_since={"2026-10-03 00:00+00:00": new})


def deposited(closing: int, *new: Row, old: str = OLD) -> dict[str, Any]:
    """Return the old wallet's nights, in which 50 came, beside the new one's."""
    came = deposit("d", at(2, 9), 50, status="DONE", settled_at=at(2, 9))
    balances = [*shown(old, 1, 100, 100, closing), *new]
    return {"balances": balances, "deposits": [came]}


def told(rows: dict[str, Any], chosen: Settings = CHANGED) -> list[dict[str, Any]]:
    with opened(rows, chosen) as engine:
        return changes(engine.query)


@pytest.mark.parametrize(
    "new",
    [
        [],
        shown(NEW, 3, 0, 0),
        shown(NEW, 3, 150, 150),  # all of it was transferred
        shown(NEW, 4, 0, 0),  # no balance of its own at that instant
    ],
)
@pytest.mark.parametrize(("stolen", "rest"), [(0, 0), (60, -60)])
def test_the_last_day_of_the_old_wallet_is_compared(
    new: list[Row], stolen: int, rest: int
) -> None:
    """100 + 50 = 150 add up; with 90 of them there, 60 are gone."""
    rows = rollforward(deposited(150 - stolen, *new), CHANGED)
    assert ends(rows)[:2] == [(OLD, at(1), at(2)), (OLD, at(2), at(3))]
    assert figures(rows)[:2] == [(0, 0, 0), (rest, 0, rest)]
    assert [row["wallet"] for row in rows[2:]] == [NEW] * (len(new) > 1)
    assert unexplained(rows[2:]) == [0] * len(rows[2:])


@RISING
def test_each_of_two_balances_of_one_instant_is_of_its_own_wallet(
    old: str, new: str
) -> None:
    rows = rollforward(deposited(150, *shown(new, 3, 7, 9), old=old), of(old, new))
    assert ends(rows)[1:] == [(old, at(2), at(3)), (new, at(3), at(4))]
    assert [(row["opening_rial"], row["closing_rial"]) for row in rows[1:]] == [
        (100, 150),
        (7, 9),
    ]
    assert unexplained(rows)[1:] == [0, 2]


def test_a_balance_just_after_the_end_is_not_the_old_wallets() -> None:
    late = builders.balance(9, iban=OLD, at=at(3) + SECOND, balance=90)
    given = deposited(150)
    given["balances"][2:] = [late, *shown(NEW, 3, 0, 0)]
    with opened(given, CHANGED) as engine:
        found = engine.table("int_wallet_rollforward").to_pylist()
        assert others(engine.query) == {OLD: 1}
    assert ends(sorted(found, key=lambda row: row["to_at"])) == [
        (OLD, at(1), at(2)),
        (NEW, at(3), at(4)),
    ]


def test_a_balance_of_the_new_wallet_just_before_its_begin_is_not_its() -> None:
    early = builders.balance(9, iban=NEW, at=at(3) - SECOND, balance=77)
    given = deposited(150, early, *shown(NEW, 3, 0, 0))
    assert unexplained(rollforward(given, CHANGED)) == [0, 0, 0]


@RISING
def test_where_both_have_a_balance_of_the_instant_no_time_is_uncompared(
    old: str, new: str
) -> None:
    given = deposited(150, *shown(new, 3, 0), old=old)
    with opened(given, of(old, new)) as engine:
        assert changes(engine.query) == []
        assert others(engine.query) == {}
        (change,) = engine.table("int_wallet_changes").to_pylist()
    assert (change["from_wallet"], change["to_wallet"]) == (old, new)
    assert (change["from_rial"], change["to_rial"]) == (150, 0)


@pytest.mark.parametrize(
    ("old_ends", "new_begins"),
    [(at(3), at(4)), (at(3) - SECOND, at(3)), (at(3), at(3) + SECOND)],
)
def test_only_time_that_nobody_saw_is_told(
    old_ends: datetime, new_begins: datetime
) -> None:
    """6 at the end of the old one are in its balance, 7 at the new one's in that."""
    given = {
        "balances": [
            builders.balance(1, iban=OLD, at=old_ends, balance=1),
            builders.balance(2, iban=NEW, at=new_begins, balance=1),
        ],
        "payments": [payment("a", old_ends, 6), payment("b", new_begins, 7)],
    }
    (change,) = told(given)
    assert (change["movements"], change["amount"]) == (1, 7)


@pytest.mark.parametrize(
    ("closing", "opening", "kept", "expected"),
    [
        (156, 0, 0, [(0, 0, 0), (0, 0, 0)]),  # it is in the old one's balance
        (150, 0, 6, [(-6, -6, 0), (6, 6, 0)]),  # it came to the new one
        (150, 6, 6, [(-6, 0, -6), (0, 0, 0)]),  # its first balance has it: nobody knows
        (150, 0, 0, [(-6, 0, -6), (0, 0, 0)]),  # it never came
        (156, 0, 6, [(0, 0, 0), (6, 0, 6)]),  # one payment is not two
    ],
)
def test_what_moved_at_the_very_instant_counts_once(
    closing: int, opening: int, kept: int, expected: list[tuple[int, int, int]]
) -> None:
    given = deposited(closing, *shown(NEW, 3, opening, kept))
    given["payments"] = [payment("p", at(3), 6)]
    assert figures(rollforward(given, CHANGED))[1:] == expected


@pytest.mark.parametrize(
    ("when", "closing", "kept"),
    [(at(3) - 2 * MINUTE, 150, 6), (at(3) + 2 * MINUTE, 156, 0)],
)
def test_what_is_near_the_instant_may_be_in_either_wallet_by_its_clock(
    when: datetime, closing: int, kept: int
) -> None:
    given = deposited(closing, *shown(NEW, 3, 0, kept))
    given["payments"] = [payment("p", when, 6)]
    rows = rollforward(given, CHANGED)
    assert unexplained(rows) == [0, 0, 0]
    assert [row["explained_rial"] for row in rows[1:]] == [6 - kept * 2, kept * 2 - 6]
    far = given | {"payments": [payment("p", at(2, 12) if kept else at(3, 12), 6)]}
    assert unexplained(rollforward(far, CHANGED))[1:] == [6 - kept * 2, kept * 2 - 6]


@pytest.mark.parametrize(("closing", "kept"), [(80, 0), (150, -70)])
def test_a_settlement_that_is_given_by_the_day_of_the_change(
    closing: int, kept: int
) -> None:
    """It counts at the day's begin, and left by its end: of the one or the other."""
    days = {"2026-10-03": NEW}  # of Tehran, as the settlement's
    midnight = of_day(3, 0)["at"]
    balances = [
        builders.balance(1, iban=OLD, at=midnight - timedelta(days=1), balance=150),
        builders.balance(2, iban=OLD, at=midnight, balance=closing),
        builders.balance(3, iban=NEW, at=midnight, balance=500),
        builders.balance(
            4, iban=NEW, at=midnight + timedelta(days=1), balance=500 + kept
        ),
    ]
    given = {"balances": balances, "adjustments": [of_day(3, -70)]}
    rows = rollforward(given, dated(**days))
    assert unexplained(rows) == [0, 0]
    assert [row["explained_rial"] for row in rows] == [-kept, kept]
    assert len(explanations(given, dated(**days))) == (2 if kept else 0)
    balances[3]["balance"] += 1
    assert unexplained(rollforward(given, dated(**days))) != [0, 0]


def test_a_wallet_that_comes_back_at_an_instant_is_compared_on_both_sides() -> None:
    given = [
        *shown(OLD, 1, 100, 100),
        *shown(NEW, 2, 8, 8),
        *shown(OLD, 3, 900, 905),
        *shown(THIRD, 4, 1, 1),
    ]
    days = {
        "2026-10-02 00:00+00:00": NEW,
        "2026-10-03 00:00+00:00": OLD,
        "2026-10-04 00:00+00:00": THIRD,
    }
    rows = rollforward({"balances": given}, dated(**days))
    assert ends(rows) == [
        (OLD, at(1), at(2)),
        (NEW, at(2), at(3)),
        (OLD, at(3), at(4)),
        (THIRD, at(4), at(5)),
    ]
    assert unexplained(rows) == [0, 0, 5, 0]
    assert told({"balances": given}, dated(**days)) == []


def test_an_iban_that_follows_itself_is_one_wallet() -> None:
    """As if its second day were not there: 60 are gone, and nothing is uncompared."""
    given = deposited(90, *shown(NEW, 4, 5, 5))
    alike = f" {OLD[:4]} {OLD[4:].lower()}"
    days = {"2026-10-02 00:00+00:00": alike, "2026-10-02 12:00+00:00": OLD}
    twice = dated(**days, **{"2026-10-04 00:00+00:00": NEW})
    once = dated(**{"2026-10-04 00:00+00:00": NEW})
    assert rollforward(given, twice) == rollforward(given, once)
    assert unexplained(rollforward(given, twice)) == [0, -60, 0]
    assert told(given, twice) == told(given, once)


@pytest.mark.parametrize(("old", "new"), [("", OLD), (OLD, "")])
def test_a_balance_that_two_terms_may_claim_is_one(old: str, new: str) -> None:
    """An empty IBAN is any: the balance at the change is no interval with itself."""
    chosen = of(old, new)
    with opened({"balances": shown(OLD, 1, 9, 9, 9, 9)}, chosen) as engine:
        snapshots = engine.table("int_wallet_snapshots").to_pylist()
        found = engine.table("int_wallet_rollforward").to_pylist()
    assert sorted(row["snapshot_at"] for row in snapshots) == [
        at(day) for day in (1, 2, 3, 4)
    ]
    assert all(row["from_at"] < row["to_at"] for row in found)


def test_a_balance_without_an_iban_or_rials_says_nothing_at_the_instant() -> None:
    nothing = [
        builders.balance(7, iban=None, at=at(3), balance=77),
        builders.balance(8, iban=NEW, at=at(3), balance=None),
    ]
    given = deposited(150, *shown(NEW, 4, 5, 5))
    with_them = given | {"balances": [*given["balances"], *nothing]}
    assert rollforward(with_them, CHANGED) == rollforward(given, CHANGED)
    assert told(with_them) == told(given)
    given["balances"][2] |= {"balance": None}
    assert ends(rollforward(given, CHANGED))[:2] == [
        (OLD, at(1), at(2)),
        (NEW, at(4), at(5)),
    ]
