"""What no check judges of deposits, adjustments and the bank's statement."""

from datetime import timedelta
from typing import Any

import pytest

from recon.reconcile.disclosures.unjudged import unjudged
from recon.reconcile.engines import DuckEngine
from recon.settings import Checks, Settings
from tests.builders import AT, BANK, lake_tables
from tests.reconcile.disclosures.test_unjudged import (
    LATER,
    SETTINGS,
    SUM,
    Row,
    silent,
    told,
)


def settled(kind: str, day: float = 0, amount: int = -SUM) -> Row:
    return {"kind": kind, "at": AT + timedelta(days=day), "amount": amount}


def booked(day: float, amount: int = 1) -> Row:
    moved = {"booked_at": AT + timedelta(days=day), "amount": amount}
    return {**moved, "iban": BANK, "description": "x"}


COVERED = [booked(-2), booked(19)]


def test_a_kind_that_is_no_settlement_by_its_name() -> None:
    """No settlement is known by its kind; 1,200,000,000 rials did not arrive."""
    found = silent(adjustments=[settled("payout")], bank_statement=COVERED)
    assert found == [("kind", "adjustments", "payout", 1, SUM)]


@pytest.mark.parametrize("day", [-2, 15])
def test_a_kind_on_the_first_day_that_the_bank_covers_and_the_last(day: int) -> None:
    found = told(adjustments=[settled("payout", day)], bank_statement=COVERED)
    assert found == [("kind", "adjustments", "payout", 1, SUM)]


def test_a_kind_of_which_some_arrived() -> None:
    rows = [settled("payout"), settled("payout", 1, -500), settled("settlement", 2, -7)]
    bank = [*COVERED, booked(1, 500), booked(3, 7)]
    found = silent(adjustments=rows, bank_statement=bank)
    assert found == [("kind", "adjustments", "payout", 1, SUM)]


@pytest.mark.parametrize(
    ("rows", "bank"),
    [
        ([settled("settlement")], COVERED),
        ([settled("withdrawal")], COVERED),
        ([settled("Correction")], COVERED),
        ([settled("اصلاحيه")], COVERED),  # with the Arabic yeh
        ([settled("اصلاح"), settled("برداشت")], COVERED),
        ([settled("payout")], []),
        ([settled("payout", 17)], COVERED),
        ([settled("payout", 15.5)], COVERED),  # it may arrive on the day after
        ([settled("payout", 16.5)], [booked(-2), booked(20.9)]),
        ([settled("payout", -4)], COVERED),
        ([settled("payout", amount=SUM)], COVERED),
        ([settled("payout")], [*COVERED, booked(1, SUM)]),
        ([settled("fee"), settled("settlement", 2, -7)], [*COVERED, booked(3, 7)]),
    ],
)
def test_adjustments_that_are_missed_or_need_not_arrive(
    rows: list[Row], bank: list[Row]
) -> None:
    assert not told(adjustments=rows, bank_statement=bank)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("iban", None), ("requested_at", None), ("track_id", None)),
        *(("iban", ""), ("iban", " "), ("track_id", "")),
        ("requested_at", LATER + timedelta(days=1, seconds=1)),
    ],
)
def test_a_deposit_by_which_no_debit_is_found(column: str, value: Any) -> None:
    given = {"deposits": [{column: value, "amount": SUM}]}
    found = told(bank_statement=COVERED, **given)
    assert found == [("untraced", "deposits", "", 1, SUM)]
    assert not told(**given)  # the bank's statement itself is told of then
    assert not told(bank_statement=COVERED, deposits=[{}])


def test_one_deposit_under_two_requests_is_told_once() -> None:
    one = {"gateway_transaction_id": "7", "iban": None, "status": None}
    twice = [one | {"track_id": each} for each in ("a", "b")]
    found = told(bank_statement=COVERED, deposits=twice)
    assert [(row[0], row[3]) for row in found] == [("status", 1), ("untraced", 1)]


@pytest.mark.parametrize(
    ("status", "name"),
    [(None, ""), (" ", ""), ("X", None), ("DONE ", "DONE"), (" INIT", "INIT")],
)
def test_a_deposit_whose_status_no_setting_can_name(
    status: str | None, name: str | None
) -> None:
    """One that has a word is told as unlisted, which lets it be listed."""
    found = silent(deposits=[{"status": status}])
    expected = [("status", "deposits", name, 1, 100_000_000)]
    assert found == ([] if name is None else expected)


TAKEN = booked(5, -SUM)


def test_debits_are_not_asked_of_where_no_word_names_the_provider() -> None:
    given = {"deposits": [{}], "bank_statement": [{}, TAKEN, *COVERED]}
    assert silent(**given) == [("unnamed", "debits", "", 1, SUM)]


@pytest.mark.parametrize(
    ("deposits", "lines"),
    [([{}], [{}, *COVERED]), ([], [TAKEN]), ([{}], [{}, TAKEN | {"iban": "IR2"}])],
)
def test_debits_that_deposits_account_for_or_of_other_accounts(
    deposits: list[Row], lines: list[Row]
) -> None:
    assert not told(deposits=deposits, bank_statement=lines)


def named(word: str, **rows: list[Row]) -> list[tuple[Any, ...]]:
    """What is told where a word names the provider; the deposit's own has Paywell."""
    settings = Settings(
        business=SETTINGS.business, checks=Checks(provider_names=(word,))
    )
    with DuckEngine.open(lake_tables(rows), settings, LATER) as engine:
        return [
            (each["why"], each["count"], each["amount"])
            for each in unjudged(engine.query)
        ]


def test_a_word_for_the_provider_lets_its_debits_be_asked_of() -> None:
    assert not named("Paywell", deposits=[{}], bank_statement=[{}, TAKEN])


@pytest.mark.parametrize("other", [{}, {"iban": "IR2"}, {"amount": 5}])
def test_a_word_that_no_debit_of_an_account_has_lets_none_be_asked_of(
    other: Row,
) -> None:
    """The deposit's own has it not; on another account, or of a credit, it tells none.

    A debit that has it is asked of, and so are then all of that account.
    """
    spelled = {"description": "Pay Well", "amount": -7, **other}
    lines = [{}, TAKEN, spelled]
    found = named("Pay Well", deposits=[{}], bank_statement=lines)
    assert found == ([("unnamed", 1, SUM)] if other else [])


def test_where_no_debit_is_a_deposits_a_word_may_be_the_right_one() -> None:
    given = {"deposits": [{"amount": 3}], "bank_statement": [{}, TAKEN]}
    assert not named("Pay Well", **given)
