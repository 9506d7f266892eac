"""The journal where the wallet changed: it meets each wallet's balances, once."""

from collections import defaultdict
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.reports import journal
from recon.settings import CashIn, Settings
from tests.reports.bean_checking import bean_check
from tests.reports.lake_rows import SETTINGS, engine
from tests.reports.ledger_files import WHOLE, Answers
from tests.reports.stand_in import WALLET
from tests.reports.test_report_flows_query import NOON, payment
from tests.reports.test_report_journal import (
    CLEAN,
    assert_balanced,
    balance,
    beancount,
    intervals_of,
    ledger,
    legs,
    moves,
    net,
    snapshots,
)

NEW = "IR840120000000000000000002"


def changed(hours: int) -> Settings:
    """Return the settings of a shop whose wallet changes so many hours after noon."""
    since = {(NOON + timedelta(hours=hours)).isoformat(): NEW}
    return Settings(
        business=SETTINGS.business,
        cash_in=CashIn(
            wallet_iban=WALLET, wallet_iban_since=since, settled_statuses=("SETTLED",)
        ),
    )


@settings(max_examples=20)
@given(moves, snapshots, st.integers(-200, 200))
def test_the_journal_meets_every_snapshot_of_each_wallet(
    payments: Any, balances: Any, change: int
) -> None:
    tables = {
        "payments": [
            payment(
                number,
                amount=amount,
                wage_amount=wage,
                affected_amount=amount - 2 * wage,
                paid_at=NOON + timedelta(hours=hours),
            )
            for number, (amount, wage, hours) in enumerate(payments)
        ],
        "balances": [
            balance(hours, rials) | {"iban": NEW if hours >= change else WALLET}
            for hours, rials in balances
        ],
    }
    table = legs(changed(change), **tables)
    assert_balanced(table)
    wallet = [
        (leg["posted_at"], leg["debit"] - leg["credit"])
        for leg in table.to_pylist()
        if leg["account"] == "assets:wallet"
    ]
    for hours, rials in balances:
        end = NOON + timedelta(hours=hours)
        assert sum(effect for when, effect in wallet if when <= end) == rials


settled = st.lists(
    st.tuples(st.integers(-3, 3), st.integers(0, 23), st.integers(-9, 9).filter(bool)),
    max_size=3,
)


def by_day(day: int, amount: int) -> dict[str, Any]:
    """A settlement that its file dates with a day of Tehran, the 0th that of `NOON`."""
    midnight = NOON.astimezone(SETTINGS.business.timezone).replace(hour=0, minute=0)
    at = midnight + timedelta(days=day)
    return {"at": at, "kind": "settlement", "amount": amount}


@settings(max_examples=40)
@given(settled, st.sets(st.integers(-90, 90), min_size=2, max_size=6), st.data())
def test_what_may_have_moved_at_a_change_is_posted_once(
    left: Any, hours: set[int], data: st.DataObject
) -> None:
    """Settlements are given by days, and left at hours that only the balances know."""
    change = data.draw(st.sampled_from(sorted(hours)))
    moved = [
        (by_day(day, amount)["at"] + timedelta(hours=hour), amount)
        for day, hour, amount in left
    ]
    held = {
        hour: 1_000
        + sum(amount for at, amount in moved if at <= NOON + timedelta(hours=hour))
        for hour in sorted(hours)
    }
    balances = [
        balance(hour, rials) | {"iban": NEW if hour >= change else WALLET}
        for hour, rials in held.items()
    ]
    given_rows = [by_day(day, amount) for day, _, amount in left]
    table = legs(changed(change), balances=balances, adjustments=given_rows)
    assert_balanced(table)
    wallet = [
        (leg["posted_at"], leg["debit"] - leg["credit"])
        for leg in table.to_pylist()
        if leg["account"] == "assets:wallet"
    ]
    for hour, rials in held.items():
        end = NOON + timedelta(hours=hour)
        assert sum(effect for when, effect in wallet if when <= end) == rials


@pytest.mark.parametrize("first", [9, 45])
def test_a_settlement_of_the_day_of_the_change_is_not_taken_out_twice(
    first: int,
) -> None:
    """1,000 less 200 of a day that begins at the old wallet's last balance: 800 are in
    the new one's first, whether that day is over or not."""
    begin = by_day(1, -200)
    hour = int((begin["at"] - NOON) / timedelta(hours=1))
    held = [balance(hour - 24, 1_000), balance(hour, 1_000), balance(hour + first, 800)]
    held[0]["at"] = begin["at"] - timedelta(days=1)
    held[1]["at"] = begin["at"]
    held[2]["iban"] = NEW
    found = net(legs(changed(hour + 2), balances=held, adjustments=[begin]))
    assert found["assets:wallet"] == 800
    assert found["suspense:wallet"] == 0


def test_where_both_balances_are_of_one_instant_the_new_one_is_just_after() -> None:
    held = [balance(-24, 1_000), balance(0, 1_000), balance(0, 40) | {"iban": NEW}]
    table = legs(changed(0), balances=held)
    assert net(table)["suspense:wallet"] == 960
    after = NOON + timedelta(microseconds=1)
    assert table["posted_at"].to_pylist()[-2:] == [after, after]


@pytest.mark.parametrize(
    ("held", "change", "rest"),
    [
        # nothing moves between balances of one instant: 300 leave after the last
        ([(-24, 1_000), (0, 1_000), (0, 1_000), (1, 1_000)], 0, 0),
        # nor there: they left after the first
        ([(1, 1_000), (2, 1_000), (2, 1_000), (30, 700)], 2, 0),
        # they may have left unseen between the second and the third
        ([(1, 1_000), (2, 1_000), (4, 1_000), (30, 700)], 4, 300),
    ],
)
def test_a_settlement_is_moved_over_a_change_unless_it_may_have_left_unseen(
    held: list[tuple[int, int]], change: int, rest: int
) -> None:
    balances = [balance(hours, rials) for hours, rials in held]
    for row in balances[2:]:
        row["iban"] = NEW
    table = legs(changed(change), balances=balances, adjustments=[by_day(0, -300)])
    assert net(table)["assets:wallet"] == 700
    assert net(table)["suspense:wallet"] == rest


def test_a_payment_of_the_midnight_of_the_new_wallets_first_balance_is_in_it() -> None:
    """1,000 in the old one and 99,000 paid; 99,040 in the new one, so that 960 are
    compared with nothing."""
    held = [balance(-24, 1_000), balance(12, 99_040) | {"iban": NEW}]
    paid = payment(1, paid_at=NOON + timedelta(hours=12))
    found = net(legs(changed(2), balances=held, payments=[paid]))
    assert found["assets:wallet"] == 99_040
    assert found["suspense:wallet"] == 960


def test_what_is_not_compared_is_in_suspense_and_beancount_agrees(
    tmp_path: Any,
) -> None:
    """99,000 in the old wallet, 99,000 sold before the new one's first 40: -197,960."""
    given_rows = CLEAN | {
        "balances": [*CLEAN["balances"], balance(9, 40), balance(33, 40)]
    }
    for row in given_rows["balances"][2:]:
        row["iban"] = NEW
    with engine(changed(3), **given_rows) as models:
        answers = Answers(models)
        content = ledger(beancount, answers, intervals_of(models))
        table = journal.table(answers, SETTINGS, WHOLE)
    sums: dict[str, int] = defaultdict(int)
    for leg in table.to_pylist():
        if leg["entry_id"].startswith("changed:"):
            sums[leg["account"]] += leg["debit"] - leg["credit"]
            assert leg["entry_id"] == f"changed:{NEW}:20260301173000"
            assert leg["posted_at"] == NOON + timedelta(hours=9)
    assert sums == {"assets:wallet": -197_960, "suspense:wallet": 197_960}
    path = tmp_path / "journal.beancount"
    path.write_bytes(content)
    assert bean_check(path) == ""
    assert "2026-03-03 balance Assets:Wallet  40 IRR" in content.decode()
