"""Escrow money of which no check speaks: held, short, unsized, unheard of, shared."""

import json
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from recon.reconcile.disclosures.unjudged import unjudged
from recon.reconcile.engines import DuckEngine
from recon.settings import Checks
from tests.builders import AT, lake_tables
from tests.reconcile.disclosures.test_unjudged import (
    LATER,
    PAID,
    SETTINGS,
    SUM,
    asked,
    shown,
    silent,
    told,
)

Row = dict[str, Any]
DAY = "2026-10-10"
TRADE = {"amount": SUM}
PAYMENT = PAID | TRADE
OUT, BACK = {"type": "seller_checked_out"}, {"type": "payment_refunded_to_buyer"}
DAYS, MONTHS = timedelta(days=2), timedelta(days=90)
LONG_HELD = AT + MONTHS + timedelta(seconds=1)
HELD = [("held", "agreements", DAY, 1, SUM)]


@pytest.mark.parametrize("state", ["contract", None])
def test_money_that_is_held_for_months(state: str | None) -> None:
    given = {"agreements": [TRADE | {"state": state}], "events": [PAYMENT]}
    assert silent(as_of=LONG_HELD, **given) == HELD
    assert not told(as_of=AT + MONTHS, **given)


@pytest.mark.parametrize("state", ["draft", "investigation", "finalize", "cancelled"])
def test_money_in_a_state_that_a_check_speaks_of(state: str) -> None:
    given = {"agreements": [TRADE | {"state": state}], "events": [PAYMENT]}
    found, fired = asked(as_of=LONG_HELD, **given)
    assert not found
    assert fired


def test_what_an_event_ended_is_not_held() -> None:
    for ended in ("agreement_finalized", "agreement_cancelled"):
        events = [PAYMENT, {"type": ended}]
        assert not told(as_of=LONG_HELD, agreements=[TRADE], events=events)


@pytest.mark.parametrize(
    ("out", "rest"), [([OUT | {"amount": 1}], SUM - 1), ([BACK | TRADE], 0)]
)
def test_only_what_is_left_is_held(out: list[Row], rest: int) -> None:
    given = {"agreements": [TRADE], "events": [PAYMENT, *out]}
    expected = [("held", "agreements", DAY, 1, rest)] if rest else []
    assert silent(as_of=LONG_HELD, **given) == expected


def test_the_oldest_date_is_told_of_all_that_is_held() -> None:
    second = {"tracking_code": "agreement-2", "created": AT - timedelta(days=3)}
    events = [PAYMENT, PAYMENT | second]
    found = told(as_of=LONG_HELD, agreements=[TRADE, TRADE], events=events)
    assert found == [("held", "agreements", "2026-10-07", 2, 2 * SUM)]


def test_a_payment_of_unknown_size_counts_as_the_agreement_s() -> None:
    given = {"agreements": [TRADE], "events": [PAID]}
    assert told(as_of=LONG_HELD, **given) == HELD
    unknown = {"agreements": [{"amount": None}], "events": [PAID]}
    assert not told(as_of=LONG_HELD, **unknown)  # escrow_amount_mismatch speaks of it


def test_a_payment_that_dates_itself_in_the_future_was_held_since_it_came() -> None:
    came = {"created": AT + timedelta(days=900), "seen_at": AT}
    given = {"agreements": [TRADE], "events": [PAYMENT | came]}
    assert told(as_of=LONG_HELD, **given) == HELD


@pytest.mark.parametrize(
    ("state", "event"),
    [
        ("finalize", OUT),
        ("cancelled", BACK),
        ("contract", BACK),
        ("closed", BACK),
        (None, OUT),
    ],
)
def test_what_went_out_without_an_amount(state: str | None, event: Row) -> None:
    """No check can say that too much went out, or too little."""
    given = {"agreements": [TRADE | {"state": state}], "events": [PAYMENT, event]}
    assert silent(**given) == [("unsized", "trades", DAY, 1, SUM)]
    assert told(as_of=LONG_HELD, **given) == [("unsized", "trades", DAY, 1, SUM)]


def test_what_went_out_of_a_trade_of_unknown_size() -> None:
    given = {"agreements": [{"amount": None}], "events": [OUT, BACK]}
    assert told(**given) == [("unsized", "trades", DAY, 1, 0)]


@pytest.mark.parametrize(
    ("state", "event"), [("finalize", OUT | TRADE), ("draft", OUT), ("contract", {})]
)
def test_what_went_out_with_an_amount_or_by_no_evidence(state: str, event: Row) -> None:
    given = {"agreements": [TRADE | {"state": state}], "events": [PAYMENT, event]}
    assert not told(**given)


PART = OUT | {"amount": SUM - 7}
DONE = {"agreements": [TRADE | {"state": "finalize"}]}


def test_a_finalized_trade_of_which_less_went_out_than_came_in() -> None:
    """It is the provider's commission, or the seller is owed the rest."""
    given = DONE | {"events": [PAYMENT, PART]}
    assert silent(**given) == [("short", "agreements", DAY, 1, 7)]
    both = [PAYMENT, PART, BACK | {"amount": 4}]
    assert silent(**DONE, events=both) == [("short", "agreements", DAY, 1, 3)]


def test_a_short_payout_of_a_trade_whose_payment_is_only_implied() -> None:
    finalized = {"type": "agreement_finalized"}
    found = told(**DONE, events=[finalized, PART])
    assert found == [("short", "agreements", DAY, 1, 7)]


def test_all_that_is_short_is_told_from_its_first_payout_on() -> None:
    second = {"tracking_code": "agreement-2", "created": AT - timedelta(days=2)}
    rows = [TRADE | {"state": "finalize", "created_at": AT - timedelta(days=3)}] * 2
    events = [PAYMENT, PART, PAYMENT | second, PART | second]
    found = told(agreements=rows, events=events)
    assert found == [("short", "agreements", "2026-10-08", 2, 14)]


@pytest.mark.parametrize(
    "events",
    [
        [PAYMENT, PART, OUT | {"amount": 7}],  # paid out in two
        [PAYMENT, PART, BACK | {"amount": 7}],
        [PAYMENT, OUT | TRADE],
    ],
)
def test_a_finalized_trade_of_which_nothing_is_left(events: list[Row]) -> None:
    assert not told(**DONE, events=events)


def test_a_payout_of_less_than_the_tolerance_less_is_whole() -> None:
    tables = lake_tables(DONE | {"events": [PAYMENT, PART]})
    for tolerance, is_told in ((6, True), (7, False)):
        settings = replace(SETTINGS, checks=Checks(tolerance=tolerance))
        with DuckEngine.open(tables, settings, LATER) as engine:
            assert bool(unjudged(engine.query)) == is_told


def test_the_rest_of_a_payout_may_come_within_the_days_of_payouts() -> None:
    for waited, is_told in ((timedelta(hours=72), False), (timedelta(hours=73), True)):
        found = told(as_of=AT + waited, **DONE, events=[PAYMENT, PART])
        assert bool(found) == is_told


@pytest.mark.parametrize("state", ["contract", "cancelled", "investigation", None])
def test_a_payout_in_part_of_a_trade_that_is_not_finalized(state: str | None) -> None:
    rows = [TRADE | {"state": state}]
    assert not told(agreements=rows, events=[PAYMENT, PART])


FIRST = {"tracking_code": "agreement-2"}
BEFORE = TRADE | {"created_at": AT - timedelta(days=50)}


def ended(state: str | None, **changed: Any) -> list[Row]:
    """A trade of before the first event, and the one that it is of."""
    return [BEFORE | {"state": state} | changed, {}]


@pytest.mark.parametrize("state", ["finalize", "cancelled", "canceled"])
def test_a_trade_that_ended_before_the_first_event(state: str) -> None:
    found = silent(agreements=ended(state), events=[FIRST])
    assert found == [("unheard", "trades", state, 1, SUM)]


@pytest.mark.parametrize("state", ["finalize", "cancelled"])
def test_a_trade_without_a_time_may_be_of_before_the_first_event(state: str) -> None:
    rows = ended(state, created_at=None, seen_at=AT)
    assert told(agreements=rows, events=[FIRST]) == [
        ("unheard", "trades", state, 1, SUM)
    ]


def test_an_end_that_only_an_event_tells_of() -> None:
    """The state is none that the contract shows, and the payment was never told."""
    events = [FIRST, {"type": "agreement_finalized", "created": AT + DAYS}]
    for state in ("closed", None):
        for rows in (ended(state), ended(state, created_at=AT + timedelta(seconds=1))):
            tables = lake_tables({"agreements": rows, "events": events})
            with DuckEngine.open(tables, SETTINGS, LATER) as engine:
                (found,) = unjudged(engine.query, "business_date = '2026-10-12'")
            assert shown(found) == ("unheard", "trades", state or "", 1, SUM)


def test_a_trade_of_the_first_event_s_own_second_may_be_of_before_it() -> None:
    for state in ("finalize", "cancelled"):
        found = told(agreements=ended(state, created_at=AT), events=[FIRST])
        assert found == [("unheard", "trades", state, 1, SUM)]


@pytest.mark.parametrize(
    ("rows", "events"),
    [
        (ended("contract"), [FIRST]),
        (ended(None), [FIRST]),
        (ended("finalize"), []),  # it is told that there are no events at all
        (ended("finalize"), [FIRST, OUT | TRADE]),
        (ended("cancelled"), [FIRST, BACK | TRADE]),
        (ended("cancelled", created_at=AT + timedelta(seconds=1)), [FIRST]),
    ],
)
def test_a_trade_that_owes_nothing_or_goes_on(
    rows: list[Row], events: list[Row]
) -> None:
    assert not told(agreements=rows, events=events)


@pytest.mark.parametrize(
    ("rows", "events"),
    [
        (ended("finalize"), [FIRST, PAYMENT]),
        (ended("cancelled"), [FIRST, PAYMENT]),
        (ended("finalize"), [FIRST, {"type": "agreement_finalized"}]),
        (ended("finalize", created_at=AT + timedelta(seconds=1)), [FIRST]),
    ],
)
def test_a_trade_that_a_check_speaks_of(rows: list[Row], events: list[Row]) -> None:
    found, fired = asked(agreements=rows, events=events)
    assert not found
    assert fired & {
        "escrow_payout_missing",
        "escrow_refund_missing",
        "escrow_event_missing",
    }


@pytest.mark.parametrize("state", ["finalize", "cancelled"])
@pytest.mark.parametrize(("hours", "is_told"), [(36, False), (37, True)])
def test_what_ended_last_night_may_be_told_of_tonight(
    state: str, hours: int, is_told: bool
) -> None:
    """It was read as a contract, and then as ended."""
    seen = LATER - timedelta(hours=hours)
    rows = [
        BEFORE | {"seen_at": AT, "pull_id": "20261010T090000.000000Z-00000001"},
        BEFORE
        | {"tracking_code": "agreement-1", "trace_id": "trace-1"}
        | {"state": state, "seen_at": seen},
    ]
    found = told(agreements=rows, events=[FIRST])
    assert found == ([("unheard", "trades", state, 1, SUM)] if is_told else [])


def test_sums_of_forged_amounts_stop_no_night() -> None:
    forged: list[Row] = [
        PAID | {"amount": 10**18 - 1, "tracking_code": f"agreement-{n % 3 + 1}"}
        for n in range(15)
    ]
    as_of = LONG_HELD + timedelta(hours=1)
    (found,) = told(as_of=as_of, agreements=[TRADE] * 3, events=forged)
    assert found == ("held", "agreements", DAY, 3, 4 * 10**18)


def test_a_young_shop_tells_nothing() -> None:
    """Paid, finalized and paid out within days; one is still held, one was left."""
    finalized = {"type": "agreement_finalized"}
    second = {"tracking_code": "agreement-2"}
    rows = [TRADE | {"state": "finalize"}, TRADE, {"state": "cancelled"}]
    events: list[Row] = [
        {"type": "agreement_created", "created": AT - timedelta(hours=1)},
        PAYMENT,
        finalized,
        OUT | TRADE,
        PAYMENT | second,
    ]
    as_of: datetime = AT + timedelta(days=9)
    assert not told(as_of=as_of, agreements=rows, events=events)


def out(kind: Row, rials: int) -> list[Row]:
    """The first event of all, and one of what went out of the trade."""
    return [FIRST, kind | {"amount": rials}]


@pytest.mark.parametrize("kind", [OUT, BACK])
@pytest.mark.parametrize("state", ["finalize", "cancelled"])
def test_a_part_that_went_out_proves_the_payment_that_no_event_told(
    state: str, kind: Row
) -> None:
    """Nobody knows whether the other 900 million are owed to anybody."""
    rest = 900_000_000
    found = silent(agreements=ended(state), events=out(kind, SUM - rest))
    assert found == [("unheard", "trades", state, 1, rest)]


def test_a_refund_in_part_of_a_trade_that_began_after_the_first_event() -> None:
    """A cancelled one was not paid, but that something went back."""
    rows = ended("cancelled", created_at=AT + timedelta(seconds=1))
    found = silent(agreements=rows, events=out(BACK, 1))
    assert found == [("unheard", "trades", "cancelled", 1, SUM - 1)]


def test_the_rest_of_a_part_may_come_within_the_days_of_payouts() -> None:
    given = {"agreements": ended("finalize"), "events": out(OUT, 1)}
    came = AT + timedelta(minutes=1)
    assert not told(as_of=came + timedelta(hours=72), **given)
    assert told(as_of=came + timedelta(hours=72, seconds=1), **given)


@pytest.mark.parametrize(
    ("state", "why", "days"), [("contract", "held", 90), ("closed", "status", 35)]
)
def test_a_part_that_went_out_of_a_trade_that_goes_on(
    state: str, why: str, days: int
) -> None:
    given = {"agreements": ended(state), "events": out(BACK, 1)}
    late = AT + timedelta(days=days, minutes=1, seconds=1)
    (found,) = silent(as_of=late, **given)
    assert (found[0], found[1], found[4]) == (why, "agreements", SUM - 1)
    assert not told(as_of=late - timedelta(seconds=1), **given)


def paid_by(receipt: str | None, number: int, **more: Any) -> Row:
    """Return a payment of an agreement, by a receipt."""
    data = json.dumps({"transaction_ref_id": receipt, "n": number})
    return PAYMENT | {"tracking_code": f"agreement-{number}", "data": data} | more


def test_one_receipt_on_the_payments_of_two_agreements_is_told() -> None:
    """One of them may not be paid at all; of one agreement it is one payment."""
    later = {"created": AT + timedelta(hours=1)}
    given = {"agreements": [TRADE, TRADE, TRADE]}
    twice = [paid_by("R", 1), paid_by(" R ", 2), paid_by("S", 3)]
    again = paid_by("R", 2, amount=SUM + 5, data='{"transaction_ref_id":"R"}', **later)
    for events in (twice, [*twice, again]):
        found = told(**given, events=events)
        assert found == [("shared", "payments", DAY, 2, 2 * SUM)]
    assert silent(**given, events=twice) == [("shared", "payments", DAY, 2, 2 * SUM)]


@pytest.mark.parametrize("receipt", [None, "", "  "])
def test_payments_that_name_no_receipt_share_none(receipt: str | None) -> None:
    events = [paid_by(receipt, 1), paid_by(receipt, 2)]
    assert not told(agreements=[TRADE, TRADE], events=events)


@pytest.mark.parametrize("state", ["draft", None])
def test_what_is_no_evidence_shares_no_receipt(state: str | None) -> None:
    """Of a draft, or of an agreement that nobody knows, it is told as such."""
    other = [TRADE | {"state": state}] if state else []
    events = [paid_by("R", 1), paid_by("R", 2)]
    assert not told(agreements=[TRADE, *other], events=events)


def test_a_shared_receipt_of_unknown_amounts_is_told_of_the_agreements() -> None:
    events = [paid_by("R", n, amount=None) for n in (1, 2)]
    found = told(agreements=[TRADE, TRADE | {"amount": None}], events=events)
    assert found == [("shared", "payments", DAY, 2, SUM)]
