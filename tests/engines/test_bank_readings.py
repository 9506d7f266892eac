"""Entries of bank statements, read by two releases, are the same on both engines."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from recon.lake import Lake
from recon.reconcile.engine import Engine
from recon.reconcile.engines import choosing
from recon.reconcile.engines.duckdb import DuckEngine
from recon.settings import Business, Checks, Settings, Spark
from tests.builders import lake_tables
from tests.imports.import_cases import taken
from tests.imports.stored_before import entry, stored_before
from tests.imports.test_import_read_further import PAID, camt
from tests.raw_rows import AT

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


SPELLINGS = (
    "پرداخت\u200cیار",
    "پرداخت یار",
    "پرداختیار",
    "پرداخت\u200fيار",
    "پرداخ\u0640ت\u00a0 یارِ",
    "پرداخت\n\u200cیار",
)
OTHERS = ("به پرداخت یک", "پردا خت کار", "Pay well", "", None)


@pytest.mark.parametrize("name", SPELLINGS[:3])
def test_both_engines_find_a_name_in_all_its_spellings(
    tmp_path: Path, sail: str, name: str
) -> None:
    texts = [*SPELLINGS, *OTHERS]
    rows = [{"amount": -n, "description": text} for n, text in enumerate(texts, 1)]
    file = tmp_path / "bank_statement.parquet"
    pq.write_table(lake_tables({"bank_statement": rows})["bank_statement"], file)
    raw = {"bank_statement": [file]}
    settings = replace(SETTINGS, checks=Checks(provider_names=(name,)))
    there = replace(settings, spark=Spark(remote=sail))
    with (
        DuckEngine.open(raw, settings, AT) as duck,
        SparkEngine.open(raw, there, AT) as spark,
    ):
        _, lines = found(duck)
        assert found(spark)[1] == lines
    named = {-line["amount_rial"] for line in lines if line["is_provider_named"]}
    assert named == set(range(1, len(SPELLINGS) + 1))
