"""Intervals that open items explain by chance: that is no proof, and it is told."""

from datetime import timedelta
from typing import Any

import pytest

from recon.reconcile.checks import run_checks, shipped_checks
from recon.reconcile.disclosures.judgement import judgement
from recon.reconcile.disclosures.unjudged import is_unknown, unjudged, unjudged_words
from recon.reconcile.engines import DuckEngine
from tests.builders import AT, lake_tables
from tests.reconcile.disclosures.test_unjudged import LATER, SETTINGS

Row = dict[str, Any]
DAY = timedelta(days=1)
PRICE = 50_000
MANY = 40
NAMES = ("why", "subject", "name", "count", "amount", "first")


def queued(number: int, **changed: Any) -> Row:
    """A deposit that waits, of an amount of its own."""
    return {
        "status": "INIT",
        "settled_at": None,
        "amount": number * PRICE,
        "requested_amount": number * PRICE,
        "wage": 0,
        "requested_at": AT - DAY,
    } | changed


def told(rest: int, deposits: list[Row], days: int = 1) -> list[tuple[Any, ...]]:
    """Return what is told where the wallet gains so much in each of some days."""
    balances = [
        {"at": AT + day * DAY, "balance": 10**9 + day * rest} for day in range(days + 1)
    ]
    tables = lake_tables({"balances": balances, "deposits": deposits})
    with DuckEngine.open(tables, SETTINGS, LATER) as engine:
        found = unjudged(engine.query)
        flow = engine.table("int_wallet_rollforward").to_pylist()
        fired = run_checks(engine, shipped_checks(), SETTINGS)["check"].to_pylist()
    assert all(row["explained_rial"] == rest for row in flow)
    assert "wallet_rollforward" not in fired
    assert all(row["why"] == "chance" for row in found)
    return [tuple(row[name] for name in NAMES) for row in found]


def test_of_very_many_open_items_a_few_fit_any_figure() -> None:
    """What is left after a theft is explained as well as what came."""
    many = [queued(number) for number in range(1, MANY + 1)]
    rest = (MANY + 3) * PRICE
    first = (AT + DAY).date().isoformat()
    assert told(rest, many) == [("chance", "intervals", "", 1, rest, first)]
    assert told(rest, many, days=2) == [("chance", "intervals", "", 2, 2 * rest, first)]


def pairs(*numbers: int) -> list[Row]:
    """Deposits of millions of rials, of which two come to seven million each."""
    return [
        queued(part, amount=part * 10**6)
        for number in numbers
        for part in (number, 7 - number)
    ]


def test_of_three_sets_of_different_amounts_two_fit_by_chance() -> None:
    """A theft may be behind it, as no more than one of them can have landed."""
    assert [row[4] for row in told(7 * 10**6, pairs(1, 2, 3))] == [7 * 10**6]
    assert told(7 * 10**6, pairs(1, 2)) == []
    assert told(7 * 10**6, pairs(1, 1, 1, 2)) == []


SMALL = [queued(n, amount=n * 10_000) for n in (1, 2, 4, 5, 6, 7, 8)]


def test_where_two_of_seven_come_to_almost_any_figure_one_set_proves_nothing() -> None:
    assert [row[3:5] for row in told(30_000, SMALL)] == [(1, 30_000)]
    assert told(30_000, SMALL[:3]) == []


@pytest.mark.parametrize(("deposits", "waiting"), [(SMALL, 7), (SMALL[:3], 1)])
def test_what_explains_by_chance_is_no_evidence_that_it_landed(
    deposits: list[Row], waiting: int
) -> None:
    """Each deposit still waits for too long, but for two that nothing else explains."""
    balances = [{"at": AT, "balance": 0}, {"at": AT + DAY, "balance": 30_000}]
    tables = lake_tables({"balances": balances, "deposits": deposits})
    with DuckEngine.open(tables, SETTINGS, LATER) as engine:
        assert engine.table("check_deposit_queue_stale").num_rows == waiting
        assert engine.table("int_wallet_untimed").num_rows == 0


@pytest.mark.parametrize(
    "deposits",
    [
        [queued(17), queued(26)],
        [queued(number, amount=number * 10**8) for number in range(1, MANY)]
        + [queued(17), queued(26)],
        [queued(number) for number in (43, *range(44, 44 + MANY))],
        [*(queued(17), queued(26)), *(queued(n, amount=None) for n in range(MANY))],
    ],
    ids=["few", "others are far larger", "one is of that very amount", "no amounts"],
)
def test_what_hardly_fits_by_chance_explains(deposits: list[Row]) -> None:
    assert told(43 * PRICE, deposits) == []


def test_a_night_with_it_is_not_called_well() -> None:
    row = dict(zip(NAMES, ("chance", "intervals", "", 1, 7, "2026-10-10"), strict=True))
    assert is_unknown({"unjudged": [row]})
    assert not is_unknown({"unjudged": [row]}, ["wallet_rollforward"])
    summary = {
        "complete": True,
        "sources": {"checkouts": {}},
        "wallet": {"closing": 1},
        "breaks": {"open": {"by_severity": {}}},
        "unjudged": [row],
    }
    assert judgement(summary)[:2] == ("warn", "unproven")
    assert judgement({**summary, "unjudged": []})[:2] == ("good", "well")


def test_the_words_say_how_many_since_when_and_what_would_settle_it() -> None:
    row = dict(zip(NAMES, ("chance", "intervals", "", 2, 7, "2026-10-10"), strict=True))
    (words,) = unjudged_words([row], brief=True)
    assert words == (
        "Explained by open items, of which so many wait that some fit by chance, so "
        "something else may be behind it, until an import tells which deposits are "
        "settled: 2 intervals of the wallet that come to 7 rials (from 2026-10-10 on)."
    )
