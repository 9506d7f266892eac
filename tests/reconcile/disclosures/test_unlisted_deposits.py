"""Deposits whose status the settings do not list are told; none of them is a break."""

from datetime import datetime
from typing import Any

import pytest

from recon.reconcile.disclosures.unlisted import (
    IN_AN_INTERVAL,
    Unlisted,
    unlisted,
    unlisted_between,
    unlisted_words,
)
from recon.settings import Settings
from tests.reconcile.wallet_world import BILLION, MINUTE, at, deposit, opened, settings

NONE_LISTED = settings(settled_statuses=())


def found(*deposits: dict[str, Any], chosen: Settings = NONE_LISTED) -> Unlisted:
    with opened({"deposits": deposits}, chosen) as engine:
        return unlisted(engine.query)


def one(status: str | None, amount: int | None = 7, **changed: Any) -> dict[str, Any]:
    given = deposit(str(status), at(2), amount or 0, status=status)
    return given | {"amount": amount} | changed


def test_deposits_are_counted_and_summed_by_status_the_largest_first() -> None:
    rows = (
        deposit("a", at(2), 10, status="FAILED"),
        deposit("b", at(2), 400, status="SETTLED"),
        deposit("c", at(3), 5, status="SETTLED"),
    )
    assert list(found(*rows).items()) == [
        ("SETTLED", {"deposits": 2, "amount": 405}),
        ("FAILED", {"deposits": 1, "amount": 10}),
    ]


@pytest.mark.parametrize("status", ["DONE", "INIT", "", " ", None, " DONE"])
def test_what_is_listed_queued_or_cannot_be_listed_is_not_told(
    status: str | None,
) -> None:
    assert found(one(status), chosen=settings()) == {}


def test_without_deposits_nothing_is_told() -> None:
    assert found() == {}
    assert found(one("INIT")) == {}


def test_a_status_that_is_listed_no_more_is_told() -> None:
    assert found(one("DONE")) == {"DONE": {"deposits": 1, "amount": 7}}
    assert found(one("done"), chosen=settings()).keys() == {"done"}


def test_a_request_without_an_answer_is_no_deposit() -> None:
    assert found(one("SETTLED", gateway_transaction_id="", outcome="unknown")) == {}


def test_one_transaction_under_two_requests_is_one_deposit() -> None:
    twice = [one("SETTLED", track_id=name) for name in ("t1", "t2")]
    assert found(*twice) == {"SETTLED": {"deposits": 1, "amount": 7}}


def test_an_amount_that_nobody_knows_is_none_and_no_nought() -> None:
    assert found(one("SETTLED", None)) == {"SETTLED": {"deposits": 1, "amount": None}}


def test_amounts_beyond_64_bits_are_summed() -> None:
    rows = [
        deposit(str(number), at(2), 9 * BILLION * BILLION // 10, status="S")
        for number in range(20)
    ]
    assert found(*rows)["S"]["amount"] == 18 * BILLION * BILLION


SNAPSHOTS = (at(3), at(4))


@pytest.mark.parametrize(
    ("times", "is_told"),
    [
        ({"settled_at": at(3, 12)}, True),
        ({"settled_at": at(2, 12)}, False),
        ({"settled_at": at(4, 12)}, False),
        ({"settled_at": at(3) - MINUTE}, True),  # by clocks that differ
        ({"settled_at": at(4) + MINUTE}, True),
        ({"requested_at": at(2), "seen_at": at(5)}, True),  # landed some time between
        ({"requested_at": at(2), "seen_at": at(2, 12)}, False),  # it had landed before
        ({"requested_at": at(4, 12), "seen_at": at(5)}, False),
        ({"requested_at": None, "seen_at": at(5)}, True),  # nobody knows since when
    ],
)
def test_an_interval_is_told_of_what_may_have_landed_in_it(
    times: dict[str, datetime | None], is_told: bool
) -> None:
    row = deposit("a", at(1), 7, status="SETTLED") | times
    with opened({"deposits": [row]}, NONE_LISTED) as engine:
        skew = NONE_LISTED.checks.clock_skew
        told = unlisted_between(engine.query, *SNAPSHOTS, skew)
    assert bool(told) is is_told


def test_a_snapshot_at_an_end_of_the_calendar_stops_nothing() -> None:
    ends = [datetime.min.replace(tzinfo=at(1).tzinfo), at(4)]
    with opened({"deposits": [one("SETTLED")]}, NONE_LISTED) as engine:
        skew = NONE_LISTED.checks.clock_skew
        assert unlisted_between(engine.query, *ends, skew)


@pytest.mark.parametrize(
    ("given", "listed"),
    [
        ({"S": {"deposits": 1, "amount": 5_000}}, "1 deposit of 5,000 rials (S)."),
        (
            {"S": {"deposits": 2, "amount": 9}, "F": {"deposits": 1, "amount": None}},
            "2 deposits that come to 9 rials (S), 1 deposit of an unknown amount (F).",
        ),
    ],
)
def test_one_sentence_names_the_setting_and_each_status(
    given: Unlisted, listed: str
) -> None:
    setting = "since cash_in.settled_statuses does not list their status: "
    assert unlisted_words(given) == f"Count as not landed, {setting}{listed}"
    assert unlisted_words(given, IN_AN_INTERVAL).endswith(setting + listed)


def test_very_many_or_very_long_statuses_stay_one_short_line() -> None:
    many: Unlisted = {f"S{n}": {"deposits": 1, "amount": 9} for n in range(8)}
    assert unlisted_words(many).endswith("(S4), and 3 more.")
    long: Unlisted = {"x\n" * 500: {"deposits": 1, "amount": 9}}
    assert len(unlisted_words(long)) < 200
    assert "\n" not in unlisted_words(long)
