"""The checks on whole invented histories, against what was planted in them."""

from collections import Counter
from datetime import timedelta

import pytest

from recon.reconcile.checks import run_checks, shipped_checks
from recon.reconcile.engines.duckdb import DuckEngine
from recon.sandbox import history
from recon.sandbox.exports import PROVIDER_NAME
from recon.settings import Business, CashIn, Checks, Settings
from tests.checks.history_tables import tables_of

Breaks = Counter[tuple[str, ...]]


def found(made: history.History, calendar: str = "gregorian") -> Breaks:
    settings = Settings(
        business=Business(name="shop", calendar=calendar),
        cash_in=CashIn(
            wallet_iban=made.world.wallet_iban, settled_statuses=("SETTLED",)
        ),
        checks=Checks(provider_names=(PROVIDER_NAME,)),
    )
    later = made.ends_at + timedelta(hours=60)
    tables = tables_of(made, pulled_at=made.ends_at + timedelta(hours=1))
    with DuckEngine.open(tables, settings, later) as engine:
        rows = run_checks(engine, shipped_checks(), settings).to_pylist()
    return Counter((row["check"], row["product"], row["record_id"]) for row in rows)


def planted(made: history.History) -> Breaks:
    return Counter((each.check, each.product, each.record_id) for each in made.planted)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_clean_history_has_no_break(seed: int) -> None:
    assert found(history.generate(seed, days=45, daily=30)) == Counter()


@pytest.mark.parametrize(
    ("seed", "calendar"),
    [(1, "gregorian"), (2, "jalali"), (3, "gregorian"), (4, "jalali")],
)
def test_all_that_was_planted_is_found_and_nothing_else(
    seed: int, calendar: str
) -> None:
    made = history.generate(seed, days=35, daily=20, faults=("all",), calendar=calendar)
    assert found(made, calendar) == planted(made)
