"""The wallet at both ends of a closed period, worked by hand."""

from datetime import datetime
from typing import Any

import pytest

from recon.close import restatements
from recon.close.balances import balances
from recon.close.periods import parse
from recon.reconcile.run import present_result
from recon.settings import CashIn
from tests.close.closed_shop import PERIOD, WALLET, closed, settings_of, trade
from tests.reconcile.lake_history import History, at


def ends(history: History, period: str = PERIOD) -> list[dict[str, Any]]:
    """The wallets at both ends of a period, as its closing would freeze them now."""
    with present_result(history.lake, history.settings) as result:
        return list(balances(result, parse(period)).to_pylist())


def test_a_closing_freezes_the_balances_that_its_lake_gives(history: History) -> None:
    trade(history, {1: 100, 3: 105, 6: 95})
    found = ends(history)
    assert found == closed(history, carry_forward=True).balances
    assert [each["unexplained"] for each in found] == [-10]


@pytest.mark.parametrize(
    ("shown", "opening", "closing"),
    [
        ({2: 105, 6: 105}, 100, 105),  # from the first snapshot back
        ({1: 100, 3: 105}, 100, 105),  # from the last snapshot on
        ({1: 100}, 100, 105),
        ({7: 105}, 100, 105),
    ],
)
def test_a_balance_between_snapshots_follows_from_what_moved(
    history: History, shown: dict[int, int], opening: int, closing: int
) -> None:
    trade(history, shown)
    (wallet,) = ends(history)
    assert (wallet["opening"], wallet["closing"]) == (opening, closing)
    assert (wallet["difference"], wallet["unexplained"]) == (0, 0)


def test_a_snapshot_at_the_boundary_has_what_moved_at_that_instant(
    history: History,
) -> None:
    trade(history)
    moved = {"at": at(1), "amount": 7, "kind": "correction"}
    history.pull("adjustments", {"adjustments": [moved]}, kind="import")
    (wallet,) = ends(history)
    assert (wallet["opening"], wallet["moved"]) == (93, 12)


@pytest.mark.parametrize(
    ("minute", "kept", "closing", "figures"),
    [
        (58, 95, 95, (0, 0, 0)),  # the snapshot of the 5th has it already
        (58, 105, 95, (0, 0, 0)),  # it has not: by its clock it left after it
        (50, 105, 105, (10, 0, 10)),  # ten minutes are no matter of clocks
    ],
)
def test_what_a_snapshot_has_on_its_other_side_is_in_the_balance_of_the_end(
    history: History,
    minute: int,
    kept: int,
    closing: int,
    figures: tuple[int, int, int],
) -> None:
    """10 leave on the 4th, minutes before the last snapshot in the period."""
    trade(history, {1: 100, 5: kept, 7: 95})
    moved = {"at": at(4, 23, minute), "amount": -10, "kind": "correction"}
    history.pull("adjustments", {"adjustments": [moved]}, kind="import")
    (wallet,) = ends(history)
    assert wallet["closing"] == closing
    names = ("difference", "explained", "unexplained")
    assert tuple(wallet[name] for name in names) == figures


def test_what_is_on_the_other_side_of_the_opening_snapshot_is_not_of_the_period(
    history: History,
) -> None:
    """The snapshot of 1 October 22:00 lacks 10 that left two minutes before it."""
    trade(history, {1: 100, 6: 105})
    snapshots = [
        {"at": at(1, 22), "iban": WALLET, "balance": 105, "origin": "import"},
        {"at": at(6), "iban": WALLET, "balance": 95, "origin": "import"},
    ]
    history.pull("balances", {"balances": snapshots}, kind="import")
    moved = {"at": at(1, 21, 58), "amount": -10, "kind": "correction"}
    history.pull("adjustments", {"adjustments": [moved]}, kind="import")
    (wallet,) = ends(history, "2026-10-02..2026-10-05")
    names = ("opening", "moved", "closing", "difference", "explained", "unexplained")
    assert [wallet[name] for name in names] == [95, 0, 95, 0, 0, 0]


def test_a_rest_is_said_as_the_roll_forward_says_it(history: History) -> None:
    trade(history, {1: 100, 3: 105, 6: 95})
    (wallet,) = ends(history)
    assert (wallet["difference"], wallet["unexplained"]) == (-10, -10)
    assert wallet["explained"] == 0


@pytest.mark.parametrize(
    ("given", "shown", "closing", "unexplained"),
    [
        (at(5), (105, 105, 85), 85, 0),  # it left after that day's snapshot
        (at(5), (105, 85, 85), 85, 0),  # or before it
        (at(5, 10), (105, 105, 85), 85, 0),  # as where its time is given
        (at(6), (105, 105, 105), 105, 0),  # of the day after the period
        (at(4), (105, 105, 105), 105, 20),  # it never left
    ],
)
def test_a_settlement_of_the_last_day_has_left_the_wallet_by_the_end(
    history: History,
    given: datetime,
    shown: tuple[int, int, int],
    closing: int,
    unexplained: int,
) -> None:
    """The nights' snapshots are at 01:30; by its day it may lie on either side."""
    trade(history, {1: 100})
    snapshots = [
        {"at": at(day, 1, 30), "iban": WALLET, "balance": each, "origin": "import"}
        for day, each in zip((4, 5, 6), shown, strict=True)
    ]
    history.pull("balances", {"balances": snapshots}, kind="import")
    moved = {"at": given, "amount": -20, "kind": "settlement"}
    history.pull("adjustments", {"adjustments": [moved]}, kind="import")
    (wallet,) = ends(history)
    names = ("closing", "difference", "unexplained")
    assert [wallet[name] for name in names] == [closing, unexplained, unexplained]


@pytest.mark.parametrize(
    ("first_at", "given", "kept", "ends"),
    [
        (at(1), at(6), (100, 105, 85), (100, 105)),  # of the day after the period
        (at(1), at(1), (100, 85, 85), (100, 85)),  # of its first day
        (at(1, 1, 30), at(1), (100, 85, 85), (100, 85)),  # and after the snapshot
        (at(1, 1, 30), at(1), (80, 85, 85), (100, 85)),  # and before it
        (at(1), at(5), (100, 85, 85), (100, 85)),  # of its last day
    ],
)
def test_a_settlement_given_by_its_day_is_not_of_the_day_before(
    history: History,
    first_at: datetime,
    given: datetime,
    kept: tuple[int, int, int],
    ends: tuple[int, int],
) -> None:
    """Snapshots are of midnight, and so is a settlement of which the day is known."""
    trade(history, {})
    snapshots = [
        {"at": each, "iban": WALLET, "balance": balance, "origin": "import"}
        for each, balance in zip((first_at, at(6), at(7)), kept, strict=True)
    ]
    history.pull("balances", {"balances": snapshots}, kind="import")
    left = {"at": given, "amount": -20, "kind": "settlement"}
    history.pull("adjustments", {"adjustments": [left]}, kind="import")
    posted, wallet = at_the_end(history)
    assert posted == ends[1]
    assert (wallet["opening"], wallet["closing"]) == ends
    assert [wallet[name] for name in ("difference", "unexplained")] == [0, 0]


def at_the_end(history: History) -> tuple[int, dict[str, Any]]:
    """The wallet by the journal when the fifth has ended, and by the pack."""
    with present_result(history.lake, history.settings) as result:
        found = result.sql(
            "select sum(debit) - sum(credit) as wallet from report_journal "
            "where account = 'assets:wallet' "
            "and posted_at < cast('2026-10-06 00:00:00+00' as timestamptz)"
        )
        (wallet,) = balances(result, parse(PERIOD)).to_pylist()
    return int(found["wallet"][0].as_py()), wallet


@pytest.mark.parametrize(
    ("shown_at", "left_at", "shown", "closing"),
    [
        ((23, 50), (23, 49), 105, 95),  # it left later than its clock says
        ((23, 50), (23, 51), 95, 95),  # or sooner
        ((23, 50), (23, 49), 95, 95),
        ((23, 50), (23, 51), 105, 95),
        ((23, 58), (23, 57), 105, 105),  # perhaps on the other side of the end
        ((23, 58), (23, 59), 95, 95),
        ((23, 58), (23, 59), 105, 95),
    ],
)
def test_what_the_clocks_moved_over_the_last_snapshot_is_in_the_journal_as_well(
    history: History,
    shown_at: tuple[int, int],
    left_at: tuple[int, int],
    shown: int,
    closing: int,
) -> None:
    """10 leave near a snapshot of the evening; by 01:30 they are gone."""
    trade(history, {1: 100})
    snapshots = [
        {"at": each, "iban": WALLET, "balance": balance, "origin": "import"}
        for each, balance in ((at(5, *shown_at), shown), (at(6, 1, 30), 95))
    ]
    history.pull("balances", {"balances": snapshots}, kind="import")
    left = {"at": at(5, *left_at), "amount": -10, "kind": "correction"}
    history.pull("adjustments", {"adjustments": [left]}, kind="import")
    posted, wallet = at_the_end(history)
    assert posted == closing
    assert wallet["closing"] == closing
    assert wallet["unexplained"] == 0


@pytest.mark.parametrize(
    ("shown_at", "left_at", "kind", "closing"),
    [
        ((23, 50), (23, 49), "correction", 95),  # the clocks are minutes apart
        ((23, 58), (23, 57), "correction", 105),  # perhaps after the end
        ((1, 30), (0, 0), "settlement", 95),  # known by its day: it left by its end
    ],
)
def test_what_the_last_snapshot_of_all_lacks_is_in_the_balance_and_in_the_journal(
    history: History,
    shown_at: tuple[int, int],
    left_at: tuple[int, int],
    kind: str,
    closing: int,
) -> None:
    trade(history, {1: 100})
    last = {"at": at(5, *shown_at), "iban": WALLET, "balance": 105, "origin": "import"}
    history.pull("balances", {"balances": [last]}, kind="import")
    left = {"at": at(5, *left_at), "amount": -10, "kind": kind}
    history.pull("adjustments", {"adjustments": [left]}, kind="import")
    posted, wallet = at_the_end(history)
    assert posted == closing
    assert (wallet["closing"], wallet["unexplained"]) == (closing, 0)


def test_each_wallet_of_a_period_in_which_it_changed_has_its_own_balances(
    history: History,
) -> None:
    """The payment of the first is the old one's; 7 moved between, and 3 after it."""
    trade(history, {1: 100, 3: 105})
    new = [
        {"at": at(day), "iban": "IR2", "balance": each, "origin": "import"}
        for day, each in {4: 50, 6: 53, 7: 53}.items()
    ]
    history.pull("balances", {"balances": new}, kind="import")
    moved = [
        {"at": at(3, 12), "amount": 7, "kind": "correction"},
        {"at": at(5), "amount": 3, "kind": "correction"},
    ]
    history.pull("adjustments", {"adjustments": moved}, kind="import")
    history.settings = settings_of(history, cash_in=CashIn(wallet_iban="IR2"))
    old, own = ends(history)
    names = ("wallet", "opening_at", "opening", "moved", "closing_at", "closing")
    assert tuple(old[name] for name in names) == (WALLET, at(1), 100, 5, at(3), 105)
    assert tuple(own[name] for name in names) == ("IR2", at(4), 50, 3, at(6), 53)
    for name in ("difference", "unexplained"):
        assert [each[name] for each in (old, own)] == [0, 0]
    later = ends(history, "2026-10-06..2026-10-06")
    assert [each["wallet"] for each in later] == ["IR2"]


NAMES = ("opening_at", "opening", "moved", "closing_at", "closing")
RESTS = ("difference", "explained", "unexplained")


def replaced(history: History, old: int, new: int, *moved: dict[str, Any]) -> None:
    """IR2 takes the place of IR1 as the 4th begins, and both have a balance then."""
    trade(history, {1: 100, 4: old})
    shown = [
        {"at": at(day), "iban": "IR2", "balance": each, "origin": "import"}
        for day, each in {4: 50, 6: new, 7: new}.items()
    ]
    history.pull("balances", {"balances": shown}, kind="import")
    history.pull("adjustments", {"adjustments": list(moved)}, kind="import")
    since = {"2026-10-04": "IR2"}
    history.settings = settings_of(
        history, cash_in=CashIn(wallet_iban=WALLET, wallet_iban_since=since)
    )


def corrected(when: datetime, rials: int) -> dict[str, Any]:
    return {"at": when, "amount": rials, "kind": "correction"}


@pytest.mark.parametrize(
    ("old", "new", "when", "figures", "rests"),
    [
        (105, 53, at(5), [(5, 105), (3, 53)], [(0, 0, 0), (0, 0, 0)]),
        (45, 53, at(5), [(5, 45), (3, 53)], [(-60, 0, -60), (0, 0, 0)]),
        (108, 50, at(4), [(8, 108), (0, 50)], [(0, 0, 0), (0, 0, 0)]),
        (105, 53, at(4), [(8, 105), (0, 53)], [(-3, -3, 0), (3, 3, 0)]),
        (105, 53, at(3, 23, 55), [(8, 105), (0, 53)], [(-3, -3, 0), (3, 3, 0)]),
        (108, 50, at(4, 0, 5), [(5, 108), (3, 50)], [(3, 3, 0), (-3, -3, 0)]),
    ],
    ids=["later", "stolen", "old-has-it", "new-has-it", "by-clock", "by-its-clock"],
)
def test_each_wallet_has_its_own_balance_of_the_instant_of_the_change(
    history: History,
    old: int,
    new: int,
    when: datetime,
    figures: list[tuple[int, int]],
    rests: list[tuple[int, int, int]],
) -> None:
    """The old one's 100 and 5 up to it, the new one's 50 from it on; 3 move once."""
    replaced(history, old, new, corrected(when, 3))
    begun, gone_on = ends(history)
    assert [each["wallet"] for each in (begun, gone_on)] == [WALLET, "IR2"]
    (moved, closing), (later, ending) = figures
    assert tuple(begun[name] for name in NAMES) == (at(1), 100, moved, at(4), closing)
    assert tuple(gone_on[name] for name in NAMES) == (at(4), 50, later, at(6), ending)
    assert [tuple(each[name] for name in RESTS) for each in (begun, gone_on)] == rests


@pytest.mark.parametrize(
    ("days", "whose"), [("01..2026-10-03", 0), ("04..2026-10-05", 1)]
)
def test_a_period_that_ends_or_begins_with_the_change_is_of_one_wallet(
    history: History, days: str, whose: int
) -> None:
    replaced(history, 108, 53, corrected(at(4), 3), corrected(at(5), 3))
    (only,) = ends(history, f"2026-10-{days}")
    expected = [(at(1), 100, 8, at(4), 108), (at(4), 50, 3, at(6), 53)]
    assert only["wallet"] == (WALLET, "IR2")[whose]
    assert tuple(only[name] for name in NAMES) == expected[whose]
    assert only["difference"] == 0


def test_a_settlement_of_the_day_of_the_change_left_the_one_or_the_other(
    history: History,
) -> None:
    """It counts as the day begins, and so in the old one; but it left the new one."""
    replaced(history, 105, 30, corrected(at(4), -20) | {"kind": "settlement"})
    begun, gone_on = ends(history)
    assert tuple(begun[name] for name in NAMES) == (at(1), 100, -15, at(4), 105)
    assert tuple(gone_on[name] for name in NAMES) == (at(4), 50, 0, at(6), 30)
    assert tuple(begun[name] for name in RESTS) == (20, 20, 0)
    assert tuple(gone_on[name] for name in RESTS) == (-20, -20, 0)


def test_what_was_closed_of_both_wallets_is_what_a_later_run_finds(
    history: History,
) -> None:
    replaced(history, 108, 50, corrected(at(4), 3))
    closed(history)
    with present_result(history.lake, history.settings) as result:
        assert restatements(result).num_rows == 0
