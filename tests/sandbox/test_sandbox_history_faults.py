"""Every fault causes exactly the breaks that it says, and no others."""

from collections import Counter

import pytest

from recon.sandbox import history
from tests.sandbox import plain_rules
from tests.sandbox.plain_rules import Break

ALL_CHECKS = set(history.FAULTS) - {"deposit_in_transit", "timeout_moved_money"}


def expected(planted: list[history.Planted]) -> Counter[Break]:
    return Counter((each.check, each.product, each.record_id) for each in planted)


def record_ids(planted: list[history.Planted], check: str) -> set[str]:
    return {each.record_id for each in planted if each.check == check}


@pytest.mark.parametrize("fault", history.FAULTS)
def test_a_fault_alone_causes_its_breaks_and_no_others(fault: str) -> None:
    for seed in (1, 2):
        made = history.generate(seed, days=30, daily=5, faults=(fault,))
        assert plain_rules.violations(made) == expected(made.planted)
        assert {each.fault for each in made.planted + made.explained} == {fault}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("calendar", ["gregorian", "jalali"])
def test_all_faults_together_cause_their_breaks_and_no_others(
    seed: int, calendar: str
) -> None:
    made = history.generate(seed, daily=60, faults=("all",), calendar=calendar)
    found = plain_rules.violations(made, calendar=calendar)
    assert found == expected(made.planted)
    assert {each.check for each in made.planted} == ALL_CHECKS


@pytest.mark.parametrize("seed", range(10, 20))
def test_small_histories_hold_every_fault(seed: int) -> None:
    made = history.generate(seed, days=14, daily=5, faults=("all",))
    assert plain_rules.violations(made) == expected(made.planted)


def test_every_break_is_planted_once() -> None:
    made = history.generate(3, daily=60, faults=("all",))
    assert max(expected(made.planted).values()) == 1


def test_what_is_explained_is_found_to_the_rial_and_not_reported() -> None:
    made = history.generate(5, faults=("deposit_in_transit", "timeout_moved_money"))
    explained, unexplained = plain_rules.explanations(made)
    assert unexplained == []
    items = {name for names in explained.values() for name in names}
    timed_out = {each.record_id for each in made.planted}
    assert items == timed_out | {each.record_id for each in made.explained}
    assert len(explained) == 2


def test_the_unexplained_move_is_no_sum_of_open_items() -> None:
    made = history.generate(6, faults=("all",))
    key = next(
        each.record_id for each in made.planted if each.check == "wallet_rollforward"
    )
    explained, unexplained = plain_rules.explanations(made)
    assert unexplained == [key]
    assert all(rials > 0 for _, rials in plain_rules.open_items(made).values())
    assert len(explained) == 3


def test_the_second_night_restates_and_loses_what_it_says() -> None:
    made = history.generate(7, faults=("all",))
    before = plain_rules.violations(made)
    amounts = {each["id"]: each["amount"] for each in made.world.checkouts.values()} | {
        each["id"]: each["amount"] for _, each in plain_rules.payments(made)
    }
    records = {*made.world.mandates, *made.world.agreements, *amounts}
    later = made.second_night()
    after = plain_rules.violations(made)
    now = {each["id"]: each["amount"] for each in made.world.checkouts.values()} | {
        each["id"]: each["amount"] for _, each in plain_rules.payments(made)
    }
    restated = {name for name in now if now[name] != amounts[name]}
    gone = records - {*made.world.mandates, *made.world.agreements, *now}
    assert restated == record_ids(later, "record_restated")
    assert record_ids(later, "record_vanished") <= gone
    assert len(gone) >= 3
    assert after - before == expected(
        [each for each in later if each.check == "book_amount_mismatch"]
    )
    assert before - after == Counter()


def test_the_second_night_works_on_small_histories_too() -> None:
    for seed in range(5):
        made = history.generate(seed, days=14, daily=20)
        assert len(made.second_night()) == 6
