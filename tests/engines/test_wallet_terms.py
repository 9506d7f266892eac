"""The wallet's terms, changes and journal are the same on both engines."""

from dataclasses import replace
from typing import Any

import pytest

from recon.reconcile.disclosures.uncompared import changes, others
from recon.reconcile.engines import choosing
from recon.reconcile.engines.duckdb import DuckEngine
from recon.settings import Settings, Spark
from tests.builders import lake_tables
from tests.engines.test_spark_engine import AS_OF
from tests.reconcile.test_wallet_changes import (
    NEW,
    OLD,
    changed,
    dated,
    overwritten,
    shown,
)
from tests.reconcile.wallet_world import Row, at, payment, settings

MODELS = (
    *("int_wallet_terms", "int_wallet_snapshots", "int_other_snapshots"),
    "int_wallet_returns",
    *("int_wallet_changes", "int_wallet_rollforward", "report_journal"),
)


def answers(engine: Any) -> list[Any]:
    tables = [engine.table(model).to_pylist() for model in MODELS]
    found = [sorted(map(str, map(in_seconds, rows))) for rows in tables]
    return [*found, changes(engine.query), others(engine.query)]


def in_seconds(row: dict[str, Any]) -> dict[str, Any]:
    """An instant as a number: the engines name its zone in other words."""
    return {
        name: value.timestamp() if hasattr(value, "timestamp") else value
        for name, value in row.items()
    }


AT_ONCE = dated(**{"2026-10-02 12:00+00:00": OLD, "2026-10-03 00:00+00:00": NEW})
"""Both wallets have a balance of the instant of the change; one follows itself."""

AND_BACK = dated(**{"2026-10-01 12:00+00:00": NEW, "2026-10-02 12:00+00:00": OLD})
"""The old one is the wallet again, and has a balance on either side."""


@pytest.mark.parametrize(
    ("chosen", "more"),
    [
        (dated(), []),
        (overwritten(), []),
        (settings(wallet_iban=OLD), []),
        (AT_ONCE, shown(NEW, 3, 40)),
        (AND_BACK, []),
    ],
    ids=["dated", "overwritten", "old", "at-once", "and-back"],
)
def test_both_engines_know_the_same_wallets(
    chosen: Settings, more: list[Row], sail: str
) -> None:
    sold = [payment("a", at(2, 9), 5), payment("between", at(4, 9), 500)]
    given = changed((100, 100, 105), (40, 40, 33), payments=sold)
    given["balances"] += [*shown("IR7", 2, 1, 2), *more]
    tables = lake_tables(given)
    remote = replace(chosen, spark=Spark(remote=sail))
    with (
        DuckEngine.open(tables, chosen, AS_OF) as here,
        choosing.spark_engine().open(tables, remote, AS_OF) as there,
    ):
        assert answers(here) == answers(there)
