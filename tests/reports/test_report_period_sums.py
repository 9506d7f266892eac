"""Reports of one period agree with each other."""

from datetime import timedelta
from typing import Any

from recon.reports import journal
from recon.reports.periods import Period
from tests.reports.lake_rows import SETTINGS, engine
from tests.reports.ledger_files import Answers, intervals_of
from tests.reports.stand_in import WALLET
from tests.reports.test_report_flows_query import NOON, payment
from tests.reports.test_report_journal import net


def test_a_rest_at_midnight_is_of_the_day_that_it_ends_as_in_the_rollforward() -> None:
    """A period of either has the same opening, closing, and way between them."""
    midnight = NOON + timedelta(hours=12)
    held = [(-24, 0), (0, 99_007), (24, 99_012), (36, 99_000)]
    tables: dict[str, Any] = {
        "payments": [payment(1)],
        "balances": [
            {"at": midnight + timedelta(hours=n), "iban": WALLET, "balance": rials}
            for n, rials in held
        ],
    }
    with engine(**tables) as models:
        intervals = intervals_of(models)
        for number, change in enumerate((99_007, 5)):
            day = NOON.date() + timedelta(days=number)
            period = Period(day, day)
            zone = SETTINGS.business.timezone
            (row,) = period.of_ends(intervals, "to_at", zone).to_pylist()
            moved = net(journal.table(Answers(models), SETTINGS, period))
            assert row["closing"] - row["opening"] == change
            assert moved["assets:wallet"] == change
            assert moved["suspense:wallet"] == -row["unexplained"]
