"""A bank that pays a deposit's fee from a day on, worked by hand.

Before 10 October, a date of Tehran, the wallet gets a deposit of 100,000,000 less the
fee of 5,000. From then on the bank is debited 100,005,000, and the wallet gets all.
"""

from datetime import datetime, timedelta

import pytest

from recon.settings import Settings
from tests import builders
from tests.builders import BANK
from tests.reconcile.test_money_stories import Found, sums, told
from tests.reconcile.wallet_world import Row, at, balances, settings

ASKED, FEE = 100_000_000, 5_000
BEGINS = at(9, 20, 30)
SECOND = timedelta(seconds=1)
CHANGE = {"1405-07-18": "bank"}  # 10 October 2026, a Jalali date as people type it


def paid_by(first: str = "wallet", **since: str) -> Settings:
    """Return the settings of a business for which this one paid at first."""
    return settings(wage_from=first, wage_from_since=since or CHANGE)


def deposit(number: int, when: datetime, **changed: Row) -> Row:
    return builders.deposit(
        number, requested_at=when, settled_at=when + 4 * SECOND, **changed
    )


def business(before: int = ASKED, after: int = ASKED + FEE) -> dict[str, list[Row]]:
    """Two deposits: what the wallet has of them, and the debits of the bank for each.

    Entries of the bank a day before and days after: it shows every debit between.
    """
    return {
        "deposits": [deposit(1, BEGINS - SECOND), deposit(2, BEGINS)],
        "balances": balances(0, 2 * ASKED - FEE, start=9),
        "bank_statement": [
            builders.bank_entry(amount=amount, booked_at=booked_at)
            for booked_at, amount in (
                (at(8), 7),
                (BEGINS - SECOND, -before),
                (BEGINS, -after),
                (at(14), 7),
            )
        ],
    }


def test_each_side_of_the_change_is_taken_from_its_own_payer() -> None:
    breaks, wallet, journal = told(business(), paid_by())
    assert breaks == []
    assert [row["unexplained_rial"] for row in wallet] == [0]
    assert sums(journal) == {
        "assets:wallet": 2 * ASKED - FEE,
        f"assets:bank:{BANK}": -2 * ASKED - FEE,
        "expenses:fees:cash_in": 2 * FEE,
    }


@pytest.mark.parametrize(
    ("chosen", "rest", "missing"),
    [
        (paid_by(**{"2027-01-01": "bank"}), FEE, "track-2"),
        (paid_by("bank"), -FEE, "track-1"),
        (paid_by(**{"2026-10-09": "bank"}), -FEE, "track-1"),
    ],
)
def test_without_the_day_one_side_breaks_by_the_fee(
    chosen: Settings, rest: int, missing: str
) -> None:
    breaks, wallet, _ = told(business(), chosen)
    assert [row["unexplained_rial"] for row in wallet] == [rest]
    assert of(breaks, "bank_debit_missing") == [missing]


def test_a_change_back_is_a_day_of_its_own() -> None:
    days = {"2026-01-01": "bank", "2026-10-10": "wallet"}
    rows = business(before=ASKED + FEE, after=ASKED)
    breaks, wallet, _ = told(rows, paid_by(**days))
    assert breaks == []
    assert [row["unexplained_rial"] for row in wallet] == [0]


def test_a_deposit_without_the_time_of_its_request_is_priced_as_it_settled() -> None:
    """And one without any as it was first seen; only requests claim of the bank."""
    timeless = {"requested_at": None, "settled_at": None}
    rows = {
        "deposits": [
            builders.deposit(1, requested_at=None, settled_at=BEGINS - SECOND),
            builders.deposit(2, requested_at=None, settled_at=BEGINS),
            *(
                builders.deposit(
                    3, **timeless, seen_at=seen_at, pull_id=pull_id, status=status
                )
                for seen_at, pull_id, status in (
                    (BEGINS - SECOND, "20261009T202959", "PENDING"),
                    (BEGINS + SECOND, "20261009T203001", "INIT"),
                )
            ),
            builders.deposit(4, **timeless, seen_at=BEGINS, status="INIT"),
        ],
        "balances": balances(0, 4 * ASKED - 2 * FEE, start=9),
    }
    _, wallet, _ = told(rows, paid_by())
    assert [row["unexplained_rial"] for row in wallet] == [0]
    assert [row["deposits_rial"] for row in wallet] == [2 * ASKED - FEE]


def of(breaks: Found, check: str) -> list[str]:
    return [record for name, record, _ in breaks if name == check]
