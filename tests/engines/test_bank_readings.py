"""Entries of bank statements, read by two releases, are the same on both engines."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from recon.lake import Lake
from recon.reconcile.engine import Engine
from recon.reconcile.engines import choosing
from recon.reconcile.engines.duckdb import DuckEngine
from recon.settings import Business, Checks, Settings, Spark
from tests.imports.import_cases import taken
from tests.imports.stored_before import entry, stored_before
from tests.imports.test_import_read_further import PAID, camt

SparkEngine = choosing.spark_engine()
MODELS = ("stg_business__bank_entries", "int_bank_lines")
SETTINGS = Settings(
    business=Business(name="shop"), checks=Checks(provider_names=("Paywell",))
)


def found(engine: Engine) -> list[list[dict[str, Any]]]:
    return [
        sorted(engine.table(model).to_pylist(), key=lambda row: str(row.values()))
        for model in MODELS
    ]


def test_both_engines_count_and_name_the_same_entries(
    tmp_path: Path, sail: str
) -> None:
    """They stand on one line of their file: nothing but their texts puts them in order.

    Of the three, a full line breaks the provider's name in one.
    """
    lake = Lake(tmp_path / "lake")
    stored_before(lake, camt(lake, "a", "Ali"), [entry(PAID), entry(PAID)])
    taken(lake, "bank_statement", camt(lake, "b", "Pay&#10;well", "Ali", "Reza"))
    raw = {"bank_statement": lake.versions("bank_statement")}
    there = replace(SETTINGS, spark=Spark(remote=sail))
    with (
        DuckEngine.open(raw, SETTINGS, lake.now()) as duck,
        SparkEngine.open(raw, there, lake.now()) as spark,
    ):
        entries, lines = found(duck)
        assert found(spark) == [entries, lines]
    assert len(entries) == 3
    assert [line["is_provider_named"] for line in lines].count(True) == 1
