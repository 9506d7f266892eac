"""The roll-forward against arithmetic done by hand, in rials."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from recon.errors import SettingsError
from recon.settings import CashIn, Unified
from tests import builders
from tests.reconcile.wallet_world import (
    BILLION,
    MINUTE,
    Row,
    at,
    balances,
    deposit,
    explanations,
    figures,
    payment,
    rollforward,
    settings,
    timed_out,
)


def test_every_product_adds_what_is_certain() -> None:
    """10,000,000 + 990,000 + 495,000 + 198,000 + 100,000,000 - 20,000,000."""
    (row,) = rollforward(
        {
            "balances": balances(10_000_000, 91_683_000),
            "payments": [
                payment("p", at(1, 9), 1_000_000, wage_amount=10_000)
                | {"affected_amount": 990_000}
            ],
            "gateway_tokens": [
                builders.gateway_token(real_amount=495_000, verified_at=at(1, 10))
            ],
            "hosted_checkouts": [
                builders.hosted_checkout(
                    amount=200_000, wage=2_000, created_at=at(1, 11)
                )
            ],
            "deposits": [
                deposit("d", at(1, 8), 100_000_000, status="DONE", settled_at=at(1, 12))
            ],
            "adjustments": [builders.adjustment(at=at(1, 13), amount=-20_000_000)],
        }
    )
    assert row == {
        "wallet": builders.WALLET,
        "from_at": at(1),
        "to_at": at(2),
        "opening_rial": 10_000_000,
        "payments_rial": 990_000,
        "gateway_rial": 495_000,
        "hosted_rial": 198_000,
        "deposits_rial": 100_000_000,
        "adjustments_rial": -20_000_000,
        "expected_closing_rial": 91_683_000,
        "closing_rial": 91_683_000,
        "difference_rial": 0,
        "explained_rial": 0,
        "unexplained_rial": 0,
        "detail": "",
        "is_coincidence": False,
    }


def test_a_split_deposit_queued_over_midnight_lands_the_day_after() -> None:
    """1,200,000,000 asked at 23:00: an entry of 1,000,000,000, one of 200,000,000."""
    rows = rollforward(
        {
            "balances": balances(5_000_000, 5_000_000, 1_205_000_000),
            "deposits": [
                deposit("71", at(1, 23), BILLION, track_id="t", requested_amount=None),
                deposit("72", at(1, 23), BILLION // 5, track_id="t"),
            ],
        }
    )
    assert figures(rows) == [(0, 0, 0), (1_200_000_000, 1_200_000_000, 0)]
    assert rows[1]["detail"].startswith(
        "1,200,000,000 = 1,000,000,000 (deposit 71, queued since 2026-10-01T23:00:00Z)"
        " + 200,000,000 (deposit 72, queued since 2026-10-01T23:00:00Z)"
    )


def test_a_time_out_that_took_the_money_is_named_at_its_net_amount() -> None:
    rows = rollforward(
        {
            "balances": balances(0, 4_950_000),
            "payments": [timed_out("slow", at(1, 15), 5_000_000, wage=50_000)],
        }
    )
    assert figures(rows) == [(4_950_000, 4_950_000, 0)]
    assert rows[0]["detail"] == (
        "4,950,000 = 4,950,000 (payment slow, timed out at 2026-10-01T15:00:00Z)."
    )


def test_the_wage_of_a_deposit_leaves_the_wallet_only_where_it_is_said() -> None:
    given = {
        "balances": balances(0, 99_995_000),
        "deposits": [deposit("d", at(1, 8), 100_000_000, wage=5_000, status="DONE")],
    }
    assert figures(rollforward(given, settings(wage_from="wallet"))) == [(0, 0, 0)]
    assert figures(rollforward(given)) == [(-5_000, 0, -5_000)]


def test_an_item_at_a_snapshots_instant_is_in_its_balance() -> None:
    moved = {at(1): 1, at(1) + MINUTE: 20, at(2): 300, at(3): 4_000}
    rows = rollforward(
        {
            "balances": balances(0, 0, 0),
            "adjustments": [
                builders.adjustment(at=when, amount=rials)
                for when, rials in moved.items()
            ],
        }
    )
    assert [row["adjustments_rial"] for row in rows] == [20 + 300, 4_000]


def test_a_queued_deposit_explains_one_interval_only() -> None:
    rows = rollforward(
        {"balances": balances(0, 5, 10), "deposits": [deposit("d", at(1, 9), 5)]}
    )
    assert figures(rows) == [(5, 5, 0), (5, 0, 5)]


@pytest.mark.parametrize(
    ("requested_at", "explained"),
    [(at(2, 0, 4), 5), (at(2, 0, 6), 0), (at(2, 1), 0)],
)
def test_a_deposit_requested_after_an_interval_does_not_explain_it(
    requested_at: datetime, explained: int
) -> None:
    """Within the clock skew it may have been before the snapshot."""
    rows = rollforward(
        {"balances": balances(0, 5), "deposits": [deposit("d", requested_at, 5)]}
    )
    assert figures(rows) == [(5, explained, 5 - explained)]


def test_of_equal_deposits_the_one_that_is_not_stale_is_named_first() -> None:
    given = {
        "balances": balances(0, 0, 0, 5),
        "deposits": [deposit("old", at(1, 1), 5), deposit("new", at(3, 9), 5)],
    }
    assert [row["record_id"] for row in explanations(given)] == ["new", "old"]


def test_of_more_deposits_than_are_searched_the_oldest_are_left_out() -> None:
    """1,600 that were never said to have landed, and yesterday's, which did."""
    old = [
        deposit(f"old{i}", at(1) - (2_000 - i) * timedelta(hours=1), 10**6 * i + i * i)
        for i in range(1, 1_601)
    ]
    landed = deposit("new", at(2, 23), 55_555_551)
    given = {"balances": balances(0, 0, 55_555_551), "deposits": [*old, landed]}
    assert figures(rollforward(given)) == [(0, 0, 0), (55_555_551, 55_555_551, 0)]
    known = {"balances": balances(0, 0, 55_555_552), "deposits": [*old, landed]}
    assert "Only the newest 1,500 of them were" in rollforward(known)[1]["detail"]
    for which, explained in ((old[-1], True), (old[0], False)):
        given["balances"] = balances(0, 0, which["amount"])
        assert bool(rollforward(given)[1]["explained_rial"]) == explained


def test_a_done_payment_without_time_may_explain() -> None:
    timeless = payment("p", None, 70, created_at=at(1, 9), updated_at=at(1, 9, 1))
    rows = rollforward({"balances": balances(0, 70), "payments": [timeless]})
    assert figures(rows) == [(70, 70, 0)]


@pytest.mark.parametrize(
    ("updated_at", "explained"), [(at(1, 9, 1), 0), (at(1, 23, 57), 70)]
)
def test_a_payment_without_time_was_done_before_its_last_update(
    updated_at: datetime, explained: int
) -> None:
    timeless = payment("p", None, 70, created_at=at(1, 9), updated_at=updated_at)
    rows = rollforward({"balances": balances(0, 0, 70), "payments": [timeless]})
    assert figures(rows)[1] == (70, explained, 70 - explained)


@pytest.mark.parametrize(
    ("created_at", "changed", "explained"),
    [
        (at(2, 15), {}, 5),  # of the interval before
        (at(1, 23, 57), {}, 5),  # or of that, by the clock skew
        (at(1, 23, 54), {}, 0),
        (at(1, 23, 54), {"updated_at": None}, 0),
    ],
)
def test_a_time_out_may_take_the_money_in_its_own_interval_or_the_next(
    created_at: datetime, changed: Row, explained: int
) -> None:
    given = [timed_out("slow", created_at, 5) | changed]
    rows = rollforward({"balances": balances(0, 0, 0, 5), "payments": given})
    assert figures(rows)[2] == (5, explained, 5 - explained)


def test_what_counts_but_has_no_time_may_explain() -> None:
    """5, 7 and 11, each of another product, and no two of them are a third."""
    token = builders.gateway_token(sent_at=at(1, 9), real_amount=5, verified_at=None)
    hosted = builders.hosted_checkout(amount=9, wage=2, created_at=None)
    rows = rollforward(
        {
            "balances": balances(0, 5, 5 + 7, 5 + 7 + 11),
            "gateway_tokens": [token],
            "hosted_checkouts": [hosted],
            "deposits": [deposit("d", None, 11, status="DONE")],
        }
    )
    assert figures(rows) == [(5, 5, 0), (7, 7, 0), (11, 11, 0)]


def test_a_zero_time_and_a_far_one_stop_no_run() -> None:
    first, last = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, tzinfo=UTC)
    timeless = payment("p", None, 70, created_at=first, updated_at=first)
    endless = payment("q", None, 30, created_at=first, updated_at=last)
    never = payment("r", None, 5, created_at=last, updated_at=None)
    known = {"balances": balances(0, 100), "payments": [timeless, endless, never]}
    assert figures(rollforward(known)) == [(100, 0, 100)]
    known = {"balances": balances(0, 30), "payments": [timeless, endless, never]}
    assert figures(rollforward(known)) == [(30, 30, 0)]


def test_a_status_that_is_neither_queued_nor_settled_explains_nothing() -> None:
    failed = deposit("d", at(1, 9), 5, status="FAILED")
    rows = rollforward({"balances": balances(0, 5), "deposits": [failed]})
    assert figures(rows) == [(5, 0, 5)]
    assert "exactly the 5 of deposit d, which is not counted" in rows[0]["detail"]


def test_one_deposit_under_two_requests_counts_once() -> None:
    twice = [
        deposit("d", at(1, 9), 5, track_id=track, status="DONE") for track in ("a", "b")
    ]
    rows = rollforward({"balances": balances(0, 5), "deposits": twice})
    assert figures(rows) == [(0, 0, 0)]


def test_equal_sets_count_as_explained_and_all_are_shown() -> None:
    given = {
        "balances": balances(0, 5),
        "deposits": [deposit("a", at(1, 9), 5), deposit("b", at(1, 10), 5)],
    }
    rows = rollforward(given)
    assert figures(rows) == [(5, 5, 0)]
    assert "not unique: 2 sets of as few items fit" in rows[0]["detail"]
    found = explanations(given)
    assert [(row["record_id"], row["solution"]) for row in found] == [
        ("a", 1),
        ("b", 2),
    ]
    assert not any(row["is_unique"] for row in found)


def test_the_fewest_items_win() -> None:
    given = {
        "balances": balances(0, 5),
        "deposits": [
            deposit(name, at(1, 9), amount)
            for name, amount in (("a", 2), ("b", 3), ("c", 5))
        ],
    }
    assert [row["record_id"] for row in explanations(given)] == ["c"]


def test_a_rest_up_to_the_tolerance_is_left_alone() -> None:
    given = {"balances": balances(0, 5), "deposits": [deposit("d", at(1, 9), 5)]}
    (row,) = rollforward(given, settings({"tolerance": 5}))
    assert figures([row]) == [(5, 0, 5)]
    assert row["detail"] == ""


def test_a_done_payment_without_amount_leaves_a_rest_not_a_null() -> None:
    nameless = payment("p", at(1, 9), 70) | {"affected_amount": None}
    rows = rollforward({"balances": balances(0, 70), "payments": [nameless]})
    assert figures(rows) == [(70, 0, 70)]


def test_a_null_amount_never_makes_a_null_figure() -> None:
    nameless = deposit("d", at(1, 9), 5) | {"amount": None, "status": "DONE"}
    timeless = deposit("e", None, 5) | {"amount": None}
    rows = rollforward(
        {
            "balances": balances(0, 5),
            "gateway_tokens": [
                builders.gateway_token(real_amount=None, verified_at=at(1, 9))
            ],
            "hosted_checkouts": [
                builders.hosted_checkout(amount=None, created_at=at(1, 9))
            ],
            "deposits": [nameless, timeless],
            "adjustments": [builders.adjustment(at=at(1, 9), amount=None)],
        }
    )
    assert figures(rows) == [(5, 0, 5)]
    assert None not in rows[0].values()


@pytest.mark.parametrize("name", ["balance", "at", "iban"])
def test_a_snapshot_without_one_of_its_values_is_no_end_of_an_interval(
    name: str,
) -> None:
    snapshots = balances(0, 0, 5)
    snapshots[1][name] = None
    rows = rollforward(
        {
            "balances": snapshots,
            "adjustments": [builders.adjustment(at=at(1, 9), amount=5)],
        }
    )
    assert [(row["from_at"], row["to_at"]) for row in rows] == [(at(1), at(3))]
    assert figures(rows) == [(0, 0, 0)]


def test_of_snapshots_in_one_second_the_last_stands() -> None:
    """Breaks and entries name the second: two of one name would be one."""
    snapshots = balances(0, 5, 9)
    snapshots[2]["at"] = at(2) + timedelta(milliseconds=1)
    assert figures(rollforward({"balances": snapshots})) == [(9, 0, 9)]


def test_of_snapshots_of_one_instant_the_one_that_came_last_stands() -> None:
    """An IBAN that another file writes in small letters is the same wallet's."""
    laters = [{"pull_id": "b"}, {"page_no": 2}, {"position": 2}]  # of a day each
    first = {"pull_id": "a", "page_no": 1, "position": 1}
    opening, *closings = (row | first for row in balances(0, 7, 7, 7))
    small = {"iban": f" {builders.WALLET.lower()}"}
    corrected = [
        closing | later | small | {"balance": 9}
        for closing, later in zip(closings, laters, strict=True)
    ]
    for rows in ([*closings, *corrected], [*corrected, *closings]):
        found = rollforward({"balances": [opening, *rows]})
        assert [row["closing_rial"] for row in found] == [9, 9, 9]


def test_balances_of_several_ibans_need_a_setting() -> None:
    other = builders.balance(iban="IR1", at=at(1))
    given = {"balances": [*balances(0, 5), other]}
    with pytest.raises(SettingsError, match="wallet_iban is not set"):
        rollforward(given)
    (row,) = rollforward(given, settings(wallet_iban=builders.WALLET))
    assert row["wallet"] == builders.WALLET


def test_balances_of_the_bank_account_are_not_the_wallets() -> None:
    imported = [row | {"origin": "import"} for row in balances(0, 5)]
    of_bank = builders.balance(iban=builders.WALLET, at=at(1, 12), balance=999)
    rows = rollforward(
        {"balances": [*imported, of_bank]}, settings(balance_of="bank_account")
    )
    assert figures(rows) == [(5, 0, 5)]


def test_without_two_snapshots_there_is_no_interval() -> None:
    assert rollforward({"balances": balances(5)}) == []
    assert rollforward({}) == []


def test_a_time_out_moves_its_whole_amount_where_the_customer_bears_the_fee() -> None:
    """5,000,000 reach the wallet, and the customer paid 50,000 beside them."""
    chosen = replace(settings(), unified=Unified(fee_bearer="customer"))
    given = {
        "balances": balances(0, 5_000_000),
        "payments": [timed_out("slow", at(1, 15), 5_000_000, wage=50_000)],
    }
    assert figures(rollforward(given, chosen)) == [(5_000_000, 5_000_000, 0)]
    assert figures(rollforward(given)) == [(5_000_000, 0, 5_000_000)]


def test_the_customers_fee_is_no_part_of_a_timeless_payments_effect() -> None:
    timeless = payment("p", None, 70, created_at=at(1, 9), wage_amount=7)
    timeless["affected_amount"] = None
    chosen = replace(settings(), unified=Unified(fee_bearer="customer"))
    given = {"balances": balances(0, 70), "payments": [timeless]}
    assert figures(rollforward(given, chosen)) == [(70, 70, 0)]
    assert figures(rollforward(given)) == [(70, 0, 70)]


def test_the_section_of_the_wallet_may_be_absent() -> None:
    chosen = replace(settings(), cash_in=None)
    assert CashIn().wallet_iban == ""
    assert figures(rollforward({"balances": balances(0, 5)}, chosen)) == [(5, 0, 5)]
