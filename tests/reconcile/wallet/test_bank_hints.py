"""What the bank shows and nothing known names is a hint at what moved the wallet."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from tests import builders
from tests.reconcile.wallet.test_signatures import WEEK, told, wallet
from tests.reconcile.wallet_world import (
    Row,
    at,
    balances,
    deposit,
    rollforward,
    settings,
)

SECOND = timedelta(seconds=1)


def settled(amount: int, **changed: Any) -> dict[str, list[Row]]:
    """The wallet lost 700 on the first day; the bank shows an entry of the second."""
    entry = builders.bank_entry(booked_at=at(2), amount=amount, **changed)
    return wallet(0, bank_statement=[entry]) | {"balances": balances(700, 0)}


def test_a_settlement_that_the_bank_shows_is_named() -> None:
    assert told(settled(700), -700) == (
        f"-700 is unexplained. A hint only: the account {builders.BANK} was credited "
        "700 on 2026-10-02, and no adjustment names it."
    )
    assert "a bank account was credited" in told(settled(700, iban=None), -700)
    paid_in = settled(-700) | {"balances": balances(0, 700)}
    assert "was debited 700 on 2026-10-02, and no deposit" in told(paid_in, 700)


def test_another_entry_of_the_bank_is_no_hint() -> None:
    """Weeks lie between the days on which the wallet lost 700."""
    lost = [at(2) + number * 2 * WEEK for number in range(6)]
    entries = [
        {"booked_at": lost[0], "amount": 699},
        {"booked_at": lost[1], "amount": -700},
        {"booked_at": lost[2], "amount": 700, "iban": builders.WALLET},
        {"booked_at": None},
        {"booked_at": lost[4] - timedelta(days=2), "amount": 700},  # it came before
        {"booked_at": lost[5] + timedelta(days=3, hours=1), "amount": 700},
    ]
    shown = [
        builders.balance(at=day + timedelta(days=after - 1), balance=-700 * (n + after))
        for n, day in enumerate(lost)
        for after in (0, 1)
    ]
    came = [builders.bank_entry(number, **each) for number, each in enumerate(entries)]
    rows = rollforward({"balances": shown, "bank_statement": came})
    told_of = {row["to_at"]: row["detail"] for row in rows}
    assert [told_of[day] for day in lost] == ["-700 is unexplained."] * 6
    assert sum(row["unexplained_rial"] != 0 for row in rows) == 6


def test_an_entry_that_an_adjustment_names_is_no_hint() -> None:
    adjusted = [builders.adjustment(at=at(3), amount=-700)]
    (row,) = rollforward(settled(700) | {"adjustments": adjusted})
    assert row["detail"] == "-700 is unexplained."


def test_of_two_equal_settlements_the_one_that_nobody_entered_is_named() -> None:
    """As settlements.csv has it: one of the two credits is unexplained."""
    came = [builders.bank_entry(booked_at=at(2, hour), amount=700) for hour in (1, 2)]
    entered = builders.adjustment(at=at(1, 5), amount=-700, kind="settlement")
    given = wallet(0, bank_statement=came, adjustments=[entered])
    (row, *_) = rollforward(given | {"balances": balances(1400, 0)})
    assert "was credited 700 on 2026-10-02, and no adjustment names it" in row["detail"]


@pytest.mark.parametrize("wage_from", ["bank", "wallet"])
@pytest.mark.parametrize(("amount", "wage"), [(693, 7), (700, 7)])
def test_a_debit_of_a_known_deposit_is_no_hint(
    amount: int, wage: int, wage_from: str
) -> None:
    """Whichever side bears the wage: the setting may say the wrong one."""
    known = deposit("d", at(1, 9), amount, wage=wage, status="FAILED")
    given = settled(-700) | {"balances": balances(0, 700), "deposits": [known]}
    (row,) = rollforward(given, settings(wage_from=wage_from))
    assert "was debited" not in row["detail"]


@pytest.mark.parametrize("debits", [1, 2])
def test_one_debit_of_a_whole_request_is_no_hint(debits: int) -> None:
    """Two entries, which the bank paid in one sum; a second such debit is nobody's."""
    entries = [
        deposit(name, at(1, 9), amount, track_id="t", wage=0, status="FAILED")
        for name, amount in (("d1", 500), ("d2", 200))
    ]
    came = [
        builders.bank_entry(number, booked_at=at(2, number), amount=-700)
        for number in range(debits)
    ]
    given = wallet(700, bank_statement=came, deposits=entries)
    row = rollforward(given)[0]
    assert ("was debited 700" in row["detail"]) is (debits > 1)


@pytest.mark.parametrize(
    ("amount", "first", "word"), [(-700, at(6), "debited"), (700, at(9), "credited")]
)
def test_an_entry_lies_at_most_three_days_after_what_it_moved(
    amount: int, first: datetime, word: str
) -> None:
    """A debit at most four days before it, and a credit one, as far as dates can tell.

    A statement of days only books at the first instant of the day. Four rests of 700,
    each of a tenth day; half a year lies between them.
    """
    booked = [first, first + SECOND, at(14), at(14) + SECOND]
    before = [26 * WEEK * number for number in range(len(booked))]
    entries = [
        builders.bank_entry(number, booked_at=when - before[number], amount=amount)
        for number, when in enumerate(booked)
    ]
    shown = [
        builders.balance(at=at(10 + after) - apart, balance=amount * (number - after))
        for number, apart in enumerate(before)
        for after in (0, 1)
    ]
    rows = rollforward({"balances": shown, "bank_statement": entries})
    rests = {row["to_at"]: row["detail"] for row in rows if row["unexplained_rial"]}
    assert sorted(rests) == sorted(at(11) - apart for apart in before)
    assert [f"was {word} 700" in rests[at(11) - apart] for apart in before] == [
        *(False, True, True, False)
    ]


@pytest.mark.parametrize(
    ("entered_at", "amount", "is_told"),
    [
        (at(7), 700, False),
        (at(6, 23, 59), 700, True),
        (at(7), 701, True),
        (at(15), 700, False),
        (at(15, 0, 1), 700, True),
    ],
)
def test_a_debit_that_an_adjustment_lies_near_is_no_hint(
    entered_at: datetime, amount: int, *, is_told: bool
) -> None:
    """It was entered, four days away at most, outside of the days with a balance."""
    entered = builders.adjustment(at=entered_at, amount=amount)
    entry = builders.bank_entry(booked_at=at(11), amount=-700)
    given = wallet(0, bank_statement=[entry], adjustments=[entered])
    (row,) = rollforward(given | {"balances": balances(0, 700, start=10)})
    assert ("was debited 700" in row["detail"]) is is_told
