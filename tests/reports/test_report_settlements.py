"""Which credit of the bank is which settlement, and what is left on either side."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any

import msgspec
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from recon.reconcile.engines import DuckEngine
from recon.reports import settlements
from recon.reports.periods import Period
from recon.reports.summary import summary
from recon.settings import Business, Checks, Settings
from tests.builders import BANK, WALLET, lake_tables
from tests.reports.stand_in import ResultStandIn
from tests.summary_keys import Summary

SETTINGS = Settings(
    business=Business(name="shop"), checks=Checks(provider_names=("paywell",))
)
NOVEMBER = datetime(2026, 11, 20, tzinfo=UTC)
SUM = 1_200_000_000
Row = dict[str, Any]


def at(day: int, hour: int = 9) -> datetime:
    """An instant of October 2026, in the afternoon of Tehran; 32 is November 1."""
    return datetime(2026, 10, 1, hour, tzinfo=UTC) + timedelta(days=day - 1)


def settled(when: datetime, amount: int = SUM, kind: str | None = "settlement") -> Row:
    return {"at": when, "amount": -amount, "kind": kind, "description": "to the bank"}


def credit(when: datetime | None, amount: int = SUM, **said: Any) -> Row:
    return {"booked_at": when, "amount": amount, "description": "in", **said}


def rows(
    adjustments: list[Row],
    statement: list[Row],
    as_of: datetime = NOVEMBER,
    period: Period | None = None,
    **other: list[Row],
) -> list[Row]:
    given = {"adjustments": adjustments, "bank_statement": statement, **other}
    with DuckEngine.open(lake_tables(given), SETTINGS, as_of) as engine:
        found = settlements.table(engine, SETTINGS, period or Period())  # type: ignore[arg-type]
    return found.to_pylist()


def told(*given: Any, **named: Any) -> list[tuple[Any, ...]]:
    """Status, rials, when it left the wallet and when it came, as days of October."""

    def day(moment: datetime | None) -> int | None:
        return (moment - at(1, 0)).days + 1 if moment else None

    return [
        (row["status"], row["amount"], day(row["settled_at"]), day(row["booked_at"]))
        for row in rows(*given, **named)
    ]


def test_a_settlement_over_the_weekend_is_its_credit() -> None:
    """1,200,000,000 rials left on the last of the month, and came on the second."""
    (row,) = rows([settled(at(31))], [credit(at(33)), credit(at(40), 5)])
    assert row == {
        "business_date": date(2026, 10, 31),
        "iban": BANK,
        "amount": SUM,
        "status": "matched",
        "kind": "settlement",
        "description": "to the bank",
        "settled_at": at(31),
        "booked_at": at(33),
    }


@pytest.mark.parametrize(
    ("kind", "is_missed"),
    [
        *((each, True) for each in ("تسویه‌حساب", "تسويه حساب", "\u200fتَسویه ")),
        *((each, True) for each in ("Settlements", "تـسویه", "تسویه\u200c")),
        *((each, False) for each in ("تسویه با مشتری", "حساب", "unsettled", "\u200c")),
    ],
)
def test_a_settlement_is_known_by_the_letters_of_its_kind(
    kind: str, is_missed: bool
) -> None:
    statement = [credit(at(1), 5), credit(at(20), 7)]
    found = told([settled(at(5), 1, kind)], statement)
    assert found == ([("missing", 1, 5, None)] if is_missed else [])


@pytest.mark.parametrize(
    ("booked", "status"),
    [
        (at(9) - timedelta(seconds=1), "missing"),
        (at(9), "matched"),
        (at(14), "matched"),
        (at(14) + timedelta(seconds=1), "missing"),
    ],
)
def test_a_credit_comes_from_a_day_before_to_four_after(
    booked: datetime, status: str
) -> None:
    found = told(
        [settled(at(10))], [credit(booked), credit(at(1), 5), credit(at(20), 5)]
    )
    assert [each[0] for each in found] == [status]


@pytest.mark.parametrize("hours", [-1, 0, 1])
@pytest.mark.parametrize("named", [0, 1])
def test_a_credit_is_that_of_a_settlement_before_what_may_have_paid_others(
    hours: int, named: int
) -> None:
    """A withdrawal of the same amount takes only what no settlement needs."""
    other = settled(at(10, 9 + hours), kind="withdrawal")
    texts = ["in", "from Paywell"][:: 1 - 2 * named]
    later = credit(at(16), description=texts[0])
    statement = [credit(at(11), description=texts[1]), credit(at(20), 5)]
    found = rows([other, settled(at(10))], statement)
    assert [(row["kind"], row["status"]) for row in found] == [
        ("settlement", "matched")
    ]
    third = settled(at(13), kind="withdrawal")
    found = rows([other, settled(at(10)), third], [*statement, later])
    assert {(row["kind"], row["settled_at"], row["booked_at"]) for row in found} == {
        ("settlement", at(10), at(11)),
        ("withdrawal", at(13), at(16)),
    }


def test_a_day_alone_may_be_any_time_of_that_day() -> None:
    """Midnight of Tehran is 20:30 of the day before."""
    midnight = at(8, 20) + timedelta(minutes=30)
    statement = [credit(midnight), credit(at(20), 5)]
    assert told([settled(at(10))], statement) == [("matched", SUM, 10, 8)]
    exact = [credit(midnight + timedelta(minutes=1)), credit(at(20), 5)]
    assert told([settled(at(10))], exact) == [("missing", SUM, 10, None)]


def test_what_no_statement_may_show_yet_is_awaited() -> None:
    """The statement ends with the month; what left on its last days is under way."""
    statement = [credit(at(1), 5), credit(at(31), 5)]
    for day, status in (
        (26, "missing"),
        (27, "missing"),
        (28, "awaited"),
        (35, "awaited"),
    ):
        assert told([settled(at(day))], statement) == [(status, SUM, day, None)]
    statement = [credit(at(1), 5), credit(at(15), 5)]
    found = told([settled(at(10))], statement, at(14))
    assert found == [("awaited", SUM, 10, None)]
    found = told([settled(at(10))], statement, at(14) + timedelta(seconds=1))
    assert found == [("missing", SUM, 10, None)]


def test_an_entry_dated_ahead_says_nothing_of_the_days_until_then() -> None:
    statement = [credit(at(1), 5), credit(at(20), 5)]
    for ahead in ((), (at(400),), (NOVEMBER + timedelta(days=1, seconds=1),)):
        entries = statement + [credit(when, 7) for when in ahead]
        found = told([settled(at(15)), settled(at(25))], entries)
        assert found == [("missing", SUM, 15, None), ("awaited", SUM, 25, None)]
    entries = [*statement, credit(NOVEMBER + timedelta(days=1), 7)]
    assert told([settled(at(25))], entries) == [("missing", SUM, 25, None)]


def test_an_account_of_entries_dated_ahead_alone_says_nothing_of_others() -> None:
    """The first one had no statement for 35 days: the other one's are to come."""
    ahead = [credit(at(day), 7, iban="IR02") for day in (400, 410)]
    entries = [credit(at(1), 5), credit(at(14), 5), *ahead]
    assert told([settled(at(25))], entries) == [("awaited", SUM, 25, None)]
    with DuckEngine.open(
        lake_tables({"bank_statement": ahead}), SETTINGS, NOVEMBER
    ) as engine:
        (ends,) = engine.table("int_bank_ends").to_pylist()
    assert set(ends.values()) == {at(400).date()}


@pytest.mark.parametrize(
    ("days", "others", "status"),
    [
        ((1, 40), (1, 20), "awaited"),
        ((1, 40), (1, 29), "missing"),
        ((1, 40), (1, 16), "awaited"),
        ((1, 40), (1, 15), "missing"),
        ((1, 14), (1, 13), "awaited"),
        ((1, 15), (), "awaited"),
    ],
)
def test_an_account_whose_statement_is_behind_may_yet_show_it(
    days: tuple[int, ...], others: tuple[int, ...], status: str
) -> None:
    """It left on the 25th; one with no statement for 35 days has no more to come."""
    statement = [credit(at(day), 5) for day in days]
    statement += [credit(at(day), 5, iban="IR02") for day in others]
    assert told([settled(at(25))], statement) == [(status, SUM, 25, None)]


@pytest.mark.parametrize(
    ("day", "status"),
    [(6, "missing"), (7, "awaited"), (20, "awaited"), (29, "awaited"), (30, "missing")],
)
def test_what_a_statement_between_two_may_show_is_awaited(
    day: int, status: str
) -> None:
    """Of the days from the 11th to the 29th none has a statement."""
    spans = {"a": (1, 4, 7, 10), "b": (30, 34, 38, 40)}
    statement = [
        credit(at(each), 5, pull_id=name)
        for name, days in spans.items()
        for each in days
    ]
    assert told([settled(at(day))], statement) == [(status, SUM, day, None)]
    wallets: list[Row] = [{"at": at(1), "balance": 5, "iban": WALLET}]
    own = [line | {"iban": WALLET} for line in statement]
    bank = [credit(at(1), 5), credit(at(40), 5)]
    found = told([settled(at(day))], [*own, *bank], balances=wallets)
    assert found == [("missing", SUM, day, None)]  # the wallet's own are no bank's


def test_before_the_first_statement_and_without_one_nothing_is_said() -> None:
    statement = [credit(at(10), 5), credit(at(20), 5)]
    assert told([settled(at(9))], statement) == []
    assert told([settled(at(10))], statement) == [("missing", SUM, 10, None)]
    assert told([settled(at(9))], []) == []


def test_only_what_has_to_arrive_is_missed() -> None:
    statement = [credit(at(1), 5), credit(at(20), 7)]
    given = [
        settled(at(5), 1, " Settlement "),
        settled(at(5), 2, "تسويه"),
        settled(at(5), 3, "withdrawal"),
        settled(at(5), 4, "correction"),
        settled(at(5), 6, None),
        settled(at(5), -8),
        settled(at(5), 0),
        settled(at(20), 7, "withdrawal"),
    ]
    assert told(given, statement) == [
        ("missing", 1, 5, None),
        ("missing", 2, 5, None),
        ("matched", 7, 20, 20),
    ]


def test_a_credit_of_the_provider_that_nobody_entered_is_unexplained() -> None:
    statement = [
        credit(at(5), 8, description="PAYWELL settlement"),
        credit(at(6), 9, description="a customer"),
        {"booked_at": at(7), "amount": -8, "description": "paywell"},
    ]
    (row,) = rows([], statement)
    assert (row["status"], row["amount"], row["booked_at"]) == ("unexplained", 8, at(5))
    assert row["business_date"] == date(2026, 10, 5)
    assert told([settled(at(4), 8)], statement) == [("matched", 8, 4, 5)]


def test_two_equal_credits_of_one_instant_are_two() -> None:
    twice = [credit(at(5), 8, description="paywell")] * 2
    assert told([], twice) == [("unexplained", 8, None, 5)] * 2
    (one, other) = told([settled(at(4), 8)], twice)
    assert (one, other) == (("matched", 8, 4, 5), ("unexplained", 8, None, 5))


def test_equal_settlements_have_their_credits_in_turn() -> None:
    days = [10, 11, 12]
    given = [settled(at(day)) for day in days]
    found = told(given, [credit(at(day + 2)) for day in days])
    assert found == [("matched", SUM, day, day + 2) for day in days]


def test_a_credit_serves_once_and_as_many_are_served_as_can_be() -> None:
    given = [settled(at(10)), settled(at(13))]
    other = [credit(at(1), 5), credit(at(30), 5)]
    assert told(given, [credit(at(13)), *other]) == [
        ("matched", SUM, 10, 13),
        ("missing", SUM, 13, None),
    ]
    assert told(given, [credit(at(13)), credit(at(17)), *other]) == [
        ("matched", SUM, 10, 13),
        ("matched", SUM, 13, 17),
    ]


def test_a_statement_of_the_wallet_itself_has_no_credits() -> None:
    snapshot: list[Row] = [{"at": at(1), "balance": 5, "iban": WALLET}]
    statement = [credit(at(10), iban=WALLET), credit(at(1), 5), credit(at(20), 5)]
    found = told([settled(at(10))], statement, balances=snapshot)
    assert found == [("missing", SUM, 10, None)]


def test_nothing_known_matches_nothing() -> None:
    statement = [credit(None), credit(at(1), 5), credit(at(20), 5)]
    bare = [settled(at(10)) | {"amount": None}, settled(at(10)) | {"at": None}]
    assert told(bare, statement) == []
    named = [credit(None, description="paywell")]
    (row,) = rows([], named)
    assert (row["status"], row["business_date"]) == ("unexplained", None)


def test_the_summary_counts_those_that_never_came_and_sums_them() -> None:
    statuses = ("missing", "matched", "awaited", "missing", "unexplained")
    lines = [
        {"status": status, "amount": amount}
        for amount, status in enumerate(statuses, start=1)
    ]
    table = pa.Table.from_pylist(lines, settlements.COLUMNS)
    found = summary(ResultStandIn({"report_settlements": table}))
    msgspec.convert(found, Summary)
    assert found["missing_settlements"] == {"settlements": 2, "amount": 5}
    assert "missing_settlements" not in summary(ResultStandIn())


def test_a_period_is_that_of_the_settlement_else_of_the_credit() -> None:
    month = Period(date(2026, 10, 1), date(2026, 10, 31))
    given = [settled(at(31)), settled(at(31, 21), 6)]
    statement = [
        credit(at(33)),
        credit(at(33), 7, description="paywell"),
        credit(at(1), 5),
    ]
    assert told(given, statement, period=month) == [("matched", SUM, 31, 33)]
    after = Period(date(2026, 11, 1), date(2026, 11, 30))
    assert told(given, statement, period=after) == [
        ("awaited", 6, 31, None),
        ("unexplained", 7, None, 33),
    ]


@examples(max_examples=25)
@given(
    left=st.lists(st.tuples(st.integers(5, 25), st.integers(1, 2)), max_size=7),
    came=st.lists(st.tuples(st.integers(3, 30), st.integers(1, 2)), max_size=7),
)
def test_pairs_fit_and_no_further_pair_is_left(
    left: list[tuple[int, int]], came: list[tuple[int, int]]
) -> None:
    other = [credit(at(1), 9), credit(at(40), 9)]
    found = told(
        [settled(at(day), amount) for day, amount in left],
        [credit(at(day), amount, description="paywell") for day, amount in came]
        + other,
    )
    matched = [each for each in found if each[0] == "matched"]
    missing = [each for each in found if each[0] == "missing"]
    free = [each for each in found if each[0] == "unexplained"]
    assert len(matched) + len(missing) == len(left)
    assert len(matched) + len(free) == len(came)
    assert all(-1 <= booked - gone <= 4 for _, _, gone, booked in matched)
    for _, amount, gone, _ in missing:
        assert not any(amount == each[1] and -1 <= each[3] - gone <= 4 for each in free)
    for amount in (1, 2):
        pairs = sorted((each[2], each[3]) for each in matched if each[1] == amount)
        assert all(one[1] <= other[1] for one, other in pairwise(pairs))
