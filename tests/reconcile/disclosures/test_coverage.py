"""What no file of the business covers, by its figures: books, the bank, the tariff."""

from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from recon.reconcile.disclosures.coverage import (
    coverage_words,
    never_imported,
    uncovered,
)
from recon.reconcile.engines import DuckEngine
from recon.settings import Business, Settings
from tests.builders import WALLET, lake_tables

SETTINGS = Settings(business=Business(name="shop"))
TEHRAN = SETTINGS.business.timezone
NOVEMBER = datetime(2026, 11, 20, tzinfo=UTC)
OTHER_BANK = "IR550540102680020817909003"
SUM = 1_200_000_000
Row = dict[str, Any]


def at(day: int, hour: int = 12, minute: int = 0) -> datetime:
    """An instant of October 2026 by the clock of Tehran; day 32 is November 1."""
    first = datetime(2026, 10, 1, hour, minute, tzinfo=TEHRAN)
    return (first + timedelta(days=day - 1)).astimezone(UTC)


def told(
    as_of: datetime = NOVEMBER, condition: str = "true", **tables: list[Row]
) -> list[Row]:
    with DuckEngine.open(lake_tables(tables), SETTINGS, as_of) as engine:
        return uncovered(engine.query, as_of, TEHRAN, condition)


def figures(**given: Any) -> list[tuple[Any, ...]]:
    return [(row["subject"], row["count"], row["amount"]) for row in told(**given)]


def missing(*sources: str, records: int = 1, **tables: list[Row]) -> list[str]:
    pulled = {name: SimpleNamespace(records=records) for name in sources or ("any",)}
    with DuckEngine.open(lake_tables(tables), SETTINGS, NOVEMBER) as engine:
        return never_imported(engine.query, pulled)


def paid(when: datetime | None, amount: int | None = SUM, **changed: Any) -> Row:
    return {"created_at": when, "updated_at": when, "amount": amount, **changed}


def orders(*when: datetime | None, **changed: Any) -> list[Row]:
    """Orders of other numbers than any record's, unless it is given."""
    return [
        {"occurred_at": each, "reference": f"order-{number}", **changed}
        for number, each in enumerate(when)
    ]


BOOKS = orders(at(2), at(5))


def test_a_month_after_the_last_export_of_the_books() -> None:
    """The books end on October 5; 2 records of 1,500,000,000 rials came later."""
    records = [paid(at(4)), paid(at(6)), paid(at(20), 300_000_000)]
    assert told(books=BOOKS, checkouts=records) == [
        {
            "kind": "books",
            "subject": "records",
            "count": 2,
            "amount": 1_500_000_000,
            "first": "2026-10-06",
            "last": "2026-10-20",
            "covered_from": "2026-10-02",
            "covered_to": "2026-10-05",
            "late": True,
        }
    ]


@pytest.mark.parametrize(
    ("when", "is_told"),
    [
        (at(1, 23, 59), True),
        (at(2, 0), False),
        (at(5, 23, 59), False),
        (at(6, 0), True),
        (None, False),
    ],
)
def test_the_books_cover_whole_dates_of_the_business(
    when: datetime | None, is_told: bool
) -> None:
    """The first order is of noon and so is the last; a record without a time may be
    any day's, and is compared."""
    assert bool(told(books=BOOKS, checkouts=[paid(when)])) is is_told


@pytest.mark.parametrize(
    ("when", "as_of", "is_told"),
    [
        (at(5, 21), at(9), True),
        (at(5, 19), at(9), False),
        (at(4, 21), at(9), False),
        (at(5, 21), at(5, 21) + timedelta(days=35), False),
        (at(5, 21), NOVEMBER, False),
    ],
)
def test_the_last_date_is_covered_until_its_export(
    when: datetime, as_of: datetime, is_told: bool
) -> None:
    """The books of October 5 were exported at 20:00; after 35 days a break tells."""
    books = orders(at(2), at(5), seen_at=at(5, 20))
    found = figures(as_of=as_of, books=books, checkouts=[paid(when)])
    assert found == ([("records", 1, SUM)] if is_told else [])


@pytest.mark.parametrize(
    ("when", "as_of", "is_told"),
    [
        (at(5, 20), at(9), False),
        (at(5, 21), at(9), True),
        (at(5, 23, 59), at(9), True),
        (at(6, 13), at(9), True),
        (at(5, 21), at(5, 21) + timedelta(days=35), False),
    ],
)
def test_an_order_dated_after_its_export_covers_nothing_until_then(
    when: datetime, as_of: datetime, is_told: bool
) -> None:
    """Exported on October 5 at 20:00 with an order of the next noon."""
    books = orders(at(2), at(6), seen_at=at(5, 20))
    found = figures(as_of=as_of, books=books, checkouts=[paid(when)])
    assert found == ([("records", 1, SUM)] if is_told else [])


def test_what_is_not_paid_needs_no_order() -> None:
    assert not told(books=BOOKS, checkouts=[paid(at(9), status="not_paid")])


@pytest.mark.parametrize(
    "order",
    [
        {"amount": SUM},  # one order and one record, which agree
        {"amount": 5},
        {"amount": SUM, "product": "unified"},
        {"amount": SUM, "reference": " request-1"},
    ],
)
def test_a_record_of_another_date_that_an_order_has_is_compared(order: Row) -> None:
    """An order of the last evening is paid after midnight: matches.csv has the two."""
    known = orders(at(5, 23, 59), **{"reference": "1001", **order})
    records = [paid(at(6, 0, 5)), paid(at(9), 7)]
    assert figures(books=known, checkouts=records) == [("records", 1, 7)]


def test_an_order_of_another_product_leaves_a_record_out() -> None:
    known = orders(at(5), reference="1001", product="gateway")
    record = {"sent_at": at(5), "verified_at": at(5), "factor_number": "1001"}
    found = figures(
        books=known, checkouts=[paid(at(9))], gateway_tokens=[record | {"amount": 5}]
    )
    assert found == [("records", 1, SUM)]


def test_a_record_without_an_amount_is_counted() -> None:
    found = figures(books=BOOKS, checkouts=[paid(at(9), None), paid(at(9), 7)])
    assert found == [("records", 2, 7)]


def test_books_without_any_time_cover_nothing() -> None:
    (found,) = told(books=orders(None), checkouts=[paid(at(9))])
    assert (found["count"], found["covered_from"], found["covered_to"]) == (
        1,
        None,
        None,
    )
    assert not found["late"]


def test_records_of_every_product_are_told() -> None:
    found = figures(
        books=BOOKS,
        gateway_tokens=[{"sent_at": at(9), "verified_at": at(9), "amount": 5}],
        gateway_transactions=[{"created_at": None, "payment_date": None}],
        hosted_requests=[{"sent_at": at(9), "amount": 7}],
        hosted_checkouts=[{"created_at": at(9)}],
    )
    assert found == [("records", 2, 12)]


@pytest.mark.parametrize(("hours", "is_told"), [(35, False), (36, False), (37, True)])
def test_what_is_of_last_night_may_be_in_the_next_file(
    hours: int, is_told: bool
) -> None:
    record = paid(NOVEMBER - timedelta(hours=hours))
    assert bool(told(books=BOOKS, checkouts=[record])) is is_told


@pytest.mark.parametrize(("days", "is_late"), [(35, False), (36, True)])
def test_an_export_a_month_is_in_time(days: int, is_late: bool) -> None:
    books = orders(NOVEMBER - timedelta(days=days))
    record = paid(NOVEMBER - timedelta(days=3))
    (found,) = told(books=books, checkouts=[record])
    assert found["late"] is is_late


def test_what_is_older_than_the_books_makes_them_not_late() -> None:
    (found,) = told(books=BOOKS, checkouts=[paid(at(1))])
    assert not found["late"]


def test_without_any_books_nothing_is_called_left_out() -> None:
    assert not told(checkouts=[paid(at(9))])


def test_a_period_has_its_own() -> None:
    records = [paid(at(6)), paid(at(9))]
    october_9 = f"business_date = date '{date(2026, 10, 9)}'"
    (found,) = told(books=BOOKS, checkouts=records, condition=october_9)
    assert (found["count"], found["first"]) == (1, "2026-10-09")


def requested(when: datetime | None, **changed: Any) -> Row:
    return {"requested_at": when, "settled_at": when, "amount": SUM, **changed}


def entry(when: datetime, **changed: Any) -> Row:
    return {"booked_at": when, "amount": -5, "description": "other", **changed}


STATEMENT = [entry(at(2)), entry(at(5))]


@pytest.mark.parametrize(
    ("deposit", "is_told"),
    [
        (requested(at(5)), False),
        (requested(at(6)), True),
        (requested(at(1)), True),
        (requested(at(4), iban=OTHER_BANK), True),
        (requested(at(6), track_id=None), False),
        (requested(None), False),
        (requested(NOVEMBER - timedelta(days=2)), False),
        (requested(NOVEMBER - timedelta(days=4)), True),
    ],
)
def test_deposits_that_no_statement_covers(deposit: Row, is_told: bool) -> None:
    """A debit may take three days, and a request without an id can lack none."""
    found = figures(bank_statement=STATEMENT, deposits=[deposit])
    assert found == ([("deposits", 1, SUM)] if is_told else [])


def test_a_deposit_whose_debit_the_first_statement_has_is_compared() -> None:
    """The request is of the day before the statement begins; another has no debit."""
    deposits = [requested(at(1)), requested(at(1), amount=7)]
    paid_out = {"bank_statement": [*STATEMENT, entry(at(3), amount=-SUM)]}
    assert figures(**paid_out, deposits=deposits) == [("deposits", 1, 7)]


@pytest.mark.parametrize(
    ("adjustment", "is_told"),
    [
        ({"at": at(3)}, True),  # the last day that its credit may take is not covered
        ({"at": at(20)}, True),
        ({"at": at(1)}, True),
        ({"at": at(20), "kind": "withdrawal"}, False),
        ({"at": at(20), "kind": None}, False),
        ({"at": None}, False),
        ({"at": at(20), "amount": SUM}, False),
        ({"at": NOVEMBER - timedelta(days=3)}, False),
    ],
)
def test_settlements_that_no_statement_covers(adjustment: Row, is_told: bool) -> None:
    found = figures(
        bank_statement=STATEMENT, adjustments=[{"amount": -SUM} | adjustment]
    )
    assert found == ([("settlements", 1, SUM)] if is_told else [])


def test_a_settlement_that_arrived_or_is_missing_is_told_elsewhere() -> None:
    statement = [*STATEMENT, entry(at(4), amount=SUM), entry(at(9))]
    gone = [{"at": at(3), "amount": -SUM}, {"at": at(4), "amount": -7}]
    assert not told(bank_statement=statement, adjustments=gone)


def test_what_lies_beside_a_gap_between_two_statements_is_told_with_it() -> None:
    """Of both statements of October 1 to 5 and 25 to 28 each is a file of its own."""
    statement = [
        *(entry(at(day), pull_id="1") for day in (1, 5)),
        *(entry(at(day), pull_id="2") for day in (25, 28)),
    ]
    gone = [{"at": at(12), "amount": -SUM}]
    in_it = {"bank_statement": statement, "adjustments": gone}
    assert not told(**in_it, deposits=[requested(at(12))])
    with DuckEngine.open(lake_tables(in_it), SETTINGS, NOVEMBER) as engine:
        assert engine.table("int_bank_undecided").num_rows == 1


def test_statements_of_one_account_that_stopped_are_late_whatever_others_do() -> None:
    """BANK's end on October 5; another account and the wallet's own are up to date."""
    others = [
        entry(at(day), iban=iban, pull_id="2")
        for iban in (OTHER_BANK, WALLET)
        for day in (4, 48)
    ]
    deposits = [requested(at(6)), requested(at(20), iban=OTHER_BANK)]
    given = {"deposits": deposits, "balances": [{"at": at(2), "iban": WALLET}]}
    (found,) = told(bank_statement=[*STATEMENT, *others], **given)
    assert (found["count"], found["covered_to"], found["late"]) == (
        1,
        "2026-10-05",
        True,
    )
    of_wallet = [row for row in others if row["iban"] == WALLET]
    assert not told(bank_statement=of_wallet, **given)
    files = {"books": [{}], "tariff": [{}]}
    assert missing(bank_statement=of_wallet, **given, **files) == ["bank_statement"]


def test_the_wallets_own_statement_makes_those_of_the_bank_not_up_to_date() -> None:
    own = [entry(at(day), iban=WALLET, pull_id="2") for day in (4, 48)]
    (found,) = told(
        bank_statement=[*STATEMENT, *own],
        balances=[{"at": at(2), "iban": WALLET}],
        adjustments=[{"at": at(20), "amount": -SUM}],
    )
    assert (found["covered_to"], found["late"]) == ("2026-10-05", True)


@pytest.mark.parametrize(
    ("last", "reach"),
    [
        (20, "2026-10-20"),  # it will have another, in which the settlement may be
        (4, None),  # it ended more than 35 days ago: the other account's count
    ],
)
def test_a_settlement_waits_for_the_account_that_is_behind(
    last: int, reach: str | None
) -> None:
    """settlements.csv calls it missing once no account is expected to show it."""
    statement = [
        *(entry(at(day)) for day in (1, 40)),
        *(entry(at(day), iban=OTHER_BANK) for day in (1, last)),
    ]
    found = told(bank_statement=statement, adjustments=[{"at": at(25), "amount": -7}])
    assert [(row["covered_to"], row["late"]) for row in found] == (
        [(reach, False)] if reach else []
    )


def test_an_account_without_any_statement_is_told_and_not_late() -> None:
    (found,) = told(
        bank_statement=[entry(at(2)), entry(at(48))],
        deposits=[requested(at(4), iban=OTHER_BANK)],
    )
    assert (found["count"], found["covered_to"], found["late"]) == (1, None, False)
    (sentence,) = coverage_words([found])
    assert sentence == (
        "Not compared with the bank: there is no statement of the account of 1 deposit "
        "of 1,200,000,000 rials (2026-10-04)."
    )


@pytest.mark.parametrize(
    ("payment", "line", "is_told"),
    [
        ({}, {}, False),
        ({}, {"payment_method": "credit-a"}, True),
        ({}, {"valid_from": at(20)}, True),
        ({}, {"product": "gateway"}, True),
        ({"payment_method": None}, {"payment_method": "debit-bank-a"}, True),
        ({"wage_amount": 0}, {"product": "gateway"}, False),
        ({"wage_amount": None}, {"product": "gateway"}, False),
        ({"status": "failed"}, {"product": "gateway"}, False),
    ],
)
def test_wages_for_which_the_tariff_has_no_line(
    payment: Row, line: Row, is_told: bool
) -> None:
    found = figures(payments=[payment], checkouts=[{}], tariff=[line])
    assert found == ([("wages", 1, 10_000)] if is_told else [])


def test_either_end_of_the_calendar_is_no_error() -> None:
    ends = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, tzinfo=UTC)
    assert figures(books=BOOKS, checkouts=[paid(each) for each in ends]) == [
        ("records", 1, SUM)
    ]
    assert not told(as_of=ends[0], books=BOOKS, checkouts=[paid(at(9))])
