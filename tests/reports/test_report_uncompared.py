"""What is not compared where the wallet changes: the summary and its words."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import msgspec
import pyarrow as pa
import pytest

from recon import charts
from recon.charts import Look
from recon.cli.verdict import print_summary
from recon.reports import rollforward
from recon.reports.masking import Masking
from recon.reports.periods import Period
from recon.reports.summary import SUMMED, figures, summary
from recon.reports.verdict import in_words
from recon.reports.views import SHORT
from tests.charts.frames import frame
from tests.reports.lake_rows import SETTINGS
from tests.reports.stand_in import (
    CHANGES,
    MOVEMENTS,
    OTHERS,
    WALLET,
    ResultStandIn,
    an_interval,
)
from tests.reports.test_report_verdict import ENGLISH, FARSI, RULES, quiet
from tests.reports.test_report_verdict import summary as of_a_run
from tests.summary_keys import Summary

NEW = "IR840120000000000000000002"
MAY = Period(date(2026, 5, 1), date(2026, 5, 31))
CHANGE = {
    "from": "IR1",
    "to": "IR2",
    "from_at": "2026-10-03T00:00:00Z",
    "to_at": "2026-10-05T00:00:00Z",
    "movements": 2,
    "amount": -1_500,
}


def at(month: int, day: int, hour: int = 0) -> datetime:
    return datetime(2026, month, day, hour, tzinfo=UTC)


def result(
    changed: tuple[datetime, datetime] | None = None,
    *others: tuple[str, datetime],
    moved: tuple[tuple[datetime, int], ...] = (),
    **intervals: Any,
) -> ResultStandIn:
    rows = [("IR1", "IR2", *changed, 40)] if changed else []
    given_rows = [(CHANGES, rows), (MOVEMENTS, moved), (OTHERS, others)]
    tables = [
        pa.Table.from_pylist(
            [dict(zip(schema.names, each, strict=True)) for each in of], schema
        )
        for schema, of in given_rows
    ]
    names = ("int_wallet_changes", "int_certain_movements", "int_other_snapshots")
    return ResultStandIn(dict(zip(names, tables, strict=True)), zone=UTC, **intervals)


def told(
    found: ResultStandIn, period: Period, mask: Masking | None = None
) -> dict[str, Any]:
    tables = {name: SHORT[name](found, SETTINGS, period) for name in SUMMED}
    return figures(found, period, tables, mask)


def test_the_summary_counts_what_moved_while_the_wallet_changed() -> None:
    """What moved at the old wallet's last snapshot is in it; at the new one's first,
    in that."""
    begin, end = at(10, 3), at(10, 5)
    moved = ((begin, 1), (begin + timedelta(seconds=1), -1_700), (end, 200))
    later = (end + timedelta(seconds=1), 9)
    found = summary(result((begin, end), ("IR9", begin), moved=(*moved, later)))
    msgspec.convert(found, Summary)
    assert found["wallet_changes"] == [CHANGE]
    assert found["other_balances"] == {"IR9": 1}


def test_where_all_is_compared_the_summary_is_as_it_was() -> None:
    found = summary(result())
    assert "wallet_changes" not in found
    assert "other_balances" not in found


@pytest.mark.parametrize(
    ("begin", "end", "is_told"),
    [
        (at(4, 20), at(4, 30, 23), False),
        (at(4, 20), at(5, 1), False),  # midnight ends the day before
        (at(4, 20), at(5, 1, 1), True),
        (at(4, 20), at(6, 20), True),
        (at(5, 31, 23), at(6, 1), True),
        (at(6, 1), at(6, 2), False),
    ],
)
def test_a_period_tells_of_a_change_that_it_knows_a_part_of(
    begin: datetime, end: datetime, is_told: bool
) -> None:
    assert ("wallet_changes" in told(result((begin, end)), MAY)) is is_told
    assert "wallet_changes" in told(result((begin, end)), Period())


@pytest.mark.parametrize(
    ("taken", "is_told"),
    [(at(5, 1), False), (at(5, 1, 1), True), (at(6, 1), True), (at(6, 1, 1), False)],
)
def test_a_period_has_its_own_balances(taken: datetime, is_told: bool) -> None:
    found = told(result(None, ("IR9", taken)), MAY)
    assert ("other_balances" in found) is is_told


def test_a_person_in_an_iban_is_masked() -> None:
    given_rows = result(None, ("of 09121234567", at(5, 3)))
    assert "09121234567" not in str(told(given_rows, Period(), Masking()))
    assert "09121234567" in str(told(given_rows, Period()))


def test_the_newest_wallet_has_the_balance() -> None:
    rows = [
        an_interval(closing=70, unexplained=-3),
        an_interval(
            wallet=NEW,
            from_at=at(3, 4),
            to_at=at(3, 5),
            closing=5,
            unexplained=1,
        ),
    ]
    found = told(result(interval_rows=rows), Period())
    assert found["wallet"]["closing"] == 5
    assert found["wallet"]["unexplained"] == -2


@pytest.mark.parametrize(
    ("begin", "end", "closing"),
    [
        (at(3, 5), at(3, 9), 40),
        (at(3, 5), at(3, 5), 40),  # both have a balance of that instant
        (at(3, 2), at(3, 4), 70),  # which is the begin of the newest interval
        (at(3, 5), at(4, 1), 40),  # midnight ends the day before
        (at(3, 5), at(4, 1, 1), 70),  # the period knows of none of the new wallet's
    ],
)
def test_the_first_balance_of_a_new_wallet_is_what_the_wallet_holds(
    begin: datetime, end: datetime, closing: int
) -> None:
    rows = [an_interval(from_at=at(3, 4), to_at=at(3, 5), closing=70, unexplained=-3)]
    found = result((begin, end), interval_rows=rows)
    march = Period(date(2026, 3, 1), date(2026, 3, 31))
    tables = {name: SHORT[name](found, SETTINGS, march) for name in SUMMED}
    wallet = figures(found, march, tables, None, present=at(6, 1))["wallet"]
    assert (wallet["closing"], wallet["unexplained"]) == (closing, -3)
    whole = told(found, Period())["wallet"]
    assert whole["closing"] == (70 if end < at(3, 5) else 40)


@pytest.mark.parametrize(
    ("movements", "amount", "words"),
    [
        (0, 0, "is not compared, and no movement is known of that time."),
        (1, 7, "is not compared, 1 movement of 7 rials."),
        (2, -1_500, "is not compared, 2 movements that come to -1,500 rials."),
    ],
)
def test_the_terminal_tells_what_is_not_compared(
    capsys: pytest.CaptureFixture[str], movements: int, amount: int, words: str
) -> None:
    calm = of_a_run(as_of="2026-10-06T00:00:00Z", run_id="r")
    change = CHANGE | {"movements": movements, "amount": amount}
    print_summary(calm | {"wallet_changes": [change], "other_balances": {"IR9": 3}})
    shown = capsys.readouterr().out
    assert (
        "The wallet changed from IR1 to IR2: what moved from 2026-10-03T00:00:00Z to "
        f"2026-10-05T00:00:00Z {words}\n"
    ) in shown
    assert "they are not the wallet's: 3 balances of IR9. " in shown
    assert "cash_in.wallet_iban_since says when.\n" in shown
    print_summary(calm)
    assert "compared" not in capsys.readouterr().out


def test_many_other_ibans_are_told_in_short() -> None:
    found = {f"IR{number}": number for number in range(1, 8)} | {"I" * 90: 9}
    given_run = of_a_run(breaks=quiet(), other_balances=found)
    (line,) = (
        line
        for line in str(in_words(given_run, RULES, {}, ENGLISH)).splitlines()
        if "balances of" in line
    )
    assert f"9 balances of {'I' * 39}…, 7 balances of IR7" in line
    assert line.count("balances of") == 5
    assert ", and 3 more. Where" in line


@pytest.mark.parametrize(
    ("look", "sentence"),
    [
        (ENGLISH, "2 movements that come to -1,500 rials."),
        (FARSI, "۲ گردش، در مجموع"),
    ],
)
def test_the_verdict_tells_what_is_not_compared_and_alarms_nobody(
    look: Look, sentence: str
) -> None:
    wallet = {"closing": 1, "unexplained": 0, "unexplained_intervals": 0}
    calm: dict[str, Any] = {"breaks": quiet(), "wallet": wallet}
    said: dict[str, Any] = {"wallet_changes": [CHANGE], "other_balances": {"IR9": 1}}
    found = in_words(of_a_run(**calm, **said), RULES, {}, look)
    without = in_words(of_a_run(**calm), RULES, {}, look)
    assert sentence in str(found)
    assert "wallet_iban_since" in str(found)
    assert "compared" not in str(without)
    assert (found.mood, found.headline) == (without.mood, without.headline)
    if look is FARSI:
        assert "balance" not in str(found)
        assert "changed" not in str(found)


def of_two_wallets() -> Any:
    days = [at(3, day) for day in range(1, 7)]
    held = [(WALLET, 0, 100, 90), (WALLET, 1, 90, 80), (NEW, 4, 7, 9)]
    return frame(
        rollforward.COLUMNS,
        [
            an_interval(
                wallet=wallet,
                from_at=days[first],
                to_at=days[first + 1],
                opening=opening,
                closing=closing,
                expected_closing=closing,
                **dict.fromkeys(("payments", "adjustments"), 0)
                | {"explained": 0, "unexplained": closing - opening},
            )
            for wallet, first, opening, closing in held
        ],
    )


def test_no_line_of_the_chart_joins_two_wallets() -> None:
    upper = charts.wallet_rollforward(of_two_wallets()).axes[0]
    drawn = [list(line.get_xdata()) for line in upper.get_lines()]
    assert [0, 1] in drawn
    assert [4] in drawn
    marked = [0, 1, 4]  # the rests, by days, which no line joins
    assert sum(each == marked for each in drawn) == 1
    returned = of_two_wallets().assign(wallet=WALLET)
    again = charts.wallet_rollforward(returned).axes[0]
    assert [4] in [list(line.get_xdata()) for line in again.get_lines()]


def test_the_waterfall_leads_over_the_change() -> None:
    """100 - 20 + 2 = 82, and -73 to the 9 that the new wallet ends with."""
    made = charts.wallet_waterfall(of_two_wallets())
    names = [tick.get_text() for tick in made.axes[0].get_xticklabels()]
    assert names[-2:] == ["not\ncompared", "closing"]
    shown = [text.get_text() for text in made.axes[0].texts]
    assert {"100", "-18", "-73", "9"} <= set(shown)
    alone = charts.wallet_waterfall(of_two_wallets().iloc[:2])
    names = [tick.get_text() for tick in alone.axes[0].get_xticklabels()]
    assert "not\ncompared" not in names
