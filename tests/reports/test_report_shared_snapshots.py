"""The books and charts where two wallets have a balance of the instant of a change."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from recon import charts
from recon.reports import beancount, hledger, journal, rollforward
from recon.reports.periods import Period
from recon.settings import CashIn, Settings
from tests.charts.frames import frame
from tests.reports.bean_checking import bean_check
from tests.reports.lake_rows import SETTINGS, engine
from tests.reports.ledger_files import WHOLE, Answers, intervals_of, ledger
from tests.reports.stand_in import WALLET, an_interval
from tests.reports.test_report_flows_query import NOON, deposit, payment
from tests.reports.test_report_hledger import asked
from tests.reports.test_report_journal import assert_balanced

NEW = "IR840120000000000000000002"
MIDNIGHT = NOON + timedelta(hours=12)
"""With it 2 March begins in Tehran."""

SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)


def changed(when: datetime = MIDNIGHT) -> Settings:
    cash_in = CashIn(
        wallet_iban=WALLET,
        wallet_iban_since={when.isoformat(): NEW},
        settled_statuses=("SETTLED",),
    )
    return Settings(business=SETTINGS.business, cash_in=cash_in)


def shown(iban: str, when: datetime, rials: int) -> dict[str, Any]:
    return {"at": when, "iban": iban, "balance": rials}


def of_two(*new: tuple[timedelta, int], closing: int, when: datetime) -> dict[str, Any]:
    """A day of the old wallet: of 100 it comes to 150; 7 are sold a day later."""
    came = deposit(1, amount=50, wage=0, requested_at=NOON, settled_at=NOON)
    sold = payment(1, amount=7, wage_amount=0, affected_amount=7)
    return {
        "deposits": [came],
        "payments": [sold | {"paid_at": when + timedelta(hours=9)}],
        "balances": [
            shown(WALLET, when - DAY, 100),
            shown(WALLET, when, closing),
            *(shown(NEW, when + after, rials) for after, rials in new),
        ],
    }


SOLD_LATER = [(0 * DAY, 40), (DAY, 47)]
"""The new wallet's 40 at the instant, and the 7 that came to it."""


@pytest.mark.parametrize(
    ("when", "new", "closing"),
    [
        (MIDNIGHT, [], 150),
        (MIDNIGHT, [(0 * DAY, 150)], 150),  # all of it was transferred
        (MIDNIGHT, SOLD_LATER, 150),
        (MIDNIGHT, SOLD_LATER, 90),
        (MIDNIGHT, [(0 * DAY, 40), (DAY, 48)], 150),  # a rial too many
        (MIDNIGHT, [(0 * DAY, 40), (SECOND, 40), (DAY, 47)], 150),
        (MIDNIGHT, [(timedelta(hours=2), 40), (DAY, 47)], 150),
        (MIDNIGHT - SECOND, SOLD_LATER, 150),
        (MIDNIGHT + timedelta(microseconds=1), SOLD_LATER, 150),
        (NOON + 2 * SECOND, [(0 * DAY, 40), (timedelta(hours=3), 40)], 150),
    ],
)
def test_both_ledgers_agree_with_the_journal(
    when: datetime, new: list[tuple[timedelta, int]], closing: int, tmp_path: Path
) -> None:
    """Of all days, of those from the change on, and of those up to it."""
    periods = (WHOLE, Period(NOON.date() + DAY), Period(None, NOON.date()))
    with engine(changed(when), **of_two(*new, closing=closing, when=when)) as models:
        for period in periods:
            for name, writer in (("beancount", beancount), ("hledger", hledger)):
                content = ledger(writer, Answers(models), intervals_of(models), period)
                (tmp_path / name).write_bytes(content)
            assert bean_check(tmp_path / "beancount") == ""
            done = asked(tmp_path / "hledger", "check", "--strict")
            assert done.returncode == 0, done.stderr


def posted(*new: tuple[timedelta, int], closing: int, when: datetime) -> pa.Table:
    with engine(changed(when), **of_two(*new, closing=closing, when=when)) as models:
        return journal.table(Answers(models), SETTINGS, WHOLE)


def held(table: pa.Table, until: datetime) -> int:
    """Return what the journal's wallet holds at an instant, which is in it."""
    return sum(
        leg["debit"] - leg["credit"]
        for leg in table.to_pylist()
        if leg["account"] == "assets:wallet" and leg["posted_at"] <= until
    )


@pytest.mark.parametrize("closing", [150, 90])
def test_the_journal_meets_both_balances_of_the_instant(closing: int) -> None:
    """What leads from the one to the other comes after it, in the new one's day."""
    table = posted(*SOLD_LATER, closing=closing, when=MIDNIGHT)
    assert_balanced(table)
    assert held(table, MIDNIGHT - SECOND) == held(table, MIDNIGHT) == closing
    assert held(table, MIDNIGHT + SECOND) == 40
    assert held(table, MIDNIGHT + DAY) == 47
    sums: dict[str, int] = {}
    for leg in table.to_pylist():
        kind = leg["entry_id"].partition(":")[0]
        if leg["account"] == "suspense:wallet":
            sums[kind] = sums.get(kind, 0) + leg["debit"] - leg["credit"]
            day = NOON.date() + (DAY if kind == "changed" else 0 * DAY)
            assert leg["business_date"] == day
    rest = {"unexplained": 60} if closing == 90 else {}
    assert sums == {"changed": closing - 40} | rest


def test_balances_that_are_alike_need_no_entry() -> None:
    table = posted((0 * DAY, 150), (DAY, 157), closing=150, when=MIDNIGHT)
    assert not [row for row in table["entry_id"].to_pylist() if "changed" in row]
    assert held(table, MIDNIGHT + DAY) == 157


def steps(wallets: tuple[str, str], opening: int, after: timedelta = 0 * DAY) -> Any:
    """Draw 100 to 150 of the one wallet, and from an opening to 157 of the other."""
    none = dict.fromkeys(("adjustments", "difference", "explained", "unexplained"), 0)
    begins = (MIDNIGHT - DAY, MIDNIGHT + after)
    rows = [
        an_interval(
            wallet=wallet,
            from_at=begin,
            to_at=begin + DAY,
            opening=first,
            payments=last - first,
            expected_closing=last,
            closing=last,
            **none,
        )
        for wallet, begin, first, last in zip(
            wallets, begins, (100, opening), (150, 157), strict=True
        )
    ]
    drawn = charts.wallet_waterfall(frame(rollforward.COLUMNS, rows)).axes[0]
    return [tick.get_text() for tick in drawn.get_xticklabels()], [
        text.get_text() for text in drawn.texts
    ]


@pytest.mark.parametrize(
    ("wallets", "opening", "after", "is_told"),
    [
        ((WALLET, NEW), 40, 0 * DAY, True),  # one instant, two balances
        ((WALLET, NEW), 150, 0 * DAY, False),  # all of it was transferred
        ((WALLET, WALLET), 150, 0 * DAY, False),
        ((WALLET, NEW), 150, SECOND, True),
    ],
)
def test_the_waterfall_leads_from_the_one_balance_to_the_other(
    wallets: tuple[str, str], opening: int, after: timedelta, is_told: bool
) -> None:
    """100 and 50, from 150 to the 40 of the new one, and 117: 157."""
    names, figures = steps(wallets, opening, after)
    assert ("not\ncompared" in names) == is_told
    assert {"100", "157", str(50 + 157 - opening)} <= set(figures)
    assert ("-110" in figures) == (opening == 40)
