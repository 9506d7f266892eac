"""Stories of money told to the end: what the checks say, and what the ledger moved.

Each one is done by hand first, in rials; every shipped check runs, so that a story that
is in order must find nothing at all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import pyarrow as pa

from recon.reconcile.checks import run_checks, shipped_checks
from recon.reconcile.engines import DuckEngine
from recon.settings import Gateway, Hosted, Settings, Unified
from tests import builders
from tests.reconcile.wallet_world import BILLION, Row, at, balances, deposit, settings

Found = list[tuple[str, str, int | None]]


def told(
    rows: Mapping[str, Sequence[Row]],
    chosen: Settings | None = None,
    as_of: datetime | None = None,
) -> tuple[Found, list[Row], pa.Table]:
    """Return the breaks (check, record, difference), the roll-forward, the journal."""
    given = {name: list(each) for name, each in rows.items()}
    for row in given.get("balances", ()):
        row["available_balance"] = row["balance"]
    tables = builders.lake_tables(given)
    used = chosen or settings()
    with DuckEngine.open(tables, used, as_of or at(31, 21)) as engine:
        found = run_checks(engine, shipped_checks(), used).to_pylist()
        wallet = engine.table("int_wallet_rollforward").to_pylist()
        journal = engine.table("report_journal")
    breaks = [
        (
            row["check"],
            row["record_id"],
            None
            if None in (row["expected"], row["actual"])
            else row["actual"] - row["expected"],
        )
        for row in found
    ]
    return sorted(breaks), sorted(wallet, key=lambda row: row["to_at"]), journal


def sums(journal: pa.Table) -> dict[str, int]:
    """Each account's debits less its credits; accounts without a rest are left out."""
    found: dict[str, int] = {}
    for leg in journal.to_pylist():
        account = leg["account"]
        found[account] = found.get(account, 0) + leg["debit"] - leg["credit"]
    return {account: rials for account, rials in found.items() if rials}


def customer_pays() -> Settings:
    return replace(
        settings(),
        unified=Unified(fee_bearer="customer"),
        gateway=Gateway(fee_bearer="customer"),
        hosted=Hosted(fee_bearer="customer"),
    )


def test_a_deposit_of_1_200_million_queued_over_midnight() -> None:
    """Asked at 23:00 as 1,000,000,000 and 200,000,000; the money came after midnight.

    While it is queued nobody knows; the next day's balance has all of it, so nothing is
    open, and nothing is in suspense.
    """
    entries: list[dict[str, Any]] = [
        deposit("71", at(1, 23), BILLION, track_id="t", requested_amount=1_200_000_000),
        deposit(
            "72", at(1, 23), BILLION // 5, track_id="t", requested_amount=1_200_000_000
        ),
    ]
    for entry in entries:
        entry["amount_toman"] = entry["amount"] // 10
    given = {"deposits": entries, "accounts": [builders.account()]}
    waiting = {"balances": balances(5_000_000, 5_000_000), **given}
    breaks, wallet, _ = told(waiting, as_of=at(2, 1))
    assert breaks == []
    assert [row["difference_rial"] for row in wallet] == [0]
    landed = {"balances": balances(5_000_000, 5_000_000, 1_205_000_000), **given}
    breaks, wallet, journal = told(landed, as_of=at(3, 1))
    assert breaks == []
    assert [row["explained_rial"] for row in wallet] == [0, 1_200_000_000]
    assert [row["unexplained_rial"] for row in wallet] == [0, 0]
    assert sums(journal)["assets:wallet"] == 1_205_000_000
    late = {"balances": balances(5_000_000, 5_000_000, 5_000_000), **given}
    breaks, wallet, _ = told(late, as_of=at(3, 1))
    assert breaks == [
        ("deposit_queue_stale", "71", None),
        ("deposit_queue_stale", "72", None),
    ]


def test_one_half_of_a_split_that_landed_leaves_the_other_in_the_queue() -> None:
    entries = [
        deposit("71", at(1, 23), BILLION, track_id="t", requested_amount=1_200_000_000),
        deposit(
            "72", at(1, 23), BILLION // 5, track_id="t", requested_amount=1_200_000_000
        ),
    ]
    for entry in entries:
        entry["amount_toman"] = entry["amount"] // 10
    breaks, wallet, _ = told(
        {"deposits": entries, "balances": balances(0, 0, BILLION)}, as_of=at(3, 1)
    )
    assert breaks == [("deposit_queue_stale", "72", None)]
    assert [row["unexplained_rial"] for row in wallet] == [0, 0]


def timed_out(closing: int) -> dict[str, list[Row]]:
    """A payment of 5,000,000 (wage 50,000) that ended without an answer."""
    return {
        "balances": balances(0, closing),
        "checkouts": [
            builders.checkout(
                id="c",
                status="not_paid",
                amount=5_000_000,
                payment_ids=["slow"],
                created_at=at(1, 15),
            )
        ],
        "payments": [
            builders.payment(
                id="slow",
                checkout_id="c",
                type="card",
                mandate_id=None,
                amount=5_000_000,
                wage_amount=50_000,
                affected_amount=0,
                status="failed",
                error_code="WITHDRAWAL_TIMEOUT",
                ref_id=None,
                paid_at=None,
                created_at=at(1, 15),
                updated_at=at(1, 15),
            )
        ],
    }


def test_a_time_out_that_did_take_the_money() -> None:
    """4,950,000 came, with no payment done: the rest is explained, the payment open."""
    breaks, wallet, journal = told(timed_out(closing=4_950_000))
    assert breaks == [("payment_timeout_uncertain", "slow", None)]
    assert [(row["explained_rial"], row["unexplained_rial"]) for row in wallet] == [
        (4_950_000, 0)
    ]
    assert sums(journal)["assets:wallet"] == 4_950_000


def test_a_time_out_that_did_not_take_it_stays_uncertain_and_moves_nothing() -> None:
    breaks, wallet, journal = told(timed_out(closing=0))
    assert breaks == [("payment_timeout_uncertain", "slow", None)]
    assert [(row["difference_rial"], row["explained_rial"]) for row in wallet] == [
        (0, 0)
    ]
    assert "assets:wallet" not in sums(journal)


def paid(wage: int, affected: int) -> dict[str, list[Row]]:
    """A payment of 1,000,000, of which so much came to the wallet."""
    row = builders.payment(
        type="card", mandate_id=None, wage_amount=wage, affected_amount=affected
    )
    return {
        "balances": balances(0, affected, start=10),
        "checkouts": [builders.checkout()],
        "payments": [row],
    }


def test_a_wage_on_the_customer_leaves_the_whole_amount() -> None:
    """The customer bore the 10,000: 1,000,000 reach the wallet, no fee is ours."""
    breaks, wallet, journal = told(paid(10_000, 1_000_000), customer_pays())
    assert breaks == []
    assert [row["payments_rial"] for row in wallet] == [1_000_000]
    found = sums(journal)
    assert found["assets:wallet"] == 1_000_000
    assert not [account for account in found if account.startswith("expenses:")]


def test_a_wage_on_the_business_is_its_expense() -> None:
    breaks, _, journal = told(paid(10_000, 990_000))
    assert breaks == []
    found = sums(journal)
    assert (found["assets:wallet"], found["expenses:fees:unified"]) == (990_000, 10_000)


def test_a_wage_that_the_other_one_bore_is_a_break_of_exactly_the_wage() -> None:
    identity = "payment_wallet_identity"
    breaks, _, _ = told(paid(10_000, 1_000_000))
    assert breaks == [(identity, "payment-1", 10_000)]
    breaks, _, _ = told(paid(10_000, 990_000), customer_pays())
    assert breaks == [(identity, "payment-1", -10_000)]


def trade(refunded: int, paid_out: int) -> dict[str, list[Row]]:
    """A trade of 1,000,000 that was paid, then refunded in part and paid out."""
    steps: list[tuple[str, int | None]] = [
        ("agreement_created", None),
        ("buyer_paid_agreement", 1_000_000),
        ("agreement_finalized", None),
    ]
    steps += [("payment_refunded_to_buyer", refunded)] if refunded else []
    steps += [("seller_checked_out", paid_out)] if paid_out else []
    return {
        "agreements": [builders.agreement(state="finalize", created_at=at(10, 9))],
        "events": [
            builders.event(number, type=kind, amount=amount)
            for number, (kind, amount) in enumerate(steps, start=1)
        ],
    }


def test_a_trade_that_was_refunded_in_part_holds_nothing_in_the_end() -> None:
    """300,000 to the buyer and 700,000 to the seller are the 1,000,000 paid."""
    breaks, _, journal = told(trade(300_000, 700_000))
    assert breaks == []
    assert sums(journal) == {}


def test_a_partial_refund_and_a_whole_payout_are_more_than_was_paid() -> None:
    breaks, _, journal = told(trade(300_000, 1_000_000))
    assert breaks == [("escrow_overpaid_out", "agreement-1", 300_000)]
    assert sums(journal) == {
        "memo:escrow:held": -300_000,
        "memo:escrow:parties": 300_000,
    }


def test_a_partial_refund_alone_leaves_the_seller_waiting() -> None:
    breaks, _, journal = told(trade(300_000, 0))
    assert [check for check, _, _ in breaks] == ["escrow_payout_missing"]
    assert sums(journal)["memo:escrow:held"] == 700_000


def noon(before: int, after: int) -> list[Row]:
    """Snapshots of a wallet at 09:00, at noon and at 18:00 of one day."""
    figures = (0, before, before + after)
    return [
        builders.balance(number, at=at(10, hour), balance=figure)
        for number, (hour, figure) in enumerate(zip((9, 12, 18), figures, strict=True))
    ]


def test_a_snapshot_in_the_middle_of_the_day_parts_the_day() -> None:
    """990,000 before noon and 495,000 after it; each interval has its own."""
    rows = {
        "balances": noon(990_000, 495_000),
        "checkouts": [builders.checkout(1), builders.checkout(2, amount=500_000)],
        "payments": [
            builders.payment(1, paid_at=at(10, 11), type="card", mandate_id=None),
            builders.payment(
                2,
                paid_at=at(10, 15),
                type="card",
                mandate_id=None,
                amount=500_000,
                wage_amount=5_000,
                affected_amount=495_000,
            ),
        ],
    }
    breaks, wallet, journal = told(rows)
    assert breaks == []
    assert [row["payments_rial"] for row in wallet] == [990_000, 495_000]
    assert sums(journal)["assets:wallet"] == 1_485_000


def test_a_loss_before_noon_is_put_before_noon() -> None:
    rows = {
        "balances": noon(989_000, 0),
        "checkouts": [builders.checkout(1)],
        "payments": [
            builders.payment(1, paid_at=at(10, 11), type="card", mandate_id=None)
        ],
    }
    breaks, wallet, journal = told(rows)
    (wrong,) = breaks
    assert wrong[0] == "wallet_rollforward"
    assert wrong[1].endswith(":2026-10-10T12:00:00Z")
    assert wrong[2] == -1_000
    assert [row["unexplained_rial"] for row in wallet] == [-1_000, 0]
    assert sums(journal)["suspense:wallet"] == 1_000
