"""A date without a time is its whole day, where the clocks change in it, too."""

from dataclasses import replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from recon.reconcile.checks import run_checks, shipped_checks
from recon.settings import Settings
from recon.times import midnight
from tests import builders
from tests.builders import BANK
from tests.reconcile.wallet_world import (
    MINUTE,
    Row,
    deposit,
    figures,
    opened,
    rollforward,
    settings,
)

SECOND = timedelta(seconds=1)
LONG, SHORT = date(2026, 10, 25), date(2026, 3, 29)  # of 25 and of 23 hours in Berlin


def in_zone(name: str) -> Settings:
    chosen = settings({"provider_names": ("Paywell",)})
    return replace(chosen, business=replace(chosen.business, timezone=ZoneInfo(name)))


BERLIN = in_zone("Europe/Berlin")


def night_after(day: date, hours: int) -> datetime:
    """So long after the midnight of Berlin that ends a day; before it, if negative."""
    after = midnight(day + timedelta(days=1), ZoneInfo("Europe/Berlin"))
    return after + timedelta(hours=hours)


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Berlin", LONG, 25),
        ("Europe/Berlin", SHORT, 23),
        ("Europe/Berlin", date(2026, 10, 26), 24),
        ("America/New_York", date(2026, 11, 1), 25),
        ("America/New_York", date(2026, 3, 8), 23),
        ("Australia/Lord_Howe", date(2026, 4, 5), 24.5),
        ("Australia/Lord_Howe", date(2026, 10, 4), 23.5),
        ("Asia/Tehran", date(2021, 9, 21), 25),  # its clocks went back at midnight
        ("Asia/Tehran", date(2022, 3, 22), 23),  # it began at 01:00
        ("Asia/Tehran", date(2026, 10, 25), 24),
    ],
)
def test_a_day_lasts_until_the_next_one_begins(
    zone: str, day: date, hours: float
) -> None:
    begins_at = midnight(day, ZoneInfo(zone))
    given = {"adjustments": [builders.adjustment(at=begins_at)]}
    with opened(given, in_zone(zone)) as engine:
        (row,) = engine.table("int_whole_days").to_pylist()
    lasts = row["ends_at"] + SECOND - row["begins_at"]
    assert (row["begins_at"], lasts) == (begins_at, timedelta(hours=hours))


def bank_breaks(requested_at: datetime, booked: date) -> list[str]:
    """The checks of the bank that speak of one deposit and one debit of its amount."""
    start = midnight(booked, ZoneInfo("Europe/Berlin"))
    week = timedelta(days=7)
    lines: list[Row] = [
        {"booked_at": start - week, "amount": 1, "description": "", "iban": BANK},
        {"booked_at": start, "amount": -500, "description": "Paywell", "iban": BANK},
        {"booked_at": start + week, "amount": 1, "description": "", "iban": BANK},
    ]
    asked = [deposit("d", requested_at, 500, wage=0, iban=BANK)]
    given = {"deposits": asked, "bank_statement": lines}
    with opened(given, BERLIN) as engine:
        checks = [each for each in shipped_checks() if each.name.startswith("bank_")]
        found = run_checks(engine, checks, BERLIN).to_pylist()
    return sorted(row["check"] for row in found)


def test_a_deposit_of_the_last_hour_of_a_long_day_has_the_debit_of_that_day() -> None:
    assert bank_breaks(night_after(LONG, -1) + SECOND, LONG) == []


def test_a_deposit_of_the_hour_after_a_short_day_has_no_debit_of_that_day() -> None:
    assert bank_breaks(night_after(SHORT, 0) + SECOND, SHORT) == [
        "bank_debit_missing",
        "bank_debit_unexplained",
    ]


def test_a_settlement_of_the_last_hour_of_a_long_day_is_explained() -> None:
    """Dated 25 October; the snapshot of 23:30 has it not yet, that of 23:59 has it."""
    nights = (night_after(LONG, hours) for hours in (-30, -20))
    times = [*nights, *(night_after(LONG, 0) - MINUTE * early for early in (30, 1))]
    shown = [
        builders.balance(number, at=at, balance=figure)
        for number, (at, figure) in enumerate(zip(times, (50, 50, 50, 30), strict=True))
    ]
    left = builders.adjustment(
        at=midnight(LONG, ZoneInfo("Europe/Berlin")), amount=-20, kind="settlement"
    )
    rows = rollforward({"balances": shown, "adjustments": [left]}, BERLIN)
    assert figures(rows) == [(20, 20, 0), (0, 0, 0), (-20, -20, 0)]
