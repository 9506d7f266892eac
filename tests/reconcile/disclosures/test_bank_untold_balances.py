"""What has no sure balance hides its own day or its own statement, and nothing else."""

from datetime import date, timedelta

import pytest

from tests.reconcile.disclosures.test_bank_balance_gaps import (
    BEGIN,
    MONDAY,
    WEDNESDAY,
    found,
    tables,
)

LOST = [(date(2026, 10, 1), date(2026, 10, 3), -1_200_000_000)]


@pytest.mark.parametrize(("hours", "amount"), [(5, -5), (0, -7), (0, -5)])
def test_a_day_of_which_an_entry_has_no_balance_leads_nowhere(
    hours: int, amount: int
) -> None:
    """One of another time, of another amount, or equal to one that has a balance."""
    rows = tables([MONDAY, WEDNESDAY])
    assert found(rows) == LOST
    at = BEGIN + timedelta(hours=hours)
    bare = {"booked_at": at, "amount": amount, "pull_id": "2", "record_hash": "bare"}
    rows["bank_statement"].append(bare)
    assert found(rows) == []


@pytest.mark.parametrize("balances", [(None, 5), (5, 5)])
@pytest.mark.parametrize("place", ["pull_id", "page_no", "statement"])
def test_a_statement_that_proves_nothing_takes_nothing_from_another_one(
    place: str, balances: tuple[int | None, int]
) -> None:
    """They may be of one command, or of one file."""
    rows = tables([MONDAY, WEDNESDAY])
    first = {"pull_id": "0", "page_no": 1, "statement": 1}
    numbers = ("0", "1", "2") if place == "pull_id" else (1, 2, 3)
    for row in rows["bank_balances"]:
        number = numbers[int(row["pull_id"])]
        row.update(first | {place: number})
    other = first | {place: numbers[2], "iban": "IR05"}
    rows["bank_balances"] += [
        {"booked_at": BEGIN, "amount": 3 + n, "balance": each, "position": n, **other}
        for n, each in enumerate(balances)
    ]
    assert found(rows) == LOST
