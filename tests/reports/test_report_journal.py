from collections import defaultdict
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.reports import beancount, journal, rollforward
from recon.reports.periods import Period
from recon.settings import CashIn, Gateway, Hosted, Settings, Unified
from tests.reports.bean_checking import bean_check
from tests.reports.lake_rows import SETTINGS, engine
from tests.reports.ledger_files import WHOLE, Answers, intervals_of, ledger
from tests.reports.stand_in import WALLET, ResultStandIn, rows
from tests.reports.test_report_flows_query import NOON, deposit, payment

BANK = "IR890170000000100324200002"


def with_bearer(bearer: str) -> Settings:
    return Settings(
        business=SETTINGS.business,
        cash_in=SETTINGS.cash_in,
        unified=Unified(fee_bearer=bearer),
        gateway=Gateway(fee_bearer=bearer),
        hosted=Hosted(fee_bearer=bearer),
    )


def legs(settings: Settings = SETTINGS, **tables: Any) -> pa.Table:
    with engine(settings, **tables) as models:
        return journal.table(Answers(models), settings, WHOLE)


def net(table: pa.Table) -> dict[str, int]:
    """Each account's debits less its credits."""
    found: dict[str, int] = defaultdict(int)
    for leg in table.to_pylist():
        found[leg["account"]] += leg["debit"] - leg["credit"]
    return dict(found)


def assert_balanced(table: pa.Table) -> None:
    entries: dict[str, int] = defaultdict(int)
    for leg in table.to_pylist():
        assert min(leg["debit"], leg["credit"]) == 0
        assert max(leg["debit"], leg["credit"]) > 0
        entries[leg["entry_id"]] += leg["debit"] - leg["credit"]
    assert not any(entries.values())


@pytest.mark.parametrize("bearer", ["business", "customer"])
def test_a_payment_moves_wallet_fees_and_clearing(bearer: str) -> None:
    affected = {"business": 99_000, "customer": 100_000}[bearer]
    table = legs(with_bearer(bearer), payments=[payment(1, affected_amount=affected)])
    fees = {"expenses:fees:unified": 1_000} if bearer == "business" else {}
    assert net(table) == {
        "assets:wallet": affected,
        "assets:clearing:unified": -100_000,
        **fees,
    }
    assert table["record_id"].unique().to_pylist() == ["payment-1"]
    assert_balanced(table)


def test_what_the_amounts_of_a_payment_leave_over_is_in_suspense() -> None:
    table = legs(payments=[payment(1, affected_amount=98_500)])
    assert net(table)["suspense:unified"] == 500
    assert_balanced(table)


@pytest.mark.parametrize("bearer", ["business", "customer"])
def test_a_card_payment_clears_what_the_business_sold(bearer: str) -> None:
    sold, amount = {"business": (50_000, 50_000), "customer": (49_500, 50_000)}[bearer]
    table = legs(
        with_bearer(bearer),
        gateway_tokens=[
            {
                "token": "t",
                "amount": sold,
                "real_amount": 49_500,
                "wage": 500,
                "verified_at": NOON,
            }
        ],
        gateway_transactions=[{"token": "t", "amount": amount, "code": 2}],
    )
    assert net(table)["assets:clearing:gateway"] == -sold
    assert net(table)["assets:wallet"] == 49_500
    assert ("expenses:fees:gateway" in net(table)) == (bearer == "business")
    assert_balanced(table)


@pytest.mark.parametrize("bearer", ["business", "customer"])
def test_a_card_payment_of_unknown_amount_clears_what_was_sent(bearer: str) -> None:
    kept = {"amount": 50_000, "real_amount": None, "wage": 500, "verified_at": NOON}
    table = legs(with_bearer(bearer), gateway_tokens=[{"token": "t"} | kept])
    assert net(table)["assets:clearing:gateway"] == -50_000
    assert_balanced(table)


@pytest.mark.parametrize("bearer", ["business", "customer"])
def test_a_one_click_payment_clears_what_the_business_sold(bearer: str) -> None:
    checkout = {"id": "1", "amount": 20_000, "wage": 200, "created_at": NOON}
    table = legs(
        with_bearer(bearer), hosted_checkouts=[checkout | {"status": "SUCCEED"}]
    )
    sold = {"business": -20_000, "customer": -19_800}[bearer]
    assert net(table)["assets:clearing:hosted"] == sold
    assert net(table)["assets:wallet"] == 19_800
    assert_balanced(table)


@pytest.mark.parametrize(("wage_from", "bank"), [("wallet", 0), ("bank", -500)])
def test_a_deposit_moves_money_from_its_bank_account(wage_from: str, bank: int) -> None:
    cash_in = CashIn(
        wallet_iban=WALLET, settled_statuses=("SETTLED",), wage_from=wage_from
    )
    table = legs(
        Settings(business=SETTINGS.business, cash_in=cash_in),
        deposits=[deposit(1, iban=BANK)],
    )
    assert net(table) == {
        "assets:wallet": 999_500 - bank,
        "expenses:fees:cash_in": 500,
        f"assets:bank:{BANK}": -1_000_000 + bank,
    }
    assert_balanced(table)


def test_an_adjustment_is_against_equity_and_says_what_it_was() -> None:
    table = legs(
        adjustments=[
            {"at": NOON, "amount": -700, "kind": "settlement", "description": "to bank"}
        ]
    )
    assert net(table) == {"assets:wallet": -700, "equity:adjustments": 700}
    assert set(table["narration"].to_pylist()) == {"Adjustment, settlement: to bank"}


AGREEMENT = {"tracking_code": "a", "amount": 900, "state": "finalize"}


def event(slug: str, code: str, amount: int, minutes: int = 0) -> dict[str, Any]:
    return {
        "created": NOON + timedelta(minutes=minutes),
        "type": slug,
        "data": f'{{"tracking_code": "{code}"}}',
        "tracking_code": code,
        "amount": amount,
        "origin": "import",
    }


def test_escrow_is_in_memo_accounts_and_an_event_alone_is_nothing() -> None:
    events = [
        event("buyer_paid_agreement", "a", 900),
        event("buyer_paid_agreement", "unknown", 900),
        event("seller_checked_out", "a", 500),
    ]
    table = legs(agreements=[AGREEMENT], events=events)
    assert net(table) == {"memo:escrow:held": 400, "memo:escrow:parties": -400}
    assert_balanced(table)


def test_what_is_held_in_a_period_begins_with_what_was_held_before() -> None:
    day = 24 * 60
    events = [
        event("buyer_paid_agreement", "a", 900),
        event("seller_checked_out", "a", 500, minutes=day),
        event("payment_refunded_to_buyer", "a", 400, minutes=2 * day),
    ]
    second = NOON.date() + timedelta(days=1)
    with engine(agreements=[AGREEMENT], events=events) as models:
        given = Answers(models)
        held = journal.held(given, SETTINGS, Period(second, second)).to_pylist()
        empty = journal.held(given, SETTINGS, Period(second + timedelta(days=2)))
    assert [(row["business_date"], row["debit"], row["credit"]) for row in held] == [
        (second, 900, 0),
        (second, 0, 500),
    ]
    assert empty.num_rows == 0


def test_two_payouts_of_one_amount_are_two_as_in_the_positions_of_escrow() -> None:
    events = [
        event("buyer_paid_agreement", "a", 900),
        event("buyer_paid_agreement", "a", 900, minutes=1),
        event("payment_refunded_to_buyer", "a", 100, minutes=2),
        event("payment_refunded_to_buyer", "a", 100, minutes=3),
        event("seller_checked_out", "a", 900, minutes=4),
        event("seller_checked_out", "a", 900, minutes=5),
    ]
    with engine(agreements=[AGREEMENT], events=events) as models:
        table = journal.table(Answers(models), SETTINGS, WHOLE)
        (held,) = models.table("report_escrow")["held"].to_pylist()
    assert net(table)["memo:escrow:held"] == held == -1_100
    assert_balanced(table)


def test_days_are_summed_to_the_rial_however_much_events_claim() -> None:
    """Whoever knows a tracking code can send events: they must stop no report."""
    most = 10**18 - 1
    told = [
        event("buyer_paid_agreement", "a", most, n) | {"data": f'{{"n": {n}}}'}
        for n in range(20)
    ]
    with engine(agreements=[AGREEMENT], events=told) as models:
        days = journal.days(Answers(models))
        text = ledger(beancount, Answers(models), intervals_of(models)).decode()
    held = [row for row in days.to_pylist() if row["account"] == "memo:escrow:held"]
    assert len(held) > 1
    assert sum(row["debit"] - row["credit"] for row in held) == 20 * most
    assert text.count(f" {most} IRR") == 20


moves = st.lists(
    st.tuples(st.integers(1, 10**12), st.integers(0, 10**6), st.integers(-200, 200)),
    max_size=5,
)
snapshots = st.lists(
    st.tuples(st.integers(-200, 200), st.integers(0, 10**13)),
    min_size=1,
    max_size=5,
    unique_by=lambda pair: pair[0],
)


@settings(max_examples=20)
@given(moves, moves, snapshots)
def test_every_entry_balances_and_the_wallet_meets_every_snapshot(
    payments: Any, deposits: Any, balances: Any
) -> None:
    def at(hours: int) -> Any:
        return NOON + timedelta(hours=hours)

    tables = {
        "payments": [
            payment(
                number,
                amount=amount,
                wage_amount=wage,
                affected_amount=amount - 2 * wage,
                paid_at=at(hours),
            )
            for number, (amount, wage, hours) in enumerate(payments)
        ],
        "deposits": [
            deposit(
                number,
                amount=amount,
                wage=wage,
                requested_at=at(hours),
                settled_at=at(hours) if wage % 2 else None,
                status="SETTLED" if wage % 2 else "INIT",
            )
            for number, (amount, wage, hours) in enumerate(deposits)
        ],
        "balances": [
            {"at": at(hours), "iban": WALLET, "balance": rials}
            for hours, rials in balances
        ],
    }
    table = legs(**tables)
    assert_balanced(table)
    wallet = [
        (leg["posted_at"], leg["debit"] - leg["credit"])
        for leg in table.to_pylist()
        if leg["account"] == "assets:wallet"
    ]
    for hours, rials in balances:
        assert sum(effect for when, effect in wallet if when <= at(hours)) == rials


def beans(
    tmp_path: Path, period: Period | None = None, **tables: Any
) -> tuple[Path, str]:
    with engine(**tables) as models:
        content = ledger(
            beancount, Answers(models), intervals_of(models), period or WHOLE
        )
    path = tmp_path / "journal.beancount"
    path.write_bytes(content)
    return path, content.decode()


def balance(hours: int, rials: int) -> dict[str, Any]:
    return {"at": NOON + timedelta(hours=hours), "iban": WALLET, "balance": rials}


CLEAN: dict[str, Any] = {
    "payments": [payment(1), payment(2, paid_at=NOON + timedelta(hours=6))],
    "balances": [balance(-24, 0), balance(1, 99_000)],
}


def test_beancount_asserts_the_snapshot_and_what_the_day_still_moved(
    tmp_path: Path,
) -> None:
    path, text = beans(tmp_path, **CLEAN)
    assert "2026-03-02 balance Assets:Wallet  198000 IRR" in text.splitlines()
    assert bean_check(path) == ""
    path.write_text(text.replace("  198000 IRR", "  198001 IRR"))
    assert "Balance failed" in bean_check(path)


def test_what_left_on_a_day_is_in_that_days_balance(tmp_path: Path) -> None:
    """By its day it left at 00:00 in Tehran; the snapshot of 01:30 lacks it yet."""
    day = NOON + timedelta(hours=12)  # 2 March in Tehran
    nights = [
        {"at": day + timedelta(hours=hours), "iban": WALLET, "balance": rials}
        for hours, rials in ((-23, 500), (1, 500), (25, 480))
    ]
    left = {"at": day, "amount": -20, "kind": "settlement", "description": "x"}
    path, text = beans(tmp_path, balances=nights, adjustments=[left])
    asserted = [line for line in text.splitlines() if " balance Assets:Wallet" in line]
    assert "2026-03-03 balance Assets:Wallet  480 IRR" in asserted
    assert bean_check(path) == ""


def test_an_interval_with_an_unexplained_rest_is_not_asserted(tmp_path: Path) -> None:
    odd = [balance(-24, 0), balance(1, 99_007), balance(24, 198_007)]
    path, text = beans(tmp_path, **CLEAN | {"balances": odd})
    asserted = [line[:10] for line in text.splitlines() if " balance " in line]
    assert asserted == ["2026-03-03"]
    assert bean_check(path) == ""


def test_of_two_snapshots_in_a_day_the_last_is_asserted(tmp_path: Path) -> None:
    twice = [*CLEAN["balances"], balance(2, 99_000)]
    path, text = beans(tmp_path, **CLEAN | {"balances": twice})
    assert text.count(" balance Assets:Wallet") == 1
    assert bean_check(path) == ""


def test_a_period_brings_forward_what_was_posted_before_it(tmp_path: Path) -> None:
    day = NOON.date() + timedelta(days=1)
    later = [*CLEAN["balances"], balance(24, 198_000), balance(72, 198_000)]
    given = CLEAN | {
        "balances": later,
        "payments": [*CLEAN["payments"], payment(3, paid_at=NOON + timedelta(days=2))],
    }
    path, text = beans(tmp_path, Period(day, day), **given)
    assert f'{day} * "Brought forward"' in text
    assert "payment-1" not in text
    assert "payment-3" not in text
    assert "2026-03-03 balance Assets:Wallet  198000 IRR" in text
    assert bean_check(path) == ""


TEXTS = [
    'say "hello"',
    "back\\slash",
    "two\nlines",
    "پرداخت",
    "; comment",
    "{x} #tag ^link",
]


def test_any_text_is_accepted_by_beancount(tmp_path: Path) -> None:
    left = {"at": NOON, "amount": 5, "kind": "x"}
    path, content = beans(
        tmp_path,
        adjustments=[left | {"description": text} for text in TEXTS],
        deposits=[deposit(number, iban=text) for number, text in enumerate(TEXTS)],
    )
    assert content.count("Adjustment, x: ") == content.count("  5 IRR") == len(TEXTS)
    assert content.count("  999500 IRR") == len(TEXTS)
    assert bean_check(path) == ""


@pytest.mark.parametrize("later", [{}, {"payments": [payment(1)]}])
def test_a_wallet_that_held_nothing_is_accepted_by_beancount(
    tmp_path: Path, later: dict[str, Any]
) -> None:
    """It has no entry before its first payment, yet its balance is asserted."""
    path, text = beans(tmp_path, balances=[balance(-72, 0), balance(-48, 0)], **later)
    assert text.count(" balance Assets:Wallet  0 IRR") == 1
    assert bean_check(path) == ""


def test_an_empty_journal_is_accepted_by_beancount(tmp_path: Path) -> None:
    path, _ = beans(tmp_path)
    assert bean_check(path) == ""


def test_an_incomplete_journal_says_so_on_its_first_line() -> None:
    nothing = rows(rollforward.COLUMNS, [])
    content = ledger(beancount, ResultStandIn(), nothing, warning="INCOMPLETE")
    assert content.startswith(b"; INCOMPLETE\n")
