"""Summary, verdict, message and terminal tell what no file of the business covers."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pytest

from recon import notify
from recon.charts import Look
from recon.cli.verdict import print_summary
from recon.reconcile.disclosures.coverage import CHECKS
from recon.reports import summary as reports_summary
from recon.reports.periods import Period
from recon.reports.verdict import in_words
from recon.reports.views import SHORT
from tests.reports.lake_rows import SETTINGS
from tests.reports.stand_in import (
    AS_OF,
    COVERAGE,
    UNCOVERED,
    ResultStandIn,
    an_interval,
)
from tests.summary_keys import Summary

ENGLISH, FARSI = Look(), Look("jalali", "fa")
MARCH_1, FEBRUARY_28 = date(2026, 3, 1), date(2026, 2, 28)
LONG_AGO = date(2026, 1, 20)
DATED = ("books", "bank_statement")
ENDS = {"from": "first", "to": "last"}
FOLDER = Path("data/reports/2026-03-02")


def result(
    *rows: tuple[str, str, date, int, int],
    books_end: date = LONG_AGO,
    files: int = 1,
    **changed: Any,
) -> ResultStandIn:
    """A run with nothing open, files that end so, and rows that none covers."""
    ends = {"first_date": date(2025, 12, 31), "last_date": books_end}
    reaches = [
        {"kind": kind, "row_count": files, **(ends if kind in DATED else {})}
        for kind in CHECKS
    ]
    told = UNCOVERED.names[: len(RECORDS)]
    found = [
        dict(zip(told, row, strict=True))
        | (
            {f"covered_{end}": ends[f"{name}_date"] for end, name in ENDS.items()}
            if row[0] in DATED
            else {}
        )
        for row in rows
    ]
    tables = {
        "report_coverage": pa.Table.from_pylist(reaches, COVERAGE),
        "report_uncovered": pa.Table.from_pylist(found, UNCOVERED),
        "int_bank_claims": pa.table({"claim_id": ["entry:1"]}),
        "int_settlements": pa.table({"settlement_id": ["x"], "is_settlement": [True]}),
    }
    interval = an_interval(closing=4_990_000, difference=0, unexplained=0)
    return ResultStandIn(tables, interval_rows=[interval], **changed)


RECORDS = ("books", "records", MARCH_1, 2, 1_500_000_000)
MORE_RECORDS = ("books", "records", FEBRUARY_28, 1, 10)
DEPOSIT = ("bank_statement", "deposits", MARCH_1, 1, 7)
WAGE = ("tariff", "wages", MARCH_1, 1, 5_000)


def figures(given: ResultStandIn, period: Period | None = None) -> dict[str, Any]:
    within = period or Period()
    tables = {
        name: SHORT[name](given, SETTINGS, within) for name in reports_summary.SUMMED
    }
    return reports_summary.figures(given, within, tables, None)


def verdict(given: ResultStandIn, look: Look = ENGLISH, *disabled: str) -> Any:
    return in_words(reports_summary.summary(given), {}, {}, look, disabled)


def message(given: ResultStandIn, *disabled: str) -> notify.Message:
    return notify.message(
        "shop", reports_summary.summary(given), FOLDER, disabled=disabled
    )


def test_where_files_cover_all_nothing_is_told() -> None:
    found = reports_summary.summary(result())
    assert not {"uncovered", "never_imported"} & found.keys()
    assert verdict(result()).headline == "All is well: nothing is open."
    assert message(result()).title == "recon shop: all is well"


def test_books_that_ended_long_ago_make_no_all_clear() -> None:
    """They end on January 20; on March 2 nothing is open, since nothing is compared."""
    given = result(MORE_RECORDS, RECORDS)
    told = (
        "Not compared with the books, which reach from 2025-12-31 to 2026-01-20: "
        "3 paid records that come to 1,500,000,010 rials (2026-02-28 to 2026-03-01)."
    )
    found = verdict(given)
    assert (found.mood, found.headline) == (
        "warn",
        "Nothing is open, but not all was compared.",
    )
    assert told in found.sentences
    sent = message(given)
    assert sent.title == "recon shop: nothing open, but not all was compared"
    assert sent.mood == "warning"
    assert told in sent.body.splitlines()


def test_books_of_last_month_are_told_and_well() -> None:
    """An export a month is in time, and what it does not have yet is said."""
    given = result(RECORDS, books_end=date(2026, 1, 26))
    found = verdict(given)
    assert (found.mood, found.headline) == ("good", "All is well: nothing is open.")
    assert any(
        "2 paid records that come to 1,500,000,000" in each for each in found.sentences
    )
    assert message(given).mood == "success"


NO_STATEMENT = (
    "Not compared with the bank: no statement covers the account and day of {items} "
    "(2026-03-01); the statements reach from 2025-12-31 to 2026-01-20."
)
NOT_ALL_DAYS = (
    "Not at the bank so far, and the statements, from 2025-12-31 to 2026-01-20, do not "
    "cover all days that a settlement may take: 2 settlements that come to 9 rials "
    "(2026-03-01)."
)
NO_LINE = (
    "Not compared with the tariff, which has no line for them: 1 wage of 5,000 rials "
    "(2026-03-01)."
)
SETTLEMENTS = ("bank_statement", "settlements", MARCH_1, 2, 9)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (DEPOSIT, NO_STATEMENT.format(items="1 deposit of 7 rials")),
        (SETTLEMENTS, NOT_ALL_DAYS),
        (WAGE, NO_LINE),
    ],
)
def test_the_bank_and_the_tariff_have_their_words(row: Any, told: str) -> None:
    assert told in verdict(result(row)).sentences


def test_what_is_late_is_told_first() -> None:
    early = (*DEPOSIT[:2], LONG_AGO, *DEPOSIT[3:])
    words = verdict(result(early, RECORDS, WAGE)).sentences
    told = [each for each in words if each.startswith("Not compared")]
    assert [each.split()[4].strip(",:") for each in told] == ["books", "bank", "tariff"]


def test_a_tariff_is_never_late() -> None:
    assert verdict(result(WAGE)).mood == "good"


def test_persian_words_and_dates_are_persian() -> None:
    given = result(RECORDS, DEPOSIT, WAGE, files=1)
    found = "\n".join(verdict(given, FARSI).sentences)
    assert "دفاتر از ۱۴۰۴/۱۰/۱۰ تا ۱۴۰۴/۱۰/۳۰ است" in found
    assert "۲ رکورد پرداخت‌شده، در مجموع ۱٬۵۰۰٬۰۰۰٬۰۰۰ ریال (۱۴۰۴/۱۲/۱۰)" in found
    assert "Not compared" not in found
    assert verdict(given, FARSI).mood == "warn"


@pytest.mark.parametrize("look", [ENGLISH, FARSI])
def test_files_that_were_never_imported_are_named_and_are_no_alarm(look: Look) -> None:
    """Who does not use them is not warned every night, yet is told."""
    given = result(files=0)
    found = verdict(given, look)
    files = ("statements of the bank", "the books", "the tariff")
    listed = look.say(", ").join(map(look.say, files))
    never = "There are none of these yet, so nothing is compared with them: {listed}."
    assert look.say(never, listed=listed) in found.sentences
    assert found.mood == "good"
    assert message(given).mood == "success"


@pytest.mark.parametrize("kind", ["events", "gateway_tokens", "hosted_checkouts"])
def test_a_product_that_was_read_in_vain_makes_no_all_clear(kind: str) -> None:
    summary = reports_summary.summary(result()) | {"never_imported": [kind]}
    assert in_words(summary, {}, {}, ENGLISH).mood == "warn"
    sent = notify.message("shop", summary, FOLDER)
    assert sent.mood == "warning"
    assert "There are none of these yet" in sent.body
    off = CHECKS[kind]
    assert in_words(summary, {}, {}, ENGLISH, off).mood == "good"
    assert notify.message("shop", summary, FOLDER, disabled=off).mood == "success"


GAP = {
    "iban": "IR1",
    "from": "2026-01-02",
    "to": "2026-01-20",
    "deposits": 1,
    "amount": 5,
    "settlements": 0,
    "settled": 0,
}


def test_a_statement_that_is_missing_between_two_makes_no_all_clear() -> None:
    summary = reports_summary.summary(result()) | {"bank_gaps": [GAP]}
    assert in_words(summary, {}, {}, ENGLISH).mood == "warn"
    sent = notify.message("shop", summary, FOLDER)
    assert sent.mood == "warning"
    assert "IR1 from 2026-01-02 to 2026-01-20 (1 deposit of 5 rials)" in sent.body
    off = CHECKS["bank_statement"]
    assert in_words(summary, {}, {}, ENGLISH, off).mood == "good"


def test_before_the_first_pull_no_file_is_missed() -> None:
    assert "never_imported" not in reports_summary.summary(result(files=0, sources={}))


def test_who_has_disabled_the_checks_is_not_told() -> None:
    given = result(RECORDS, DEPOSIT)
    off = verdict(given, ENGLISH, *CHECKS["books"], *CHECKS["bank_statement"])
    assert off.mood == "good"
    assert not any("Not compared" in each for each in off.sentences)
    some = verdict(given, ENGLISH, *CHECKS["books"][1:])
    assert some.mood == "warn"
    assert (
        "reach from"
        not in message(given, *CHECKS["books"], *CHECKS["bank_statement"]).body
    )
    none = verdict(
        result(files=0), ENGLISH, *(name for all_ in CHECKS.values() for name in all_)
    )
    assert not any("none of these" in each for each in none.sentences)


def test_a_period_has_its_own() -> None:
    given = result(MORE_RECORDS, RECORDS)
    (found,) = figures(given, Period(MARCH_1, MARCH_1))["uncovered"]
    assert (found["count"], found["first"], found["last"]) == (
        2,
        "2026-03-01",
        "2026-03-01",
    )
    assert "uncovered" not in figures(given, Period(date(2026, 1, 1), LONG_AGO))


def test_the_terminal_tells_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(reports_summary.summary(result(RECORDS)))
    assert "Not compared with the books" in capsys.readouterr().out
    print_summary(reports_summary.summary(result(files=0)))
    assert "none of these" in capsys.readouterr().out
    print_summary(reports_summary.summary(result(RECORDS)), CHECKS["books"])
    assert "Not compared" not in capsys.readouterr().out


def test_without_two_balances_nothing_is_called_well() -> None:
    given = result()
    given.interval_rows = ()
    assert verdict(given).headline == "Nothing is open, but not all was compared."
    assert message(given).mood == "warning"


@pytest.mark.parametrize(("days", "mood"), [(34, "good"), (35, "warn")])
def test_a_balance_of_a_month_ago_is_late(days: int, mood: str) -> None:
    given = result()
    to_at = AS_OF - timedelta(days=days)
    given.interval_rows = [
        an_interval(to_at=to_at, closing=4_990_000, difference=0, unexplained=0)
    ]
    assert verdict(given).mood == mood
    period = Period(last=(to_at + timedelta(days=20)).astimezone(UTC).date())
    assert "late" not in figures(given, period)["wallet"]


def test_open_breaks_keep_their_headline() -> None:
    given = result(RECORDS, break_rows=[])
    found = reports_summary.summary(given)
    msgspec.convert(found, Summary)
    found["breaks"]["open"]["by_severity"]["critical"] = 1
    assert in_words(found, {}, {}, ENGLISH).headline == "1 break must be looked at."
    assert datetime.fromisoformat(found["as_of"]) == AS_OF
