"""The fee audit of records that no tariff covers, as models of a run."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from recon.reconcile.engines import DuckEngine
from recon.reconcile.fees.audit import MAX_AMOUNT, OFF_SCHEDULE, SCHEDULES
from recon.sandbox import history
from recon.settings import Business, CashIn, Hosted, Settings
from tests.builders import AS_OF, lake_tables
from tests.checks.history_tables import tables_of
from tests.raw_rows import AT

SETTINGS = Settings(
    business=Business(name="shop"), cash_in=CashIn(settled_statuses=("SETTLED",))
)
Rows = list[dict[str, Any]]


def payment(number: int, wage: int | None, **changed: Any) -> dict[str, Any]:
    """A payment of so many hundred thousand rials, a day after the one before."""
    paid_at = AT + timedelta(days=number)
    usual = {"amount": number * 100_000, "wage_amount": wage, "paid_at": paid_at}
    return usual | changed


def audit(payments: Rows, **tables: Any) -> tuple[Rows, Rows]:
    """Return the schedules of these payments and what is off them."""
    checkouts: Rows = [{} for _ in payments]
    given = {"payments": payments, "checkouts": checkouts, **tables}
    with DuckEngine.open(lake_tables(given), SETTINGS, AS_OF) as engine:
        schedules = engine.table("int_fee_schedules")
        off = engine.table("int_fee_off_schedule")
    assert (schedules.schema, off.schema) == (SCHEDULES, OFF_SCHEDULE)
    rows = schedules.to_pylist()
    assert sum(row["records"] - row["fitting"] for row in rows) == off.num_rows
    return rows, off.to_pylist()


def test_a_schedule_and_the_record_off_it_are_told() -> None:
    """1% of 100,000 to 2,000,000 rials; the wage of 700,000 is 7,100."""
    payments = [payment(n, n * 1_000 + 100 * (n == 7)) for n in range(1, 21)]
    (schedule,), (off,) = audit(payments)
    assert (schedule["product"], schedule["payment_method"]) == (
        "unified",
        "debit-bank-a",
    )
    assert (schedule["rate_bps"], schedule["fixed_rial"]) == (100, 0)
    assert (schedule["valid_after"], schedule["valid_from"]) == (None, None)
    assert schedule["detail"] == (
        "1% of the amount: exactly the wage of 19 of 20 records."
    )
    assert off == {
        "product": "unified",
        "payment_method": "debit-bank-a",
        "record_id": "payment-7",
        "related_id": "checkout-7",
        "occurred_at": AT + timedelta(days=7),
        "amount_rial": 700_000,
        "wage_rial": 7_100,
        "expected_wage_rial": 7_000,
        "difference_rial": 100,
    }


def test_a_change_is_dated_by_the_records_on_both_its_sides() -> None:
    """1% and then 1.2% + 500: the 12th record is the first of the new schedule."""
    payments = [
        payment(n, n * 1_000 if n < 12 else n * 1_200 + 500) for n in range(1, 25)
    ]
    (_, later), off = audit(payments)
    assert not off
    assert later["valid_after"] == AT + timedelta(days=11)
    assert later["valid_from"] == AT + timedelta(days=12)
    assert later["detail"].startswith("1.2% of the amount and 500 rials: ")


def test_each_method_has_its_own_schedule() -> None:
    payments = [payment(n, n * 1_000) for n in range(1, 9)]
    payments += [payment(n, n * 500, payment_method="card") for n in range(9, 16)]
    rows, off = audit(payments)
    assert [(row["payment_method"], row["rate_bps"]) for row in rows] == [
        ("card", 50),
        ("debit-bank-a", 100),
    ]
    assert not off


def test_what_a_tariff_covers_is_not_inferred() -> None:
    payments = [payment(n, n * 1_000) for n in range(1, 9)]
    payments += [payment(n, n * 500, payment_method="card") for n in range(9, 16)]
    rows, _ = audit(payments, tariff=[{"payment_method": "card"}])
    assert [row["payment_method"] for row in rows] == ["debit-bank-a"]


def test_only_certain_records_tell_a_schedule() -> None:
    rows, off = audit([payment(n, n * 1_000, status="failed") for n in range(1, 9)])
    assert (rows, off) == ([], [])


def test_records_without_a_time_belong_to_any_schedule_that_gives_them() -> None:
    """Of old and new: the old one's wage fits, a strange one is off the last."""
    timeless = {"paid_at": None, "created_at": None}
    payments = [
        payment(n, n * 1_000 if n < 12 else n * 1_200 + 500) for n in range(1, 25)
    ]
    payments += [payment(30, 30_000, **timeless), payment(31, 1, **timeless)]
    rows, off = audit(payments)
    assert [(row["fitting"], row["records"]) for row in rows] == [(12, 12), (13, 14)]
    assert [row["expected_wage_rial"] for row in off] == [31 * 1_200 + 500]


@pytest.mark.parametrize(("day", "place"), [(0, 0), (11.5, 0), (12.5, 1), (30, 1)])
def test_a_record_of_unknown_wage_is_off_the_schedule_of_its_time(
    day: float, place: int
) -> None:
    """1% until the 12th record and then 1.2% + 500; before the first it is the old."""
    payments = [
        payment(n, n * 1_000 if n < 12 else n * 1_200 + 500) for n in range(1, 25)
    ]
    payments.append(payment(31, None, paid_at=AT + timedelta(days=day)))
    rows, (off,) = audit(payments)
    counts = [[11, 11], [13, 13]]
    counts[place][1] += 1
    assert [[row["fitting"], row["records"]] for row in rows] == counts
    assert off["expected_wage_rial"] == (31_000, 37_700)[place]


def test_records_of_which_no_time_is_known_tell_one_schedule() -> None:
    timeless = {"paid_at": None, "created_at": None}
    (row,), off = audit([payment(n, n * 1_000, **timeless) for n in range(1, 9)])
    assert (row["rate_bps"], row["valid_from"], off) == (100, None, [])


def test_unknown_and_impossible_figures_are_off_and_tell_nothing() -> None:
    payments = [payment(n, n * 1_000) for n in range(1, 9)]
    payments += [
        payment(9, None),
        payment(10, 1, amount=None),
        payment(11, MAX_AMOUNT + 1),
        payment(12, -12_000),
        payment(13, 2**63 - 1, amount=2**63 - 1),
        payment(14, MAX_AMOUNT),
        payment(15, 0),
    ]
    (row,), off = audit(payments)
    assert (row["rate_bps"], row["records"], row["fitting"]) == (100, 15, 8)
    assert [(r["expected_wage_rial"], r["difference_rial"]) for r in off] == [
        (9_000, None),
        (None, None),
        (11_000, None),
        (12_000, None),
        (None, None),
        (14_000, MAX_AMOUNT - 14_000),
        (15_000, -15_000),
    ]


def test_a_wage_in_the_amount_is_no_part_of_what_the_schedule_takes() -> None:
    """The customer pays 1% on top of 100,000 to 800,000 rials."""
    checkouts = [
        {"id": f"h{n}", "amount": n * 101_000, "wage": n * 1_000} for n in range(1, 9)
    ]
    given = lake_tables({"hosted_checkouts": checkouts})
    customers = replace(SETTINGS, hosted=Hosted(fee_bearer="customer"))
    with DuckEngine.open(given, customers, AS_OF) as engine:
        (row,) = engine.table("int_fee_schedules").to_pylist()
    assert (row["rate_bps"], row["fitting"], row["records"]) == (100, 8, 8)


def test_where_no_record_has_amount_and_wage_nothing_is_said() -> None:
    assert audit([payment(1, None)]) == ([], [])


def test_a_single_record_is_told_as_one() -> None:
    (schedule,), _ = audit([payment(1, 1_000)])
    assert ": exactly the wage of 1 of 1 record. " in schedule["detail"]


def test_the_schedules_of_a_history_are_those_that_made_it() -> None:
    """Without its tariff a faulty history still tells it, and what breaks it."""
    made = history.generate(5, days=60, daily=40, faults=("wage_outside_tariff",))
    tables = tables_of(made, pulled_at=made.ends_at + timedelta(hours=1))
    del tables["tariff"]
    later = made.ends_at + timedelta(hours=60)
    with DuckEngine.open(tables, SETTINGS, later) as engine:
        schedules = engine.table("int_fee_schedules").to_pylist()
        off = engine.table("int_fee_off_schedule")["record_id"].to_pylist()
    fees = {
        (fee.product, fee.payment_method.strip("*"), fee.rate_bps, fee.fixed)
        for fee in made.tariff.fees
    }
    assert {
        (row["product"], row["payment_method"], row["rate_bps"], row["fixed_rial"])
        for row in schedules
        if row["is_unique"]
    } <= fees
    assert len(schedules) == len(fees)
    assert sum(row["is_unique"] for row in schedules) > len(fees) // 2
    assert set(off) == {each.record_id for each in made.planted}
