"""The summary tells of deposits whose status the settings do not list."""

from datetime import date
from typing import Any

import msgspec
import pyarrow as pa
import pytest

from recon.reports.masking import Masking
from recon.reports.periods import Period
from recon.reports.summary import SUMMED, figures, summary
from recon.reports.views import SHORT
from tests.reports.lake_rows import SETTINGS
from tests.reports.stand_in import UNLISTED, ResultStandIn
from tests.summary_keys import Summary

MAY = Period(date(2026, 5, 1), date(2026, 5, 31))


def result(*given: tuple[str, int | None, date | None]) -> ResultStandIn:
    rows = [dict(zip(UNLISTED.names, each, strict=True)) for each in given]
    return ResultStandIn(
        {"int_unlisted_deposits": pa.Table.from_pylist(rows, UNLISTED)}
    )


def told(given: ResultStandIn, period: Period, mask: Masking | None = None) -> Any:
    tables = {name: SHORT[name](given, SETTINGS, period) for name in SUMMED}
    return figures(given, period, tables, mask).get("unlisted_deposits")


def test_the_summary_counts_and_sums_them_by_status() -> None:
    given = result(("SETTLED", 2, None), ("SETTLED", 3, None), ("FAILED", None, None))
    found = summary(given)
    msgspec.convert(found, Summary)
    assert found["unlisted_deposits"] == {
        "SETTLED": {"deposits": 2, "amount": 5},
        "FAILED": {"deposits": 1, "amount": None},
    }
    assert found["exit_code"] == summary(ResultStandIn())["exit_code"] == 0


def test_without_any_the_summary_is_as_it_was() -> None:
    assert "unlisted_deposits" not in summary(ResultStandIn())


@pytest.mark.parametrize(
    ("day", "is_told"),
    [
        (date(2026, 4, 30), False),
        (date(2026, 5, 1), True),
        (date(2026, 5, 31), True),
        (date(2026, 6, 1), False),
        (None, True),
    ],
)
def test_a_period_has_its_own(day: date | None, is_told: bool) -> None:
    given = result(("SETTLED", 2, day))
    assert bool(told(given, MAY)) is is_told
    assert told(given, Period())


def test_a_person_in_a_status_is_masked() -> None:
    given = result(("to 09121234567", 2, None))
    assert "09121234567" not in str(told(given, Period(), Masking()))
    assert "09121234567" in str(told(given, Period()))


def test_statuses_that_look_alike_once_masked_are_told_together() -> None:
    """Nobody's rials go with a name that is hidden."""
    given = result(
        ("paid 6104331234567890", 2, None),
        ("paid 6104339999997890", 3, None),
        ("paid 6104338888887890", None, None),
        ("FAILED", 4, None),
    )
    assert list(told(given, Period(), Masking()).items()) == [
        ("paid 610433******7890", {"deposits": 3, "amount": 5}),
        ("FAILED", {"deposits": 1, "amount": 4}),
    ]


def test_counts_by_texts_that_look_alike_once_masked_are_summed() -> None:
    found = {"a=6104331234567890": 1, "a=6104339999997890": 2, "b": 4}
    assert Masking().counts(found) == {"a=610433******7890": 3, "b": 4}
