"""Breaks that somebody decided about are told as long as they are found."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from recon import notify
from recon.charts import Look
from recon.cli.verdict import print_summary
from recon.reports import summary as reports_summary
from recon.reports.periods import Period
from recon.reports.verdict import in_words
from recon.reports.views import SHORT
from tests.reports.lake_rows import SETTINGS
from tests.reports.stand_in import ResultStandIn, a_break, an_interval

ENGLISH, FARSI = Look(), Look("jalali", "fa")
FOLDER = Path("data/reports/2026-03-02")
TOLD = "Decided upon, and found still: 2 acknowledged, 1 resolved; 15,000 rials."


def result(*given: dict[str, Any]) -> ResultStandIn:
    rows = [
        a_break(**{"break_id": f"{number:016x}"} | changed)
        for number, changed in enumerate(given)
    ]
    return ResultStandIn(break_rows=rows, interval_rows=[an_interval()])


def decided(
    status: str, difference: int | None = -10_000, **changed: Any
) -> dict[str, Any]:
    return {"status": status, "difference": difference, **changed}


THREE = (
    decided("acknowledged"),
    decided("resolved", 5_000),
    decided("acknowledged", None),
)


def test_they_are_counted_and_summed_without_signs() -> None:
    found = reports_summary.summary(result(*THREE, decided("gone"), decided("open")))
    assert found["breaks"]["decided"] == {
        "acknowledged": 2,
        "resolved": 1,
        "rials": 15_000,
    }
    assert found["breaks"]["open"]["by_check"] == {"payment_wallet_identity": 1}


@pytest.mark.parametrize("status", ["open", "gone"])
def test_what_is_open_or_gone_is_not_among_them(status: str) -> None:
    found = reports_summary.summary(result(decided(status)))
    assert "decided" not in found["breaks"]
    assert not any("Decided" in each for each in verdict(found).sentences)


def verdict(summary: dict[str, Any], look: Look = ENGLISH) -> Any:
    return in_words(summary, {}, {}, look)


def test_verdict_message_and_terminal_tell_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nothing is open, and 15,000 rials are off none the less."""
    summary = reports_summary.summary(result(*THREE))
    assert TOLD in verdict(summary).sentences
    assert TOLD in notify.message("shop", summary, FOLDER).body.splitlines()
    print_summary(summary)
    assert TOLD in capsys.readouterr().out.splitlines()


def test_without_an_amount_no_rials_are_told() -> None:
    summary = reports_summary.summary(result(decided("resolved", None)))
    assert "Decided upon, and found still: 1 resolved." in verdict(summary).sentences


def test_persian_is_persian() -> None:
    summary = reports_summary.summary(result(*THREE))
    found = "\n".join(verdict(summary, FARSI).sentences)
    assert "۲ پذیرفته‌شده" in found
    assert "۱ حل‌شده" in found
    assert "۱۵٬۰۰۰ ریال" in found
    assert "acknowledged" not in found


def test_a_period_has_its_own() -> None:
    given = result(*THREE, decided("resolved", 3, business_date=date(2026, 2, 1)))
    february = Period(date(2026, 2, 1), date(2026, 2, 28))
    tables = {
        name: SHORT[name](given, SETTINGS, february) for name in reports_summary.SUMMED
    }
    found = reports_summary.figures(given, february, tables, None)
    assert found["breaks"]["decided"] == {"resolved": 1, "rials": 3}
