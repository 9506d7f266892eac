"""Summary, verdict, message and terminal tell of the money that no check judges."""

from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from recon import notify
from recon.charts import Look
from recon.cli.verdict import print_summary
from recon.reconcile.disclosures.coverage import CHECKS
from recon.reports import summary as reports_summary
from recon.reports.masking import Masking
from recon.reports.periods import Period
from recon.reports.verdict import in_words
from recon.reports.views import SHORT
from tests.reports.lake_rows import SETTINGS
from tests.reports.stand_in import UNJUDGED, ResultStandIn, an_interval

ENGLISH, FARSI = Look(), Look("jalali", "fa")
FOLDER = Path("data/reports/2026-03-02")
DAY = date(2026, 3, 1)
WELL = "All is well: nothing is open."
SHORT_OF = "Nothing is open, but not all was compared."

SETTLED = ("status", "checkouts", "settled", DAY, 2, 3_000_000)
CODE = ("status", "gateway_tokens", "7", DAY, 1, 5_000_000)
REFUSED = ("refused", "gateway_tokens", "", DAY, 240, 1_200_000_000)
UNASKED = ("unasked", "hosted_checkouts", "", DAY, 1, 70)
PAYOUT = ("kind", "adjustments", "payout", None, 2, 24_000_000)
DEPOSIT = ("untraced", "deposits", "", DAY, 1, 9)
DEBIT = ("unnamed", "debits", "", DAY, 2, 40)
HELD = ("status", "agreements", "closed", DAY, 1, 800)
DENIED = ("denied", "gateway_tokens", "0", DAY, 1, 6)
SHARED = ("shared", "payments", "", DAY, 2, 1_800)
UNSIZED = ("unsized", "trades", "", DAY, 1, 900)
LESS = ("short", "agreements", "", DAY, 2, 30)
UNHEARD = ("unheard", "trades", "finalize", DAY, 3, 700)
MONTHS = ("held", "agreements", "", DAY, 2, 9_000_000)
EARLY = [("before", name, "", DAY, 2, 60) for name in ("inflows", "outflows")]
UNTIMED = ("untimed", "inflows", "hosted", DAY, 1, 990_000)
TAKEN = ("taken", "outflows", "unified", DAY, 2, 7)
LATE = ("after", "outflows", "", DAY, 1, 50)

WORDS = {
    (CODE, SETTLED, HELD): (
        "Neither paid nor unpaid for any check, since the contract does not show their "
        "status: 1 gateway token of 5,000,000 rials (7), 2 checkouts with done "
        "payments that come to 3,000,000 rials (settled), 1 agreement that holds 800 "
        "rials (closed)."
    ),
    (REFUSED,): (
        "Not known whether they were paid, since the provider refused each one that it "
        "was asked for: 240 gateway tokens that come to 1,200,000,000 rials."
    ),
    (UNASKED,): (
        "Paid by the books, and the provider was never asked for them: 1 hosted "
        "checkout of 70 rials."
    ),
    (PAYOUT,): (
        "Not found at the bank, and not missed there, since their kind is no "
        "settlement by its name: 2 adjustments that come to 24,000,000 rials (payout)."
    ),
    (DEPOSIT,): (
        "Not looked for at the bank, since they have no IBAN, track_id or time of "
        "request: 1 deposit of 9 rials."
    ),
    (DEBIT,): (
        "Not asked whether the provider took them, since checks.provider_names is "
        "empty, or no debit of the account has a word of it: 2 debits of the bank that "
        "come to 40 rials, without a deposit."
    ),
    (DENIED,): (
        "Verified by the answer that the business kept, though the provider says that "
        "their data are wrong: 1 gateway token of 6 rials (0)."
    ),
    (SHARED,): (
        "Told as paid by a receipt that another agreement has, too, so that one of "
        "them may not be paid: 2 payments that come to 1,800 rials (from 2026-03-01 "
        "on)."
    ),
    (UNSIZED,): (
        "Not known how much is left of what was paid, since a payout or a refund does "
        "not tell its amount: 1 agreement over 900 rials (from 2026-03-01 on)."
    ),
    (LESS,): (
        "Finalized and paid out, though less went out than came in (the provider's "
        "commission, or still owed): 2 agreements that hold 30 rials (from 2026-03-01 "
        "on)."
    ),
    (UNHEARD,): (
        "Not known whether anything is owed of them, since they ended and no event "
        "tells that they were paid: 3 agreements over 700 rials (finalize)."
    ),
    (MONTHS,): (
        "Paid more than 90 days ago, and neither finalized nor cancelled to this day: "
        "2 agreements that hold 9,000,000 rials (from 2026-03-01 on)."
    ),
    (UNTIMED,): (
        "Not held against any balance, since no time tells when it moved the wallet, "
        "or one that cannot be: 1 movement into the wallet, of 990,000 rials (hosted)."
    ),
    (TAKEN,): (
        "Taken from the wallet by payments or deposits, which should bring money: 2 "
        "movements out of the wallet that come to 7 rials (unified)."
    ),
    (*EARLY,): (
        "Not held against any balance, since it was before the wallet's first one: 2 "
        "movements into the wallet that come to 60 rials (from 2026-03-01 on), 2 "
        "movements out of the wallet that come to 60 rials (from 2026-03-01 on)."
    ),
    (LATE,): (
        "Not held against any balance so far, since it was after the wallet's last "
        "one: 1 movement out of the wallet, of 50 rials (from 2026-03-01 on)."
    ),
}
LOUD = {REFUSED, UNASKED, DENIED, SHARED, UNTIMED}
QUIET = [(DEBIT,), (LESS,), (UNHEARD,), (*EARLY,)]
"""What a setting or an import would settle: no message repeats it."""


def result(*rows: tuple[Any, ...]) -> ResultStandIn:
    """A run with nothing open, and rows of what no check judges."""
    found = [dict(zip(UNJUDGED.names, row, strict=True)) for row in rows]
    interval = an_interval(closing=4_990_000, difference=0, unexplained=0)
    return ResultStandIn(
        {"report_unjudged": pa.Table.from_pylist(found, UNJUDGED)},
        interval_rows=[interval],
        break_rows=[],
        never_read=(),
    )


def figures(
    given: ResultStandIn, period: Period, mask: Masking | None = None
) -> dict[str, Any]:
    tables = {
        name: SHORT[name](given, SETTINGS, period) for name in reports_summary.SUMMED
    }
    return reports_summary.figures(given, period, tables, mask)


def verdict(given: ResultStandIn, look: Look = ENGLISH, *disabled: str) -> Any:
    return in_words(reports_summary.summary(given), {}, {}, look, disabled)


def message(given: ResultStandIn, *disabled: str) -> notify.Message:
    summary = reports_summary.summary(given)
    return notify.message("shop", summary, FOLDER, disabled=disabled)


def test_the_summary_counts_and_sums_by_reason_and_name() -> None:
    found = reports_summary.summary(result(SETTLED, SETTLED, PAYOUT))
    assert found["unjudged"] == [
        {
            "why": "status",
            "subject": "checkouts",
            "name": "settled",
            "count": 4,
            "amount": 6_000_000,
            "first": "2026-03-01",
        },
        {
            "why": "kind",
            "subject": "adjustments",
            "name": "payout",
            "count": 2,
            "amount": 24_000_000,
            "first": None,
        },
    ]
    assert found["exit_code"] == 0


def test_without_any_all_is_as_it_was() -> None:
    assert "unjudged" not in reports_summary.summary(result())
    assert verdict(result()).headline == WELL
    assert message(result()).mood == "success"


@pytest.mark.parametrize("rows", WORDS)
def test_it_is_told_in_words(
    rows: tuple[tuple[Any, ...], ...], capsys: pytest.CaptureFixture[str]
) -> None:
    given = result(*rows)
    assert WORDS[rows] in verdict(given).sentences
    print_summary(reports_summary.summary(given))
    assert WORDS[rows] in capsys.readouterr().out


@pytest.mark.parametrize("rows", QUIET)
def test_no_message_repeats_what_a_setting_would_settle(
    rows: tuple[tuple[Any, ...], ...],
) -> None:
    told = WORDS[rows].split(":")[0]
    assert told not in message(result(*rows)).body
    assert told in "".join(verdict(result(*rows)).sentences)


@pytest.mark.parametrize("rows", [rows for rows in WORDS if rows not in QUIET])
def test_the_message_tells_it_without_names_of_others(
    rows: tuple[tuple[Any, ...], ...],
) -> None:
    body = message(result(*rows)).body
    assert WORDS[rows].split(":")[0] in body
    assert not any(f"({row[2]})" in body for row in rows)


@pytest.mark.parametrize("rows", WORDS)
def test_nothing_is_called_well_where_somebody_could_have_asked(
    rows: tuple[tuple[Any, ...], ...],
) -> None:
    is_loud = bool(LOUD & {*rows})
    assert verdict(result(*rows)).headline == (SHORT_OF if is_loud else WELL)
    assert message(result(*rows)).mood == ("warning" if is_loud else "success")


@pytest.mark.parametrize("rows", WORDS)
def test_a_persian_reader_is_told_in_persian(
    rows: tuple[tuple[Any, ...], ...],
) -> None:
    told = verdict(result(*rows), FARSI).sentences[-1]
    for word in ("rials", "gateway", "checkout", "since", "deposit", "bank", "from"):
        assert word not in told.replace("track_id", "").replace("checks.provider", "")


def test_the_oldest_date_is_told_in_the_reader_s_calendar() -> None:
    older = (*MONTHS[:3], date(2025, 12, 30), *MONTHS[4:])
    given = result(MONTHS, older)
    (found,) = reports_summary.summary(given)["unjudged"]
    assert found == {
        "why": "held",
        "subject": "agreements",
        "name": "",
        "count": 4,
        "amount": 18_000_000,
        "first": "2025-12-30",
    }
    assert "(from 2025-12-30 on)" in message(given).body
    told = verdict(given, FARSI).sentences[-1]
    assert FARSI.day(date(2025, 12, 30)) in told


def test_what_has_no_date_is_told_without_one() -> None:
    undated = (*LATE[:3], None, *LATE[4:])
    assert verdict(result(undated)).sentences[-1].endswith("of 50 rials.")


def test_who_has_disabled_the_checks_of_escrow_and_the_wallet_is_not_told() -> None:
    off = (*CHECKS["events"], *CHECKS["gateway_tokens"], "wallet_rollforward")
    for rows in ((DENIED,), (UNSIZED,), (UNHEARD,), (MONTHS,), (*EARLY, LATE)):
        given = result(*rows)
        assert verdict(given, ENGLISH, *off).headline == WELL
        assert not any("rials (" in x for x in verdict(given, ENGLISH, *off).sentences)
        assert any("rials (" in x for x in verdict(given, ENGLISH, off[0]).sentences)


def test_who_has_disabled_the_checks_is_not_told() -> None:
    off = (*CHECKS["gateway_tokens"], "book_status_mismatch", "bank_debit_missing")
    given = result(REFUSED, UNASKED, DEPOSIT)
    assert verdict(given, ENGLISH, *off).headline == WELL
    assert not any(
        "rials (" in each for each in verdict(given, ENGLISH, *off).sentences
    )
    assert message(given, *off).mood == "success"
    assert verdict(given, ENGLISH, *off[1:]).headline == SHORT_OF


def test_a_period_has_its_own() -> None:
    given = result(SETTLED, PAYOUT)
    (only,) = figures(given, Period(date(2026, 2, 1), date(2026, 2, 28)))["unjudged"]
    assert only["why"] == "kind"  # nobody knows its date
    assert len(figures(given, Period(DAY, DAY))["unjudged"]) == 2


def test_a_name_may_have_named_people() -> None:
    given = result(("status", "checkouts", "of 09121234567", DAY, 1, 5))
    (found,) = figures(given, Period(), Masking())["unjudged"]
    assert "09121234567" not in found["name"]


def test_many_names_are_counted() -> None:
    rows = [("status", "checkouts", f"s{n}", DAY, 1, n) for n in range(9)]
    (told,) = (each for each in verdict(result(*rows)).sentences if "(s8)" in each)
    assert told.endswith("(s4), and 4 more.")
