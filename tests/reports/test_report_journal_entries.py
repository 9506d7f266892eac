"""Entries of the journal by hand: when, of what, in which accounts and words."""

from collections import defaultdict
from datetime import timedelta
from typing import Any

import pyarrow as pa
import pytest

from tests.reports.lake_rows import engine
from tests.reports.stand_in import WALLET
from tests.reports.test_report_flows_query import NOON, deposit, payment
from tests.reports.test_report_journal import (
    AGREEMENT,
    BANK,
    balance,
    event,
    legs,
    net,
)
from tests.reports.test_report_journal_of_a_change import by_day

HALF_A_DAY = 12 * 60
MIDNIGHT = NOON + timedelta(minutes=HALF_A_DAY)
"""Of Tehran: what is posted then is of the next day."""

GIVEN: dict[str, Any] = {
    "payments": [payment(1), payment(2, payment_method=None, paid_at=MIDNIGHT)],
    "gateway_tokens": [
        {"token": "t", "real_amount": 49_500, "wage": 500, "verified_at": NOON}
    ],
    "gateway_transactions": [{"token": "t", "amount": 50_000, "code": 2}],
    "hosted_checkouts": [
        {"id": "h", "amount": 20_000, "wage": 200, "status": "SUCCEED"}
        | {"created_at": NOON}
    ],
    "deposits": [deposit(1, iban=BANK), deposit(2, iban=None, settled_at=MIDNIGHT)],
    "adjustments": [
        {"at": NOON, "amount": -700, "kind": "settlement", "description": ""},
        {"at": MIDNIGHT, "amount": 1, "kind": None, "description": "x"},
    ],
    "agreements": [AGREEMENT],
    "events": [
        event("buyer_paid_agreement", "a", 900),
        event("seller_checked_out", "a", 500, minutes=HALF_A_DAY),
        event("seller_checked_out", "a", 300, minutes=HALF_A_DAY + 1),
        event("payment_refunded_to_buyer", "a", 100, minutes=HALF_A_DAY),
    ],
    "balances": [balance(-24, 5_000), balance(24, 5_000)],
}


def told(table: pa.Table) -> dict[str, tuple[Any, ...]]:
    """Return each entry's minutes after `NOON`, March day, words, and what it moves."""
    found: dict[str, tuple[Any, ...]] = {}
    moved: dict[str, dict[str, int]] = defaultdict(dict)
    for leg in table.to_pylist():
        minutes = int((leg["posted_at"] - NOON) / timedelta(minutes=1))
        words = (leg["product"], leg["record_id"], leg["narration"])
        accounts = moved[leg["entry_id"]]
        assert leg["account"] not in accounts
        assert leg["currency"] == "IRR"
        accounts[leg["account"]] = leg["debit"] - leg["credit"]
        head = (minutes, (leg["business_date"] - NOON.date()).days + 1, *words)
        assert found.setdefault(leg["entry_id"], (*head, accounts))[:5] == head
    return found


def sold(product: str, amount: int, wage: int) -> dict[str, int]:
    return {
        "assets:wallet": amount - wage,
        f"expenses:fees:{product}": wage,
        f"assets:clearing:{product}": -amount,
    }


def paid_in(iban: str) -> dict[str, int]:
    return {
        "assets:wallet": 999_500,
        "expenses:fees:cash_in": 500,
        f"assets:bank:{iban}": -1_000_000,
    }


def held(rials: int) -> dict[str, int]:
    return {"memo:escrow:held": rials, "memo:escrow:parties": -rials}


def test_each_entry_of_every_product_is_what_happened() -> None:
    """Of 2,265,601 rials that came in, the balances show none: 198,000 by payments,
    49,500 and 19,800 by cards, 1,999,000 by deposits, less 699 of adjustments."""
    later, rest = HALF_A_DAY, 2_265_601
    of_wallet = ("wallet", WALLET)
    begun = "Brought forward: the first snapshot less what moved before it"
    paid, out, back = (
        f"Held for others: {words}"
        for words in (
            "buyer paid agreement",
            "seller checked out",
            "payment refunded to buyer",
        )
    )
    unified, card = sold("unified", 100_000, 1_000), sold("gateway", 50_000, 500)
    entry, bank = "adjustment:adjustments", "Deposit from the bank"
    assert told(legs(**GIVEN)) == {
        f"opening:{WALLET}": (
            *(-24 * 60, 0, *of_wallet, begun),
            {"assets:wallet": 5_000, "equity:adjustments": -5_000},
        ),
        "payment:payment-1": (
            *(0, 1, "unified", "payment-1", "Payment by debit-north"),
            unified,
        ),
        "payment:payment-2": (later, 2, "unified", "payment-2", "Payment", unified),
        "gateway:t": (0, 1, "gateway", "t", "Card payment", card),
        "hosted:h": (
            *(0, 1, "hosted", "h", "One-click payment"),
            sold("hosted", 20_000, 200),
        ),
        "deposit:1": (0, 1, "cash_in", "1", bank, paid_in(BANK)),
        "deposit:2": (later, 2, "cash_in", "2", bank, paid_in("unknown")),
        f"{entry}-1:1": (
            *(0, 1, "wallet", "adjustments-1:1", "Adjustment, settlement"),
            {"assets:wallet": -700, "equity:adjustments": 700},
        ),
        f"{entry}-2:1": (
            *(later, 2, "wallet", "adjustments-2:1", "Adjustment: x"),
            {"assets:wallet": 1, "equity:adjustments": -1},
        ),
        "escrow:a:buyer_paid_agreement:1": (0, 1, "escrow", "a", paid, held(900)),
        "escrow:a:seller_checked_out:1": (later, 2, "escrow", "a", out, held(-500)),
        "escrow:a:seller_checked_out:2": (
            *(later + 1, 2, "escrow", "a", out),
            held(-300),
        ),
        "escrow:a:payment_refunded_to_buyer:1": (
            *(later, 2, "escrow", "a", back),
            held(-100),
        ),
        f"unexplained:{WALLET}:20260302083000": (
            *(24 * 60, 2, *of_wallet, "A rest that nothing explains"),
            {"assets:wallet": -rest, "suspense:wallet": rest},
        ),
    }


def test_an_amount_that_a_payment_does_not_tell_is_what_it_moved() -> None:
    found = told(legs(payments=[payment(1, amount=None)]))
    assert found["payment:payment-1"][-1] == sold("unified", 100_000, 1_000)


def test_what_has_no_time_is_in_no_entry() -> None:
    bare = {"at": None, "amount": 5, "kind": "x", "description": ""}
    assert legs(adjustments=[bare]).num_rows == 0


def test_what_the_last_snapshot_lacks_yet_leaves_nothing_in_suspense() -> None:
    """300 leave on the day of the last 1,000, which does not have them: 700 are left
    in the last second of that day."""
    nights = [balance(-24, 1_000), balance(1, 1_000)]
    found = told(legs(balances=nights, adjustments=[by_day(0, -300)]))
    item = "adjustment:adjustments-1:1"
    of_record = ("wallet", "adjustments-1:1")
    assert {key: value for key, value in found.items() if "explained" in key} == {
        f"explained:{WALLET}:20260301093000:{item}": (
            *(-HALF_A_DAY, 1, *of_record),
            "Taken to be in the balance of this snapshot: moved out",
            {"assets:wallet": 300, "suspense:wallet": -300},
        ),
        f"explained:{WALLET}:later:{item}": (
            *(HALF_A_DAY - 1, 1, *of_record),
            "Taken to have come after the last snapshot",
            {"assets:wallet": -300, "suspense:wallet": 300},
        ),
    }


def test_what_the_first_snapshot_lacks_yet_is_in_the_one_that_has_it() -> None:
    """Paid two minutes before it: in by five minutes after, as clocks differ."""
    paid = payment(1, paid_at=NOON - timedelta(minutes=2))
    found = told(legs(balances=[balance(0, 0), balance(24, 99_000)], payments=[paid]))
    assert found.pop("payment:payment-1")[0] == -2
    of_record = ("unified", "payment-1")
    assert found == {
        f"explained:{WALLET}:earlier:payment:payment-1": (
            *(0, 1, *of_record),
            "Taken to be on the other side of the first snapshot",
            {"assets:wallet": -99_000, "suspense:unified": 99_000},
        ),
        f"explained:{WALLET}:20260302083000:payment:payment-1": (
            *(5, 1, *of_record),
            "Taken to be in the balance of this snapshot: moved in",
            {"assets:wallet": 99_000, "suspense:unified": -99_000},
        ),
    }


@pytest.mark.parametrize(
    ("hours", "minutes", "middle", "begun", "ended"),
    [
        (0, -2, 0, (-2, -99_000), (5, 99_000)),
        (0, 2, 99_000, (0, 99_000), (2, -99_000)),
        (12, HALF_A_DAY, 0, (HALF_A_DAY, -99_000), (HALF_A_DAY + 5, 99_000)),
    ],
)
def test_a_payment_near_a_snapshot_is_posted_where_the_balances_have_it(
    hours: int,
    minutes: int,
    middle: int,
    begun: tuple[int, int],
    ended: tuple[int, int],
) -> None:
    """Paid before the second one or after it, or just at midnight with it, and on its
    other side."""
    paid = payment(1, paid_at=NOON + timedelta(minutes=minutes))
    nights = [balance(-24, 0), balance(hours, middle), balance(hours + 24, 99_000)]
    found = told(legs(balances=nights, payments=[paid]))
    assert found.pop("payment:payment-1")[0] == minutes
    assert [(entry[0], entry[-1]) for entry in found.values()] == [
        (when, {"assets:wallet": rials, "suspense:unified": -rials})
        for when, rials in (begun, ended)
    ]


def test_of_several_ways_to_explain_a_rest_one_is_posted() -> None:
    """Either of two deposits in the queue may be the 999,500 that came."""
    queued = [deposit(n, status="INIT", settled_at=None) for n in (1, 2)]
    nights = [balance(-24, 0), balance(1, 999_500)]
    assert net(legs(balances=nights, deposits=queued)) == {
        "assets:wallet": 999_500,
        "suspense:cash_in": -999_500,
    }


def receipt(name: str, amount: int | None, minutes: int) -> dict[str, Any]:
    """An event that tells the buyer's payment of a receipt."""
    said = f'{{"transaction_ref_id": "{name}", "minute": {minutes}}}'
    return event("buyer_paid_agreement", "a", amount, minutes) | {"data": said}  # type: ignore[arg-type]


def test_one_receipt_is_one_payment_however_often_it_is_told() -> None:
    """Of the first amount that was told of it; another one of as much is another."""
    events = [
        receipt("r1", None, 0),
        receipt("r1", 900, 1),
        receipt("r1", 800, 2),
        receipt("r2", 900, 3),
    ]
    with engine(agreements=[AGREEMENT], events=events) as models:
        found = told(models.table("report_journal"))
        (trade,) = models.table("report_escrow").to_pylist()
    assert [(entry[0], entry[-1]) for entry in found.values()] == [
        (1, held(900)),
        (3, held(900)),
    ]
    assert trade["held"] == 1_800


@pytest.mark.parametrize(
    "nights",
    [
        # neither interval has more than one: the last one lacks it, or the first one
        [balance(-24, 1_000), balance(1, 700)],
        [balance(1, 1_000), balance(25, 700)],
    ],
)
def test_of_two_equal_settlements_of_a_day_one_is_moved(nights: list[Any]) -> None:
    """Either may be the one of the 300 that left after the snapshot of that day."""
    twice = [by_day(0, -300)] * 2
    table = legs(balances=nights, adjustments=twice)
    assert net(table)["suspense:wallet"] == 0
    assert sum("explained" in entry for entry in told(table)) == 2


def test_what_left_between_two_snapshots_of_its_day_is_not_taken_out_again() -> None:
    """Its day is not over at the last one, which has it."""
    nights = [balance(-24, 1_000), balance(1, 1_000), balance(2, 700)]
    found = net(legs(balances=nights, adjustments=[by_day(0, -300)]))
    assert (found["assets:wallet"], found["suspense:wallet"]) == (700, 0)


def test_a_payment_of_the_first_snapshots_instant_is_in_it() -> None:
    nights = [balance(0, 99_000), balance(24, 99_000)]
    assert list(told(legs(balances=nights, payments=[payment(1)]))) == [
        "payment:payment-1"
    ]
