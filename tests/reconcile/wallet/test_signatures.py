"""Arithmetic signatures: hints in words, never counted as an explanation."""

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Any

import pytest

from recon.settings import Unified
from tests import builders
from tests.reconcile.wallet_world import (
    Row,
    at,
    balances,
    deposit,
    figures,
    payment,
    rollforward,
    settings,
    timed_out,
)

WEEK = timedelta(days=7)


def told(rows: dict[str, list[Row]], difference: int) -> str:
    """The words on the first interval, whose whole difference is unexplained."""
    row = rollforward(rows)[0]
    assert figures([row]) == [(difference, 0, difference)]
    return str(row["detail"])


def wallet(closing: int, *payments: Row, **rows: list[Row]) -> dict[str, list[Row]]:
    return {"balances": balances(0, closing), "payments": list(payments), **rows}


def test_a_record_that_moved_otherwise_is_named() -> None:
    """Each on a day of its own, and none of the amounts of another day."""
    cases = [
        (700, 7_000, "moved ten times the 700 of payment p1"),
        (1_300, 130, "moved a tenth of the 1,300 of payment p2"),
        (1_700, -1_700, "moved the 1,700 of payment p3 with the opposite sign"),
        (1_900, 0, "of payment p4 is counted, and the wallet does not show it"),
        (2_300, 4_600, "shows the 2,300 of payment p5 twice"),
    ]
    days = range(1, len(cases) + 1)
    paid = [
        payment(f"p{day}", at(day, 9), amount)
        for day, (amount, *_) in zip(days, cases, strict=True)
    ]
    shown = accumulate((moved for _, moved, _ in cases), initial=0)
    rows = rollforward({"balances": balances(*shown), "payments": paid})
    for row, (amount, moved, words) in zip(rows, cases, strict=True):
        assert figures([row]) == [(moved - amount, 0, moved - amount)]
        assert "A hint only: the " in row["detail"]
        assert f"{words}." in row["detail"]


def test_a_wage_is_named() -> None:
    charged = payment("p", at(1, 9), 700, wage_amount=13)
    assert "exactly the wage of payment p, 13" in told(wallet(713, charged), 13)
    assert "exactly the wage of payment p, 13" in told(wallet(687, charged), -13)


def test_all_wages_of_a_product_hint_at_the_other_fee_bearer() -> None:
    charged = [payment(n, at(1, 9), 700, wage_amount=13) for n in ("p", "q")]
    found = told(wallet(1_426, *charged), 26)
    assert (
        "exactly all wages of unified in the interval, 26: unified.fee_bearer may be "
        "the other one" in found
    )


def test_all_wages_of_deposits_hint_at_the_side_that_they_are_taken_from() -> None:
    """Two of 700 with wages of 13 from the bank: 1,374 came to the wallet."""
    sent = [
        deposit(name, at(1, 9), 700, status="DONE", settled_at=at(1, 9), wage=13)
        for name in ("d", "e")
    ]
    found = told(wallet(1_374, deposits=sent), -26)
    assert (
        "exactly all wages of cash_in in the interval, 26: cash_in.wage_from" in found
    )
    assert "fee_bearer" not in found


def test_a_missing_part_of_a_split_is_named() -> None:
    """1,200,000,000 asked, one settled entry of 1,000,000,000."""
    entry = deposit("d", at(1, 8), 10**9, status="DONE", requested_amount=1_200_000_000)
    found = told(wallet(1_200_000_000, deposits=[entry]), 200_000_000)
    assert (
        "exactly the missing part of the deposit request track-d: "
        "1,200,000,000 asked - 1,000,000,000 in its entries = 200,000,000" in found
    )


def test_entries_without_their_request_are_of_none() -> None:
    entry = deposit("d", at(1, 8), 10**9, status="DONE", requested_amount=1_200_000_000)
    loose = wallet(1_200_000_000, deposits=[entry | {"track_id": None}])
    assert "deposit request" not in told(loose, 200_000_000)


def test_a_record_that_is_not_counted_is_named() -> None:
    """Each on a day of its own, and none of the amounts of another day."""
    declined = payment("p", None, 55, status="failed", created_at=at(1, 9))
    unverified = builders.gateway_token(
        sent_at=at(2, 9), amount=57, real_amount=None, verified_at=None
    )
    failed = builders.hosted_checkout(
        created_at=at(3, 9), amount=66, wage=5, status="FAILED"
    )
    unknown = deposit("d", at(4, 9), 67, outcome="unknown")
    given = {
        "balances": balances(*accumulate((55, 57, 61, 67), initial=0)),
        "payments": [declined],
        "gateway_tokens": [unverified],
        "hosted_checkouts": [failed],
        "deposits": [unknown],
    }
    rows = rollforward(given)
    assert figures(rows) == [(n, 0, n) for n in (55, 57, 61, 67)]
    records = (
        "55 of payment p",
        "57 of gateway token token-1",
        "61 of hosted checkout hosted-1",
        "67 of deposit d",
    )
    for row, record in zip(rows, records, strict=True):
        assert f"it is exactly the {record}, which is not counted" in row["detail"]


def test_a_payment_that_the_customer_paid_the_wage_of_is_named_whole() -> None:
    declined = payment(
        "p", None, 55, status="failed", created_at=at(1, 9), wage_amount=5
    )
    given = {"balances": balances(0, 55), "payments": [declined]}
    customers = replace(settings(), unified=Unified(fee_bearer="customer"))
    (row,) = rollforward(given, customers)
    assert "it is exactly the 55 of payment p, which is not counted" in row["detail"]


def test_several_records_that_fit_are_counted() -> None:
    many = [payment(f"p{n}", at(1, 9, n), 700) for n in range(5)]
    found = told(wallet(2_800, *many), -700)
    assert "of payment p0 or payment p1 or payment p2 or 2 more is counted" in found


def test_a_record_of_another_interval_is_no_hint() -> None:
    found = told(wallet(700, payment("p", at(2, 9), 700)), 700)
    assert found == "700 is unexplained."


def misdated(counted: datetime, *shown: int) -> list[str]:
    """What is told of the intervals of a settlement of 900 that is dated so."""
    adjustment = builders.adjustment(at=counted, amount=-900)
    given = {"balances": balances(*shown), "adjustments": [adjustment]}
    return [str(row["detail"]) for row in rollforward(given)]


@pytest.mark.parametrize("shown", [(900, 900, 900, 0), (900, 0, 0, 0)])
def test_what_is_counted_in_another_interval_is_named(shown: tuple[int, ...]) -> None:
    """It is dated on the 2nd and left on the 3rd, or on the 1st."""
    told_of = misdated(at(2, 9), *shown)
    left = shown.index(0) - 1
    assert "the -900 of adjustment" in told_of[1]
    assert "which is counted at 2026-10-02T09:00:00Z" in told_of[left]
    assert told_of[left].endswith("is its time right.")
    assert told_of[1].count("is its time right") == 0


@pytest.mark.parametrize(
    ("counted", "shown"),
    [
        (at(2, 9), (900, 900, 900, 1)),  # another amount left
        (at(2, 9), (900, 900, 900, 900)),  # it never left
        (at(2, 9), (900, 0, 0, 0)[::-1]),  # as much came as was counted to leave
        (at(2, 9), (900, 900, *[900] * 32, 0)),  # more than a month later
    ],
)
def test_what_another_interval_does_not_lack_is_no_hint(
    counted: datetime, shown: tuple[int, ...]
) -> None:
    days = [
        builders.balance(n, at=at(1) + timedelta(days=n), balance=figure)
        for n, figure in enumerate(shown)
    ]
    adjustment = builders.adjustment(at=counted, amount=-900)
    rows = rollforward({"balances": days, "adjustments": [adjustment]})
    assert not any("is its time right" in str(row["detail"]) for row in rows)


@pytest.mark.parametrize(
    ("pulls", "told_of"),
    [
        ([(1, True), (3, False)], [False, True]),
        ([(1, True), (2, False), (3, True)], [False, False]),  # the newest is whole
        ([(1, True)], [False, False]),
        ([(4, True), (5, False)], [False, False]),  # it was read after both
        ([(1, False)], [True, True]),
        ([], [False, False]),
    ],
)
def test_what_could_not_be_read_is_named(
    pulls: list[tuple[int, bool]], told_of: list[bool]
) -> None:
    commits = [
        builders.commit(n, source="checkouts", complete=complete, started_at=at(day, 6))
        for n, (day, complete) in enumerate(pulls, start=1)
    ]
    shown = [builders.balance(n, at=at(n), balance=n * n) for n in (1, 2, 3)]
    shown[1]["at"] = at(1, 5)
    found = rollforward({"balances": shown, "commits": commits})
    words = "checkouts could not be read whole since"
    assert [words in str(row["detail"]) for row in found] == told_of


SETTLED_OVERNIGHT = deposit(
    "d", at(1, 20), 1_199_990_000, status="DONE", seen_at=at(3, 20)
)


def test_a_move_that_leaves_little_of_two_rests_is_named() -> None:
    """It landed on the 2nd; beside it 16,114,000 and 15,004,000 came from nowhere."""
    shown = balances(0, 16_114_000, 16_114_000 + 15_004_000 + 1_199_990_000)
    first, second = rollforward({"balances": shown, "deposits": [SETTLED_OVERNIGHT]})
    assert figures([first, second]) == [
        (-1_183_876_000, 0, -1_183_876_000),
        (1_214_994_000, 0, 1_214_994_000),
    ]
    hint = (
        "if the 1,199,990,000 of deposit d, which is counted in the interval until "
        "2026-10-02T00:00:00Z, moved the wallet in that until 2026-10-03T00:00:00Z, "
    )
    assert f"{hint}15,004,000 is left there and 16,114,000 here." in first["detail"]
    assert f"{hint}16,114,000 is left there and 15,004,000 here." in second["detail"]


@pytest.mark.parametrize(
    ("shown", "changed"),
    [
        ((0, 300_000_000, 1_600_000_000), {}),  # too much would be left
        (
            (0, 16_114_000, 1_231_108_000),
            {"settled_at": at(1, 21)},
        ),  # its time is known
        ((0, 16_114_000, 1_231_108_000), {"seen_at": at(2)}),  # it landed before
        ((0, 16_114_000, 1_231_108_000), {"status": "INIT"}),
        ((0, 16_114_000, 1_231_108_000), {"requested_at": None}),
    ],
)
def test_a_move_that_leaves_much_or_cannot_be_is_no_hint(
    shown: tuple[int, ...], changed: Row
) -> None:
    rows = rollforward(
        {"balances": balances(*shown), "deposits": [SETTLED_OVERNIGHT | changed]}
    )
    assert all("if the" not in str(row["detail"]) for row in rows)


def test_each_of_many_intervals_has_its_own_hint() -> None:
    charged = [payment(f"p{day}", at(day, 9), 700 + day) for day in range(1, 11)]
    shown = [sum(2 * (700 + day) for day in range(1, end)) for end in range(1, 12)]
    rows = rollforward(wallet(0, *charged) | {"balances": balances(*shown)})
    for day, row in enumerate(rows, start=1):
        assert (
            f"hint only: the wallet shows the {700 + day} of payment p{day} twice."
            in (row["detail"])
        )


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (1, "The one open item does not sum to it."),
        (2, "No set of the 2 open items sums to it."),
        (30, "No set of up to 4 of the 30 open items, or of all but so many, sums "),
    ],
)
def test_what_was_searched_is_said(count: int, said: str) -> None:
    names = range(count)
    open_items: list[Any] = [timed_out(f"p{n}", at(1, 9), 10**6 + n) for n in names]
    found = told(wallet(5, *open_items), 5)
    assert found.startswith(f"5 is unexplained. {said}")
    assert found.endswith(" to it.")
