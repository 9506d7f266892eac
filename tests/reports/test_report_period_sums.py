"""Reports of one period agree with each other."""

from datetime import timedelta
from typing import Any

import pytest

from recon.reconcile.rollforward import ROLLFORWARD
from recon.reports import journal
from recon.reports.periods import Period
from recon.reports.views import MODELS
from tests.reports.lake_rows import SETTINGS, engine
from tests.reports.ledger_files import Answers, intervals_of
from tests.reports.stand_in import WALLET, ResultStandIn, an_interval, rows, told
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


@pytest.mark.parametrize(("unexplained", "shown"), [(-10_000, 1), (0, 0)])
def test_the_page_shows_a_rest_where_the_movements_alone_left_none(
    unexplained: int, shown: int
) -> None:
    """What is taken to have moved in from a neighbour is missing here: a break."""
    row = told(an_interval(difference=0, unexplained=unexplained))
    result = ResultStandIn({"int_wallet_rollforward": rows(ROLLFORWARD, [row])})
    assert len(MODELS["differences"](result, SETTINGS, Period())) == shown
