"""Days between two statements, and what they leave undecided, on both engines."""

from dataclasses import replace

from recon.reconcile.engine import Engine
from recon.reconcile.engines import choosing
from recon.reconcile.engines.duckdb import DuckEngine
from recon.settings import Spark
from tests.builders import lake_tables
from tests.reports.test_report_bank_gaps import GIVEN, NOVEMBER, SETTINGS

SparkEngine = choosing.spark_engine()
MODELS = (
    *("stg_business__bank_statements", "int_bank_gaps", "int_bank_undecided"),
    *("check_bank_debit_missing", "report_bank_matches", "report_settlements"),
)


def found(engine: Engine) -> dict[str, list[str]]:
    return {
        model: sorted(str(row) for row in engine.table(model).to_pylist())
        for model in MODELS
    }


def test_both_engines_find_the_same_days(sail: str) -> None:
    raw = lake_tables(GIVEN)
    there = replace(SETTINGS, spark=Spark(remote=sail))
    with (
        DuckEngine.open(raw, SETTINGS, NOVEMBER) as duck,
        SparkEngine.open(raw, there, NOVEMBER) as spark,
    ):
        here = found(duck)
        assert found(spark) == here
    assert len(here["int_bank_gaps"]) == 1
    assert len(here["int_bank_undecided"]) == 4
