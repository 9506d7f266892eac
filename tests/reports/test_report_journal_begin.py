"""The journal at the wallet's first snapshot: what moved over it stays nowhere."""

from datetime import timedelta
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.reports import beancount
from tests.reports.bean_checking import bean_check
from tests.reports.lake_rows import engine
from tests.reports.ledger_files import WHOLE, Answers, intervals_of, ledger
from tests.reports.test_report_flows_query import NOON, payment
from tests.reports.test_report_journal import assert_balanced, balance, legs, net
from tests.reports.test_report_journal_of_a_change import by_day, settled

MINUTE = timedelta(minutes=1)


def brought(table: pa.Table) -> int:
    """What the wallet begins with, in rials."""
    wallet = (leg for leg in table.to_pylist() if leg["account"] == "assets:wallet")
    begun = (leg for leg in wallet if leg["entry_id"].startswith("opening:"))
    return sum(leg["debit"] - leg["credit"] for leg in begun)


def test_a_settlement_of_the_first_days_date_leaves_nothing_in_suspense() -> None:
    """1,000 at 13:00; 300 left later that day, and the file says only that day."""
    tables: dict[str, Any] = {
        "balances": [balance(1, 1_000), balance(25, 700)],
        "adjustments": [by_day(0, -300)],
    }
    table = legs(**tables)
    assert_balanced(table)
    assert brought(table) == 1_000
    assert net(table)["suspense:wallet"] == 0
    assert net(table)["equity:adjustments"] == -700


@pytest.mark.parametrize(
    ("paid", "first"), [(-2 * MINUTE, 0), (2 * MINUTE, 99_000), (MINUTE, 99_000)]
)
def test_a_payment_near_the_first_snapshot_leaves_nothing_in_suspense(
    paid: timedelta, first: int, tmp_path: Any
) -> None:
    """By its own time it is on the other side than the balances show."""
    tables: dict[str, Any] = {
        "balances": [balance(0, first), balance(24, 99_000)],
        "payments": [payment(1, paid_at=NOON + paid, affected_amount=99_000)],
    }
    table = legs(**tables)
    assert_balanced(table)
    assert brought(table) == 0
    assert net(table)["suspense:unified"] == 0
    assert net(table)["assets:wallet"] == 99_000
    with engine(**tables) as models:
        content = ledger(beancount, Answers(models), intervals_of(models), WHOLE)
    path = tmp_path / "journal.beancount"
    path.write_bytes(content)
    assert bean_check(path) == ""


@settings(max_examples=100)
@given(settled, st.sets(st.integers(-60, 90), min_size=2, max_size=6))
def test_what_is_explained_by_days_alone_leaves_nothing_in_suspense(
    left: Any, hours: set[int]
) -> None:
    """Settlements are given by days, and left at hours that only the balances know."""
    moved = [
        (by_day(day, amount)["at"] + timedelta(hours=hour), amount)
        for day, hour, amount in left
    ]
    held = {
        hour: 1_000
        + sum(amount for at, amount in moved if at <= NOON + timedelta(hours=hour))
        for hour in sorted(hours)
    }
    tables: dict[str, Any] = {
        "balances": [balance(hour, rials) for hour, rials in held.items()],
        "adjustments": [by_day(day, amount) for day, _, amount in left],
    }
    with engine(**tables) as models:
        table = models.table("report_journal")
        intervals = models.table("int_wallet_rollforward").to_pylist()
    assert_balanced(table)
    wallet = [
        (leg["posted_at"], leg["debit"] - leg["credit"])
        for leg in table.to_pylist()
        if leg["account"] == "assets:wallet"
    ]
    for hour, rials in held.items():
        end = NOON + timedelta(hours=hour)
        assert sum(effect for when, effect in wallet if when <= end) == rials
    rest = sum(row["unexplained_rial"] for row in intervals)
    assert net(table).get("suspense:wallet", 0) == -rest
